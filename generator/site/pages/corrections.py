"""All corrections, the latest first: somebody has used the old number and will look for it."""

from __future__ import annotations

from collections.abc import Iterator

from generator.site.html.page import Page
from generator.site.site import Site


def corrections_page(site: Site) -> Iterator[Page]:
    """One page over the corrections of all records."""
    yield site.page(
        "corrections.md",
        "Corrections",
        "corrections.html",
        in_nav=True,
        corrections=site.corrections,
        description="What was wrong here, what is right, and which source shows it",
        search="<h1>Corrections</h1><p>what was wrong and is right now</p>",
    )
