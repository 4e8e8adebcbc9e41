"""The bytes of a model's cache in an engine: the geometry by the engine's policy, on each GPU of several.

One sequence holds what the policy keeps of its entries and of its state; several hold as much each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from generator.compatibility.block_pool import BlockPool, LayerKind, block_pool
from generator.compatibility.cache_policy import STATE, CachePolicy
from generator.derive.attention import CacheLayout, Geometry, check_ranks, entry_bytes, state_parts
from generator.derive.attention.geometry import CacheStream


@dataclass(frozen=True)
class EngineCache:
    """A model's cache in an engine, on each GPU: what grows with the tokens, and what else a sequence holds.

    ``tp`` GPUs share heads, ``stages`` share layers, taken as even.
    """

    policy: CachePolicy
    geometry: Geometry
    layout: CacheLayout
    tp: int
    stages: int
    state: Fraction
    pool: BlockPool | None

    def bytes(self, tokens: int) -> Fraction:
        """Of one sequence of so many tokens, with its state."""
        if self.pool is not None:
            return self.pool.bytes(tokens) / self.stages
        held = sum((size * self._room(stream, tokens) for stream, size in self._streams()), Fraction(0))
        return held / self.stages + self.fixed

    @property
    def growth(self) -> Fraction:
        """Bytes that a token adds in the long run."""
        if self.pool is not None:
            return self.pool.growth / self.stages
        kept, total = self.policy.kept, Fraction(0)
        for stream, size in self._streams():
            total += size * stream.layers * kept[stream.entries.rule].slope(stream.entries)
        return total / self.stages

    @property
    def fixed(self) -> Fraction:
        """What a sequence holds whatever its length: its state."""
        kept = self.policy.kept.get(STATE)
        return self.state * kept.copies / (self.tp if kept.sharded else 1) / self.stages if kept else Fraction(0)

    def _room(self, stream: CacheStream, tokens: int) -> int:
        return stream.layers * self.policy.kept[stream.entries.rule].count(stream.entries, tokens)

    def _streams(self) -> Iterator[tuple[CacheStream, Fraction]]:
        for stream in self.geometry.streams:
            yield stream, entry_on_rank(self.geometry, self.layout, stream, self.tp)


def entry_on_rank(geometry: Geometry, layout: CacheLayout, stream: CacheStream, tp: int) -> Fraction:
    """Bytes of one entry in one layer on each of so many ranks: heads are dealt out, then repeated."""
    whole = entry_bytes(stream, layout, geometry.family)
    return whole * Fraction(max(1, stream.heads // tp), stream.heads) if stream.heads else whole


def engine_cache(
    policy: CachePolicy,
    geometry: Geometry,
    layout: CacheLayout,
    count: int = 1,
    states: Mapping[str, int] | None = None,
) -> EngineCache | str:
    """A model's cache in an engine on so many GPUs; the reason where there is none, such as heads that cannot be dealt
    out.

    ``states`` are the bytes of a sequence's state by what they are, where the layout does not say so itself.
    """
    if count > 1 and policy.among is None:
        return f"how {policy.engine.title} shares a model among GPUs was not read"
    tp, stages = (1, count) if policy.among == "layers" else (count, 1)
    try:
        check_ranks(geometry, tp)
    except ValueError as problem:
        return str(problem)
    parts = state_parts(geometry, layout)
    sizes = [size for _, size in parts] if parts else list((states or {}).values())
    if geometry.states and not sizes:
        return "the bytes of a sequence's state are not on record for this engine"
    state = Fraction(sum(sizes))
    pool = None
    if policy.grouped:
        found = block_pool(list(_kinds(policy, geometry, layout, tp, state)))
        if isinstance(found, str):
            return found
        pool = found
    return EngineCache(policy, geometry, layout, tp, stages, state, pool)


def _kinds(
    policy: CachePolicy, geometry: Geometry, layout: CacheLayout, tp: int, state: Fraction
) -> Iterator[LayerKind]:
    for stream in geometry.streams:
        size = entry_on_rank(geometry, layout, stream, tp)
        yield LayerKind(stream.layers, size, policy.kept[stream.entries.rule], stream.entries)
    kept = policy.kept.get(STATE)
    layers = max((slot.layers for slot in geometry.states), default=0)
    if kept and layers:
        yield LayerKind(layers, state / layers / (tp if kept.sharded else 1), kept, None)
