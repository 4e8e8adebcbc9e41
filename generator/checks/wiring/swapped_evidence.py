"""WIR204: records that cite each other's documents."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from generator.checks.contract import Check, Tally, check
from generator.derive.cited_config import CitedConfig
from generator.findings import Edit, Finding, Fix, Related, Severity
from generator.knowledge.evidence.config_comparison import compare, growth_of
from generator.knowledge.evidence.swapped_configs import Relinked, circles, config_wires
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import grouped, number

NAMED = 6

CAUSED = ("WIR201", "WIR202", "DRV302", "NUM409")
"""What other checks would find in a record of the circle, and is reported here instead."""


@check("WIR204", Severity.ERROR)
def swapped_evidence(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """Records cite each other's configs.

    Why it matters
    Two citations that were swapped are one slip, and one that hides well: no source is an orphan, every citation
    resolves, and two siblings agree in most fields. All configs in doubt are dealt out anew to the models in doubt, by
    subject and then by agreeing fields; where that gives a circle of records each the document of another one, this is
    reported once, in place of a mis-wiring for each of them. It also finds two revisions of one repository that were
    swapped, which no subject can distinguish.

    Bad
    ```yaml records/models/tiny-a.yaml
    config: "[[tiny-b-config]]"
    ```
    ```yaml records/models/tiny-b.yaml
    config: "[[tiny-a-config]]"
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    config: "[[tiny-a-config]]"
    ```

    How to fix
    Let each record cite the source that the message names for it; the fix does all of them. Where the message says that
    the fields fit as they are, it is the repositories that were swapped: correct `repo` instead.
    """
    models = list(tally.sound(kb, "model"))
    wires = list(config_wires(kb, models))
    tally.checked += len(wires)
    tally.not_checkable += len(models) - len(wires)
    for circle in circles(wires):
        yield _finding(this, kb, circle)


def _finding(this: Check, kb: KnowledgeBase, circle: list[Relinked]) -> Finding:
    first, *others = circle
    repos = all(moved.fields_like_it_as_it_is for moved in circle)
    related = [Related(moved.wire.citation.location, f"{moved.wire.model.id} is one of them") for moved in others]
    related += [Related(moved.right.at("subjects"), f"the source of {moved.wire.model.id}") for moved in circle]
    return this.finding(
        first.wire.citation.location,
        _message(kb, circle, repos),
        first.wire.model.id,
        related,
        None if repos else _fix(circle),
        {
            "records": {moved.wire.model.id: _link(kb, moved) for moved in circle},
            "absorbs": [(code, moved.wire.model.id) for moved in circle for code in CAUSED],
        },
    )


def _link(kb: KnowledgeBase, moved: Relinked) -> dict[str, Any]:
    model = moved.wire.model
    compared = compare(
        model.get("architecture") or {}, CitedConfig(moved.right).flat, CitedConfig(moved.wire.source).flat
    )
    return {
        "subject": moved.wire.subject,
        "cited": moved.wire.source.id,
        "suggested": moved.right.id,
        "discriminating": compared.discriminating,
        "shared": compared.shared,
        "derived_effect": {"kv_growth_bf16": [None if each is None else number(each) for each in _growths(kb, moved)]},
    }


def _growths(kb: KnowledgeBase, moved: Relinked) -> list[Fraction | None]:
    right, cited = CitedConfig(moved.right).flat, CitedConfig(moved.wire.source).flat
    return [growth_of(kb, {**right, **(moved.wire.model.get("architecture") or {})}), growth_of(kb, cited)]


def _fix(circle: list[Relinked]) -> Fix | None:
    """All citations at once; None where the exact characters of one are not known."""
    edits: list[Edit] = []
    for moved in circle:
        fix = moved.wire.citation.fix(moved.right.id)
        if fix is None:
            return None
        edits += fix.edits
    return Fix("cite each record's own config", tuple(edits))


def _message(kb: KnowledgeBase, circle: list[Relinked], repos: bool) -> str:
    names = [moved.wire.model.id for moved in circle]
    who = " and ".join(names) if len(names) == 2 else f"{len(names)} records"
    cites = [f"{moved.wire.model.id} is {moved.wire.subject} and cites {moved.wire.source.id}" for moved in circle]
    told = "; ".join(cites[:NAMED]) + (f"; and {len(cites) - NAMED} more" if len(cites) > NAMED else "")
    message = f"{who} cite each other's configs: {told}"
    if repos:
        return f"{message}; their fields fit what they cite, so it is rather `repo` that was swapped"
    right = "; ".join(f"{moved.wire.model.id}: cite {moved.right.id}{_effect(kb, moved)}" for moved in circle[:NAMED])
    return f"{message}; {right}"


def _effect(kb: KnowledgeBase, moved: Relinked) -> str:
    right, cited = _growths(kb, moved)
    if right is None or cited is None or right == cited:
        return ""
    return f" ({grouped(right)} B/token in bf16, under the cited one {grouped(cited)})"
