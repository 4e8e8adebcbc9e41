"""YML006: markers of a merge that was not finished."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check, of_faults
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("YML006", Severity.ERROR)
def unfinished_merge(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A file holds the marker lines of a merge that was not finished.

    Why it matters
    Git writes both versions of a passage between such lines. In a text block they are part of the text, and both
    versions would be published; elsewhere a parser stumbles over them and says something else.

    Bad
    ```yaml records/concepts/tiny-latent.yaml
    notes: |
      <<<<<<< HEAD
      The latent is kept in bf16.
      =======
      The latent is kept in fp8.
      >>>>>>> theirs
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    notes: |
      The latent is kept in bf16.
    ```

    How to fix
    Keep one of the versions, or write the sentence that is true of both, and remove the marker lines. Records, sources,
    pages of `docs/`, templates and the files of `schema/` are looked through.
    """
    yield from of_faults(this, kb, tally)
