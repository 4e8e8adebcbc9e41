"""Whether a concept, a kernel or a gotcha is about a model, by the conditions that it states itself.

Unknown is not no: what rests on a family that was not derived, or on a version that is not on record, stays open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generator.catalog.records import Record
from generator.compatibility.chain import cited
from generator.compatibility.conditions import about_model, settled
from generator.compatibility.profiles import Profile
from generator.derive.cited_config import CitedConfig
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.versions import package, pinned, satisfies


@dataclass(frozen=True, slots=True)
class Applies:
    """The answer, None where it is open: what the record asks for, what the model has, and the field that asks."""

    holds: bool | None
    asks: str = ""
    has: str = ""
    field: str = ""


def applies(kb: KnowledgeBase, model: Record, record: Record, now: bool = False) -> Applies:
    """Whether a record is about a model; `now`, whether it still is in the versions on record."""
    one = _Model(kb, model, kb.verdicts.profiles[model.id])
    if record.kind == "gotcha":
        return one.gotcha(record, now)
    if record.kind == "kernel":
        return one.kernel(record)
    return one.concept(record)


@dataclass(frozen=True, slots=True)
class _Model:
    kb: KnowledgeBase
    record: Record
    profile: Profile

    @property
    def _own(self) -> str:
        family = self.profile.family or "not derived"
        return f"{self.profile.architecture or 'a class that is not on record'}, of the family {family}"

    def concept(self, record: Record) -> Applies:
        """By `applies`, else by `families`; a concept that states neither is open."""
        conditions = record.get("applies")
        if conditions:
            asks = ", or ".join(_words(when) for when in conditions)
            found = _any(_all(self._met(when)) for when in conditions)
            return Applies(found, asks, self._has(conditions), "applies")
        families = record.get("families")
        if not families:
            return Applies(None)
        return Applies(self._among(families), f"the families {', '.join(families)}", self._own, "families")

    def _met(self, when: Mapping[str, Any]) -> Iterator[bool | None]:
        facts = self.kb.facts[self.record.id]
        if "families" in when:
            yield self._among(when["families"])
        if "layers" in when:
            yield any(facts.geometry.layers.get(kind) for kind in when["layers"]) if facts.geometry else None
        source = CitedConfig.of(self.kb.catalog, self.record).source
        whole = source is not None and source.get("complete") is not False
        for key in when.get("keys", ()):
            yield bool(facts.config[key]) if key in facts.config else False if whole else None

    def _has(self, conditions: Iterable[Mapping[str, Any]]) -> str:
        """What the model has of what is asked for."""
        facts = self.kb.facts[self.record.id]
        keys = dict.fromkeys(key for when in conditions for key in when.get("keys", ()))
        values = [f"{key} {facts.config.get(key, 'absent')}" for key in keys]
        layers = ", ".join(
            f"{count} {kind}" for kind, count in (facts.geometry.layers if facts.geometry else {}).items()
        )
        return "; ".join([self._own, *([f"layers: {layers}"] if layers else []), *values])

    def _among(self, families: Iterable[str]) -> bool | None:
        return self.profile.family in families if self.profile.family else None

    def kernel(self, record: Record) -> Applies:
        """By what it `excludes`, then by what it computes and what the model's family needs."""
        excludes = record.get("excludes") or {}
        if self.profile.architecture in (excludes.get("architectures") or ()):
            return Applies(False, f"it is not for {self.profile.architecture}", self._own, "excludes")
        if self.profile.family in (excludes.get("families") or ()):
            return Applies(False, f"it is not for the family {self.profile.family}", self._own, "excludes")
        table, words = self.kb.catalog.tables.get("kernel_classes", {}), set(record.get("kernel_classes"))
        offered = {name for name, row in table.items() if words & {name, *(row.get("in_kernels") or ())}}
        needed = {name for way in self.profile.alternatives for job in way for name in job.classes}
        if not needed or not offered:
            return Applies(None)
        asks = f"it computes {', '.join(record.get('kernel_classes'))}"
        has = f"{self._own}, which needs {', '.join(str(table[name].get('title', name)) for name in sorted(needed))}"
        return Applies(bool(needed & offered), asks, has, "kernel_classes")

    def gotcha(self, record: Record, now: bool) -> Applies:
        """By any one of its conditions: its classes and families, its features, and `now` also its versions."""
        conditions = record.get("conditions")
        of_models = _any(self._concerned(when) for when in conditions)
        if of_models is False or not now:
            asks = "; or ".join(filter(None, (_words(when) for when in conditions)))
            return Applies(of_models, asks or "models with other features", self._own, "conditions")
        held = _any(_all((self._concerned(when), *self._versions(when), *self._kept(when))) for when in conditions)
        asks = "; or ".join(dict.fromkeys(filter(None, map(_circumstances, conditions))))
        return Applies(held, asks, self._on_record(conditions), "conditions")

    def _concerned(self, when: Mapping[str, Any]) -> bool | None:
        config = self.kb.facts[self.record.id].config
        if settled(when.get("features") or (), config) is None:
            return False
        if about_model(when, self.profile, None):
            return True
        unknown = (
            (when.get("architectures") and self.profile.architecture is None)
            or (when.get("families") and self.profile.family is None)
            or when.get("gguf_architectures")
        )
        return None if unknown else False

    def _versions(self, when: Mapping[str, Any]) -> Iterator[bool | None]:
        """Whether the versions on record lie in a condition's ranges."""
        engine = self._engine(when)
        if engine and when.get("engine_versions"):
            yield satisfies(engine.get("version"), when["engine_versions"])
        if engine and when.get("kernel") and when.get("kernel_versions"):
            pins = engine.get("pins") or {}
            pin = next((pinned(pin) for name, pin in pins.items() if package(name) == package(when["kernel"])), None)
            yield satisfies(pin, when["kernel_versions"]) if pin else None

    def _kept(self, when: Mapping[str, Any]) -> Iterator[bool | None]:
        """Whether the engine keeps this model's cache in a type that a condition names; open where none is known."""
        engine, asked = self._engine(when), set(when.get("cache_formats") or ())
        if engine and asked:
            words = set(self._types(engine))
            yield bool(words & asked) if words else None

    def _types(self, engine: Record) -> Iterator[str]:
        """The words for the types in which an engine keeps this model's cache."""
        for stored in (stored for figure in self.kb.facts[self.record.id].figures for stored in figure.layouts):
            layout = stored.layout
            for used in (layout.kv, layout.window, layout.index):
                known = self.kb.formats.by_id.get(used.id) if used and stored.engine is engine else None
                if known:
                    row = known.record.get("cache_formats", known.index)
                    yield from (row["id"], *(row.get("aliases") or ()))

    def _engine(self, when: Mapping[str, Any]) -> Record | None:
        ids = cited(when.get("engine"))
        return self.kb.catalog.records.get(ids[0]) if ids else None

    def _on_record(self, conditions: Iterable[Mapping[str, Any]]) -> str:
        """The engines that conditions name, in the versions on record, with their types for this model's cache."""
        engines = {engine.id: engine for when in conditions if (engine := self._engine(when))}
        types = [f"with a cache in {', '.join(sorted(set(self._types(each))))}" for each in engines.values()]
        shown = [f"{each.title} {each.get('version')}" for each in engines.values()]
        asks = any(when.get("cache_formats") for when in conditions)
        return "; ".join(f"{name} {kept}" if asks else name for name, kept in zip(shown, types, strict=True))


def _words(when: Mapping[str, Any]) -> str:
    """What a condition asks of a model, in words."""
    asked = {"architectures": "", "families": "the families ", "layers": "layers of ", "keys": "a value for "}
    return " with ".join(f"{before}{', '.join(when[key])}" for key, before in asked.items() if when.get(key))


def _circumstances(when: Mapping[str, Any]) -> str:
    """The versions and cache types that a condition names."""
    kernel = f"{when['kernel']} {when['kernel_versions']}" if "kernel_versions" in when else None
    return ", ".join(filter(None, (when.get("engine_versions"), kernel, *(when.get("cache_formats") or ()))))


def _any(answers: Iterable[bool | None]) -> bool | None:
    found = list(answers)
    return True if True in found else None if None in found else False


def _all(answers: Iterable[bool | None]) -> bool | None:
    found = list(answers)
    return False if False in found else None if None in found else True
