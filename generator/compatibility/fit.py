"""Whether weights and cache go into the memory of some GPUs: a figure with what it takes for granted, never a state.

Left out, and said so: activations, CUDA graphs, what an engine keeps free, parts of a checkpoint that no count covers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generator.catalog.records import Record
from generator.derive.attention import FormatMismatch, sharded
from generator.derive.config.fields import NotDerivable
from generator.derive.facts import Facts
from generator.derive.figures import Figure
from generator.notation.units import BYTES, binary, grouped, number


@dataclass(frozen=True)
class Load:
    """What a model puts on each GPU; where something is not known, the reason stands in its place."""

    context: int
    batch: int
    tp: int
    weights: Fraction | str
    cache: Fraction | str
    layout: str | None
    assumptions: tuple[str, ...]

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
    """A GPU's memory in bytes, and how they are known."""
    row = gpu.get("memory")
    if not isinstance(row, Mapping):
        return None, (gpu.get("why_null") or {}).get("memory") or "no source on record states it"
    if isinstance(row.get("bytes"), int):
        return row["bytes"], str(row.get("basis") or "as its source states it")
    unit, value = row.get("unit"), row.get("value")
    if unit not in BYTES or not isinstance(value, int):
        return None, "the record's figure has no unit that is known"
    basis = f"{value} {unit} as its source says, taken as {grouped(value * BYTES[unit])} bytes"
    return value * BYTES[unit], basis


def load(facts: Facts, figure: Figure | None, context: int, batch: int, tp: int, engine: str = "") -> Load:
    """What each of `tp` GPUs holds: its part of the weights, and of the caches of `batch` sequences."""
    weights, taken = _weights(facts, tp)
    cache, more = _cache(facts, figure, context, batch, tp, engine)
    beside = "activations, graphs and what an engine keeps free come on top"
    return Load(context, batch, tp, weights, cache, figure.key if figure else None, (*taken, *more, beside))


def fit(load: Load, gpu: Record) -> Fit:
    """A load against a GPU."""
    return Fit(load, gpu.id, *memory_of(gpu))


def figure_for(facts: Facts, stored: Any = None, engine: str = "") -> Figure | None:
    """The row of the cache table that a verdict stores; else bf16 where an engine stores it, else the smallest."""
    if isinstance(stored, Mapping) and isinstance(stored.get("kv"), Mapping):
        wanted = {role: row.get("format") for role, row in stored.items() if isinstance(row, Mapping)}
        for figure in facts.figures:
            if any(_keeps(each, wanted, engine) for each in figure.layouts):
                return figure
    plain = facts.figure("bf16")
    if plain is not None and not plain.geometry_only:
        return plain
    kept = [figure for figure in facts.figures if not figure.geometry_only]
    return min(kept, key=lambda figure: figure.growth, default=None)


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
    if facts.weights is None or isinstance(facts.weights, NotDerivable):
        why = facts.weights or facts.parameters
        return why.reason if isinstance(why, NotDerivable) else "its weights are not counted", ()
    apart = facts.parameters.apart if facts.parameters and not isinstance(facts.parameters, NotDerivable) else ()
    without = tuple(f"not counted: {one.name}" for one in apart)
    dealt = ("weights dealt out evenly to the GPUs",) if tp > 1 else ()
    return Fraction(facts.weights.total, tp), (*facts.weights.assumptions, *without, *dealt)


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
        words += ["KV heads dealt out to the GPUs, repeated where there are fewer"] if dealt else []
        words += ["entries that heads share stand whole on every GPU"] if whole else []
    if state:
        words.append("state of a sequence counted whole on every GPU")
    elif facts.geometry.states:
        words.append("without the state of a sequence, whose bytes no engine on record gives")
    return (each + state) * batch, tuple(words)


# --- in words -------------------------------------------------------------------------------------------------------


def as_object(fit: Fit) -> dict[str, Any]:
    """The figure as data."""
    load = fit.load
    return {
        "context": load.context,
        "batch": load.batch,
        "tp": load.tp,
        "layout": load.layout,
        "weights_bytes_per_gpu": _number(load.weights),
        "cache_bytes_per_gpu": _number(load.cache),
        "bytes_per_gpu": None if load.bytes is None else number(load.bytes),
        "memory_bytes": fit.memory,
        "memory_basis": fit.memory_basis,
        "share_of_memory": None if fit.share is None else round(float(fit.share), 4),
        "reasons": [part for part in (load.weights, load.cache) if isinstance(part, str)],
        "assumptions": list(load.assumptions),
    }


def _number(part: Fraction | str) -> int | float | None:
    return None if isinstance(part, str) else number(part)


def lines(fit: Fit) -> list[str]:
    """The figure for a terminal."""
    load = fit.load
    sequences = f"{load.batch} sequence{'' if load.batch == 1 else 's'} of {grouped(load.context)} tokens"
    found = [f"memory, a figure beside the verdict: {sequences}, {load.tp} GPU{'' if load.tp == 1 else 's'}"]
    for name, part in (("weights", load.weights), ("cache", load.cache)):
        words = f"not derivable: {part}" if isinstance(part, str) else f"{binary(part)} on each"
        found.append(f"  {name}: {words}")
    if fit.memory is None:
        found.append(f"  memory: not known: {fit.memory_basis}")
    elif load.bytes is None:
        found.append(f"  memory: {binary(fit.memory)} on each ({fit.memory_basis}); there is no sum")
    else:
        left = fit.memory - load.bytes
        word = f"{binary(left)} left" if left >= 0 else f"{binary(-left)} too much"
        found.append(f"  sum: {binary(load.bytes)} of {binary(fit.memory)} on each ({fit.memory_basis}): {word}")
    return [*found, *(f"  assumed: {text}" for text in load.assumptions)]
