"""What `servebook review` says: what was stamped, still holds or could not be compared; or the status of everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from generator.authoring.review import ReviewPlan, Row
from generator.catalog.records import Record
from generator.cli.output.to_json import to_json
from generator.knowledge.evidence.reviews import Review, ReviewStatus, reviews
from generator.knowledge.knowledge_base import KnowledgeBase


def standing(kb: KnowledgeBase) -> list[Row]:
    """Every citation of every record on which a value rests, and every stamp."""
    sound = (record for record in kb.catalog.records.values() if record.id not in kb.catalog.unsound)
    return [(record, review) for record in sound if record.kind != "source" for review in reviews(kb, record)]


def standing_text(rows: Iterable[Row], place: str) -> str:
    """What has changed since it was reviewed, one line each, and the counts."""
    rows = list(rows)
    lines = [f"{place}{record.path}: {_of(review)}" for record, review in rows if review.state is ReviewStatus.CHANGED]
    return "\n".join([*lines, ", ".join(f"{count} {state}" for state, count in _counts(rows).items())])


def standing_json(rows: Iterable[Row]) -> str:
    """The same for programs."""
    rows = list(rows)
    changed = [_row(record, review) for record, review in rows if review.state is ReviewStatus.CHANGED]
    return to_json({"ok": not changed, "changed": changed, "counts": _counts(rows)})


def as_text(outcome: ReviewPlan, place: str) -> str:
    """What a run did, one line for each citation."""
    if outcome.faults:
        errors = [f"{place}{each.location} {each.code} {each.message}" for each in outcome.faults]
        return "\n".join([*errors, f"{len(errors)} errors; a stamp would vouch for them, so nothing was written"])
    lines = [f"{place}{record.path}: stamped; before: {_of(review)}" for record, review in outcome.stamped]
    lines += [f"{place}{record.path}: {review.source} not stamped: {review.why}" for record, review in outcome.barred]
    kept = f", {len(outcome.kept)} still hold" if outcome.kept else ""
    count = len(outcome.stamped)
    return "\n".join([*lines, f"{count} stamp{'' if count == 1 else 's'}{kept}"])


def as_json(outcome: ReviewPlan) -> str:
    """The same for programs."""
    return to_json(
        {
            "ok": not outcome.faults,
            "stamped": [
                _row(*row) | {"facts": row[1].stamp.facts if row[1].stamp else None} for row in outcome.stamped
            ],
            "kept": [_row(*row) for row in outcome.kept],
            "barred": [_row(*row) | {"why": row[1].why} for row in outcome.barred],
            "errors": [
                {
                    "code": each.code,
                    "record": each.record,
                    "path": each.location.path,
                    "line": each.location.line,
                    "column": each.location.column,
                    "message": each.message,
                }
                for each in outcome.faults
            ],
        }
    )


def _of(review: Review) -> str:
    names = f": {', '.join(review.changed)}" if review.changed else ""
    since = f" of {review.on}" if review.on else ""
    return f"{review.source}, {review.state}{since}{names}"


def _row(record: Record, review: Review) -> dict[str, Any]:
    return {
        "record": record.id,
        "source": review.source,
        "state": str(review.state),
        "on": review.on or None,
        "changed": review.changed,
    }


def _counts(rows: Iterable[Row]) -> dict[str, int]:
    found = Counter(str(review.state) for _, review in rows)
    return {str(state): found[str(state)] for state in ReviewStatus if found[str(state)]}
