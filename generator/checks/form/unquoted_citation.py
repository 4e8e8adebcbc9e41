"""YML004: a citation that YAML reads as a nested list."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check, of_faults
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("YML004", Severity.ERROR)
def unquoted_citation(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A citation without quotes is a list inside a list.

    Why it matters
    YAML reads `[[id]]` as a list that holds a list that holds a word, so the citation would not exist.

    Bad
    ```yaml records/concepts/tiny-latent.yaml
    cites:
      - [[tiny-a-config]]
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    cites: ["[[tiny-a-config]]"]
    ```

    How to fix
    Put the citation in double quotes: "[[id]]".
    """
    yield from of_faults(this, kb, tally)
