"""DRV307: a stretched context that is not the product of its factor and its origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.derive.cited_config import config_source, fact_place
from generator.derive.config.fields import MOST, is_size
from generator.findings import Finding, Location, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import grouped

LONGEST, ORIGIN = "max_position_embeddings", "original_max_position_embeddings"
HOLDERS = ("rope_scaling", "rope_parameters")


@check("DRV307", Severity.ERROR)
def context_scaling(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """The factor of a YaRN scaling does not lead from the original context to the stated one.

    Why it matters
    Engines disagree about which of the three numbers counts: vLLM multiplies, others take `max_position_embeddings`.
    One that does not fit is mostly a sibling's, such as a factor of 40 beside the context of a model with 16. Only
    YaRN promises the product (transformers warns where it does not hold). Llama 3's factor bends frequencies and
    multiplies no length, longrope has lists of factors, linear and dynamic scaling start from a length that is not
    stated. A context that equals the original one is taken for one that was not stretched yet, as in the instructions
    for Qwen2.5, and accepted.

    Bad
    ```yaml records/models/tiny-a.yaml
    architecture:
      max_position_embeddings: 163840
      rope_scaling: {type: yarn, factor: 16, original_max_position_embeddings: 4096}
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    architecture:
      max_position_embeddings: 163840
      rope_scaling: {type: yarn, factor: 40, original_max_position_embeddings: 4096}
    ```

    How to fix
    Read the three numbers in the cited config again. If it says so itself, keep what it says and waive this finding
    with the reason.
    """
    for model in tally.sound(kb, "model"):
        config = kb.facts[model.id].config
        found = [scaling for holder in HOLDERS for scaling in _scalings(config, holder)]
        tally.not_checkable += not found
        for path, factor, origin in found:
            tally.checked += 1
            stretched, longest = Fraction(str(factor)) * origin, config[LONGEST]
            if longest not in (stretched, origin):
                yield this.finding(
                    _place(kb, model, path),
                    f"{factor} × {grouped(origin)} is {grouped(stretched)}, but `{LONGEST}` is {grouped(longest)}; "
                    f"that would be a factor of {float(Fraction(longest, origin)):g}",
                    model.id,
                    data={"factor": factor, "original": origin, "stated": longest, "product": float(stretched)},
                )


def _scalings(config: Mapping[str, Any], holder: str) -> Iterator[tuple[tuple[str, ...], int | float, int]]:
    """The YaRN scalings under a key, one for all layers or one for each kind of layers: (path, factor, original)."""
    stated = config.get(holder)
    if not isinstance(stated, Mapping) or not is_size(config.get(LONGEST)):
        return
    parts = [((holder, str(kind)), one) for kind, one in stated.items() if isinstance(one, Mapping)]
    scalings: list[tuple[tuple[str, ...], Mapping[str, Any]]] = [((holder,), stated), *parts]
    for path, one in scalings:
        factor, origin = one.get("factor"), one.get(ORIGIN, config.get(ORIGIN))
        is_yarn = "yarn" in (one.get("rope_type"), one.get("type")) and is_size(origin)
        if is_yarn and isinstance(factor, int | float) and not isinstance(factor, bool) and 0 < factor < MOST:
            yield path, factor, origin


def _place(kb: KnowledgeBase, model: Record, path: tuple[str, ...]) -> Location:
    """In the record where it holds the scaling or the length, else in the config that it cites."""
    written = model.get("architecture") or {}
    if path[0] in written:
        return model.at("architecture", *path)
    source = config_source(kb.catalog, model)
    if LONGEST in written or source is None:
        return model.at("architecture", LONGEST) if LONGEST in written else model.at("architecture", key=True)
    return fact_place(source, path[0])
