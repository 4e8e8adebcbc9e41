"""Records that cite each other's documents: where the best assignment of sources to models is not the written one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from generator.catalog.records import Record
from generator.derive.cited_config import CitedConfig
from generator.knowledge.evidence.config_comparison import disagreements
from generator.knowledge.evidence.subjects import subject_citations
from generator.knowledge.graph import Citation, best_assignment
from generator.knowledge.knowledge_base import KnowledgeBase

SUBJECT = 10_000
"""What a fitting subject weighs: more than any number of agreeing fields."""


@dataclass(frozen=True)
class Wire:
    """A model and the source that it cites for its config."""

    model: Record
    citation: Citation
    subject: str
    source: Record

    @cached_property
    def doubtful(self) -> bool:
        """Whether the source is about something else, or says something else."""
        return self.subject not in (self.source.get("subjects") or []) or bool(
            disagreements(self.model, CitedConfig(self.source))
        )

    def weight(self, source: Record) -> int:
        """How well a source fits the model: first by its subject, then by the fields that agree and those that do not.

        What is written counts a little more, so that between equals nothing is accused.
        """
        cited = CitedConfig(source)
        wrong = len(disagreements(self.model, cited))
        both = sum(key in cited.flat for key in self.model.get("architecture") or {})
        fits = SUBJECT * (self.subject in (source.get("subjects") or []))
        return 2 * (fits + both - 2 * wrong) + (source.id == self.source.id)


@dataclass(frozen=True)
class Relinked:
    """One link of a circle: the wire as written, and the source that another record of the circle holds."""

    wire: Wire
    right: Record

    @property
    def fields_like_it_as_it_is(self) -> bool:
        """Whether the model's fields fit the source that it cites, and not the one whose subject fits."""
        written, right = (disagreements(self.wire.model, CitedConfig(each)) for each in (self.wire.source, self.right))
        return not written and bool(right)


def config_wires(kb: KnowledgeBase, models: Iterable[Record]) -> Iterator[Wire]:
    """The configs that models cite, where model and source keep to their schema and the subject is known."""
    for model in models:
        for citation, subject, source in subject_citations(kb, model):
            if citation.path == ("config",) and subject is not None and source.id not in kb.catalog.unsound:
                yield Wire(model, citation, subject, source)


def circles(wires: Iterable[Wire]) -> Iterator[list[Relinked]]:
    """Groups of records each of which should cite what another one of the group cites, in a circle, each once."""
    doubtful = {wire.model.id: wire for wire in wires if wire.doubtful}
    sources = {wire.source.id: wire.source for wire in doubtful.values()}
    weights = {
        (id, source.id): weight
        for id, wire in doubtful.items()
        for source in sources.values()
        if source.id == wire.source.id or wire.subject in (source.get("subjects") or [])
        if (weight := wire.weight(source)) > 0
    }
    if len(doubtful) < 2:
        return
    best = best_assignment(weights)
    owner = {source: id for id, source in best.items() if source != doubtful[id].source.id}
    seen: set[str] = set()
    for id in sorted(doubtful):
        circle = _circle(id, doubtful, owner)
        if circle and not seen & set(circle):
            seen |= set(circle)
            yield [Relinked(doubtful[each], sources[best[each]]) for each in circle]


def _circle(id: str, wires: Mapping[str, Wire], owner: Mapping[str, str]) -> list[str]:
    """From a record to the one that its source belongs to, and so on, back to the first; nothing where that fails."""
    walk = [id]
    while (after := owner.get(wires[walk[-1]].source.id)) is not None and after not in walk:
        walk.append(after)
    return walk if after == id and len(walk) > 1 else []
