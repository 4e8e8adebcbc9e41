"""What falls if a record falls: the values that rest on it, and what is derived from those."""

from __future__ import annotations

from dataclasses import dataclass

from generator.derive import Figure
from generator.graph import Citation
from generator.knowledge import KnowledgeBase


@dataclass(frozen=True, slots=True)
class Consequence:
    """A value of `record` at `place` that rests on the record in question, and the published things behind it."""

    record: str
    place: str
    citation: Citation
    published: tuple[str, ...] = ()


def consequences(kb: KnowledgeBase, id: str) -> list[Consequence]:
    """All values that rest on a record, in the order of the records that hold them."""
    found = [
        Consequence(citation.citing, citation.place, citation, tuple(_published(kb, citation)))
        for citation in kb.graph.rests_on(id)
    ]
    return sorted(found, key=lambda each: (each.record, each.place))


def _published(kb: KnowledgeBase, citation: Citation) -> list[str]:
    kind, path = kb.catalog.records[citation.citing].kind, citation.path
    if kind == "model" and path and path[0] in ("config", "evidence"):
        facts = kb.facts.get(citation.citing)
        return [f"{len(facts.figures)} cache figures of {citation.citing}"] if facts and facts.figures else []
    if kind == "engine" and path == ("architectures",):
        cells = sum(engine == citation.citing for _, engine in kb.listings)
        return [f"{cells} matrix cells of {citation.citing}"]
    if path and path[0] == "cache_formats":
        record = kb.catalog.records[citation.citing]
        name = f"{record.id}#{record.get(*path[:2], 'id')}"
        models = [id for id, facts in kb.facts.items() if any(_uses(figure, name) for figure in facts.figures)]
        return [f"the figures of {len(models)} models in {name}"] if models else []
    return []


def _uses(figure: Figure, name: str) -> bool:
    layout = figure.layout
    return any(
        part is not None and part.id == name for part in (layout.kv, layout.window, layout.index, *layout.states)
    )
