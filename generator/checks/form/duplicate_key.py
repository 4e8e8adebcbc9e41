"""YML002: a key that stands twice in one mapping."""

from __future__ import annotations

from generator.checks.contract import check, of_faults
from generator.findings import Severity

duplicate_key = check("YML002", Severity.ERROR)(
    of_faults(
        "YML002",
        "duplicate-key",
        """A mapping has the same key twice.

    Why it matters
    Most readers keep the last of the two in silence, and two merges that git calls clean can create it.

    Bad
    ```yaml records/concepts/wrong.yaml
    # yaml-language-server: $schema=../../schema/concept.schema.json
    name: An idea
    definition: |
      First.
    cites: ["[[tiny-a-config]]"]
    name: The same idea
    ```

    Good
    ```yaml records/concepts/wrong.yaml
    # yaml-language-server: $schema=../../schema/concept.schema.json
    name: An idea
    definition: |
      First.
    cites: ["[[tiny-a-config]]"]
    ```

    How to fix
    Keep one of the two; the message names both lines.
    """,
    )
)
