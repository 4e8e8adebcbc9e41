"""YML001: text that cannot be read as one YAML record."""

from __future__ import annotations

from generator.checks.contract import check, of_faults
from generator.findings import Severity

unreadable_record = check("YML001", Severity.ERROR)(
    of_faults(
        "YML001",
        "unreadable-record",
        """The file is no YAML record that can be read.

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
    """,
    )
)
