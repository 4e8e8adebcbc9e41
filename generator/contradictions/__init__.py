"""Where a record contradicts itself: two of its statements cannot both hold, whatever is true."""

from __future__ import annotations

from collections.abc import Iterator

from generator.comparisons.speech import Namesakes
from generator.contradictions.layers import layer_counts
from generator.contradictions.reasons import null_reasons
from generator.contradictions.statements import Contradiction, Place, own_speeches
from generator.contradictions.values import field_values
from generator.knowledge import KnowledgeBase
from generator.proofreading import Passage

__all__ = ["Contradiction", "Namesakes", "Place", "contradictions"]


def contradictions(kb: KnowledgeBase, passages: list[Passage], names: Namesakes) -> Iterator[Contradiction]:
    """All contradictions of one model's record, whose passages these are."""
    record = passages[0].record
    speeches = list(own_speeches(passages, names))
    facts = kb.facts.get(record.id)
    yield from layer_counts(speeches, passages[0].names)
    yield from null_reasons(speeches, record)
    yield from field_values(speeches, facts.config if facts else {}, kb.keys)
