"""MET901: a waiver that excuses nothing."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("MET901", Severity.ERROR)
def unused_waiver(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A waiver that excuses nothing, or whose time is over.

    Why it matters
    An excuse that outlives its cause hides the next mistake of the same kind.

    A waiver that excuses nothing is an error. One whose end has passed goes on to excuse and is reported as overdue: it
    fails `validate --overdue`, and `validate --against REF` where the record differs from REF, so that no run turns red
    because a day has passed.

    Bad
    ```yaml records/concepts/tiny-latent.yaml
    waivers:
      - {code: CIT108, reason: the document is being read again, until: 2099-01-01}
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    cites: ["[[tiny-a-config]]"]
    ```

    How to fix
    Remove it. If the finding is still there and still excused, give it a new end date and say why.
    """
    # Waivers are settled after all checks have run; `judge_all` makes these findings.
    yield from ()
