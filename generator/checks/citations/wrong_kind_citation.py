"""CIT104: a field that cites a record of the wrong kind."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.graph import Citation
from generator.knowledge.knowledge_base import KnowledgeBase


@check("CIT104", Severity.ERROR)
def wrong_kind_citation(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A field cites a record of a kind that cannot be its evidence.

    Why it matters
    A model cannot be the evidence for another model, and a blog post is not a config.

    Bad
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      An idea.
    cites: ["[[tiny-a-config]]", "[[tiny-a]]"]
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      An idea, see [[tiny-a]].
    cites: ["[[tiny-a-config]]"]
    ```

    How to fix
    Cite a record of the kind (and, for sources, the type) that the message names; mention others in prose.
    """
    for citation in kb.graph.citations:
        record, wanted = citation.resolution.record, citation.field.cites if citation.field else None
        if record is None or wanted is None:
            continue
        tally.checked += 1
        kinds, types = wanted["kinds"], wanted.get("types")
        if record.kind not in kinds:
            message = f"`{citation.place}` cites {record.id}, a {record.kind}; {' or '.join(kinds)} is expected here"
            yield this.finding(citation.location, message, citation.citing)
        elif types and record.get("type") not in types and not _class_defaults(kb, citation):
            expected = " or ".join(types)
            message = f"`{citation.place}` cites {record.id}, a {record.get('type')}; {expected} is expected here"
            yield this.finding(citation.location, message, citation.citing)


def _class_defaults(kb: KnowledgeBase, citation: Citation) -> bool:
    """Source code can replace a config only where the record says that its evidence is class defaults."""
    citing = kb.catalog.records[citation.citing]
    target = citation.resolution.record
    return (
        citing.get("evidence_basis") == "class-defaults" and target is not None and target.get("type") == "source-code"
    )
