"""DRF603: evidence of which the base has a newer edition."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Fix, Related, Severity
from generator.knowledge.editions import Newer, shown
from generator.knowledge.evidence.used_facts import MOST, Difference, difference, evidence_by_source, needs
from generator.knowledge.graph import Citation
from generator.knowledge.knowledge_base import KnowledgeBase

VERIFIED = ("read", "read-not-hashed")


@check("DRF603", Severity.WARNING)
def superseded_source(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A value rests on a document of which a newer edition is in the base.

    Why it matters
    Somebody has read what the document says now, and this record still says what it said before.

    Two sources are editions of one document where `supersedes` or `superseded_by` says so, or where they name one place
    in one package or repository, about the same subjects, at versions or days that show which is newer. An entry that
    says that it is about the old edition (`since`, `until`, its version in words) is left alone, and so is a list that
    cites both. A record that states the old version as its own, or a gotcha in its conditions, gets an info: it says
    which version it is about.

    Bad
    ```yaml sources/tiny-datasheet-june.yaml
    # yaml-language-server: $schema=../schema/source.schema.json
    title: Tiny GPU datasheet, second edition
    publisher: Tiny Works
    type: datasheet
    url: https://tiny.example/gpu-2026-06.pdf
    locator: page 2
    subjects: [gpu:tiny-gpu]
    retrieved: 2026-07-01
    upstream_date: 2026-06
    retrieval: read-not-hashed
    digest: null
    license: null
    facts: {memory: 96 GB}
    supersedes: "[[tiny-datasheet]]"
    why_null: {digest: only the page on screen was read, license: not stated}
    ```

    Good
    ```yaml sources/tiny-datasheet-june.yaml
    # yaml-language-server: $schema=../schema/source.schema.json
    title: Tiny GPU datasheet, second edition
    publisher: Tiny Works
    type: datasheet
    url: https://tiny.example/gpu-2026-06.pdf
    locator: page 2
    subjects: [gpu:tiny-gpu]
    retrieved: 2026-07-01
    upstream_date: 2026-06
    retrieval: read-not-hashed
    digest: null
    license: null
    facts: {memory: 96 GB}
    supersedes: "[[tiny-datasheet]]"
    why_null: {digest: only the page on screen was read, license: not stated}
    ```
    ```yaml records/gpus/tiny-gpu.yaml
    memory: {value: 96, unit: GB, cite: "[[tiny-datasheet-june]]"}
    cites: ["[[tiny-datasheet-june]]"]
    ```

    How to fix
    Cite the newer edition and write what it says; keep the old value under `corrections` where people may have used it.
    The fix re-points the citations where every fact that is used here is the same there.
    """
    for record in kb.catalog.records.values():
        if record.kind == "source" or record.id in kb.catalog.unsound:
            continue
        for id, citations in evidence_by_source(kb.graph.cites(record.id)).items():
            newer = kb.newer.get(id)
            if newer is None or id in kb.catalog.unsound:
                tally.checked += id not in kb.catalog.unsound
                tally.skipped += id in kb.catalog.unsound
                continue
            old = kb.catalog.records[id]
            told = difference(needs(record, citations, old), old, newer.source)
            if newer.source.get("retrieval") == "unreadable" or not told.shared:
                tally.not_checkable += 1  # whatever the newer edition says of this, the base does not hold it
                continue
            tally.checked += 1
            open_ = [citation for citation in citations if not _knows(kb, record, citation, newer)]
            if open_:
                yield _finding(this, kb, record, old, open_, newer, told)


def _finding(
    this: Check,
    kb: KnowledgeBase,
    record: Record,
    old: Record,
    citations: list[Citation],
    newer: Newer,
    told: Difference,
) -> Finding:
    own = _own(record, newer.this)
    lone = not any(citation.citing in kb.graph.ids for citation in kb.graph.cited_by(newer.source.id))
    return this.finding(
        citations[0].location,
        _message(old, newer, told, own),
        record.id,
        [Related(citation.location, f"`{citation.place}` rests on it, too") for citation in citations[1:10]],
        None if own else _fix(kb, record, old, citations, newer, told),
        {
            "source": old.id,
            "newer": newer.source.id,
            "editions": [newer.this, newer.that],
            "changed": told.changed,
            "same": told.same,
            "absent": told.absent,
            "places": [citation.place for citation in citations],
            **({"absorbs": [("CIT102", newer.source.id)]} if lone and not own else {}),
        },
        Severity.INFO if own else None,
    )


def _message(old: Record, newer: Newer, told: Difference, own: str | None) -> str:
    """Which edition is newer, what it says otherwise, and what to do; a record about the old one keeps it."""
    more = f" and {len(told.shared) - MOST} more" if len(told.shared) > MOST else ""
    what = told.text() or f"all that is used here ({', '.join(told.shared[:MOST])}{more}) is the same there"
    then = "cite the newer edition" + (" and write what it says" if told.text() else "")
    return (
        f"{old.id} ({shown(newer.this)}) is superseded: the base has {newer.source.id} ({shown(newer.that)}; "
        f"{newer.why}). {what}; {f'the `{own}` here names {shown(newer.this)}' if own else then}"
    )


def _own(record: Record, edition: str) -> str | None:
    """The field by which a record says that it is about the old edition."""
    stated = next((field for field in ("version", "engine_version") if record.get(field) == edition), None)
    conditions = record.get("conditions") if record.kind == "gotcha" else None
    return stated or ("conditions" if any(_about(each, edition) for each in conditions or ()) else None)


def _knows(kb: KnowledgeBase, record: Record, citation: Citation, newer: Newer) -> bool:
    """Whether a citation is of the old edition on purpose."""
    if isinstance(citation.path[-1], int) and any(
        other.target == newer.source.id for other in kb.graph.cites(record.id)
    ):
        return True
    entries = (record.get(*citation.path[:end]) for end in range(1, len(citation.path)))
    return any(isinstance(entry, dict) and _about(entry, newer.this) for entry in entries)


def _about(entry: dict[str, Any], edition: str) -> bool:
    """Whether an entry says of which version it speaks."""
    if "since" in entry or "until" in entry:
        return True
    values = [value for key, value in entry.items() if key not in ("cite", "cites")]
    words = [str(each) for value in values for each in (value if isinstance(value, list) else [value])]
    end = r"(?!\.?\d)" if shown(edition) == edition else ""  # a commit may be written longer
    return any(re.search(rf"(?<![\w.]){re.escape(shown(edition))}{end}", word) for word in words)


def _fix(
    kb: KnowledgeBase, record: Record, old: Record, citations: list[Citation], newer: Newer, told: Difference
) -> Fix | None:
    """Re-point all citations where nothing that is used differs; unsafe where the old source is then an orphan."""
    fixes = [citation.fix(newer.source.id) for citation in citations]
    good = newer.source.get("retrieval") in VERIFIED and newer.source.get("type") == old.get("type")
    if told.changed or told.absent or not good or None in fixes:
        return None
    here = {citation.place for citation in citations}
    kept = any(
        other.citing in kb.graph.ids and (other.citing != record.id or other.place not in here)
        for other in kb.graph.cited_by(old.id)
    )
    edits = tuple(edit for fix in fixes if fix for edit in fix.edits)
    return Fix(f"cite {newer.source.id}", edits, safe=kept)
