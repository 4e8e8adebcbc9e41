"""The config that a model cites as its evidence, as its source's facts hold it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from generator.catalog.records import Catalog, Record
from generator.derive.config.class_reads import ClassReads
from generator.derive.config.keys import ConfigKeys
from generator.derive.config.wrappers import WRAPPERS, unwrap
from generator.findings import Location
from generator.notation.citations import whole


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


def config_source(catalog: Catalog, record: Record) -> Record | None:
    """The source that a model cites as the evidence for its config."""
    return cited_source(catalog, record, "config")


def cited_source(catalog: Catalog, record: Record, field: str) -> Record | None:
    """The source that a field of a record cites; from one that breaks its schema nothing is derived."""
    mention = whole(str(record.get(field) or ""))
    if mention is None or mention.problem:
        return None
    source = catalog.resolve(mention).record
    return source if source and source.kind == "source" and source.id not in catalog.unsound else None


def source_config(source: Record | None) -> dict[str, Any]:
    """The language model's config in a source's facts, flat."""
    facts = source.get("facts") if source else None
    return unwrap(facts) if isinstance(facts, Mapping) else {}


OUTER = ("architectures", "quantization_config")


def flat_facts(source: Record | None) -> dict[str, Any]:
    """A source's facts as a flat config: the language model's own, with the identity that is outside of it."""
    facts = source.get("facts") if source else None
    if not isinstance(facts, Mapping):
        return {}
    return {**unwrap(facts), **{key: facts[key] for key in OUTER if key in facts}}


def model_types(source: Record) -> set[str]:
    """The model types by which a config may be known: the wrapper's and the language model's."""
    facts = source.get("facts") or {}
    return {str(value) for value in (facts.get("model_type"), unwrap(facts).get("model_type")) if value is not None}


def fact_place(source: Record, key: str) -> Location:
    """Where a fact is: in the wrapped config, whose fields count, or outside of it."""
    holders = (outer for outer, inner in source.get("facts").items() if isinstance(inner, Mapping) and key in inner)
    wrapped = next((outer for outer in holders if outer in WRAPPERS), None)
    return source.at("facts", key) if wrapped is None else source.at("facts", wrapped, key)
