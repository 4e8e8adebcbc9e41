"""SCH102: a file in the wrong place or under the wrong name."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check, of_faults
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("SCH102", Severity.ERROR)
def misplaced_record(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A file whose folder, name or first line disagree.

    Why it matters
    The kind of a record is its folder and its id is its file name, in one name space over all kinds; a file that lies
    elsewhere would be passed over in silence.

    Bad
    ```yaml records/concepts/Wrong_Name.yaml
    # yaml-language-server: $schema=../../schema/concept.schema.json
    name: An idea
    definition: |
      An idea.
    cites: ["[[tiny-a-config]]"]
    ```

    Good
    ```yaml records/concepts/tiny-latent.yaml
    name: An idea
    definition: |
      An idea.
    ```

    How to fix
    Rename or move the file; ids are lower-case words joined by hyphens.
    """
    yield from of_faults(this, kb, tally)
