"""Who cites whom. The one module that imports networkx; the rest of the house asks questions by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from generator.catalog.records import Catalog, Prose, Record, Resolution, Text
from generator.catalog.schemas import Field, Path
from generator.findings import Edit, Fix, Location
from generator.knowledge.includes import IncludeError, resolve
from generator.notation.braces import includes
from generator.notation.citations import Mention, find, retargeted, whole

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, slots=True)
class Citation:
    """One ``[[...]]``: who cites (a record, or a page of docs), where, and what it resolves to.

    `evidence` says that a value of the record rests on it; a mention in prose never does. An include is a citation
    whose text appears on the citing page; one that includes nothing does not count.
    """

    citing: str
    path: Path
    location: Location
    mention: Mention
    resolution: Resolution
    field: Field | None = None
    evidence: bool = False
    exact: bool = True
    """Whether `location` holds the citation's own characters, and not all of an escaped or folded text around it."""
    included: bool = False
    """Whether it is an include."""

    @property
    def target(self) -> str | None:
        """The id of the cited record, or None where nothing has that id."""
        return self.resolution.record.id if self.resolution.record else None

    @property
    def place(self) -> str:
        """The citing field in words, e.g. ``claims[0].cite``."""
        return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path).lstrip(".")

    def fix(self, target: str, safe: bool = True) -> Fix | None:
        """The fix that makes the citation name another target; None where its exact characters are not known."""
        if not self.exact:
            return None
        if self.included:
            instead = self.mention.raw.replace(self.mention.target, target)
            return Fix(f"include {target}", (Edit(self.location, instead),), safe)
        return Fix(f"cite {target}", (Edit(self.location, retargeted(self.mention, target)),), safe)


@dataclass(frozen=True)
class CitationGraph:
    """All citations of a catalog, prose and fields alike."""

    citations: tuple[Citation, ...]
    ids: frozenset[str]
    sources: frozenset[str]
    _cited_by: Mapping[str, tuple[Citation, ...]] = field(repr=False, default_factory=dict)
    _cites: Mapping[str, tuple[Citation, ...]] = field(repr=False, default_factory=dict)

    @classmethod
    def of(cls, catalog: Catalog) -> CitationGraph:
        """Collect every citation of every record and of docs."""
        citations: list[Citation] = []
        for id in sorted(catalog.records):
            citations += _of_record(catalog, catalog.records[id])
        for page in catalog.docs:
            citations += _of_prose(catalog, page)
        sources = frozenset(record.id for record in catalog.of("source"))
        uses = [citation for citation in citations if citation.target in catalog.records]
        return cls(
            tuple(citations),
            frozenset(catalog.records),
            sources,
            _grouped((citation.target, citation) for citation in uses),
            _grouped((citation.citing, citation) for citation in uses),
        )

    def cited_by(self, id: str) -> tuple[Citation, ...]:
        """The citations that name a record, its own excepted."""
        return tuple(citation for citation in self._cited_by.get(id, ()) if citation.citing != id)

    def cites(self, id: str) -> tuple[Citation, ...]:
        """The citations that a record makes, those of itself excepted."""
        return tuple(citation for citation in self._cites.get(id, ()) if citation.target != id)

    @property
    def includes(self) -> tuple[Citation, ...]:
        """The includes among the citations."""
        return tuple(citation for citation in self.citations if citation.included)

    def orphans(self) -> tuple[str, ...]:
        """Sources that no record cites; a hand-written page is not a record."""
        return tuple(
            id for id in sorted(self.sources) if not any(citation.citing in self.ids for citation in self.cited_by(id))
        )

    @cached_property
    def _network(self) -> nx.DiGraph[str]:
        import networkx as nx  # a fifth of a second that only questions about the whole graph are worth

        network: nx.DiGraph[str] = nx.DiGraph()
        network.add_nodes_from(self.ids)
        network.add_edges_from(
            (citation.citing, citation.target)
            for citation in self.citations
            if citation.citing in self.ids and citation.target in self.ids and citation.citing != citation.target
        )
        return network

    def circles_without_source(self) -> list[list[str]]:
        """Groups of records that cite each other while none of them cites a source."""
        found = []
        import networkx as nx

        for component in nx.strongly_connected_components(self._network):
            if len(component) > 1 and not component & self.sources:
                grounded = any(target in self.sources for id in component for target in self._network.successors(id))
                if not grounded:
                    found.append(sorted(component))
        return sorted(found)

    def neighbours(self, id: str) -> tuple[list[str], list[str]]:
        """(ids that cite it, ids that it cites), each once, sorted."""
        if id not in self._network:
            return [], []
        return sorted(self._network.predecessors(id)), sorted(self._network.successors(id))

    def rests_on(self, id: str) -> list[Citation]:
        """What falls if this record falls: values that cite it as evidence, and pages that show its text."""
        return [citation for citation in self.cited_by(id) if citation.evidence or citation.included]


def _grouped(pairs: Iterable[tuple[Any, Citation]]) -> dict[str, tuple[Citation, ...]]:
    groups: dict[str, list[Citation]] = {}
    for key, citation in pairs:
        groups.setdefault(key, []).append(citation)
    return {key: tuple(group) for key, group in groups.items()}


def best_assignment(weights: Mapping[tuple[str, str], int]) -> dict[str, str]:
    """What each left side gets when all get at most one and the sum of the weights is the greatest that there is.

    `weights` are of pairs (left, right); the names on the two sides do not mix.
    """
    import networkx as nx

    network: nx.Graph[tuple[str, str]] = nx.Graph()
    for (left, right), weight in sorted(weights.items()):
        network.add_edge(("left", left), ("right", right), weight=weight)
    pairs = (sorted(pair) for pair in nx.max_weight_matching(network))
    return {left: right for (_, left), (_, right) in sorted(pairs)}


def _of_record(catalog: Catalog, record: Record) -> Iterable[Citation]:
    for text in catalog.texts(record):
        if "{{" in text.value and text.field is not None and text.field.schema.get("x-prose"):
            yield from _included(catalog, record, text)
        is_citation = text.field is not None and text.field.cites is not None
        if "[[" not in text.value:
            continue
        single = whole(text.value) if is_citation else None
        mentions = [single] if single else find(text.value)
        spans = record.document.places(text.span, text.value, ((mention.start, mention.raw) for mention in mentions))
        for mention, span in zip(mentions, spans, strict=True):
            yield Citation(
                record.id,
                text.path,
                record.location(span or text.span),
                mention,
                catalog.resolve(mention) if not mention.problem else Resolution(None, why=mention.problem),
                text.field,
                evidence=bool(is_citation and text.field and text.field.schema.get("x-evidence")),
                exact=span is not None,
            )


def _included(catalog: Catalog, record: Record, text: Text) -> Iterator[Citation]:
    """The includes of a text, those that bring something."""
    found = includes(text.value)
    spans = record.document.places(text.span, text.value, ((each.start, each.raw) for each in found))
    for each, span in zip(found, spans, strict=True):
        try:
            resolve(catalog, record, each)
        except IncludeError:
            continue
        mention = Mention(each.start, each.end, each.raw, each.id, fragment=each.section)
        where = record.location(span or text.span)
        resolution = catalog.resolve(mention)
        yield Citation(
            record.id, text.path, where, mention, resolution, text.field, exact=span is not None, included=True
        )


def _of_prose(catalog: Catalog, page: Prose) -> Iterable[Citation]:
    for mention in find(page.document.text):
        span = (*page.document.position(mention.start), *page.document.position(mention.end))
        resolution = catalog.resolve(mention) if not mention.problem else Resolution(None, why=mention.problem)
        yield Citation(page.path, (), page.location(span), mention, resolution)
