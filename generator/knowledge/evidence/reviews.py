"""Review stamps: a person compared a record with what it uses of a source, and what of that has changed since.

A stamp holds the day, one hash over everything that is used and a short one for each fact, so that a later finding can
name what changed. What is used is `reliance`'s to say; the stamp leads with the version of that recipe.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from generator.catalog.records import Record
from generator.derive.cited_config import CitedConfig
from generator.knowledge.evidence.used_facts import RECIPE, evidence_by_source, needs, parsed, used
from generator.knowledge.graph import Citation
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.digests import facts_digest

WHOLE, EACH = 12, 4
"""Digits of the hash over all that is used, which decides, and of those of single facts, which only name."""


class ReviewStatus(StrEnum):
    """The review status of a citation. Only `HOLDS` says that somebody compared what is there now."""

    NEVER = "never reviewed"
    HOLDS = "reviewed"
    CHANGED = "changed since the review"
    UNKNOWN = "reviewed by another recipe"
    IDLE = "reviewed, and no longer cited"
    BARRED = "not comparable"


@dataclass(frozen=True)
class Stamp:
    """The hashes of what is used."""

    facts: str
    keys: Mapping[str, str]


@dataclass(frozen=True)
class Review:
    """A source that a record uses or has a stamp for, and the status of the pair."""

    source: str
    state: ReviewStatus
    citations: tuple[Citation, ...] = ()
    on: str = ""
    stamp: Stamp | None = None
    changed: list[str] = field(default_factory=list)
    why: str = ""


def stamp_of(facts: Mapping[str, Any]) -> Stamp:
    """The stamp over some facts: canonical JSON (sorted keys, no blanks, whole numbers without a fraction), sha256.

    >>> stamp_of({"layers": 60}).facts
    'v1:11287c3fd352'
    """
    plain = {name: _plain(value) for name, value in facts.items()}
    return Stamp(f"{RECIPE}:{_digits(plain, WHOLE)}", {name: _digits(value, EACH) for name, value in plain.items()})


def _digits(value: Any, count: int) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:count]


def _plain(value: Any) -> Any:
    """10000.0 is 10000: a new reading may write it either way."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def reviews(kb: KnowledgeBase, record: Record) -> Iterator[Review]:
    """Every source that a record rests on, with its stamp if there is one; then stamps of sources that it does not."""
    cited = evidence_by_source(kb.graph.cites(record.id))
    stamps = kb.catalog.stamps.get(record.id, {})
    for id, citations in cited.items():
        yield _review(kb, record, id, tuple(citations), stamps.get(id))
    for id, stamp in stamps.items():
        if id not in cited:
            yield Review(id, ReviewStatus.IDLE, on=str(stamp["on"]))


def _review(
    kb: KnowledgeBase, record: Record, id: str, citations: tuple[Citation, ...], held: Mapping[str, Any] | None
) -> Review:
    source = kb.catalog.records[id]
    facts = {} if id in kb.catalog.unsound else used(needs(record, citations, source), source)
    now, why = stamp_of(facts), _barred(kb, source, facts)
    if held is None or why:
        return Review(id, ReviewStatus.BARRED if why else ReviewStatus.NEVER, citations, stamp=now, why=why)
    before, on = Stamp(held["facts"], held["keys"]), str(held["on"])
    if before.facts.partition(":")[0] != RECIPE:
        return Review(id, ReviewStatus.UNKNOWN, citations, on, now)
    balanced = record.kind == "model" and all(citation.path[0] in ("config", "evidence") for citation in citations)
    changed = _changed(source, before, now, balanced)
    left = [name for name in changed if not (balanced and _unbalanced(record, source, name))]
    return Review(id, ReviewStatus.CHANGED if left else ReviewStatus.HOLDS, citations, on, now, left)


def _unbalanced(record: Record, source: Record, name: str) -> bool:
    """Whether record and source differ in a fact: then WIR202 reports it, with both values."""
    stated, cited = record.get("architecture") or {}, CitedConfig(source)
    return name in stated and name in cited.flat and not cited.says(name, stated[name])


def _barred(kb: KnowledgeBase, source: Record, facts: Mapping[str, Any]) -> str:
    """Why nothing can be compared."""
    if source.id in kb.catalog.unsound:
        return "the source breaks its schema"
    stated = source.get("facts_digest")
    if stated is not None and stated != facts_digest(source.get("facts")):
        return "the facts of the source do not match their digest"
    if source.get("retrieval") == "unreadable":
        return "the source could not be read"
    return "" if facts else "the source states nothing of what is used here"


def _changed(source: Record, before: Stamp, now: Stamp, balanced: bool) -> list[str]:
    """The names of the facts that are not what they were.

    What a record uses by its own choice (`balanced`: by the keys of its architecture) may grow: the source has not.
    """
    if before.keys == now.keys:
        return ["facts that the stamp does not distinguish"] if before.facts != now.facts else []
    changed = [name for name, digits in now.keys.items() if name in before.keys and before.keys[name] != digits]
    gone = [name for name in before.keys if name not in now.keys and not used([parsed(name)], source)]
    new = [name for name in now.keys if name not in before.keys and not balanced and not name.endswith("]")]
    return [*changed, *(f"{name} (no longer there)" for name in gone), *(f"{name} (new)" for name in new)]
