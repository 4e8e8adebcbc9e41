"""The cells without a yes or a no, by what would settle them."""

from __future__ import annotations

from collections.abc import Iterator

from generator.compatibility.open_cells import OPEN, open_questions
from generator.site.html.page import Page
from generator.site.site import Site


def unknown_cells_page(site: Site) -> Iterator[Page]:
    """One page: the readings that would settle most cells first."""
    questions, states = open_questions(site.kb.verdicts)
    yield site.page(
        "unknown-cells.md",
        "Unknown cells",
        "unknown_cells.html",
        questions=questions,
        left=sum(states[state] for state in OPEN),
        all=sum(states.values()),
        states={state: states[state] for state in OPEN},
        where=site.answers.where,
        in_nav=True,
        hide=("toc", "navigation"),
        description="Cells without a yes or a no, and which file or reading would settle them",
        search="<h1>Unknown cells</h1><p>What was not read: listed, no evidence, sources disagree</p>",
    )
