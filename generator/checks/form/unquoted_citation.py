"""YML004: a citation that YAML reads as a nested list."""

from __future__ import annotations

from generator.checks.contract import check, of_faults
from generator.findings import Severity

unquoted_citation = check("YML004", Severity.ERROR)(
    of_faults(
        "YML004",
        "unquoted-citation",
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
    """,
    )
)
