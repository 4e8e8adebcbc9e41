"""Figures that somebody saw in a log, compared with what the same setting gives here: a witness of the arithmetic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from generator.catalog.records import Record
from generator.derive.attention import CacheLayout, FormatMismatch, check_ranks, stream_bytes
from generator.derive.attention.geometry import CacheStream, Geometry
from generator.derive.config.fields import NotDerivable
from generator.derive.facts import Facts
from generator.derive.parameters import WeightBytes
from generator.derive.quantizations import stored_size
from generator.derive.stored_formats import Formats
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.citations import whole
from generator.notation.units import BYTES

MATERIALISED = "materialised"
SCALARS = {"bf16": 2, "fp16": 2, "fp32": 4}
NEAR = Fraction(1, 100)
"""So far may a plain or a latent cache be from what was observed: logs round, and engines fill whole blocks."""
FAR = Fraction(5, 100)
"""The same where windows or states are kept, of which engines keep whole blocks and some to spare."""


@dataclass(frozen=True)
class Observed:
    """An observation in bytes and what is derived, in bytes; or the reason why nothing is."""

    record: Record
    observed: Fraction
    derived: Fraction | None
    allowed: Fraction = NEAR
    why_not: str = ""

    @property
    def deviation(self) -> Fraction | None:
        """How far the derived figure is from the observed one, as a part of it; negative where it is below."""
        return None if self.derived is None else self.derived / self.observed - 1

    @property
    def agrees(self) -> bool | None:
        """Whether both are as near as they should be; None where there is nothing to compare."""
        return None if self.deviation is None else abs(self.deviation) <= self.allowed

    @property
    def model(self) -> str:
        """The id of the model."""
        return cited_id(self.record, "model")

    @property
    def engine(self) -> str:
        """The id of the engine."""
        return cited_id(self.record, "engine")


def comparisons(kb: KnowledgeBase, model: str = "", engine: str = "") -> list[Observed]:
    """Every observation compared with what is derived; of one model, or of one engine, where they are named."""
    found = (compared(kb, record) for record in kb.catalog.sound("observation"))
    return [one for one in found if model in ("", one.model) and engine in ("", one.engine)]


def compared(kb: KnowledgeBase, record: Record) -> Observed:
    """One observation compared with what is derived."""
    facts = kb.facts.get(cited_id(record, "model"))
    observed = observed_bytes(record)
    if facts is None:
        return Observed(record, observed, None, why_not="nothing is derived for the model")
    allowed = FAR if facts.geometry and _bounded(facts.geometry, record) else NEAR
    derived = _DERIVE[record.get("measures")](kb, record, facts)
    if isinstance(derived, str):
        return Observed(record, observed, None, allowed, derived)
    return Observed(record, observed, derived, allowed)


def observed_bytes(record: Record) -> Fraction:
    """The figure in bytes, its parts added up."""
    figure: dict[str, Any] = record.get("figure")
    values: list[float] = figure["values"]
    total = sum((Fraction(str(value)) for value in values), Fraction(0))
    return total * int(BYTES[str(figure["unit"])])


def cited_id(record: Record, field: str) -> str:
    """The id that a field of a record cites; nothing where it cites none."""
    mention = whole(str(record.get(field) or ""))
    return mention.id if mention else ""


def _bounded(geometry: Geometry, record: Record) -> bool:
    """Whether the figure may hold something whose size does not follow the numbers of the line alone."""
    if record.get("cells") or record.get("layers") == "full" or record.get("measures") == "weights":
        return False
    return bool(geometry.states) or any(stream.entries.window for stream in geometry.streams)


# --- what is derived ------------------------------------------------------------------------------------------------


def _cache(kb: KnowledgeBase, record: Record, facts: Facts) -> Fraction | str:
    if facts.geometry is None:
        return facts.reason or "the cache is not derivable"
    tokens, ranks = record.get("tokens"), record.get("tensor_parallel") or 1
    if record.get("format") == MATERIALISED:
        each = facts.geometry.materialised_bytes_per_token
        return Fraction(each * tokens, ranks) if each else "the config does not say how wide keys and values would be"
    layout = _layout(facts, kb.formats, record.get("format"), cited_id(record, "engine"))
    if layout is None:
        return f"no record says how many bytes the format {record.get('format')} takes for this model"
    try:
        check_ranks(facts.geometry, ranks)
        kept = [stream for stream in facts.geometry.streams if _asked(stream, record.get("layers"))]
        sizes = (_stream(facts.geometry, layout, stream, record, ranks) for stream in kept)
        entries = sum(sizes, Fraction(0))
    except (FormatMismatch, ValueError) as problem:
        return str(problem)
    state = _state(kb, record, facts) if record.get("slots") else Fraction(0)
    return state if isinstance(state, str) else entries + state if entries else "the model has no such layers"


def _stream(geometry: Geometry, layout: CacheLayout, stream: CacheStream, record: Record, ranks: int) -> Fraction:
    """One kind of entry: as many as the line itself counts, or as the tokens make."""
    tokens = int(record.get("tokens"))
    if record.get("cells"):
        return tokens * Fraction(stream_bytes(geometry, layout, stream, 1, ranks))
    return Fraction(stream_bytes(geometry, layout, stream, tokens, ranks))


def _layout(facts: Facts, formats: Formats, name: str, engine: str) -> CacheLayout | None:
    """A row of the model's table; else a number type of the engine, which its record may not have for this family."""
    if figure := facts.figure(name):
        return figure.layout
    stored = formats.by_id.get(f"{engine}#{name}") or formats.by_id.get(f"uniform#{name}")
    if stored is None or stored.format.bytes_per_scalar is None:
        return None
    plain = replace(stored.format, families=None)
    return CacheLayout(plain, plain, plain)


def _asked(stream: CacheStream, layers: str | None) -> bool:
    return layers is None or (stream.entries.window is not None) == (layers == "windowed")


def _state(kb: KnowledgeBase, record: Record, facts: Facts) -> Fraction | str:
    wanted: dict[str, str] = record.get("slots")
    slots = {slot.slot: slot for slot in facts.geometry.states} if facts.geometry else {}
    total = 0
    for name, dtype in wanted.items():
        slot = slots.get(name)
        if slot is None or slot.scalars is None:
            return f"the model's geometry has no state {name} of a known width"
        total += slot.layers * slot.scalars * SCALARS[dtype]
    return Fraction(total * (record.get("sequences") or 1), record.get("tensor_parallel") or 1)


def _weights(kb: KnowledgeBase, record: Record, facts: Facts) -> Fraction | str:
    quantization = kb.catalog.records.get(cited_id(record, "quantization"))
    if quantization is not None:
        size = stored_size(kb.catalog, facts, quantization)
        return size.reason if size.bytes is None else Fraction(size.bytes, record.get("tensor_parallel") or 1)
    if isinstance(facts.weights, WeightBytes):
        return Fraction(facts.weights.total, record.get("tensor_parallel") or 1)
    why = facts.weights or facts.parameters
    return why.reason if isinstance(why, NotDerivable) else "its weights are not counted"


_DERIVE: dict[Any, Any] = {"cache": _cache, "state": _state, "weights": _weights}
