"""The config that a model cites as its evidence, as its source's facts hold it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.attention.config import ConfigKeys, unwrap
from generator.citations import whole
from generator.records import Catalog, Record


def config_keys(catalog: Catalog) -> ConfigKeys:
    """What each config key means for the cache, from ``schema/config_keys.yaml``."""
    return ConfigKeys.from_table(catalog.tables.get("config_keys", {}))


def config_source(catalog: Catalog, record: Record) -> Record | None:
    """The source that a model cites as the evidence for its config."""
    return cited_source(catalog, record, "config")


def cited_source(catalog: Catalog, record: Record, field: str) -> Record | None:
    """The source that a field of a record cites."""
    mention = whole(str(record.get(field) or ""))
    if mention is None or mention.problem:
        return None
    source = catalog.resolve(mention).record
    return source if source and source.kind == "source" else None


def source_config(source: Record | None) -> dict[str, Any]:
    """The language model's config in a source's facts, flat."""
    facts = source.get("facts") if source else None
    return unwrap(facts) if isinstance(facts, Mapping) else {}
