"""Whether weights and cache go into the memory of some GPUs: a figure with what it takes for granted, never a state.

Left out, and said so: activations, CUDA graphs, what an engine keeps free, parts of a checkpoint that no count covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generator.catalog.records import Record
from generator.compatibility.chain import Effect, Reason
from generator.derive.attention import FormatMismatch, Geometry, check_ranks, copies, sharded
from generator.derive.config.fields import NotDerivable
from generator.derive.facts import Facts
from generator.derive.figures import Figure
from generator.notation.units import BYTES, grouped

DEVICE_UNITS = ("MiB", "GiB", "B")
DECIMAL_UNITS = ("MB", "GB", "TB")


@dataclass(frozen=True)
class Load:
    """What a model puts on each GPU; where something is not known, the reason instead.

    `decided` says whether the format of the cache is the one that a verdict stores, or bf16 for want of that.
    """

    context: int
    batch: int
    tp: int
    weights: Fraction | str
    cache: Fraction | str
    layout: str | None
    assumptions: tuple[str, ...]
    decided: bool = True

    @property
    def bytes(self) -> Fraction | None:
        """Bytes on each GPU, where both parts are known."""
        return None if isinstance(self.weights, str) or isinstance(self.cache, str) else self.weights + self.cache


@dataclass(frozen=True)
class Fit:
    """A load against the memory of one GPU."""

    load: Load
    gpu: str
    memory: int | None
    memory_basis: str

    @property
    def share(self) -> Fraction | None:
        """The part of the memory that it takes."""
        return self.load.bytes / self.memory if self.load.bytes is not None and self.memory else None


def memory_of(gpu: Record) -> tuple[int | None, str]:
    """A GPU's memory in bytes, and how they are known.

    Vendors write GB where devices count MiB: a figure that a device reports beats one in a name, wherever the record
    has it, and decimal units are taken as such only where nothing else is on record, which the basis says.
    """
    row = gpu.get("memory")
    if not isinstance(row, Mapping):
        return None, (gpu.get("why_null") or {}).get("memory") or "no source on record states it"
    if isinstance(row.get("bytes"), int):
        return row["bytes"], str(row.get("basis") or "as its source states it")
    rows = [each for each in (row, *(gpu.get("memory_claims") or ())) if isinstance(each, Mapping)]
    reported = next((each for each in rows if each.get("unit") in DEVICE_UNITS), row)
    unit, value = reported.get("unit"), reported.get("value")
    if unit not in BYTES or isinstance(value, bool) or not isinstance(value, int | float):
        return None, "the record's figure has no unit that is known"
    size = int(Fraction(str(value)) * BYTES[unit])
    as_what = ", which may mean GiB" if unit in DECIMAL_UNITS else ""
    return size, f"{value} {unit} as its source says, taken as {grouped(size)} bytes{as_what}"


def load(
    facts: Facts, figure: Figure | None, context: int, batch: int, tp: int, engine: str = "", decided: bool = True
) -> Load:
    """What each of `tp` GPUs holds: its part of the weights, and of the caches of `batch` sequences."""
    weights, taken = _weights(facts, tp)
    cache, more = _cache(facts, figure, context, batch, tp, engine)
    undecided = (
        () if decided or figure is None else (f"no verdict says in which format: {figure.key}, by the geometry",)
    )
    not_counted = "activations, graphs and what an engine keeps free come on top"
    words = (*taken, *more, *undecided, not_counted)
    return Load(context, batch, tp, weights, cache, figure.key if figure else None, words, decided)


def cell_load(facts: Facts, reasons: Iterable[Reason], engine: str, context: int, batch: int = 1, tp: int = 1) -> Load:
    """The load of a model in the format that the chain of a verdict stores: what commands print and pages show."""
    stored = next((step.value for step in reasons if step.effect is Effect.STORES), None)
    figure = stored_figure(facts, stored, engine)
    return load(facts, figure or figure_for(facts), context, batch, tp, engine, decided=figure is not None)


def fit(load: Load, gpu: Record) -> Fit:
    """A load against a GPU."""
    return Fit(load, gpu.id, *memory_of(gpu))


def figure_for(facts: Facts, stored: Any = None, engine: str = "") -> Figure | None:
    """The row of the cache table that a verdict stores; else bf16 by the geometry, the same basis for every model.

    What some engine stores on some other GPU is not an answer: it would be the smallest of all, and of another cell.
    """
    return stored_figure(facts, stored, engine) or facts.figure("bf16")


def stored_figure(facts: Facts, stored: Any, engine: str) -> Figure | None:
    """The row of the cache table that a verdict stores; None where it does not say."""
    if isinstance(stored, Mapping) and isinstance(stored.get("kv"), Mapping):
        wanted = {role: row.get("format") for role, row in stored.items() if isinstance(row, Mapping)}
        for figure in facts.figures:
            if any(_keeps(each, wanted, engine) for each in figure.layouts):
                return figure
    return None


def _keeps(stored: Any, wanted: Mapping[str, Any], engine: str) -> bool:
    layout = stored.layout
    if stored.engine is not None and engine and stored.engine.id != engine:
        return False
    index = layout.index.id if layout.index else None
    same_index = "index" not in wanted or _same(index, wanted["index"])
    return _same(layout.kv.id if layout.kv else None, wanted["kv"]) and same_index


def _same(mine: str | None, theirs: Any) -> bool:
    """Whether two names mean the same entries: a format by its id, a plain number type whoever names it."""
    short = str(theirs).partition("#")[2]
    return mine == theirs or (str(mine).startswith("uniform#") and str(mine).partition("#")[2] == short)


def _weights(facts: Facts, tp: int) -> tuple[Fraction | str, tuple[str, ...]]:
    if facts.geometry is not None and (problem := _ranks_refused(facts.geometry, tp)):
        return problem, ()
    if facts.weights is None or isinstance(facts.weights, NotDerivable):
        why = facts.weights or facts.parameters
        return why.reason if isinstance(why, NotDerivable) else "its weights are not counted", ()
    apart = facts.parameters.apart if facts.parameters and not isinstance(facts.parameters, NotDerivable) else ()
    without = tuple(f"not counted: {one.name}" for one in apart)
    dealt = ("weights dealt out evenly to the GPUs",) if tp > 1 else ()
    return Fraction(facts.weights.total, tp), (*facts.weights.assumptions, *without, *dealt)


def _ranks_refused(geometry: Geometry, tp: int) -> str | None:
    try:
        check_ranks(geometry, tp)
    except ValueError as problem:
        return str(problem)
    return None


def _cache(
    facts: Facts, figure: Figure | None, context: int, batch: int, tp: int, engine: str
) -> tuple[Fraction | str, tuple[str, ...]]:
    if facts.geometry is None:
        return facts.reason or "the cache is not derivable", ()
    if figure is None:
        return "no engine on record stores its cache in a format with known bytes", ()
    try:
        each = Fraction(sharded(facts.geometry, figure.layout, context, tp))
    except FormatMismatch:
        raise
    except ValueError as problem:
        return str(problem), ()
    state = max((kept.total for kept in facts.states if not engine or kept.engine.id == engine), default=0)
    words = [f"cache in {figure.key}, every sequence {grouped(context)} tokens long"]
    if tp > 1:
        dealt = any(stream.heads for stream in facts.geometry.streams)
        whole = any(not stream.heads for stream in facts.geometry.streams)
        held = copies(facts.geometry, tp)
        fewer = [f"{what} is held by {ranks} GPUs" for what, ranks in held.items() if not what.endswith("row")]
        words += ["KV heads dealt out to the GPUs" + (f"; {', '.join(fewer)}" if fewer else "")] if dealt else []
        words += ["entries that heads share are held whole by every GPU"] if whole else []
    crossing = (part for part in figure.parts(context) if part.stream.entries.rule == "encoder")
    words += [f"cross-attention {'' if part.bytes else 'not '}counted: by {part.depends_on}" for part in crossing]
    if state:
        words.append("state of a sequence counted whole on every GPU")
    elif facts.geometry.states:
        words.append("without the state of a sequence, whose bytes no engine on record gives")
    return (each + state) * batch, tuple(words)
