"""CIT113: an include that brings no text."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.findings import Edit, Finding, Fix, Location, Severity
from generator.knowledge.includes import IncludeError, prose, resolve
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.braces import Include, includes


@check("CIT113", Severity.ERROR)
def broken_include(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """An include in prose brings no text: it names nothing, or not what can be included.

    Why it matters
    A text that many pages share is written once, in a concept, a kernel or a gotcha. Where the name of that text is
    wrong, the page would have a hole.

    Bad
    ```yaml records/models/tiny-a.yaml
    notes: |
      {{ include('tiny-latent#definitoin') }}
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    notes: |
      {{ include('tiny-latent#definition') }}
    ```

    How to fix
    Name a prose field of a concept, a kernel or a gotcha, or a heading in its notes: `include('id#definition')`. An
    include is alone in its paragraph, and the text that it brings includes nothing itself. What is true of one
    model is not included from that model's record: move it to a concept, or cite the model.
    """
    for record in kb.catalog.records.values():
        if record.id in kb.catalog.unsound:
            continue
        for text in prose(kb.catalog, record):
            found = includes(text.value)
            places = record.document.places(text.span, text.value, ((each.start, each.raw) for each in found))
            for each, span in zip(found, places, strict=True):
                if each.id in kb.catalog.unreadable:
                    tally.skipped += 1  # the record is there, but cannot be read: YML001 has said so
                    continue
                tally.checked += 1
                try:
                    resolve(kb.catalog, record, each)
                except IncludeError as error:
                    where = record.location(span or text.span)
                    fix = _fix(each, error, where) if span else None
                    yield this.finding(where, str(error), record.id, fix=fix, data={"near": list(error.near)})


def _fix(include: Include, error: IncludeError, where: Location) -> Fix | None:
    """The one target that may have been meant."""
    if len(error.near) != 1:
        return None
    (near,) = error.near
    return Fix(f"include {near}", (Edit(where, include.raw.replace(include.target, near)),), safe=False)
