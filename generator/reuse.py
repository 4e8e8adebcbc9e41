"""Pages of the build before, for a live preview: a page is written again only where what it is made from has changed.

What a record's page is made from: its own file, the files of the records that it cites or that cite it, and of those
that a text which it includes cites, what was derived for it, its errors, and what all pages share (schemas, templates,
redirects). When in doubt the key is larger.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from generator.knowledge import KnowledgeBase
from generator.records import Record

if TYPE_CHECKING:
    from generator.page import Page
    from generator.publishing import Site

Part = TypeVar("Part")

SHARED = ("cache_formats", "cache_layouts")
"""Records with these fields decide about figures of models that do not cite them."""

OWN = ("model", "source", "concept")
"""Kinds of records that decide about nothing but themselves and who cites them."""

OVER_ALL = ("engine", "gpu", "gotcha", "concept")
"""Kinds of records whose pages sum up the verdicts of all models."""


@dataclass
class Memory:
    """Pages by path, and what else was made for them, each with the key that it was made under."""

    parts: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    def page(self, path: str, key: Hashable, make: Callable[[], Page]) -> Page:
        """The page of before where its key is the same, else a new one."""
        return self.kept(path, key, make)

    def kept(self, name: str, key: Any, make: Callable[[], Part]) -> Part:
        """Anything of before where its key is the same, else made anew."""
        known = self.parts.get(name)
        if known is None or known[0] != key:
            known = self.parts[name] = (key, make())
        made: Part = known[1]
        return made


def inputs(site: Site, record: Record) -> Hashable:
    """Everything that the page of a record is made from, to be compared with the same of another build."""
    kb = site.kb
    cited_by, cites = kb.graph.neighbours(record.id)
    return (
        tuple(_text(kb, id) for id in (record.id, *cited_by, *cites, *_beyond(kb, record))),
        tuple((citation.citing, citation.place) for citation in kb.graph.cited_by(record.id)),
        tuple((found.location, found.code, found.message) for found in site.errors(record)),
        _derived(site, record),
        (site.behind_figures, _computed_from(kb, record)) if "{{" in record.document.text else (),
        site.models if record.get("applies") else (),
    )


_MODEL = re.compile(r"\bmodel\(\s*['\"]([a-z0-9-]+)")


def _computed_from(kb: KnowledgeBase, record: Record) -> tuple[str, ...]:
    """What the values of other models in a record's prose, or in what it includes, are computed from."""
    owners = (str(one.target) for one in kb.graph.cites(record.id) if one.included)
    named = {id for each in (record.id, *owners) for id in _MODEL.findall(_text(kb, each))}
    known = [kb.catalog.records[id] for id in sorted(named) if id in kb.catalog.records]
    return tuple(_text(kb, id) for model in known for id in (model.id, *_sources(kb, model)))


def _beyond(kb: KnowledgeBase, record: Record) -> tuple[str, ...]:
    """The records that an included text cites: their names stand on the including page."""
    owners = {str(one.target) for one in kb.graph.cites(record.id) if one.included}
    return tuple(sorted({id for owner in owners for id in kb.graph.neighbours(owner)[1]}))


def _derived(site: Site, record: Record) -> Hashable:
    """What is computed for a record from others that it does not cite."""
    kb = site.kb
    if record.kind == "model":
        return site.behind_figures, site.answers.of(record.id), site.names, _listed(site, record)
    if record.kind in OVER_ALL:
        return site.answers.all, site.outlines, site.names
    if record.kind == "source":
        impact = site.impacts[record.id]
        figures = tuple((fall, kb.catalog.records[fall.model].title) for fall in impact.figures)
        chains = site.summary.by_source.get(record.id, {})
        named = tuple(kb.catalog.records[id].title for one in chains.values() for id in one.models)
        return figures, tuple(_cell(kb, cell) for cell in impact.cells), chains, named, _places(kb)
    return ()


def names(kb: KnowledgeBase) -> Hashable:
    """What pages show of records that chains name: of GPUs all, of others names, versions and how they were read."""
    return tuple(
        record.document.text
        if record.kind == "gpu"
        else (record.id, record.title, record.get("version"), record.get("retrieval"))
        for record in kb.catalog.records.values()
        if record.kind != "model"
    )


def _places(kb: KnowledgeBase) -> Hashable:
    """The names of all engines and GPUs."""
    return tuple((record.id, record.title) for kind in ("engine", "gpu") for record in kb.catalog.sound(kind))


def behind_verdicts(kb: KnowledgeBase) -> tuple[Hashable, ...]:
    """The texts of all records that decide about models which do not cite them, and of what those cite."""
    ids: dict[str, None] = {}
    for record in kb.catalog.records.values():
        if record.kind not in OWN:
            ids |= dict.fromkeys((record.id, *_sources(kb, record)))
    for row in kb.catalog.tables.get("kernel_classes", {}).values():
        ids[str((row.get("wanted_by") or {}).get("source"))] = None
    repos = tuple((model.id, model.get("repo")) for model in kb.catalog.sound("model"))
    return (*(_text(kb, id) for id in ids), repos)


def _sources(kb: KnowledgeBase, record: Record) -> list[str]:
    """The sources that a record cites; what else it names decides nothing."""
    known = kb.catalog.records
    return [id for id in kb.graph.neighbours(record.id)[1] if id in known and known[id].kind == "source"]


def own_verdicts(kb: KnowledgeBase, model: Record) -> Hashable:
    """What the verdicts of one model are made from besides: its file, what it cites, and what lists say of it."""
    listings = tuple(kb.listings[model.id, engine.id] for engine in kb.catalog.sound("engine"))
    return _text(kb, model.id), tuple(_text(kb, id) for id in _sources(kb, model)), listings


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
