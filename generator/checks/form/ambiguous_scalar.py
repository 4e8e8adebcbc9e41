"""YML003: an unquoted scalar with more than one reading."""

from __future__ import annotations

from generator.checks.contract import check, of_faults
from generator.findings import Severity

ambiguous_scalar = check("YML003", Severity.WARNING)(
    of_faults(
        "YML003",
        "ambiguous-scalar",
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
    """,
    )
)
