"""NUM402: one size in two units that are two sizes."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.checks.false_statements import findings
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.reader import StatementKind


@check("NUM402", Severity.ERROR)
def false_conversion(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A size is given in two units, and the two are not the same size.

    Why it matters
    One of the two is wrong, and nobody can see which; often one belongs to another model. KB, MB and GB may mean powers
    of 1,000 or of 1,024, so they are false only where neither fits.

    Bad
    ```yaml records/models/tiny-a.yaml
    notes: |
      A context of a page takes {{ kv.bytes('bf16', 1024) }} (321 KiB), see [[tiny-latent]].
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    notes: |
      A context of a page takes {{ kv.bytes('bf16', 1024) }} (320 KiB), see [[tiny-latent]].
    ```

    How to fix
    Correct the one that is wrong. The finding points at the less precise of the two and gives what the other one comes
    to.
    """
    yield from findings(this, kb, tally, StatementKind.CONVERSION)
