"""The cells without a yes or a no, by the reading that would settle them, and how many cells have each state."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from generator.compatibility.chain import THESE_GPUS, VerdictState, on
from generator.compatibility.cube import Cube

OPEN = (VerdictState.LISTED, VerdictState.NO_EVIDENCE, VerdictState.SOURCES_DISAGREE)
"""The states that say neither yes nor no."""


@dataclass
class OpenQuestion:
    """What is asked of an engine's code or documents: one reading that would settle all these cells."""

    engine: str
    settles: str
    cells: int = 0
    models: dict[str, None] = field(default_factory=dict)
    gpus: dict[str, None] = field(default_factory=dict)


def open_questions(cube: Cube) -> tuple[list[OpenQuestion], Counter[VerdictState]]:
    """The questions, those that would settle most cells first, and how many cells have each state."""
    questions: dict[tuple[str, str], OpenQuestion] = {}
    states: Counter[VerdictState] = Counter()
    for (model, engine, gpu), verdict in cube.items():
        states[verdict.state] += 1
        if verdict.state in OPEN:
            settles = on(next(iter(verdict.flips), "a source that says either"), THESE_GPUS)
            question = questions.setdefault((engine, settles), OpenQuestion(engine, settles))
            question.cells += 1
            question.models.setdefault(model)
            question.gpus.setdefault(gpu)
    ordered = sorted(questions.values(), key=lambda each: (-each.cells, each.engine, each.settles))
    return ordered, states
