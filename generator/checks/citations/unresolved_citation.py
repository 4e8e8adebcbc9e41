"""CIT101: a citation of an id that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.graph import Citation
from generator.knowledge.knowledge_base import KnowledgeBase


@check("CIT101", Severity.ERROR)
def unresolved_citation(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A citation names an id that no record has.

    Why it matters
    A claim whose source cannot be opened is a claim without a source.

    Bad
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      See [[tiny-latnet]].
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      See [[tiny-latent]].
    ```

    How to fix
    Take the id that the message suggests, or add the record. To write the characters themselves, put them in a code
    span or write `\\[[`.
    """
    for citation in kb.graph.citations:
        if citation.mention.problem:
            continue
        tally.checked += 1
        if citation.resolution.record is not None:
            continue
        if citation.mention.id in kb.catalog.unreadable:
            tally.checked -= 1
            tally.skipped += 1  # the record is there, but cannot be read: YML001 or YML006 has said so
            continue
        near = _near(kb, citation)
        hint = f"; did you mean {' or '.join(f'[[{id}]]' for id in near)}?" if near else ""
        fragment = f"#{citation.mention.fragment}" if citation.mention.fragment else ""
        fix = citation.fix(near[0] + fragment, safe=False) if len(near) == 1 else None
        record = citation.citing if citation.citing in kb.catalog.records else None
        yield this.finding(citation.location, citation.resolution.why + hint, record, fix=fix, data={"near": near})


def _near(kb: KnowledgeBase, citation: Citation) -> list[str]:
    """Ids that may have been meant: the same id in its own kind, near spellings, records of which it is a part."""
    id = citation.mention.id
    if id in kb.catalog.records:
        return [id]
    allowed = (
        citation.field.cites["kinds"] if citation.field and citation.field.cites else list(kb.catalog.kinds.by_name)
    )
    ids = [record.id for kind in allowed for record in kb.catalog.of(kind)]
    close = difflib.get_close_matches(id, ids, n=3, cutoff=0.8)
    if len(close) > 1 and _likeness(id, close[0]) - _likeness(id, close[1]) > 0.05:
        return close[:1]
    return close or sorted(each for each in ids if each.endswith(f"-{id}") or each.startswith(f"{id}-"))[:3]


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()
