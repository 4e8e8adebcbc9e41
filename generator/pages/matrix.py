"""The matrix: models by engines, each cell with its reasons and a link to the sources that say so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from generator.compatibility import State
from generator.publishing import Page, Site


def matrix_page(site: Site) -> Iterator[Page]:
    """One page. A cell's anchor is ``model--engine`` and never changes."""
    catalog = site.kb.catalog
    counts = Counter(listing.state for listing in site.kb.listings.values())
    yield site.page(
        "matrix.md",
        "Matrix",
        "matrix.html",
        models=list(catalog.sound("model")),
        engines=list(catalog.sound("engine")),
        counts=[(state, counts[state]) for state in State],
        in_nav=True,
        hide=("toc", "navigation"),
        description="Which engine lists which model, each answer with the sources that say so",
        search='<h1 id="matrix">Matrix</h1><p>Which engine lists which model: compatibility, support</p>',
    )
