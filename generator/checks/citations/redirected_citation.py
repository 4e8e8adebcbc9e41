"""CIT106: a citation by an old id."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("CIT106", Severity.WARNING)
def redirected_citation(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A citation uses an id that was renamed.

    Why it matters
    Redirects keep old links alive; our own records should not need them.

    Bad
    ```yaml records/redirects.yaml
    tiny-row: tiny-latent
    ```
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      See [[tiny-row]].
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      See [[tiny-latent]].
    ```

    How to fix
    Cite the new id; the fix does it. In `records/redirects.yaml` an old id names the record itself, never another old
    id.
    """
    for citation in kb.graph.citations:
        new = citation.resolution.redirected_to
        if citation.resolution.record is None:
            continue
        tally.checked += 1
        if new is not None:
            old = citation.mention.id
            kind, fragment = citation.mention.kind, citation.mention.fragment
            target = f"{kind + '/' if kind else ''}{new}{'#' + fragment if fragment else ''}"
            citing = citation.citing if citation.citing in kb.catalog.records else None
            message = f"`{old}` was renamed to `{new}`"
            yield this.finding(citation.location, message, citing, fix=citation.fix(target))
