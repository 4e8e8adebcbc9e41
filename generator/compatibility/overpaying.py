"""Which engines keep more of a model than its design needs, and how much more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from generator.catalog.records import Record
from generator.compatibility.caches_in_engines import CachesInEngines
from generator.compatibility.chain import ListingState
from generator.compatibility.engine_cache import EngineCache
from generator.compatibility.engine_defaults import EnginePlace
from generator.derive.facts import Facts

REFERENCE = EnginePlace(None, 80 << 30, 1)
"""A GPU that decides what an engine sets by itself, where no other is meant: one of 80 GiB."""

SLACK = Fraction(21, 20)
"""Blocks that are rounded up are not an overpay: up to a twentieth is ignored."""


@dataclass(frozen=True, slots=True)
class EngineOverpay:
    """What an engine keeps of a sequence, and what the design needs, in bytes."""

    engine: Record
    tokens: int
    kept: Fraction
    needed: Fraction

    @property
    def factor(self) -> Fraction:
        """How many times as much."""
        return self.kept / self.needed


def overpaying(caches: CachesInEngines, facts: Facts, tokens: int) -> Iterator[EngineOverpay]:
    """The engines that list a model with windows and keep more of them than it needs, the most first; in bf16."""
    plain = facts.figure("bf16")
    if facts.geometry is None or plain is None:
        return
    if not any(stream.entries.rule in ("window", "chunk") for stream in facts.geometry.streams):
        return
    found = []
    for engine in caches.catalog.sound("engine"):
        if caches.listings[facts.id, engine.id].state is not ListingState.LISTED:
            continue
        cache = caches.cache(facts.id, engine.id, REFERENCE, plain)
        if isinstance(cache, EngineCache):
            each = EngineOverpay(engine, tokens, cache.bytes(tokens) - cache.fixed, plain.bytes(tokens))
            found += [each] if each.factor >= SLACK else []
    yield from sorted(found, key=lambda each: -each.factor)
