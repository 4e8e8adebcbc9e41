"""The cache of every model in every engine: whose policy holds, and where a setting of the GPU decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from generator.catalog.records import Catalog, Record
from generator.compatibility.asked import asked_for
from generator.compatibility.cache_policy import CacheOwner, CachePolicy, NoPolicy, policy_of
from generator.compatibility.engine_cache import EngineCache, engine_cache
from generator.compatibility.engine_defaults import EnginePlace, default_of
from generator.compatibility.gpu_memory import memory_of
from generator.compatibility.listing import Listing
from generator.derive.attention import CacheLayout
from generator.derive.facts import Facts
from generator.derive.figures import Figure
from generator.notation.gpus import Gpu

if TYPE_CHECKING:
    from generator.compatibility.outcomes import Rules


@dataclass(frozen=True, eq=False)
class CachesInEngines:
    """Policies by model, engine and place; worked out when asked for."""

    catalog: Catalog
    facts: Mapping[str, Facts]
    listings: Mapping[tuple[str, str], Listing]
    rules: Mapping[str, Rules]
    gpus: Mapping[str, Gpu]

    def place(self, gpu: str | None, count: int = 1) -> EnginePlace:
        """So many of a GPU on record; None: no GPU is meant."""
        if gpu is None:
            return EnginePlace(count=count)
        return EnginePlace(self.gpus[gpu], self._memory[gpu], count)

    def owner(self, model: str, engine: str) -> CacheOwner:
        """How an engine knows a model."""
        asked = asked_for(self.catalog, self.catalog.records[model])
        listed = self.listings[model, engine].name
        names = frozenset(name for name in (asked.architecture.value, asked.model_type.value, listed) if name)
        geometry = self.facts[model].geometry
        return CacheOwner(names, geometry.family if geometry else "", self.gguf(engine, names))

    def gguf(self, engine: str, names: frozenset[str]) -> frozenset[str] | None:
        """The GGUF architectures of some names; None for an engine that does not know models by them."""
        known = self.rules[engine].gguf_of
        if not known:
            return None
        spelled = {usual: own for own, usual in (self.catalog.records[engine].get("aliases") or {}).items()}
        found: set[str] = set()
        for name in names:
            own = known.get(spelled.get(name, name))
            found |= {own} if isinstance(own, str) else set(own) if isinstance(own, list) else set()
        return frozenset(found)

    def policy(self, model: str, engine: str, place: EnginePlace) -> CachePolicy | NoPolicy:
        """The policy of an engine for a model, or why there is none."""
        facts, record = self.facts[model], self.catalog.records[engine]
        if facts.geometry is None:
            return NoPolicy(facts.reason or "the cache is not derivable")
        key = (model, engine, self.settings(engine, place), place.count > 1)
        if key not in self._policies:
            self._policies[key] = policy_of(record, self.owner(model, engine), facts.geometry, place)
        return self._policies[key]

    def cache(self, model: str, engine: str, place: EnginePlace, figure: Figure) -> EngineCache | str:
        """The cache of a model in an engine and a row of its table, on each GPU of a place; or why there is none."""
        policy = self.policy(model, engine, place)
        facts = self.facts[model]
        if isinstance(policy, NoPolicy) or facts.geometry is None:
            return policy.reason if isinstance(policy, NoPolicy) else "the cache is not derivable"
        key = (model, engine, self.settings(engine, place), figure.key, place.count)
        if key not in self._caches:
            self._caches[key] = engine_cache(
                policy, facts.geometry, layout_in(figure, engine), place.count, states_in(facts, engine)
            )
        return self._caches[key]

    def settings(self, engine: str, place: EnginePlace) -> tuple[int | None, ...]:
        """What decides between places: the values of the defaults that the engine's policy names."""
        key = (engine, place.gpu.id if place.gpu else None, place.memory, place.count)
        if key not in self._settings:
            record = self.catalog.records[engine]
            self._settings[key] = tuple(default_of(record, name, place) for name in deciding(record))
        return self._settings[key]

    @cached_property
    def _memory(self) -> dict[str, int | None]:
        return {gpu.id: memory_of(gpu)[0] for gpu in self.catalog.sound("gpu")}

    @cached_property
    def _settings(self) -> dict[object, tuple[int | None, ...]]:
        return {}

    @cached_property
    def _policies(self) -> dict[object, CachePolicy | NoPolicy]:
        return {}

    @cached_property
    def _caches(self) -> dict[object, EngineCache | str]:
        return {}


def deciding(engine: Record) -> tuple[str, ...]:
    """The defaults that an engine's cache policy names."""
    rows = engine.get("cache_policy", "rows") or ()
    named = (row["in_flight"]["default"] for row in rows if "default" in (row.get("in_flight") or {}))
    return tuple(dict.fromkeys(named))


def layout_in(figure: Figure, engine: str) -> CacheLayout:
    """The layout of a figure as an engine stores it, with the state that it states; else as the figure has it."""
    own = (stored.layout for stored in figure.layouts if stored.engine is not None and stored.engine.id == engine)
    return next(own, figure.layout)


def states_in(facts: Facts, engine: str) -> Mapping[str, int] | None:
    """The largest state of a sequence that an engine keeps, by what it is."""
    own = (state for state in facts.states if state.engine.id == engine)
    most = max(own, key=lambda state: state.total, default=None)
    return most.parts if most else None
