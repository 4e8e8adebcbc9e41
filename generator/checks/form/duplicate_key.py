"""YML002: a key that appears twice in one mapping."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check, of_faults
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("YML002", Severity.ERROR)
def duplicate_key(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A mapping has the same key twice.

    Why it matters
    Most readers keep the last of the two in silence, and two merges that git calls clean can create it.

    Bad
    ```yaml records/concepts/tiny-latent.yaml
    name: An idea
    name: The same idea
    definition: |
      First.
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    name: An idea
    definition: |
      First.
    ```

    How to fix
    Keep one of the two; the message names both lines.
    """
    yield from of_faults(this, kb, tally)
