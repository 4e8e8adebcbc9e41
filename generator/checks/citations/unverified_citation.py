"""CIT108: a value whose only evidence was never read whole."""

from __future__ import annotations

from collections.abc import Iterator

from generator.catalog.schemas import Path
from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.graph import Citation
from generator.knowledge.knowledge_base import KnowledgeBase

UNVERIFIED = ("excerpt", "unreadable", "secondary")


@check("CIT108", Severity.INFO)
def unverified_citation(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """The only evidence of a value was never fetched whole.

    Why it matters
    An excerpt, a page that could not be opened, or a document known through another one proves less than it seems. The
    site shows such values as *unverified*.

    Bad
    ```yaml sources/tiny-datasheet.yaml
    retrieval: excerpt
    ```

    Good
    ```yaml sources/tiny-datasheet.yaml
    retrieval: read-not-hashed
    ```

    How to fix
    Read the whole document, note how (`retrieval`) and its digest; or cite a second source that was read.
    """
    for record in kb.catalog.records.values():
        values: dict[Path, list[Citation]] = {}
        for citation in kb.graph.cites(record.id):
            if citation.evidence:
                listed = bool(citation.path) and isinstance(citation.path[-1], int)
                values.setdefault(citation.path[:-1] if listed else citation.path, []).append(citation)
        unread: dict[str, list[Citation]] = {}
        for citations in values.values():
            tally.checked += 1
            if all(_retrieval(citation) in UNVERIFIED for citation in citations):
                unread.setdefault(str(citations[0].target), []).append(citations[0])
        for target, citations in unread.items():
            places = ", ".join(f"`{citation.place}`" for citation in citations[:5])
            more = f" and {len(citations) - 5} more" if len(citations) > 5 else ""
            message = f"{places}{more}: the only evidence, {target}, is {_retrieval(citations[0])}, not read whole"
            yield this.finding(citations[0].location, message, record.id)


def _retrieval(citation: Citation) -> str:
    record = citation.resolution.record
    return str(record.get("retrieval")) if record else ""
