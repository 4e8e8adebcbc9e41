"""CIT109: records that cite each other and no source."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Related, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("CIT109", Severity.ERROR)
def circular_evidence(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """Records that cite each other while none of them cites a source.

    Why it matters
    Two records that vouch for each other look like evidence and are none.

    Bad
    ```yaml records/models/tiny-x.yaml
    # yaml-language-server: $schema=../../schema/model.schema.json
    name: Tiny X
    vendor: Tiny Works
    repo: null
    config: null
    architecture: {}
    notes: |
      Closed; said to be like [[tiny-y]].
    why_null: {repo: closed, config: never published}
    ```
    ```yaml records/models/tiny-y.yaml
    # yaml-language-server: $schema=../../schema/model.schema.json
    name: Tiny Y
    vendor: Tiny Works
    repo: null
    config: null
    architecture: {}
    notes: |
      Closed; said to be like [[tiny-x]].
    why_null: {repo: closed, config: never published}
    ```

    Good
    ```yaml records/models/tiny-x.yaml
    # yaml-language-server: $schema=../../schema/model.schema.json
    name: Tiny X
    vendor: Tiny Works
    repo: null
    config: null
    architecture: {}
    notes: |
      Closed; said to be like [[tiny-a]].
    why_null: {repo: closed, config: never published}
    ```

    How to fix
    Cite a source from at least one of them.
    """
    tally.checked += len(kb.catalog.records)
    leading_nowhere = {citation.citing for citation in kb.graph.citations if citation.resolution.record is None}
    for circle in kb.graph.circles_without_source():
        if leading_nowhere & set(circle):
            tally.checked -= len(circle)
            tally.skipped += len(circle)  # what cannot be read or found, which is a finding already, may be its source
            continue
        first, others = kb.catalog.records[circle[0]], circle[1:]
        names = " and ".join(others)
        related = [Related(kb.catalog.records[id].at(), "in the same circle") for id in others]
        message = f"{first.id} and {names} cite each other, and none of them cites a source"
        yield this.finding(first.at(), message, first.id, related, data={"circle": circle})
