"""What a model keeps in one engine: growth, fixed bytes and cache over lengths, by the engine's cache policy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from generator.catalog.records import Record
from generator.cli.output.kv.answer import KvAnswer
from generator.compatibility.cache_policy import CacheOwner, CachePolicy, NoPolicy, policy_of
from generator.compatibility.caches_in_engines import CachesInEngines, deciding, layout_in
from generator.compatibility.engine_cache import EngineCache, engine_cache
from generator.compatibility.engine_defaults import EnginePlace, alternatives, size_of
from generator.compatibility.overpaying import SLACK
from generator.derive.attention import sharded
from generator.derive.figures import Figure
from generator.notation.units import binary, grouped, number

if TYPE_CHECKING:
    from generator.knowledge.knowledge_base import KnowledgeBase


@dataclass(frozen=True)
class EngineRow:
    """One layout on some GPUs: the cache, or why there is none."""

    where: str
    layout: str
    cache: EngineCache | str

    def needed(self, tokens: int) -> Fraction:
        """What the geometry needs of one sequence, without its state."""
        assert isinstance(self.cache, EngineCache)
        return Fraction(sharded(self.cache.geometry, self.cache.layout, tokens, self.cache.tp)) / self.cache.stages

    def overpays(self, tokens: int) -> bool:
        """Whether the engine keeps clearly more."""
        assert isinstance(self.cache, EngineCache)
        needed = self.needed(tokens)
        return needed > 0 and self.cache.bytes(tokens) - self.cache.fixed >= needed * SLACK


@dataclass(frozen=True)
class KvInEngine:
    """The rows of one engine; without any, the reason."""

    engine: Record
    gpu: Record | None
    rows: tuple[EngineRow, ...]
    notes: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    reason: str | None = None

    @property
    def derivable(self) -> bool:
        """Whether there is any figure."""
        return any(isinstance(row.cache, EngineCache) for row in self.rows)


def in_engine(
    kb: KnowledgeBase, answer: KvAnswer, names: frozenset[str], engine: Record, gpu: Record | None
) -> KvInEngine:
    """What an engine keeps of a model that it knows by these names; on a GPU, or on each kind that it treats apart."""
    caches = kb.verdicts.caches
    if answer.facts.geometry is None:
        return KvInEngine(engine, gpu, (), reason=answer.facts.reason)
    owner = CacheOwner(names, answer.facts.geometry.family, caches.gguf(engine.id, names))
    own = [figure for figure in answer.figures if engine.id in figure.engines]
    plain = [figure for figure in answer.figures if figure.key == "bf16"]
    lack = () if own else (f"no layout of {engine.title} is on record for this family: bf16 by the geometry",)
    rows: list[EngineRow] = []
    notes, cites, reason = list(lack), list[str](), None
    for where, place in _places(caches, engine, gpu, answer.ask.tp):
        policy = policy_of(engine, owner, answer.facts.geometry, place)
        if isinstance(policy, NoPolicy):
            cites += policy.cites
            reason = policy.reason
            continue
        notes += [f"{where}: {note}" if where and note in policy.told else note for note in policy.notes]
        cites += policy.cites
        rows += [EngineRow(where, figure.key, _cache(policy, answer, figure)) for figure in own or plain]
    if not any(isinstance(row.cache, EngineCache) for row in rows):
        reason = next((row.cache for row in rows if isinstance(row.cache, str)), reason)
    return KvInEngine(engine, gpu, tuple(rows), _once(notes), _once(cites), reason)


def _cache(policy: CachePolicy, answer: KvAnswer, figure: Figure) -> EngineCache | str:
    assert answer.facts.geometry is not None
    own = (state for state in answer.facts.states if state.engine.id == policy.engine.id)
    most = max(own, key=lambda state: state.total, default=None)
    layout = layout_in(figure, policy.engine.id)
    return engine_cache(policy, answer.facts.geometry, layout, answer.ask.tp, most.parts if most else None)


def _places(caches: CachesInEngines, engine: Record, gpu: Record | None, tp: int) -> Iterator[tuple[str, EnginePlace]]:
    """The GPU that is asked for; without one, each kind that a setting of the engine's policy tells apart."""
    names = deciding(engine)
    if gpu is not None or not names:
        yield (gpu.title if gpu else ""), caches.place(gpu.id if gpu else None, tp)
        return
    rows = engine.get("defaults", names[0], "rows")
    for (words, _), row in zip(alternatives(engine, names[0]), rows, strict=True):
        if row.get("gpus"):
            continue
        memory = size_of(row["memory_from"]) if "memory_from" in row else 1
        yield (f"GPUs {words}" if "memory_from" in row else "other GPUs"), EnginePlace(None, memory, tp)


def _once(words: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


def engine_lines(answer: KvAnswer, found: KvInEngine) -> Iterator[str]:
    """For a terminal."""
    engine, ask = found.engine, answer.ask
    version = engine.get("version") or str(engine.get("commit") or "")[:9]
    each = f", on each of {ask.tp} GPUs" if ask.tp > 1 else ""
    yield f"in {engine.title} {version}, by what its cache keeps{each}"
    if not found.derivable:
        yield f"  no figure: {found.reason}"
    for row in found.rows:
        head = f"  {row.layout}" + (f", {row.where}" if row.where else "")
        if isinstance(row.cache, str):
            yield f"{head}: no figure: {row.cache}"
            continue
        fixed = f", {binary(row.cache.fixed)} a sequence" if row.cache.fixed else ""
        yield f"{head}: {grouped(row.cache.growth)} B/token in the long run{fixed}"
        for tokens in ask.contexts:
            size = row.cache.bytes(tokens)
            more = size - row.cache.fixed
            times = (
                f", {float(more / row.needed(tokens)):.2f} times what the design needs" if row.overpays(tokens) else ""
            )
            yield f"    {grouped(tokens):>12} tokens: {binary(size * ask.batch):>10}{times}"
    yield from (f"  note: {note}" for note in found.notes)
    if found.cites:
        yield "  sources: " + " ".join(f"[[{cite}]]" for cite in found.cites)


def engine_object(answer: KvAnswer, found: KvInEngine) -> dict[str, Any]:
    """As data."""
    return {
        "engine": found.engine.id,
        "version": found.engine.get("version"),
        "gpu": found.gpu.id if found.gpu else None,
        "derivable": found.derivable,
        "reason": found.reason,
        "rows": [_row(answer, row) for row in found.rows],
        "notes": list(found.notes),
        "cites": list(found.cites),
    }


def _row(answer: KvAnswer, row: EngineRow) -> dict[str, Any]:
    known = row.cache if isinstance(row.cache, EngineCache) else None
    sizes: dict[str, Fraction] = (
        {str(n): known.bytes(n) * answer.ask.batch for n in answer.ask.contexts} if known else {}
    )
    return {
        "where": row.where or None,
        "layout": row.layout,
        "growth_bytes_per_token": number(known.growth) if known else None,
        "fixed_bytes": number(known.fixed * answer.ask.batch) if known else None,
        "bytes": {tokens: number(size) for tokens, size in sizes.items()},
        "reason": None if known else row.cache,
    }
