"""DRF602: facts that changed in a source after a record was compared with them."""

from __future__ import annotations

from collections.abc import Iterator

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Related, Severity
from generator.knowledge.evidence.reviews import Review, ReviewStatus, reviews
from generator.knowledge.evidence.used_facts import evidence_by_source
from generator.knowledge.knowledge_base import KnowledgeBase


@check("DRF602", Severity.WARNING)
def suspect_citation(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """What a record uses of a source has changed since somebody compared the two.

    Why it matters
    A source is read again and corrected; the records that cite it were right about what it said before. Nothing else
    looks wrong: the citation resolves, the facts match their digest.

    `servebook review` writes a stamp into `records/reviews.lock.yaml`: the day, a hash over the facts that the record
    uses, and a short hash of each, so that a change can be named. Which facts are used is a recipe with a version: a
    model's config counts with the keys of its `architecture` and its class names, a field under `evidence` with its
    key, a value that the source lists with that entry, anything else with all facts. The hash is sha256 over them as
    JSON with sorted keys and no blanks, in UTF-8. A citation without a stamp was never reviewed; that is not a finding,
    and not counted as passed.

    Bad
    ```yaml records/gpus/tiny-gpu.yaml
    memory: {value: 64, unit: GB, cite: "[[tiny-datasheet]]"}
    ```
    ```yaml records/reviews.lock.yaml
    tiny-gpu:
      tiny-datasheet: {on: 2026-01-05, facts: v1:b5a5a17f5134, keys: {memory: "45cf"}}
    ```

    Good
    ```yaml records/gpus/tiny-gpu.yaml
    memory: {value: 80, unit: GB, cite: "[[tiny-datasheet]]"}
    ```
    ```yaml records/reviews.lock.yaml
    tiny-gpu:
      tiny-datasheet: {on: 2026-06-05, facts: v1:73fd02b2e799, keys: {memory: "6213"}}
    ```

    How to fix
    Compare the record with the source as it is now, correct the record, and write the stamp anew with `servebook review
    ID --cite SOURCE`.
    """
    for record in kb.catalog.records.values():
        if record.kind == "source":
            continue
        if record.id in kb.catalog.unsound:
            tally.skipped += 1
            continue
        if record.id not in kb.catalog.stamps:
            tally.not_checkable += len(evidence_by_source(kb.graph.cites(record.id)))
            continue
        for review in reviews(kb, record):
            if review.state is ReviewStatus.BARRED:
                tally.skipped += 1
            elif review.state is ReviewStatus.NEVER:
                tally.not_checkable += 1
            else:
                idle = review.state in (ReviewStatus.UNKNOWN, ReviewStatus.IDLE)  # it vouches for nothing here
                tally.checked += not idle
                tally.not_checkable += idle
                yield from _findings(this, record, review)


def _findings(this: Check, record: Record, review: Review) -> Iterator[Finding]:
    said = _SAYS.get(review.state)
    if said is None:
        return
    severity, message = said
    names = ", ".join(review.changed)
    text = message.format(source=review.source, on=review.on, names=names, id=record.id)
    yield this.finding(
        review.citations[0].location,
        text,
        record.id,
        [Related(citation.location, f"`{citation.place}` rests on it") for citation in review.citations[1:10]],
        data={"source": review.source, "state": str(review.state), "on": review.on, "changed": review.changed},
        severity=severity,
    )


_SAYS = {
    ReviewStatus.CHANGED: (
        None,
        "of what is used here of {source}, {names} changed since this record was compared with it on {on}; compare "
        "them again, correct the record, then `servebook review {id} --cite {source}`",
    ),
    ReviewStatus.UNKNOWN: (
        Severity.INFO,
        "the stamp of {on} for {source} follows a recipe that this version of Servebook does not know, so it says "
        "nothing here; compare them, then `servebook review {id} --cite {source}`",
    ),
}
