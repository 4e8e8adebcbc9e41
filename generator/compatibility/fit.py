"""Whether weights, cache and what an engine keeps free go into the memory of some GPUs: a figure, never a state.

The cache is what the engine's policy keeps (``engine_cache``). Left out, and said so: activations, graphs, parts of a
checkpoint that no count covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generator.catalog.records import Record
from generator.compatibility.caches_in_engines import CachesInEngines
from generator.compatibility.chain import Effect, Reason
from generator.compatibility.engine_defaults import EnginePlace
from generator.compatibility.gpu_memory import memory_of
from generator.compatibility.kept_free import KeptFree, kept_free
from generator.derive.attention import FormatMismatch, Geometry, check_ranks, copies, sharded
from generator.derive.config.fields import NotDerivable
from generator.derive.facts import Facts
from generator.derive.figures import Figure
from generator.notation.units import grouped

BY_LAYERS = "layers dealt out to the GPUs, taken as even"
BESIDE = "activations and graphs are not counted"
NOTHING_KEPT = KeptFree(None, "no engine is meant")


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
    family: str | None = None
    cites: tuple[str, ...] = ()

    @property
    def bytes(self) -> Fraction | None:
        """Bytes on each GPU, where both parts are known."""
        return None if isinstance(self.weights, str) or isinstance(self.cache, str) else self.weights + self.cache


@dataclass(frozen=True)
class Fit:
    """A load against the memory of one GPU, and what the engine keeps free of it."""

    load: Load
    gpu: str
    memory: int | None
    memory_basis: str
    kept_free: KeptFree = NOTHING_KEPT

    @property
    def share(self) -> Fraction | None:
        """The part of the memory that it takes."""
        return self.load.bytes / self.memory if self.load.bytes is not None and self.memory else None

    @property
    def cites(self) -> tuple[str, ...]:
        """The sources of the engine's policy, and of what it keeps free."""
        return tuple(dict.fromkeys((*self.load.cites, *self.kept_free.cites)))

    @property
    def left(self) -> Fraction | None:
        """Bytes that are left after weights, cache and what the engine keeps free; below 0 where they lack."""
        if self.load.bytes is None or not self.memory:
            return None
        return self.memory - self.load.bytes - (self.kept_free.bytes or 0)

    @property
    def fits(self) -> bool | None:
        """Whether all of it goes in; None where a part is not known, and what is known would go in."""
        known = [part for part in (self.load.weights, self.load.cache) if not isinstance(part, str)]
        if self.memory and sum(known) + (self.kept_free.bytes or 0) > self.memory:
            return False
        return None if self.left is None or self.kept_free.bytes is None else True


def load(
    facts: Facts, figure: Figure | None, context: int, batch: int, tp: int, engine: str = "", decided: bool = True
) -> Load:
    """What each of `tp` GPUs holds: its part of the weights, and of the caches of `batch` sequences."""
    weights, taken = _weights(facts, tp)
    cache, more = _cache(facts, figure, context, batch, tp, engine)
    undecided = (
        () if decided or figure is None else (f"no verdict says in which format: {figure.key}, by the geometry",)
    )
    words = (*taken, *more, *undecided, f"{BESIDE}, nor what an engine keeps free")
    family = facts.geometry.family if facts.geometry else None
    return Load(context, batch, tp, weights, cache, figure.key if figure else None, words, decided, family)


def cell_load(
    caches: CachesInEngines,
    model: str,
    engine: str,
    place: EnginePlace,
    reasons: Iterable[Reason],
    context: int,
    batch: int = 1,
) -> Load:
    """The load of a model by an engine's policy, in the format that the chain of a verdict stores; on each GPU.

    It is the same on all GPUs for which `caches.settings` are the same.
    """
    facts = caches.facts[model]
    stored = next((step.value for step in reasons if step.effect is Effect.STORES), None)
    decided = stored_figure(facts, stored, engine)
    figure = decided or figure_for(facts)
    family = facts.geometry.family if facts.geometry else None
    layers = caches.catalog.records[engine].get("cache_policy", "among", "by") == "layers"
    weights, taken = _weights(facts, place.count, layers)
    if figure is None:
        return load(facts, None, context, batch, place.count, engine)
    cache = caches.cache(model, engine, place, figure)
    cites = caches.policy(model, engine, place).cites
    undecided = () if decided else (f"no verdict says in which format: {figure.key}, by the geometry",)
    if isinstance(cache, str):
        words = (*taken, *undecided, BESIDE)
        return Load(context, batch, place.count, weights, cache, figure.key, words, decided is not None, family, cites)
    about = (*_about_cache(cache.geometry, figure, context, cache.tp), *([BY_LAYERS] if cache.stages > 1 else []))
    words = (*taken, *about, *cache.policy.notes, *undecided, BESIDE)
    size = cache.bytes(context) * batch
    return Load(context, batch, place.count, weights, size, figure.key, words, decided is not None, family, cites)


def cell_fit(
    caches: CachesInEngines, cell: tuple[str, str, str], reasons: Iterable[Reason], context: int, batch: int, tp: int
) -> Fit:
    """A model's load in an engine against so many of a GPU: what commands print and pages show."""
    model, engine, gpu = cell
    place = caches.place(gpu, tp)
    return fit(caches, engine, cell_load(caches, model, engine, place, reasons, context, batch), gpu)


def fit(caches: CachesInEngines, engine: str, load: Load, gpu: str) -> Fit:
    """A load against a GPU, together with what the engine keeps free."""
    record = caches.catalog.records[gpu]
    weights = None if isinstance(load.weights, str) else load.weights
    free = kept_free(caches.catalog.records[engine], load.family, caches.place(gpu, load.tp), weights)
    return Fit(load, gpu, *memory_of(record), free)


def bare_fit(load: Load, gpu: Record) -> Fit:
    """A load against a GPU that no engine on record serves it on."""
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


def _weights(facts: Facts, tp: int, by_layers: bool = False) -> tuple[Fraction | str, tuple[str, ...]]:
    if not by_layers and facts.geometry is not None and (problem := _ranks_refused(facts.geometry, tp)):
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
    words = [*_about_cache(facts.geometry, figure, context, tp)]
    if state:
        words.append("state of a sequence counted whole on every GPU")
    elif facts.geometry.states:
        words.append("without the state of a sequence, whose bytes no engine on record gives")
    return (each + state) * batch, tuple(words)


def _about_cache(geometry: Geometry, figure: Figure, context: int, tp: int) -> Iterator[str]:
    """What a figure of a cache takes for granted."""
    yield f"cache in {figure.key}, every sequence {grouped(context)} tokens long"
    if tp > 1:
        dealt = any(stream.heads for stream in geometry.streams)
        whole = any(not stream.heads for stream in geometry.streams)
        held = copies(geometry, tp)
        fewer = [f"{what} is held by {ranks} GPUs" for what, ranks in held.items() if not what.endswith("row")]
        if dealt:
            yield "KV heads dealt out to the GPUs" + (f"; {', '.join(fewer)}" if fewer else "")
        if whole:
            yield "entries that heads share are held whole by every GPU"
    crossing = (part for part in figure.parts(context) if part.stream.entries.rule == "encoder")
    for part in crossing:
        yield f"cross-attention {'' if part.bytes else 'not '}counted: by {part.depends_on}"
