"""``servebook review``: write the stamps that say that somebody compared a record with its sources.

A stamp vouches, so nothing is stamped that has errors, and nothing that holds is touched: writing twice changes nothing
more. Stamps have a file of their own, written whole; no record changes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from pathlib import Path

from generator.authoring.fixes import Change
from generator.catalog.disk.authored import contents
from generator.catalog.read.stamps import STAMPS
from generator.catalog.records import Record
from generator.checks.run import CheckRun
from generator.findings import Finding, Severity
from generator.knowledge.evidence.reviews import Review, ReviewStatus, Stamp, reviews
from generator.knowledge.knowledge_base import KnowledgeBase

HEAD = "# Who compared what: written by `servebook review`, not by hand.\n"


class CannotStamp(Exception):
    """Nothing was stamped; the message says why."""


Row = tuple[Record, Review]


@dataclass(frozen=True)
class ReviewPlan:
    """What a run would do: the files that change, and what becomes of each citation that was asked for."""

    changes: tuple[Change, ...] = ()
    stamped: tuple[Row, ...] = ()
    kept: tuple[Row, ...] = ()
    barred: tuple[Row, ...] = ()
    faults: tuple[Finding, ...] = ()


def plan(root: Path, kb: KnowledgeBase, records: Sequence[Record], source: str | None, today: date) -> ReviewPlan:
    """The stamps for some records: for all that they rest on, or for one source. Raises `CannotStamp`."""
    rows = [
        (record, review)
        for record in records
        for review in reviews(kb, record)
        if review.citations and source in (None, review.source)
    ]
    for record in records:
        if source is not None and not any(record is other for other, _ in rows):
            raise CannotStamp(f"no value of {record.id} rests on {source}")
    due = [row for row in rows if row[1].state not in (ReviewStatus.HOLDS, ReviewStatus.BARRED)]
    before = contents(root, STAMPS) if os.path.lexists(root / STAMPS) else None
    after = _lock(kb, due, today).encode("utf-8")
    titles = tuple(f"reviewed {review.source}" for _, review in due)
    return ReviewPlan(
        (Change(STAMPS, before, after, titles),) if due else (),
        tuple(due),
        tuple(row for row in rows if row[1].state is ReviewStatus.HOLDS),
        tuple(row for row in rows if row[1].state is ReviewStatus.BARRED),
    )


def stampable(kb: KnowledgeBase) -> list[Record]:
    """All records that keep to their schema; a source is what others are compared with."""
    return [
        record
        for record in kb.catalog.records.values()
        if record.kind != "source" and record.id not in kb.catalog.unsound
    ]


def faults(verdicts: CheckRun, kb: KnowledgeBase, records: Iterable[Record]) -> tuple[Finding, ...]:
    """The errors in records that are to be stamped, in what they rest on, and in the file of stamps itself."""
    wanted = {record.id for record in records}
    sound = (kb.catalog.records[id] for id in wanted - kb.catalog.unsound)
    behind = {review.source for record in sound for review in reviews(kb, record) if review.citations}
    errors = (each for each in verdicts.findings if each.severity is Severity.ERROR)
    return tuple(each for each in errors if each.record in wanted | behind or each.location.path == STAMPS)


def _lock(kb: KnowledgeBase, due: Sequence[Row], today: date) -> str:
    """The whole file: the existing stamps, with the new ones replacing the old."""
    held = kb.catalog.stamps
    lines = {
        (record, source): stamp_line(stamp["on"], Stamp(stamp["facts"], stamp["keys"]))
        for record, stamps in held.items()
        for source, stamp in stamps.items()
    }
    lines |= {(record.id, new.source): stamp_line(str(today), new.stamp) for record, new in due if new.stamp}
    text = HEAD
    for id, rows in groupby(sorted(lines.items()), key=lambda item: item[0][0]):
        text += f"{id}:\n" + "".join(f"  {source}: {line}\n" for (_, source), line in rows)
    return text


def stamp_line(on: str, stamp: Stamp) -> str:
    """A stamp on one line, so that the stamps of two people merge; the names of facts as JSON writes them."""
    names = json.dumps(dict(stamp.keys), ensure_ascii=False)
    shown = "".join(each if each.isprintable() else f"\\U{ord(each):08x}" for each in names)
    return f"{{on: {on}, facts: {stamp.facts}, keys: {shown}}}"
