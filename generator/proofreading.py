"""The prose of records before the arithmetic reader: which texts, with which named values, and whose figure one is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generator.arithmetic import Kind, Names, Quantity, Statement, read, sentence_at
from generator.attention.formats import FormatMismatch, entry_bytes
from generator.attention.geometry import Geometry
from generator.derive import Facts, Figure
from generator.findings import Finding
from generator.judgement import Check, Tally
from generator.knowledge import KnowledgeBase
from generator.records import Record, Text
from generator.spans import Location
from generator.units import grouped

KINDS: Mapping[str, tuple[str, ...]] = {
    "heavily_compressed_attention": ("HCA",),
    "compressed_sparse_attention": ("CSA",),
    "sliding_attention": ("sliding",),
    "full_attention": ("full",),
    "linear_attention": ("linear",),
    "mamba": ("Mamba",),
}
"""What prose calls the layers of a kind."""

SIGNIFICANT = 3
"""A rounded figure with fewer digits belongs to too many models to be one model's."""


@dataclass(frozen=True)
class Passage:
    """A prose text of a record and what it may refer to by name."""

    record: Record
    text: Text
    names: Names

    def place(self, start: int, end: int) -> Location:
        """Where characters `start` to `end` of the text stand in the file; the part on the first line of several."""
        token = self.text.value[start:end].split("\n")[0]
        (span,) = self.record.document.places(self.text.span, self.text.value, [(start, token)])
        return self.record.location(span or self.text.span)

    def sentence(self, offset: int) -> str:
        """The sentence around a character, with the next one where that goes on about it ("That is V3's figure")."""
        value = self.text.value
        begin, end = sentence_at(value, offset)
        following = value[end : sentence_at(value, end)[1]] if end < len(value) else ""
        more = following if re.match(r"\s*(?:That|This|It|The (?:other|former|latter|figure))\b", following) else ""
        return value[begin:end] + more


def passages(kb: KnowledgeBase, tally: Tally, kinds: tuple[str, ...] = ()) -> Iterator[Passage]:
    """The prose of the records of some kinds (all but sources).

    What a correction says was wrong is left alone: it quotes the mistake.
    """
    for kind in kinds or tuple(kind.name for kind in kb.catalog.kinds if kind.name != "source"):
        for record in tally.sound(kb, kind):
            names = names_of(kb, record)
            for text in kb.catalog.texts(record):
                if text.field is not None and text.field.schema.get("x-prose") and text.path[-1] != "wrong":
                    yield Passage(record, text, names)


def names_of(kb: KnowledgeBase, record: Record) -> Names:
    """The config of a model as named values and lists, its layers by kind, its figures; nothing for other records."""
    facts = kb.facts.get(record.id)
    if facts is None:
        return Names()
    values = {
        key: Fraction(str(value))
        for key, value in facts.config.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    lists = {key: tuple(value) for key, value in facts.config.items() if isinstance(value, list) and value}
    layers = values.get("num_hidden_layers")
    return Names(values, lists, _spoken_kinds(facts.geometry), own_growths(facts), int(layers) if layers else None)


def _spoken_kinds(geometry: Geometry | None) -> dict[str, int]:
    counts = geometry.layers if geometry else {}
    return {word: counts[kind] for kind, words in KINDS.items() if kind in counts for word in words}


def false_statements(kb: KnowledgeBase, tally: Tally, *kinds: Kind) -> Iterator[tuple[Passage, Statement]]:
    """What the reader finds false; the rest is counted."""
    for passage in passages(kb, tally):
        for statement in read(passage.text.value, passage.names, kinds):
            if statement.holds is None or (not statement.holds and _of_another(kb, passage, statement)):
                tally.not_checkable += 1
                continue
            tally.checked += 1
            if not statement.holds:
                yield passage, statement


def _of_another(kb: KnowledgeBase, passage: Passage, statement: Statement) -> bool:
    """Whether a statement that rests on this model's values may speak of another model."""
    return bool(statement.names) and bool(mentioned(kb, passage.sentence(statement.start), passage.record.id))


def findings(this: Check, kb: KnowledgeBase, tally: Tally, *kinds: Kind) -> Iterator[Finding]:
    """A finding for each false statement: the right value, how it comes about, and whose figure the stated one is."""
    for passage, statement in false_statements(kb, tally, *kinds):
        written = " ".join(passage.text.value[statement.start : statement.end].split())
        right = f"the right value is {statement.right}{_unit(statement.stated)}" if statement.stated else statement.right
        why = f" ({statement.why})" if statement.why else ""
        owners = owners_of(kb, statement.stated, passage.record.id) if statement.stated else []
        whose = f"; {written} is the figure of {_list(owners)}" if owners else ""
        yield this.finding(
            passage.place(statement.start, statement.end),
            f"{written}: {right}{why}{whose}",
            passage.record.id,
            data={"stated": written, "right": statement.right, "figure_of": [record.id for record, _ in owners]},
        )


def _unit(quantity: Quantity | None) -> str:
    if quantity is None or quantity.unit is None or quantity.dimension not in ("bytes", "share", "times"):
        return ""
    return quantity.unit.symbol if quantity.dimension == "times" else f" {quantity.unit.symbol}"


def _list(owners: list[tuple[Record, Figure]]) -> str:
    shown = ", ".join(f"{record.id} ({figure.key})" for record, figure in owners[:2])
    return shown + (f" and {len(owners) - 2} more" if len(owners) > 2 else "")


# --- whose figure a number is ---------------------------------------------------------------------------------------


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


def _entry(stream: Any, figure: Figure) -> Fraction:
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


def called(kb: KnowledgeBase, record: Record) -> set[str]:
    """The names by which prose knows a model: its title, aliases and repository, "V3" for DeepSeek-V3."""
    titles = [record.title, *(record.get("aliases") or ())]
    firsts = [re.split(r"[- ]", other.title)[0] for other in kb.catalog.of("model")]
    first = re.split(r"[- ]", record.title)[0]
    tails = [re.split(r"[- ]", title, maxsplit=1)[-1] for title in titles]
    return {
        *titles,
        record.id,
        str(record.get("repo") or record.id).rpartition("/")[2],
        *(tail for tail in tails if re.match(r"[A-Z]+\d", tail)),
        *([first] if firsts.count(first) == 1 and len(first) > 2 else []),
    }


def mentioned(kb: KnowledgeBase, text: str, besides: str) -> set[str]:
    """The ids of the other models that a text cites or names."""
    return {
        record.id
        for record in kb.catalog.of("model")
        if record.id != besides
        and any(re.search(rf"(?<![\w.-]){re.escape(name)}(?!\w|[.-]\w)", text) for name in called(kb, record))
    }


def own_figure(facts: Facts) -> str:
    """A model's figure in plain bf16, as text."""
    plain = facts.figure("bf16")
    return f"{grouped(plain.growth)} B/token" if plain else "another figure"
