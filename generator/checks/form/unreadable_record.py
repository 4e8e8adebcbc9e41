"""YML001: text that cannot be read as one YAML record."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check, of_faults
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("YML001", Severity.ERROR)
def unreadable_record(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """The file cannot be read as a YAML record.

    Why it matters
    A record that cannot be read must not count as empty: what it says would vanish from the site without a word.

    Bad
    ```yaml records/concepts/tiny-latent.yaml
    name: &name An idea
    definition: *name
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    name: An idea
    definition: |
      An idea.
    ```

    How to fix
    Go to the line and column. Anchors, aliases, merge keys and tags are not read: write the value out. Save as UTF-8,
    indent with spaces, one record per file.
    """
    yield from of_faults(this, kb, tally)
