"""The page of a source: what was read and how, what it says, who uses it, and what falls if it falls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from generator.catalog.records import Record
from generator.knowledge.evidence.impact import Fall
from generator.knowledge.graph import Citation
from generator.site import rebuild
from generator.site.html.page import Page
from generator.site.sections.record_fields import RecordView, sheet
from generator.site.site import Site

RETRIEVAL = {
    "read": "read whole, its bytes hashed",
    "read-not-hashed": "read whole, its bytes not hashed",
    "excerpt": "read in part",
    "unreadable": "could not be fetched",
    "secondary": "known through another document",
}


def source_pages(site: Site) -> Iterator[Page]:
    """One page per source. They are out of the navigation and rank low in search."""
    yield from rebuild.pages_of(site, site.kb.catalog.sound("source"), lambda source: _page(site, source))


def _page(site: Site, source: Record) -> Page:
    view = RecordView(site, source)
    short, long = sheet(view.fields("title", "facts", "quotes", "retrieval", "retrieved"))
    impact = site.impacts[source.id]
    chains = [
        (site.kb.catalog.records[engine], "", stated)
        for engine, stated in site.summary.by_source.get(source.id, {}).items()
    ]
    listed = {(cell.engine, cell.model) for cell in impact.cells}
    return site.record_page(
        source,
        "source.html",
        short=short,
        long=long,
        retrieval=RETRIEVAL.get(source.get("retrieval"), source.get("retrieval")),
        facts=view.one("facts"),
        quotes=source.get("quotes") or (),
        values=_by_record(site, impact.values),
        figures=_by_model(impact.figures),
        cells=impact.cells,
        chains=chains,
        besides=[row for row in chains if not listed.issuperset((row[0].id, id) for id in row[2].models)],
        citing=site.citing(source, impact.values),
        boost=0.3,
        search=site.search_entry(source, names=source.get("subjects") or ()),
        description=f"{source.get('publisher')}: what it says, and what rests on it",
    )


def _by_record(site: Site, citations: list[Citation]) -> list[tuple[Record, list[str]]]:
    """Citations of one source, grouped by the record that cites it: the record and the fields."""
    groups = groupby(citations, key=lambda citation: citation.citing)
    return [(site.kb.catalog.records[id], [one.place for one in group]) for id, group in groups]


def _by_model(falls: list[Fall]) -> Mapping[str, list[tuple[str, str]]]:
    """Figures by model: the format, and through what it rests on the source."""
    models: dict[str, dict[str, dict[str, None]]] = {}
    for fall in falls:
        models.setdefault(fall.model, {}).setdefault(fall.key, {})[fall.through] = None
    return {model: [(key, ", ".join(through)) for key, through in keys.items()] for model, keys in models.items()}
