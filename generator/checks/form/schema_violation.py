"""SCH101: a record that breaks its schema."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check, of_faults
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("SCH101", Severity.ERROR)
def schema_violation(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A value that the schema of its kind does not allow.

    Why it matters
    Checks and pages rely on the form of a record; a record out of form is cited, but nothing is derived from it.

    Bad
    ```yaml records/concepts/tiny-latent.yaml
    familys: [mla]
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    families: [mla]
    ```

    How to fix
    The message names the field, what was found and what is allowed. `null` needs its reason in `why_null`.
    """
    yield from of_faults(this, kb, tally)
