"""What would change in what is published if a source said what its document says today."""

from __future__ import annotations

import json
from dataclasses import replace

from generator.authoring.extract.extraction import restated
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
    gone = {each.place for each in outcome.changes if each.after is None}
    facts = restated(source, outcome.facts, gone)
    try:
        document = load(json.dumps({**source.data, "facts": facts}, ensure_ascii=False))
    except Unreadable:
        return None  # what a document says today need not be fit for a record
    records = {**kb.catalog.records, source.id: replace(source, document=document)}
    return compare(kb, assemble(replace(kb.catalog, records=records), kb.today))
