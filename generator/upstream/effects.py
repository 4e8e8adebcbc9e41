"""What would change in what is published if a source said what its document says today."""

from __future__ import annotations

import json
from dataclasses import replace

from generator.catalog.records import Record
from generator.catalog.yaml.document import Unreadable
from generator.catalog.yaml.loader import load
from generator.knowledge.changes.comparison import BaseChanges, compare
from generator.knowledge.knowledge_base import KnowledgeBase, assemble
from generator.upstream.states import DriftOutcome


def effects(kb: KnowledgeBase, outcome: DriftOutcome) -> BaseChanges | None:
    """The comparison of the base with itself, the facts of one source replaced; None where nothing rests on it."""
    source = kb.catalog.records[outcome.source]
    if not outcome.changes or not outcome.facts or not kb.graph.cited_by(source.id):
        return None
    try:
        document = load(json.dumps({**source.data, "facts": _replaced(source, outcome)}, ensure_ascii=False))
    except Unreadable:
        return None  # what a document says today need not be fit for a record
    records = {**kb.catalog.records, source.id: replace(source, document=document)}
    return compare(kb, assemble(replace(kb.catalog, records=records), kb.today))


def _replaced(source: Record, outcome: DriftOutcome) -> dict[str, object]:
    """The facts on record with those that were extracted in their places; what is gone is left out."""
    gone = {each.place for each in outcome.changes if each.after is None}
    stated = source.get("facts") or {}
    wanted = (
        outcome.facts
        if source.get("complete") or source.get("extractor", "type") != "json"
        else {key: value for key, value in outcome.facts.items() if key in stated}
    )
    return {key: value for key, value in {**stated, **wanted}.items() if key not in gone}
