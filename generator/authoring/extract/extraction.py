"""The facts of a source from its bytes: one extractor for each form of document, named and instructed by the record.

The extractor yields the facts that it names; what else a source states, a person has read. Nothing of a document is
ever run. Import and drift share this: a fact is on record because these lines find it in those bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from generator.authoring.extract import json_pointers, markdown_tables, patterns, python_literals
from generator.authoring.extract.unparsable import Missing, Unparsable
from generator.catalog.records import Record
from generator.knowledge.changes.fields import FieldChange, field_changes

MANUAL = "manual"
_OMITTED = re.compile(r"<(\d{1,9}) [a-z -]{1,40} omitted>")
MOST = 32 * 1024 * 1024
"""Bytes; a larger document is not parsed."""

Facts = Mapping[str, Any]
_READERS: Mapping[str, Callable[[bytes, Mapping[str, Any]], dict[str, Any]]] = {
    "json": json_pointers.facts,
    "python-literal": python_literals.facts,
    "markdown-table": markdown_tables.facts,
    "regex": patterns.facts,
}


@dataclass(frozen=True)
class Extraction:
    """What an extractor found: facts by name, and why a named fact is not there."""

    facts: Facts
    missing: Mapping[str, str] = field(default_factory=dict)


def repeatable(source: Record) -> bool:
    """Whether a machine can repeat the reading of a source."""
    return source.get("extractor", "type") in _READERS and bool(source.get("extractor", "args"))


def extract(source: Record, data: bytes) -> Extraction:
    """The facts that a source's extractor yields from the bytes of its document.

    Raises `Unparsable` where the bytes are not such a document, which says nothing about the facts.
    """
    if len(data) > MOST:
        raise Unparsable(f"it has {len(data):,} bytes; more than {MOST:,} are not parsed")
    found = _READERS[source.get("extractor", "type")](data, source.get("extractor", "args"))
    missing = {name: str(value) for name, value in found.items() if isinstance(value, Missing)}
    if found and len(missing) == len(found) and not _anchored(source, data):
        raise Unparsable(f"nothing of what is known to be there was found: {next(iter(missing.values()))}")
    return Extraction({name: value for name, value in found.items() if name not in missing}, missing)


def _anchored(source: Record, data: bytes) -> bool:
    """Whether something else that is known to be in the document is: only then is what is not found gone."""
    anchor = source.get("extractor", "anchor")
    if isinstance(anchor, str):
        return anchor.encode("utf-8") in data
    return source.get("extractor", "type") in ("json", "python-literal")  # it parsed, so it is whole


def fact_changes(source: Record, found: Extraction) -> tuple[FieldChange, ...]:
    """What a new reading says otherwise than the source; of a part of a document only what the source states."""
    stated = source.get("facts") or {}
    if source.get("extractor", "type") == "json" and not source.get("complete"):
        found = Extraction(_stated_part(found.facts, stated), found.missing)
    changes = [
        each
        for name, value in found.facts.items()
        for each in field_changes(stated.get(name), value, None, name)
        if not _stands_for(each.before, each.after)
    ]
    gone = [FieldChange(name, stated.get(name), None) for name in found.missing if stated.get(name) is not None]
    if source.get("complete"):
        whole = [name for name in stated if name not in found.facts and name not in found.missing]
        gone += [FieldChange(name, stated[name], None) for name in whole if not name.startswith("_")]
    return (*changes, *gone)


def restated(source: Record, found: Facts, gone: Collection[str]) -> dict[str, Any]:
    """The facts of a source with those of a new reading in their places; what is gone is left out.

    Of a document of which a part is on record only that part is taken, and what was left out of a list stays left out.
    """
    stated = source.get("facts") or {}
    if source.get("extractor", "type") == "json" and not source.get("complete"):
        found = {key: value for key, value in _stated_part(found, stated).items() if key not in gone}
    facts = {**stated, **{key: _with_omissions(stated.get(key), value) for key, value in found.items()}}
    return {key: value for key, value in facts.items() if key not in gone}


def _with_omissions(stated: Any, value: Any) -> Any:
    if _stands_for(stated, value):
        return stated
    if isinstance(stated, Mapping) and isinstance(value, Mapping):
        return {key: _with_omissions(stated.get(key), item) for key, item in value.items()}
    return value


def _stands_for(stated: Any, value: Any) -> bool:
    """Whether ``<93 module names omitted>`` is written where the document has so many entries."""
    omitted = _OMITTED.fullmatch(stated) if isinstance(stated, str) else None
    return bool(omitted) and isinstance(value, list | Mapping) and len(value) == int(omitted[1] if omitted else 0)


def _stated_part(found: Facts, stated: Facts) -> dict[str, Any]:
    """Those of the facts that are stated, however deep."""
    return {
        name: _stated_part(found[name], value)
        if isinstance(value, Mapping) and isinstance(found.get(name), Mapping)
        else found.get(name)
        for name, value in stated.items()
    }
