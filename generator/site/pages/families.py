"""Families by engines: each cell summed up from the models of the family, the engine's list and its backends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from generator.catalog.records import Record
from generator.site import rebuild
from generator.site.html.page import Page
from generator.site.site import Site
from generator.site.views.verdict_sums import NO_FAMILY, Line, SharedStep

MOST_SOURCES = 3


@dataclass(frozen=True)
class FamilyCell:
    """One family on one engine."""

    anchor: str
    engine: Record
    lines: list[Line]
    sources: list[str]
    constraints: list[SharedStep]
    unknown: list[SharedStep]


def families_page(site: Site) -> Iterator[Page]:
    """One page. A cell's anchor is ``family--engine``."""
    key = (site.answers.all, site.outlines, site.names)
    yield rebuild.kept(site, "families.md", lambda: key, lambda: _page(site))


def _page(site: Site) -> Page:
    titles = {**site.families, NO_FAMILY: "geometry not derivable"}
    rows = [
        (name, titles.get(name, ""), models, [_cell(site, name, engine) for engine in site.answers.engines])
        for name, models in site.summary.families.items()
    ]
    return site.page(
        "families.md",
        "Families by engines",
        "families.html",
        rows=rows,
        engines=site.answers.engines,
        places=site.answers.places,
        most=MOST_SOURCES,
        in_nav=True,
        hide=("toc", "navigation"),
        description="Which engine serves which attention family, computed from the models of the family",
        search='<h1 id="families">Families by engines</h1><p>attention families, kernel classes, support</p>',
    )


def _cell(site: Site, family: str, engine: Record) -> FamilyCell:
    summary = site.summary
    anchor = f"{family.replace(' ', '-')}--{engine.id}"
    constraints, unknown = summary.constraints(family, engine.id), summary.unknown(family, engine.id)
    return FamilyCell(
        anchor, engine, summary.lines(family, engine.id), summary.sources(family, engine.id), constraints, unknown
    )
