"""SCH103: a record in which a TODO of its skeleton was left."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from generator.catalog.schemas import Path
from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase

_TODO = re.compile(r"(?:\A\s*|[/:])TODO(?![A-Za-z0-9])")
"""At the head of a value, or a part of an address or subject; a text that speaks of a TODO is not one."""


@check("SCH103", Severity.WARNING)
def unfilled_skeleton(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A value that `servebook new` left to its author is still to be filled in.

    Why it matters
    A skeleton keeps to its schema, so nothing else notices that its address leads nowhere or that the reason for a null
    is not a reason; and the page would show it.

    Bad
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      TODO: definition
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    definition: |
      An idea, not a TODO.
    ```

    How to fix
    Fill in what you have read. What you do not know is `null`, with the reason under `why_null`.
    """
    for kind in kb.catalog.kinds.by_name:
        for record in tally.sound(kb, kind):
            tally.checked += 1
            left = list(_left(record.data))
            if left:
                names = ", ".join(f"`{'.'.join(map(str, path))}`" for path in left)
                message = f"left to fill in: {names}"
                yield this.finding(record.at(*left[0]), message, record.id)


def _left(value: Any, path: Path = ()) -> Iterator[Path]:
    """Where there is a TODO."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _left(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _left(item, (*path, index))
    elif isinstance(value, str) and _TODO.search(value):
        yield path
