"""The config that a model cites as its evidence, as its source's facts hold it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from generator.catalog.records import Catalog, Record
from generator.derive.config.class_reads import ClassReads
from generator.derive.config.keys import ConfigKeys
from generator.derive.config.wrappers import WRAPPERS, unwrap
from generator.findings import Location
from generator.notation.citations import whole

OUTER = ("architectures", "quantization_config")
"""Facts of a wrapped config that are the language model's, too, though they are outside of it."""


@dataclass(frozen=True)
class CitedConfig:
    """A config as its source holds it, wrapped or not; empty without a source.

    Other sources, such as a page of a vendor, hold facts by the same names and are read in the same way.
    """

    source: Record | None

    @classmethod
    def of(cls, catalog: Catalog, model: Record) -> CitedConfig:
        """The config that a model cites."""
        return cls(cited_source(catalog, model, "config"))

    @cached_property
    def outer(self) -> Mapping[str, Any]:
        """All facts, as they are."""
        facts = self.source.get("facts") if self.source else None
        return facts if isinstance(facts, Mapping) else {}

    @cached_property
    def inner(self) -> dict[str, Any]:
        """The language model's own config, flat."""
        return unwrap(self.outer)

    @cached_property
    def flat(self) -> dict[str, Any]:
        """The language model's own config, with the identity that is outside of it."""
        return {**self.inner, **{key: self.outer[key] for key in OUTER if key in self.outer}}

    @property
    def complete(self) -> bool:
        """Whether the copy is known to leave nothing out."""
        return bool(self.source and self.source.get("complete"))

    @property
    def names(self) -> Iterator[str]:
        """What the source calls the checkpoint: ``hf:nvidia/DeepSeek-V3-0324-NVFP4``."""
        for subject in (self.source.get("subjects") or ()) if self.source else ():
            if isinstance(subject, str):
                yield subject.rpartition("/")[2]

    def says(self, key: str, value: Any) -> bool:
        """Whether a key that it holds has this value; a model type may be the wrapper's or the language model's."""
        types = (self.outer.get(key), self.inner.get(key)) if key == "model_type" else ()
        return agree(value, self.flat[key]) or str(value) in [str(each) for each in types if each is not None]

    def at(self, key: str) -> Location:
        """Where a fact is: in the wrapped config, whose fields count, or outside of it."""
        assert self.source is not None
        holders = (outer for outer, inner in self.outer.items() if isinstance(inner, Mapping) and key in inner)
        wrapper = next((outer for outer in holders if outer in WRAPPERS), None)
        return self.source.at("facts", key) if wrapper is None else self.source.at("facts", wrapper, key)

    def around(self, config: Mapping[str, Any]) -> Mapping[str, Any]:
        """Another config in the place of the inner one; the same where nothing is wrapped.

        Records name the wrapper's class, which is the one that engines are asked for; it says nothing of the layers
        inside.
        """
        if all(self.outer.get(key) is None for key in WRAPPERS):
            return config
        named = "architectures" in self.inner
        inside = {key: value for key, value in config.items() if named or key != "architectures"}
        return {**{key: value for key, value in self.outer.items() if key not in WRAPPERS}, WRAPPERS[0]: inside}


def agree(one: Any, other: Any) -> bool:
    """Whether two values of a config say the same: 10000 and 10000.0 do, 1 and true do not."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(agree(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(agree, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def cited_source(catalog: Catalog, record: Record, field: str) -> Record | None:
    """The source that a field of a record cites; from one that breaks its schema nothing is derived."""
    mention = whole(str(record.get(field) or ""))
    if mention is None or mention.problem:
        return None
    source = catalog.resolve(mention).record
    return source if source and source.kind == "source" and source.id not in catalog.unsound else None


def config_keys(catalog: Catalog) -> ConfigKeys:
    """What each config key means for the cache, from ``schema/config_keys.yaml``."""
    table = ConfigKeys.from_table(catalog.tables.get("config_keys", {}))
    return replace(table, reads=class_reads(catalog))


def class_reads(catalog: Catalog) -> ClassReads | None:
    """Which keys each class reads, from the source that an engine's record names for it."""
    for engine in catalog.sound("engine"):
        if found := reads_of(cited_source(catalog, engine, "class_reads")):
            return found
    return None


def reads_of(source: Record | None) -> ClassReads | None:
    """The table that a source's facts hold."""
    facts = source.get("facts") if source else None
    return ClassReads(source.title, facts) if source and isinstance(facts, Mapping) else None
