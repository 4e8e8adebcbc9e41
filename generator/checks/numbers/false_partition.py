"""NUM403: layers that are told off wrongly."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.checks.false_statements import findings
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.reader import StatementKind


@check("NUM403", Severity.ERROR)
def false_partition(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """Parts that do not add up to their whole, or layers that the config has otherwise.

    Why it matters
    DeepSeek-V4-Flash was said to have 3 sliding, 21 CSA and 20 HCA layers "over 43": the list that says so has an
    entry for the draft layer too. Its first layers were called "uncompressed": they keep a window of 128 tokens and
    nothing that grows. Which layer has which ratio, and of which kind it is, decides the cache, so every such statement
    is held against the list and against what follows from it.

    Bad
    ```yaml records/models/tiny-a.yaml
    notes: |
      One latent row per token, see [[tiny-latent]]; 1 dense and 4 sparse MLPs over 4 layers.
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    notes: |
      One latent row per token, see [[tiny-latent]]; 1 dense and 3 sparse MLPs over 4 layers.
    ```

    How to fix
    Count again. In a list with one entry per layer, counting starts at 0, and entries behind `num_hidden_layers` belong
    to draft layers.
    """
    yield from findings(this, kb, tally, StatementKind.PARTITION)
