"""YML005: a fold inside an id or a hyphenated word."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check, of_faults
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("YML005", Severity.ERROR)
def broken_fold(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A folded text breaks a citation or a hyphenated word over two lines.

    Why it matters
    Folding joins lines with a blank, so `[[tiny-` and `a]]` become `[[tiny- a]]`, which cites nothing.

    Bad
    ```yaml records/concepts/tiny-latent.yaml
    definition: >
      A key of each head, in the well-
      known way.
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      A key of each head, in the well-known way.
    ```

    How to fix
    Use a literal block (|) and let lines be long, or break the line elsewhere.
    """
    yield from of_faults(this, kb, tally)
