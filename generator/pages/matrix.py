"""The matrix: models by engines, each cell with its reasons and a link to the sources that say so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator

from generator.compatibility import State
from generator.publishing import Page, Site


def matrix_page(site: Site) -> Iterator[Page]:
    """One page. A cell's anchor is ``model--engine`` and never changes."""
    yield site.kept("matrix.md", lambda: _inputs(site), lambda: _page(site))


def _inputs(site: Site) -> Hashable:
    shown = [(one.id, one.title, one.get("version"), one.get("retrieval")) for one in site.kb.catalog.records.values()]
    return tuple(shown), tuple(site.kb.listings.values())


def _page(site: Site) -> Page:
    catalog = site.kb.catalog
    counts = Counter(listing.state for listing in site.kb.listings.values())
    return site.page(
        "matrix.md",
        "Matrix",
        "matrix.html",
        models=[(model, site.asked(model)) for model in catalog.sound("model")],
        engines=list(catalog.sound("engine")),
        counts=[(state, counts[state]) for state in State],
        in_nav=True,
        hide=("toc", "navigation"),
        description="Which engine lists which model, each answer with the sources that say so",
        search='<h1 id="matrix">Matrix</h1><p>Which engine lists which model: compatibility, support</p>',
    )
