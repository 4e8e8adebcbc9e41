"""Whose figure a number is: what follows for a model, and which other models it may come from."""

from __future__ import annotations

import re
from fractions import Fraction

from generator.catalog.records import Record
from generator.derive.attention import FormatMismatch, entry_bytes
from generator.derive.attention.geometry import CacheStream
from generator.derive.facts import Facts
from generator.derive.figures import Figure
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import grouped
from generator.prose.reader import Quantity

SIGNIFICANT = 3
"""A rounded figure with fewer digits belongs to too many models to be one model's."""


def own_growths(facts: Facts) -> dict[str, Fraction]:
    """A model's figures in bytes per token: in every layout, and the two that no engine keeps."""
    figures = {figure.key: figure.growth for figure in facts.figures}
    if facts.geometry is None:
        return figures
    naive, expanded = facts.geometry.naive_gqa_bytes_per_token, facts.geometry.materialised_bytes_per_token
    others = {"naive": naive, "materialised": expanded}
    return figures | {name: Fraction(size) for name, size in others.items() if size}


def per_layer(facts: Facts) -> dict[str, dict[str, Fraction]]:
    """Bytes per token of one layer: by kind of layer, then by layout."""
    found: dict[str, dict[str, Fraction]] = {}
    for figure in facts.figures:
        for stream in figure.geometry.streams:
            of_kind = found.setdefault(stream.layer_type, {})
            of_kind[figure.key] = of_kind.get(figure.key, Fraction(0)) + _entry(stream, figure) * stream.entries.slope()
    return found


def _entry(stream: CacheStream, figure: Figure) -> Fraction:
    try:
        return Fraction(entry_bytes(stream, figure.layout, figure.geometry.family))
    except FormatMismatch:
        return Fraction(0)


def own_values(facts: Facts) -> set[Fraction]:
    """Every size that follows for a model: growths, entries, and what one layer takes."""
    entries = {_entry(stream, figure) for figure in facts.figures for stream in figure.geometry.streams}
    return {*own_growths(facts).values(), *entries, *(size for of in per_layer(facts).values() for size in of.values())}


def says(quantity: Quantity, size: Fraction) -> bool:
    """Whether a figure states a size: exactly in bytes, at the written precision in larger units."""
    scales = quantity.unit.scales if quantity.unit else (Fraction(1),)
    for scale in scales:
        low, high = quantity.at(scale)
        if quantity.value * scale == size or (scale > 1 and low <= size <= high):
            return True
    return False


def owners_of(kb: KnowledgeBase, quantity: Quantity, besides: str) -> list[tuple[Record, Figure]]:
    """The other models of which a number is the growth per token, with the layout in which it is."""
    digits = len(re.sub(r"\D", "", quantity.text).lstrip("0"))
    if digits < SIGNIFICANT or quantity.dimension not in ("bytes", "count") or (quantity.unit and quantity.value == 0):
        return []
    return [
        (kb.catalog.records[id], figure)
        for id, facts in kb.facts.items()
        if id != besides
        for figure in [next((figure for figure in facts.figures if says(quantity, figure.growth)), None)]
        if figure is not None
    ]


def siblings(kb: KnowledgeBase, id: str) -> set[str]:
    """Models that a model's text is likely to be pasted from: of the same vendor, or of the same attention family.

    Among hundreds of models some unrelated one has any round figure; that is chance, not a mix-up.
    """
    record, facts = kb.catalog.records[id], kb.facts[id]
    family = facts.geometry.family if facts.geometry else None
    return {
        other.id
        for other in kb.catalog.sound("model")
        if other.id != id and (other.get("vendor") == record.get("vendor") or _family(kb, other.id) == family)
    }


def _family(kb: KnowledgeBase, id: str) -> str | None:
    geometry = kb.facts[id].geometry
    return geometry.family if geometry else None


def own_figure(facts: Facts) -> str:
    """A model's figure in plain bf16, as text."""
    plain = facts.figure("bf16")
    return f"{grouped(plain.growth)} B/token" if plain else "another figure"
