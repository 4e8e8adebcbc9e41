"""The reasons behind the cells of one page, each stated once: a cell refers to its reason by a number.

A reason is what gives a cell its state; where it names the class or the model type that an engine was asked for, that
name is left open, so that all models for which an engine gives one reason share it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from generator.compatibility import Reason, VerdictState
from generator.compatibility.chain import THESE_GPUS, Effect, on
from generator.site.views.verdicts import EngineVerdicts, GpuGroup, VerdictGroups

ITS_NAME = "its name"
"""What the name is called that an engine was asked for."""

BY_NAME = ("named", "listed")
"""The rules whose steps say that name."""

Step = tuple[str, tuple[str, ...]]
"""The words of a step, and the sources that say so."""


@dataclass(frozen=True)
class StatedReason:
    """A reason with its number on the page: the engine, the state, also in a few words, and the steps that decide."""

    number: int
    engine: str
    state: VerdictState
    brief: str
    steps: tuple[Step, ...]


@dataclass
class StatedReasons:
    """The reasons that were asked for so far, in that order."""

    answers: VerdictGroups
    _known: dict[tuple[object, ...], StatedReason] = field(default_factory=dict)

    def of(self, answer: EngineVerdicts, group: GpuGroup) -> StatedReason:
        """The reason of a cell."""
        brief = self.answers.brief(answer, group)
        ways = ((f"serves it {each}", ()) for each in group.modifiers if each.startswith("through "))
        steps = tuple(dict.fromkeys((*ways, *_opened(deciding(answer, group), group))))
        key = (answer.engine, group.state, brief, steps)
        if key not in self._known:
            self._known[key] = StatedReason(len(self._known) + 1, answer.engine, group.state, brief, steps)
        return self._known[key]

    def by_engine(self, engine: str) -> list[StatedReason]:
        """The reasons of one engine."""
        return [reason for reason in self._known.values() if reason.engine == engine]


def deciding(answer: EngineVerdicts, group: GpuGroup) -> list[Reason]:
    """The steps that give a cell its state: all that serve where it is supported, else the one that decides."""
    told = list(zip(group.reasons, group.open, strict=True))
    serving = [open_ for step, open_ in told if step.effect is Effect.SERVES]
    if serving and group.state is VerdictState.SUPPORTED:
        return serving
    decides = answer.deciding(group)
    return [next(open_ for step, open_ in told if step is decides)]


def _opened(steps: Iterable[Reason], group: GpuGroup) -> Iterable[Step]:
    names = sorted((str(step.value) for step in group.reasons if step.rule == "named" and step.value), key=len)
    for step in steps:
        text = on(step.text, THESE_GPUS)
        for name in reversed(names if step.rule in BY_NAME else ()):
            text = text.replace(name, ITS_NAME)
        yield text, step.cites
