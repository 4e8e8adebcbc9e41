"""DRV301: a published figure against the derived one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.derive.parameters.stated_counts import ACTIVE, TOTAL
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import grouped, number
from generator.prose.claims import ComparableClaim, stated
from generator.prose.figure_owners import siblings
from generator.prose.reading.quantities import BYTES, show

NAMED = 6


@check("DRV301", Severity.ERROR)
def contradicted_claim(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A published figure is none of those that follow from the config.

    Why it matters
    A figure that somebody printed is read with more trust than a formula, and many were copied from a sibling or made
    with a formula for another design. A figure per token may mean any layout that an engine stores, unless its
    condition names one; it holds if one of them rounds to the stated digits. A figure for a length is compared with and
    without state, a context with the longest that the config allows, other fields with the config's own. What was
    measured may include pages and reserves: such a figure can agree, but contradicts nothing.

    Bad
    ```yaml records/models/tiny-a.yaml
    claims:
      - {field: kv_cache_bytes_per_token, value: 400, unit: B/token, basis: vendor, cite: "[[tiny-a-config]]"}
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    claims:
      - {field: kv_cache_bytes_per_token, value: 320, unit: B/token, basis: vendor, cite: "[[tiny-a-config]]"}
      - {field: kv_cache_bytes_at_4k, value: 1.25, unit: MiB, basis: vendor, cite: "[[tiny-a-config]]"}
    ```

    How to fix
    Look the figure up in the cited source, and say under `condition` for which format and length it holds. If the
    source itself is wrong, keep its figure and waive this finding with the reason.
    """
    for model in tally.sound(kb, "model"):
        facts = kb.facts[model.id]
        for index, claim in enumerate(model.get("claims") or ()):
            if claim["field"] in (TOTAL, ACTIVE):
                continue  # DRV305 counts parameters
            said = stated(claim, facts)
            agreeing = said.agreeing() if said else []
            if said is None or (claim["basis"] == "measured" and not agreeing):
                tally.not_checkable += 1
                continue
            tally.checked += 1
            if not agreeing:
                yield _finding(this, kb, model, index, claim, said)


def _finding(
    this: Check, kb: KnowledgeBase, model: Record, index: int, claim: Mapping[str, Any], said: ComparableClaim
) -> Finding:
    values = list(said.meanings.items())
    derived = ", ".join(f"{_size(value, said)} ({name})" for name, value in values[:NAMED])
    more = f" and {len(values) - NAMED} more" if len(values) > NAMED else ""
    what = "the config allows" if said.at_most else "derived is"
    message = f"`{claim['field']}` is claimed to be {claim['value']} {claim['unit']}; {what} {derived}{more}"
    owners = _owners(kb, model, claim) if said.quantity.dimension == BYTES else {}
    data = {
        "claimed": claim["value"],
        "unit": claim["unit"],
        "derived": {name: number(value) for name, value in values},
        "owners": owners,
    }
    hint = _hint(kb, model, said, owners)
    return this.finding(model.at("claims", index, "value"), message + hint, model.id, data=data)


def _size(value: Fraction, said: ComparableClaim) -> str:
    unit = said.quantity.unit
    if unit is None or unit.scales[0] == 1:
        return grouped(value)
    return f"{show(value / unit.scales[-1], said.quantity)} {unit.symbol}"


def _hint(kb: KnowledgeBase, model: Record, said: ComparableClaim, owners: Mapping[str, list[str]]) -> str:
    """Where the figure may come from: another model, or a formula for another design."""
    if owners:
        first, keys = next(iter(owners.items()))
        others = f" and {len(owners) - 1} more" if len(owners) > 1 else ""
        return f"; it is the figure of {first}{others} ({keys[0]})"
    geometry = kb.facts[model.id].geometry
    formulas = {
        "the naive GQA formula gives": geometry.naive_gqa_bytes_per_token if geometry else None,
        "keys and values expanded per head take": geometry.materialised_bytes_per_token if geometry else None,
    }
    sizes = {name: Fraction(size) for name, size in formulas.items() if size}
    per_token = said.quantity.unit is not None and "token" in said.quantity.unit.per
    made = ComparableClaim(said.quantity, sizes).agreeing() if per_token else []
    return f"; it is what {made[0]}" if made else ""


def _owners(kb: KnowledgeBase, model: Record, claim: Mapping[str, Any]) -> dict[str, list[str]]:
    """The siblings of which the figure would be true, with the layouts in which it would."""
    near = {id: stated(claim, kb.facts[id]) for id in sorted(siblings(kb, model.id)) if id in kb.facts}
    return {id: agreeing for id, said in near.items() if said is not None and (agreeing := said.agreeing())}
