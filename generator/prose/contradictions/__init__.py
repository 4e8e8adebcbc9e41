"""Where a record contradicts itself: two of its statements cannot both hold, whatever is true."""

from __future__ import annotations

from collections.abc import Iterator

from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.comparisons.sentence import Namesakes
from generator.prose.contradictions.contradiction import Contradiction, Place, own_speeches
from generator.prose.contradictions.field_values import field_values
from generator.prose.contradictions.layer_counts import layer_counts
from generator.prose.contradictions.null_reasons import null_reasons
from generator.prose.passages import Passage

__all__ = ["Contradiction", "Namesakes", "Place", "contradictions"]


def contradictions(kb: KnowledgeBase, passages: list[Passage], names: Namesakes) -> Iterator[Contradiction]:
    """All contradictions of one model's record, whose passages these are."""
    record = passages[0].record
    speeches = list(own_speeches(passages, names))
    facts = kb.facts.get(record.id)
    yield from layer_counts(speeches, passages[0].names)
    yield from null_reasons(speeches, record)
    yield from field_values(speeches, facts.config if facts else {}, kb.keys)
