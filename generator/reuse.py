"""Pages of the build before, for a live preview: a page is written again only where what it is made from has changed.

What a record's page is made from: its own file, the files of the records that it cites or that cite it, what was
derived for it, its errors, and what all pages share (schemas, templates, redirects). When in doubt the key is larger.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from generator.knowledge import KnowledgeBase
from generator.records import Record

if TYPE_CHECKING:
    from generator.publishing import Page, Site

SHARED = ("cache_formats", "cache_layouts")
"""Records with these fields decide about figures of models that do not cite them."""


@dataclass
class Memory:
    """Pages by path, each with the key that it was made under."""

    pages: dict[str, tuple[Any, Page]] = field(default_factory=dict)

    def page(self, path: str, key: Hashable, make: Callable[[], Page]) -> Page:
        """The page of before where its key is the same, else a new one."""
        known = self.pages.get(path)
        if known is None or known[0] != key:
            known = self.pages[path] = (key, make())
        return known[1]


def inputs(site: Site, record: Record) -> Hashable:
    """Everything that the page of a record is made from, to be compared with the same of another build."""
    kb = site.kb
    cited_by, cites = kb.graph.neighbours(record.id)
    return (
        tuple(_text(kb, id) for id in (record.id, *cited_by, *cites)),
        tuple((citation.citing, citation.place) for citation in kb.graph.cited_by(record.id)),
        tuple((found.location, found.code, found.message) for found in site.errors(record)),
        _derived(site, record),
        (site.behind_figures, site.models) if "{{" in record.document.text else (),
    )


def _derived(site: Site, record: Record) -> Hashable:
    """What is computed for a record from others that it does not cite."""
    kb = site.kb
    if record.kind == "model":
        return site.behind_figures, _listed(site, record)
    if record.kind == "engine":
        return _listed(site, record)
    if record.kind == "source":
        impact = site.impacts[record.id]
        figures = tuple((fall, kb.catalog.records[fall.model].title) for fall in impact.figures)
        return figures, tuple(_cell(kb, cell) for cell in impact.cells)
    return ()


def behind_figures(kb: KnowledgeBase) -> tuple[str, ...]:
    """The texts of all records that say how entries are stored, and of what those cite."""
    ids: dict[str, None] = {}
    for record in kb.catalog.records.values():
        if any(name in record.data for name in SHARED):
            ids |= dict.fromkeys((record.id, *kb.graph.neighbours(record.id)[1]))
    return tuple(_text(kb, id) for id in ids)


def _listed(site: Site, record: Record) -> tuple[Hashable, ...]:
    return tuple(_cell(site.kb, cell) for cell in site.listings(record))


def _cell(kb: KnowledgeBase, cell: Any) -> Hashable:
    titles: Mapping[str, Record] = kb.catalog.records
    return (cell, *(titles[id].title for id in (cell.model, cell.engine, *cell.cites) if id in titles))


def _text(kb: KnowledgeBase, id: str) -> str:
    record = kb.catalog.records.get(id)
    return record.document.text if record else ""
