"""NUM401: an equation in prose that is false."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.checks.false_statements import findings
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.reader import StatementKind


@check("NUM401", Severity.ERROR)
def false_arithmetic(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A calculation in prose that does not come out at what is written.

    Why it matters
    A figure with its calculation beside it looks checked, and is copied on. Whoever repeats the calculation finds the
    error in a minute; nobody does.

    Bad
    ```yaml records/models/tiny-a.yaml
    notes: |
      Keeps one latent row per token and layer: 4 layers × (32 + 8) × 2 bytes = 400 B/token, see [[tiny-latent]].
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    notes: |
      Keeps one latent row per token and layer: 4 layers × (32 + 8) × 2 bytes = {{ kv.growth('bf16') }}, see
      [[tiny-latent]].
    ```

    How to fix
    Take the right value from the message, or correct the calculation. Where the stated value is the figure of another
    model, the message names it: then a number was copied. Rounded results are judged at the precision that is written.
    """
    yield from findings(this, kb, tally, StatementKind.ARITHMETIC)
