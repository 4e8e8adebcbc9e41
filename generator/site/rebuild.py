"""Pages of the build before, for a live preview: a page is written again only where what it is made from has changed.

What a record's page is made from: its own file, the files of the records that it cites or that cite it, and of those
that a text which it includes cites, what was derived for it, its errors, and what all pages share (schemas, templates,
redirects). When in doubt the key is larger.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any

from generator.catalog.records import Record
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.knowledge.observations import compared
from generator.site.html.page import Page
from generator.site.memory import sources_of, text_of
from generator.site.site import Site

OVER_ALL = ("engine", "gpu", "gotcha", "concept")
"""Kinds of records whose pages sum up the verdicts of all models."""


def inputs(site: Site, record: Record) -> Hashable:
    """Everything that the page of a record is made from, to be compared with the same of another build."""
    kb = site.kb
    cited_by, cites = kb.graph.neighbours(record.id)
    return (
        tuple(text_of(kb, id) for id in (record.id, *cited_by, *cites, *_beyond(kb, record))),
        tuple((citation.citing, citation.place) for citation in kb.graph.cited_by(record.id)),
        tuple((found.location, found.code, found.message) for found in site.errors(record)),
        kb.catalog.stamps.get(record.id),
        _derived(site, record),
        (site.behind_figures, _computed_from(kb, record)) if "{{" in record.document.text else (),
        site.models if record.get("applies") else (),
    )


_MODEL = re.compile(r"\bmodel\(\s*['\"]([a-z0-9-]+)")


def _computed_from(kb: KnowledgeBase, record: Record) -> tuple[str, ...]:
    """What the values of other models in a record's prose, or in what it includes, are computed from."""
    owners = (str(one.target) for one in kb.graph.cites(record.id) if one.included)
    named = {id for each in (record.id, *owners) for id in _MODEL.findall(text_of(kb, each))}
    known = [kb.catalog.records[id] for id in sorted(named) if id in kb.catalog.records]
    return tuple(text_of(kb, id) for model in known for id in (model.id, *sources_of(kb, model)))


def _beyond(kb: KnowledgeBase, record: Record) -> tuple[str, ...]:
    """The records that an included text cites: their names appear on the including page."""
    owners = {str(one.target) for one in kb.graph.cites(record.id) if one.included}
    return tuple(sorted({id for owner in owners for id in kb.graph.neighbours(owner)[1]}))


def _derived(site: Site, record: Record) -> Hashable:
    """What is computed for a record from others that it does not cite."""
    kb = site.kb
    if record.kind == "model":
        return site.behind_figures, site.answers.of(record.id), site.names, _listed(site, record)
    if record.kind in OVER_ALL:
        seen = tuple((one.record.title, one.derived) for one in site.observed.get(record.id, ()))
        return site.answers.all, site.outlines, site.names, site.gotcha_texts, seen
    if record.kind == "observation":
        return compared(kb, record).derived
    if record.kind == "quantization":
        return site.behind_figures, site.models, site.names
    if record.kind == "source":
        impact = site.impacts[record.id]
        figures = tuple((fall, kb.catalog.records[fall.model].title) for fall in impact.figures)
        chains = site.summary.by_source.get(record.id, {})
        named = tuple(kb.catalog.records[id].title for one in chains.values() for id in one.models)
        return figures, tuple(_cell(kb, cell) for cell in impact.cells), chains, named, _places(kb)
    return ()


def _places(kb: KnowledgeBase) -> Hashable:
    """The names of all engines and GPUs."""
    return tuple((record.id, record.title) for kind in ("engine", "gpu") for record in kb.catalog.sound(kind))


def _listed(site: Site, record: Record) -> tuple[Hashable, ...]:
    return tuple(_cell(site.kb, cell) for cell in site.listings(record))


def _cell(kb: KnowledgeBase, cell: Any) -> Hashable:
    titles: Mapping[str, Record] = kb.catalog.records
    return (cell, *(titles[id].title for id in (cell.model, cell.engine, *cell.cites) if id in titles))


def pages_of(site: Site, records: Iterable[Record], make: Callable[[Record], Page]) -> Iterator[Page]:
    """The page of each record; in a preview that of before, unless something that it is made from has changed.

    A page that fails inside is noted, and shows its failure; the others are made.
    """
    for record in records:
        try:
            page = _page_of(site, record, make)
        except Exception as error:
            page = site.failed_page(site.path(record), record.path, error)
        yield page


def _page_of(site: Site, record: Record, make: Callable[[Record], Page]) -> Page:
    if site.memory is None:
        return make(record)
    return site.memory.page(site.path(record), inputs(site, record), lambda: make(record))


def kept(site: Site, path: str, key: Callable[[], Hashable], make: Callable[[], Page]) -> Page:
    """A page over many records; in a preview that of before, where its key is the same."""
    return make() if site.memory is None else site.memory.page(path, key(), make)


def fixed(site: Site, name: str, make: Callable[[], Iterator[Page]]) -> Iterable[Page]:
    """Pages that no record can change; in a preview those of before, until a schema or a template changes."""
    return make() if site.memory is None else site.memory.kept(name, (), lambda: tuple(make()))
