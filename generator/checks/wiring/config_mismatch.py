"""WIR202: a record's config fields against the cited source's facts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.derive.cited_config import CitedConfig, agree
from generator.findings import Finding, Related, Severity
from generator.knowledge.evidence.subjects import subject_citations
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.citations import whole


@check("WIR202", Severity.ERROR)
def config_mismatch(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A field of a record differs from what the cited source says.

    Why it matters
    A number is in the record and in its source, and the two must balance: that is the whole rule of this base.

    Bad
    ```yaml records/models/tiny-a.yaml
    architecture:
      num_hidden_layers: 6
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    architecture:
      num_hidden_layers: 4
    ```

    How to fix
    Look into the source. If the record is wrong, correct it; if the source was read wrongly, read it again; if another
    document holds the field, name it under `evidence`.
    """
    for record in tally.sound(kb, "model"):
        architecture = record.get("architecture") or {}
        elsewhere = _evidence(record)
        for citation, subject, source in subject_citations(kb, record):
            if source.id in kb.catalog.unsound or (subject is not None and subject not in source.get("subjects")):
                tally.skipped += 1  # the source is out of form or about something else: SCH101 or WIR201 says so
                continue
            if citation.path == ("config",):
                fields = {key: value for key, value in architecture.items() if key not in elsewhere}
            else:
                key = str(citation.path[-1])
                fields = {key: architecture[key]} if key in architecture else {}
            yield from _compare(this, tally, record, source, fields)


def _evidence(record: Record) -> set[str]:
    """Fields whose evidence is another document."""
    return {key for key, text in (record.get("evidence") or {}).items() if whole(str(text))}


def _compare(this: Check, tally: Tally, record: Record, source: Record, fields: Mapping[str, Any]) -> Iterator[Finding]:
    cited = CitedConfig(source)
    facts = cited.flat
    wrong: dict[str, tuple[Any, Any]] = {}
    for key, value in fields.items():
        if key not in facts:
            tally.not_checkable += 1
            continue
        tally.checked += 1
        if not cited.says(key, value):
            wrong[key] = (value, facts[key])
    if not wrong:
        return
    pairs = ", ".join(_differ(key, value, fact) for key, (value, fact) in wrong.items())
    first = next(iter(wrong))
    others = [Related(record.at("architecture", key), f"`{key}` here") for key in wrong if key != first]
    theirs = [Related(cited.at(key), f"`{key}` in the source") for key in wrong]
    yield this.finding(
        record.at("architecture", first),
        f"the cited source {source.id} disagrees: {pairs}",
        record.id,
        [*others, *theirs],
        data={"source": source.id, "fields": {key: list(pair) for key, pair in wrong.items()}},
    )


def _differ(key: str, here: Any, there: Any) -> str:
    """Where two values differ; two long lists that begin alike would look the same in a message."""
    if isinstance(here, list) and isinstance(there, list) and _say(here) == _say(there):
        if len(here) != len(there):
            return f"`{key}` has {len(here)} entries here and {len(there)} there"
        at = next(index for index, (one, other) in enumerate(zip(here, there, strict=True)) if not agree(one, other))
        return f"entry {at} of `{key}`, counted from 0, is {_say(here[at])} here and {_say(there[at])} there"
    return f"`{key}` is {_say(here)} here and {_say(there)} there"


def _say(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
