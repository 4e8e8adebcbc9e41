"""The cells without a yes or a no, by what would settle them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from generator.compatibility import VerdictState
from generator.compatibility.chain import THESE_GPUS, on
from generator.site.html.page import Page
from generator.site.site import Site

OPEN = (VerdictState.LISTED, VerdictState.NO_EVIDENCE, VerdictState.SOURCES_DISAGREE)
"""The states that say neither yes nor no."""


@dataclass
class Question:
    """What is asked of an engine's code or documents: one reading that would settle all these cells."""

    engine: str
    settles: str
    cells: int = 0
    models: dict[str, None] = field(default_factory=dict)
    gpus: dict[str, None] = field(default_factory=dict)


def unknown_cells_page(site: Site) -> Iterator[Page]:
    """One page: the readings that would settle most cells first."""
    questions, states = _asked(site)
    yield site.page(
        "unknown-cells.md",
        "Unknown cells",
        "unknown_cells.html",
        questions=sorted(questions.values(), key=lambda each: (-each.cells, each.engine, each.settles)),
        left=sum(states[state] for state in OPEN),
        all=sum(states.values()),
        states={state: states[state] for state in OPEN},
        where=site.answers.where,
        in_nav=True,
        hide=("toc", "navigation"),
        description="Cells without a yes or a no, and which file or reading would settle them",
        search="<h1>Unknown cells</h1><p>What was not read: listed, no evidence, sources disagree</p>",
    )


def _asked(site: Site) -> tuple[dict[tuple[str, str], Question], Counter[VerdictState]]:
    """The questions, and how many cells have each state."""
    questions: dict[tuple[str, str], Question] = {}
    states: Counter[VerdictState] = Counter()
    for (model, engine, gpu), verdict in site.kb.verdicts.items():
        states[verdict.state] += 1
        if verdict.state in OPEN:
            settles = on(next(iter(verdict.flips), "a source that says either"), THESE_GPUS)
            question = questions.setdefault((engine, settles), Question(engine, settles))
            question.cells += 1
            question.models.setdefault(model)
            question.gpus.setdefault(gpu)
    return questions, states
