"""CIT103: something in brackets that is not in the grammar."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.graph import Citation
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.citations import find, whole


@check("CIT103", Severity.ERROR)
def malformed_citation(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """Something in [[ ]] that is not a citation.

    Why it matters
    Half a link is worse than none: the reader sees brackets and the graph has no edge.

    Bad
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      See [[ tiny-a ]].
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      See [[tiny-a]].
    ```

    How to fix
    Write [[id]], [[id|label]], [[id#fragment]] or [[kind/id]]. To write the brackets themselves, use a code span or
    `\\[[`.
    """
    for citation in kb.graph.citations:
        if citation.mention.problem and _broken_by_a_fold(kb, citation):
            tally.skipped += 1  # YML005 has said so
            continue
        tally.checked += 1
        if citation.mention.problem:
            citing = citation.citing if citation.citing in kb.catalog.records else None
            message = f"{citation.mention.raw[:60]} is not a citation: {citation.mention.problem}"
            yield this.finding(citation.location, message, citing)
    for record in kb.catalog.records.values():
        if record.id in kb.catalog.unsound:
            continue
        for text in kb.catalog.texts(record):
            if text.field is None or text.field.cites is None or whole(text.value):
                continue
            if not any(mention.problem for mention in find(text.value)):
                message = f'a citation is expected here, quoted and alone: "[[id]]", not `{text.value[:60]}`'
                yield this.finding(record.location(text.span), message, record.id)


def _broken_by_a_fold(kb: KnowledgeBase, citation: Citation) -> bool:
    record = kb.catalog.records.get(citation.citing)
    first, last = citation.location.line, citation.location.end_line
    faults = record.document.faults if record else ()
    return any(each.code == "YML005" and first <= each.location.line <= last for each in faults) and not citation.exact
