"""YML003: an unquoted scalar with more than one reading."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check, of_faults
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("YML003", Severity.WARNING)
def ambiguous_scalar(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A value without quotes that YAML readers understand in different ways.

    Why it matters
    The version 1.10 becomes 1.1, the country NO becomes false, the commit 12345678e9 becomes a number, and a text ends
    where a `#` follows a blank. Our reader keeps what was typed; other readers of the same file do not.

    Bad
    ```yaml records/concepts/tiny-latent.yaml
    aliases: [NO]
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    aliases: ["NO"]
    ```

    How to fix
    Quote the value.
    """
    yield from of_faults(this, kb, tally)
