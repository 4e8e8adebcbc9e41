"""The base as it would be if a record had what its cited source says, where the two disagree."""

from __future__ import annotations

from collections.abc import Mapping as Values
from dataclasses import replace
from typing import Any

from generator.catalog.records import Record
from generator.catalog.yaml.document import Mapping
from generator.knowledge.knowledge_base import KnowledgeBase, assemble


def as_sources_say(kb: KnowledgeBase, disputed: Values[str, Values[str, Any]]) -> KnowledgeBase:
    """All that follows where each of these records has these values in its architecture."""
    records = dict(kb.catalog.records)
    for id, values in disputed.items():
        records[id] = _with(records[id], values)
    return assemble(replace(kb.catalog, records=records), kb.today)


def _with(record: Record, values: Values[str, Any]) -> Record:
    architecture = _copy(record.get("architecture"))
    for key, value in values.items():
        architecture[key] = value
    data = _copy(record.document.data)
    data["architecture"] = architecture
    return replace(record, document=replace(record.document, data=data))


def _copy(old: Mapping) -> Mapping:
    """A mapping of the same values at the same places."""
    new = Mapping()
    new.update(old)
    new.spans, new.key_spans = old.spans, old.key_spans
    return new
