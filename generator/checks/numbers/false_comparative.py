"""NUM411: a comparison in words that the configs contradict."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.checks.texts import passages
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.comparisons import Reference, comparisons


@check("NUM411", Severity.ERROR)
def false_comparative(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A text compares two models, and their configs say otherwise.

    Why it matters
    "Smaller than V3 in every axis" has no number in it and is false all the same: V2 has two shared experts where V3
    has one, and as many heads. A reader who picks hardware or tells two configs apart by such a sentence is led astray,
    and arithmetic never sees it. Every field that both configs state is compared. What words mean which field, and
    which fields are sizes, stands in `schema/spoken_fields.yaml`. A sentence that denies, doubts, quotes or narrows is
    not judged.

    Bad
    ```yaml records/models/tiny-b.yaml
    notes: |
      Tiny B has fewer layers than [[tiny-a]].
    ```

    Good
    ```yaml records/models/tiny-b.yaml
    notes: |
      Tiny B has more layers than [[tiny-a]].
    ```

    How to fix
    The message lists the fields with both values. Say what holds, or name the fields that you mean.
    """
    bench = Reference.of(kb)
    for passage in passages(kb, tally):
        for said in comparisons(passage, bench):
            if said.holds is None:
                tally.not_checkable += 1
                continue
            tally.checked += 1
            if not said.holds:
                words = " ".join(passage.text.value[said.start : said.end].split())
                place = passage.place(said.start, said.end)
                yield this.finding(place, f'"{words}": {said.right}', passage.record.id)
