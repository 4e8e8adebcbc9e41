"""DRV307: a stretched context that is not the product of its factor and its origin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.derive.cited_config import CitedConfig
from generator.derive.config.fields import MOST, is_size
from generator.findings import Finding, Location, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import grouped

LONGEST, ORIGIN = "max_position_embeddings", "original_max_position_embeddings"
HOLDERS = ("rope_scaling", "rope_parameters")
NAMES = ("rope_type", "type")
WORDS = re.compile(r"[^a-z0-9]+")
SHORT = 3


@check("DRV307", Severity.ERROR)
def context_scaling(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """The factor of a YaRN scaling does not lead from the original context to the stated one.

    Why it matters
    Engines disagree about which of the three numbers counts: vLLM multiplies, others take `max_position_embeddings`.
    One that does not fit is mostly a sibling's, such as a factor of 40 with the context of a model whose factor is 16.
    Only YaRN promises the product (transformers warns where it does not hold), whatever longer name a config uses.
    Llama 3's factor bends frequencies and multiplies no length, longrope has lists of factors, linear and dynamic
    scaling start from a length that is not stated. A context that equals the original one is taken for one that was
    not stretched yet, as in the instructions for Qwen2.5, and accepted. A scaling that no name on record is part of is
    reported as unknown, since nothing says what its numbers promise.

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
    with the reason. A name that is unknown goes into `schema/rope_scalings.yaml`, with what it promises.
    """
    table = kb.catalog.tables.get("rope_scalings", {})
    for model in tally.sound(kb, "model"):
        config = kb.facts[model.id].config
        stated = [part for holder in HOLDERS for part in _stated(config, holder)]
        for path, one in stated:
            yield from _unknown(this, kb, model, path, one, table)
        found = [scaling for path, one in stated for scaling in _product(config, path, one, table)]
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


Path = tuple[str, ...]


def _stated(config: Mapping[str, Any], holder: str) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The scalings under a key, one for all layers or one for each kind of layers."""
    stated = config.get(holder)
    if isinstance(stated, Mapping):
        yield (holder,), stated
        yield from (((holder, str(kind)), one) for kind, one in stated.items() if isinstance(one, Mapping))


def _named(one: Mapping[str, Any]) -> list[str]:
    """What a scaling is called, under either key."""
    return [value.lower() for key in NAMES if isinstance(value := one.get(key), str)]


def _contains(names: list[str], known: list[str]) -> bool:
    """Whether a name holds a known one: anywhere, or as a word of its own where that is short (`su`)."""
    return any(word in (name if len(word) > SHORT else WORDS.split(name)) for name in names for word in known)


def _product(
    config: Mapping[str, Any], path: Path, one: Mapping[str, Any], table: Mapping[str, list[str]]
) -> Iterator[tuple[Path, int | float, int]]:
    """A scaling that promises a product, with its factor and the original length, where the config has all three."""
    factor, origin = one.get("factor"), one.get(ORIGIN, config.get(ORIGIN))
    if not _contains(_named(one), table.get("product", [])) or not is_size(config.get(LONGEST)):
        return
    if is_size(origin) and isinstance(factor, int | float) and not isinstance(factor, bool) and 0 < factor < MOST:
        yield path, factor, origin


def _unknown(
    this: Check,
    kb: KnowledgeBase,
    model: Record,
    path: Path,
    one: Mapping[str, Any],
    table: Mapping[str, list[str]],
) -> Iterator[Finding]:
    """A scaling of a kind that is not on record: nothing is checked of it, and that is said."""
    names = _named(one)
    if names and not _contains(names, [*table.get("product", []), *table.get("none", [])]):
        message = (
            f"`{names[0]}` is not a scaling on record, so whether its factor fits `{LONGEST}` is unknown; if you know "
            f"what it promises, name it in schema/rope_scalings.yaml"
        )
        yield this.finding(_place(kb, model, path), message, model.id, severity=Severity.WARNING)


def _place(kb: KnowledgeBase, model: Record, path: tuple[str, ...]) -> Location:
    """In the record where it holds the scaling or the length, else in the config that it cites."""
    written = model.get("architecture") or {}
    if path[0] in written:
        return model.at("architecture", *path)
    cited = CitedConfig.of(kb.catalog, model)
    if LONGEST in written or cited.source is None:
        return model.at("architecture", LONGEST) if LONGEST in written else model.at("architecture", key=True)
    return cited.at(path[0])
