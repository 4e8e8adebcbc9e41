"""CMP503: a constraint that its own record excludes for this model."""

from __future__ import annotations

from collections.abc import Iterator

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.compatibility.chain import cited
from generator.findings import Finding, Location, Related, Severity
from generator.knowledge.evidence.applicability import Applies, applies
from generator.knowledge.knowledge_base import KnowledgeBase


@check("CMP503", Severity.WARNING)
def inapplicable_evidence(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A model names a constraint, or includes a text, that by its own conditions is not about this model.

    Why it matters
    A limit of one model or one release, copied to its siblings, becomes a limit that nobody can find the reason of: a
    page size that only layers of ratio 2 produce, or a library release that dropped the model altogether. The same
    holds of a text that many pages include. What is not known is not a contradiction.

    Bad
    ```yaml records/gotchas/tiny-wide.yaml
    # yaml-language-server: $schema=../../schema/gotcha.schema.json
    title: Wide heads are refused
    symptom: "ValueError: head"
    conditions:
      - {engine: "[[tiny-engine]]", families: [gqa]}
    cause: |
      The kernel was built for narrow heads.
    effect: blocked
    workaround: |
      None.
    status: open
    cites: ["[[tiny-engine-issue]]"]
    ```
    ```yaml records/models/tiny-a.yaml
    constraints: ["[[tiny-wide]]"]
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    constraints: ["[[tiny-crash]]"]
    ```

    How to fix
    Take the constraint out of `constraints`, or the include out of the text; prose may still say why it does not apply.
    If it does apply, correct the conditions of the gotcha, what the kernel `excludes` or computes, or what the concept
    `applies` to.
    """
    for model in tally.sound(kb, "model"):
        for place, ids, included in _named(kb, model):
            record = next((kb.catalog.records[id] for id in ids if id in kb.catalog.records), None)
            if record is None or record.id in kb.catalog.unsound:
                tally.skipped += 1
                continue
            found = applies(kb, model, record, now=bool(included))
            if found.holds is None:
                tally.not_checkable += 1
                continue
            tally.checked += 1
            if not found.holds:
                related = [Related(record.at(found.field), "what it says of itself")]
                message = _told(record, found, included)
                caused = [("NUM409", place)] if included else []  # nor do its figures exist for this model
                yield this.finding(place, message, model.id, related, data={"absorbs": caused})


def _named(kb: KnowledgeBase, model: Record) -> Iterator[tuple[Location, tuple[str, ...], str]]:
    """The constraints that a model names, and the texts that it includes: where, which record, and which text."""
    for index, text in enumerate(model.get("constraints") or ()):
        yield model.at("constraints", index), cited(text), ""
    for each in kb.graph.cites(model.id):
        if each.included and each.path[0] != "corrections":
            yield each.location, (str(each.target),), each.mention.target


def _told(record: Record, found: Applies, included: str) -> str:
    asked = f"{found.field}: {found.asks}; this model: {found.has}"
    if not included:
        return f"`{record.id}` is not a constraint of this model: {asked}. Remove it, or correct {record.id}"
    return (
        f"`{included}` does not hold for this model: {record.id} says {asked}. Take the include out and say what is "
        f"true here, or correct `{found.field}` of {record.id}"
    )
