"""Citations that came, went or name another record now, and sources that nobody cites any more."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum

from generator.knowledge.graph import Citation, CitationGraph


class CitationFate(StrEnum):
    """What became of a citation."""

    REPOINTED = "re-pointed"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class CitationChange:
    """A citation that differs: who cites, in which field, and what it named and names."""

    fate: CitationFate
    citing: str
    place: str
    before: str | None
    after: str | None
    evidence: bool

    @property
    def rank(self) -> tuple[bool, int, str, str]:
        """Evidence first, then what was re-pointed, went and came."""
        return not self.evidence, list(CitationFate).index(self.fate), self.citing, self.place


def changed_citations(before: CitationGraph, after: CitationGraph) -> tuple[CitationChange, ...]:
    """The citations that differ; where only their place in a list or a text does, they are the same."""
    old, new = _by_citing(before), _by_citing(after)
    found = [
        change for citing in sorted(old.keys() | new.keys()) for change in _of_one(citing, old[citing], new[citing])
    ]
    return tuple(sorted(found, key=lambda each: each.rank))


def changed_orphans(before: CitationGraph, after: CitationGraph) -> tuple[str, ...]:
    """Sources that no record cites any more, or that came and no record cites."""
    known = set(before.orphans())
    return tuple(id for id in after.orphans() if id not in known)


def _by_citing(graph: CitationGraph) -> defaultdict[str, list[Citation]]:
    found: defaultdict[str, list[Citation]] = defaultdict(list)
    for citation in graph.citations:
        found[citation.citing].append(citation)
    return found


def _of_one(citing: str, old: list[Citation], new: list[Citation]) -> Iterator[CitationChange]:
    """The changes in one record: first those at the same place in it, then what is left."""
    gone, came = _left(old, new), _left(new, old)
    places = {one.place: one for one in gone}
    for other in came:
        one = places.pop(other.place, None)
        if one is None:
            yield _change(CitationFate.ADDED, citing, None, other)
        else:
            gone.remove(one)
            yield _change(CitationFate.REPOINTED, citing, one, other)
    yield from (_change(CitationFate.REMOVED, citing, one, None) for one in gone)


def _left(these: list[Citation], others: Collection[Citation]) -> list[Citation]:
    """The citations whose field and target the others have not as often."""
    counts = Counter(_key(each) for each in others)
    left = []
    for each in these:
        if counts[_key(each)]:
            counts[_key(each)] -= 1
        else:
            left.append(each)
    return left


def _key(citation: Citation) -> tuple[object, str, bool]:
    field = citation.path[0] if citation.path else ""
    return field, citation.target or citation.mention.target, citation.evidence


def _change(fate: CitationFate, citing: str, old: Citation | None, new: Citation | None) -> CitationChange:
    either = new or old
    assert either is not None
    before, after = (each.target or each.mention.target if each else None for each in (old, new))
    evidence = any(each.evidence for each in (old, new) if each)
    return CitationChange(fate, citing, either.place, before, after, evidence)
