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
    """,
    )
)
