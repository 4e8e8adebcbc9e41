"""``servebook review``: write the stamps that say that somebody compared a record with its sources.

A stamp vouches, so nothing is stamped that has errors, and nothing that holds is touched: writing twice changes nothing
more. Stamps are spliced in; all other bytes of a record stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from generator.authoring import stamps
from generator.authoring.fixes import Change, spliced
from generator.catalog.records import Record
from generator.catalog.yaml.document import Unreadable
from generator.catalog.yaml.loader import load
from generator.checks.run import CheckRun
from generator.findings import Finding, Severity
from generator.knowledge.evidence.reviews import Review, ReviewStatus, reviews
from generator.knowledge.knowledge_base import KnowledgeBase


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
    changed = {record.id: record for record, _ in due}.values()
    return ReviewPlan(
        tuple(_change(root, record, [review for other, review in due if other is record], today) for record in changed),
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
    """The errors in records that are to be stamped, and in what they rest on: a stamp would vouch for them."""
    wanted = {record.id for record in records}
    sound = (kb.catalog.records[id] for id in wanted - kb.catalog.unsound)
    behind = {review.source for record in sound for review in reviews(kb, record) if review.citations}
    errors = (each for each in verdicts.findings if each.severity is Severity.ERROR)
    return tuple(each for each in errors if each.record in wanted | behind)


def _change(root: Path, record: Record, due: Sequence[Review], today: date) -> Change:
    before = (root / record.path).read_bytes()
    after = spliced(before, stamps.written(record, due, today))
    _verify(record, after, due)
    return Change(record.path, before, after, tuple(f"reviewed {review.source}" for review in due))


def _verify(record: Record, after: bytes, due: Sequence[Review]) -> None:
    """What was written must read back as the same record with the stamps, or nothing is written."""
    try:
        data = load(after.decode("utf-8-sig")).data
        same = {**data, "reviewed": None} == {**record.data, "reviewed": None}
        found = {stamp["cite"]: (stamp["facts"], stamp["keys"]) for stamp in data["reviewed"]}
        wanted = all(review.stamp and (review.stamp.facts, review.stamp.keys) in found.values() for review in due)
    except (Unreadable, KeyError, TypeError):
        same = wanted = False
    if not (same and wanted):
        raise CannotStamp(
            f"{record.path} is written in a way that a stamp cannot be added to; lay it out in blocks first"
        )
