"""Rewrite a source to what its document says today; comments and untouched lines stay as they are.

Everything that cites it stays, so that review stamps over facts that differ no longer hold (DRF602): whoever accepts an
edition has not compared the records with it yet.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from generator.authoring.extract.extraction import restated
from generator.authoring.fixes import Change
from generator.authoring.yaml_writer import GONE, rewritten
from generator.catalog.records import Record
from generator.catalog.yaml.loader import load
from generator.notation.addresses import edition
from generator.notation.digests import facts_digest

NO_DAY = "the file of a commit states none"


class CannotAccept(Exception):
    """Nothing is rewritten; the message says why."""


@dataclass(frozen=True)
class NewReading:
    """A new reading: the address, the facts that were extracted, those that are gone, digests, the document's day."""

    locator: str
    facts: Mapping[str, Any]
    gone: frozenset[str]
    digest: str
    artifact: str = ""
    dated: str = ""


def accepted(source: Record, reading: NewReading, today: date) -> Change:
    """The source's file with the new reading in it. Raises `CannotAccept`."""
    facts = restated(source, reading.facts, reading.gone)
    old, new = edition(_read(source))[1], edition(reading.locator)[1]
    if not old or not new:
        raise CannotAccept(f"{source.id}: its address names no edition, so a new one has no address of its own")
    changes: dict[tuple[str, ...], Any] = {("facts",): facts, ("retrieved",): today.isoformat()}
    for field in ("title", "url", "locator"):
        text = source.get(field)
        if isinstance(text, str) and old in text:
            changes[field,] = text.replace(old, new)
    if source.get("read_from"):
        changes["read_from", "locator"] = _moved(_read(source), old, new)
        changes["read_from", "digest"] = reading.digest
    elif source.get("digest"):
        changes["digest",] = reading.digest
    if reading.artifact and source.get("artifact_digest"):
        changes["artifact_digest",] = reading.artifact
    if source.get("facts_digest"):
        changes["facts_digest",] = facts_digest(facts)
    changes["upstream_date",] = reading.dated or None
    if not reading.dated:
        changes["why_null",] = {**(source.get("why_null") or {}), "upstream_date": NO_DAY}
    if "upstream_commit" in source.data:
        changes["upstream_commit",] = new if re.fullmatch(r"[0-9a-f]{40}", new) else GONE
    text = rewritten(source.document.text, changes)
    if load(text).data.get("facts") != facts:
        raise CannotAccept(f"{source.id}: its facts would not read back as they are")
    return Change(source.path, source.document.text.encode("utf-8"), text.encode("utf-8"), ("read again",))


def _read(source: Record) -> str:
    return str(source.get("read_from", "locator") or source.get("locator"))


def _moved(locator: str, old: str, new: str) -> str:
    return locator.replace(f"@{old}", f"@{new}", 1)
