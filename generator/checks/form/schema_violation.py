"""SCH101: a record that breaks its schema."""

from __future__ import annotations

from generator.checks.contract import check, of_faults
from generator.findings import Severity

schema_violation = check("SCH101", Severity.ERROR)(
    of_faults(
        "SCH101",
        "schema-violation",
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
    """,
    )
)
