"""NUM404: a factor or percentage that the numbers beside it contradict."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.checks.false_statements import findings
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.reader import StatementKind


@check("NUM404", Severity.ERROR)
def false_ratio(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A factor or a percentage that does not follow from the numbers in the same sentence.

    Why it matters
    Factors are what readers remember. "58x smaller" stood beside two numbers of which one is 56.9 times the other.

    Bad
    ```yaml records/models/tiny-a.yaml
    notes: |
      It takes {{ kv.growth('bf16') }}, 5x less than the {{ kv.materialised }} of full heads, see [[tiny-latent]].
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    notes: |
      It takes {{ kv.growth('bf16') }}, 4x less than the {{ kv.materialised }} of full heads, see [[tiny-latent]].
    ```

    How to fix
    Divide the two numbers. Where a sentence holds more than two, say which are meant by giving them a sentence of their
    own; a sentence with one number is held against the model's own figures.
    """
    yield from findings(this, kb, tally, StatementKind.RATIO)
