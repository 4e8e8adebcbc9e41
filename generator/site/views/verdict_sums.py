"""Verdicts summed up, for pages over many models: by family, engine and kind of GPU, by gotcha, and by source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from generator.catalog.records import Record
from generator.compatibility import GLYPHS, Reason, VerdictState
from generator.compatibility.chain import LIMITS, Effect
from generator.site.views.verdicts import CLASSES, EngineVerdicts, GpuGroup, VerdictGroups

NO_FAMILY = "not derivable"
Counts = tuple[tuple[str, str, int], ...]
"""How many models have each state: its colour, its glyph and the number."""

Line = tuple[str, Counts]
"""Kinds of GPU that get the same (none named: all), and how many models have each state there."""

Wanted = Callable[[EngineVerdicts, GpuGroup, Reason], bool]


@dataclass
class SharedStep:
    """A step that several cells share: the models, how many cells, and the sources."""

    text: str
    effect: Effect | None = None
    models: dict[str, None] = field(default_factory=dict)
    gpus: dict[str, None] = field(default_factory=dict)
    cites: dict[str, None] = field(default_factory=dict)
    cells: int = 0

    def add(self, model: str, group: GpuGroup, cites: Iterable[str] = ()) -> None:
        """Count the cells of a group that the step belongs to."""
        self.models[model] = None
        self.gpus |= dict.fromkeys(group.gpus)
        self.cites |= dict.fromkeys(cites)
        self.cells += len(group.gpus)


@dataclass(frozen=True, eq=False)
class Summary:
    """Sums over the answers of all models."""

    answers: VerdictGroups

    @cached_property
    def families(self) -> Mapping[str, list[Record]]:
        """The models of each family, the largest family first; those without a geometry last."""
        found: dict[str, list[Record]] = {}
        for model in self.answers.kb.catalog.sound("model"):
            found.setdefault(self.family(model.id), []).append(model)
        return dict(sorted(found.items(), key=lambda pair: (pair[0] == NO_FAMILY, -len(pair[1]), pair[0])))

    def family(self, model: str) -> str:
        """The attention family of a model."""
        geometry = self.answers.kb.facts[model].geometry
        return geometry.family if geometry else NO_FAMILY

    def of(self, family: str, engine: str) -> Iterator[EngineVerdicts]:
        """The answers of a family's models on an engine."""
        for model in self.families[family]:
            yield self.answers.of(model.id)[engine]

    def lines(self, family: str, engine: str) -> list[Line]:
        """How many models have each state, the kinds of GPU with the same counts in one line."""
        same: dict[Counts, list[int]] = {}
        for number, place in enumerate(self.answers.places):
            same.setdefault(self.counts(family, engine, place.gpus), []).append(number)
        return [(self._runs(numbers) if len(same) > 1 else "", counts) for counts, numbers in same.items()]

    def _runs(self, numbers: list[int]) -> str:
        """Kinds of GPU by their places in the order, three and more in a row as from and to."""
        places = self.answers.places
        names = [place.shown for place in places]
        runs: list[list[int]] = []
        for number in numbers:
            last = runs[-1][-1] if runs else -2
            if last == number - 1 and places[last].first.platform == places[number].first.platform:
                runs[-1].append(number)
            else:
                runs.append([number])
        words = ([f"{names[run[0]]} to {names[run[-1]]}"] if len(run) > 2 else [names[n] for n in run] for run in runs)
        return ", ".join(word for run in words for word in run)

    def counts(self, family: str, engine: str, gpus: tuple[str, ...]) -> Counts:
        """How many models have each state on these GPUs; one whose GPUs differ counts for each of its states."""
        found: Counter[VerdictState] = Counter()
        for answer in self.of(family, engine):
            found.update({group.state for group, _ in answer.on(gpus)})
        return tuple((CLASSES[state], GLYPHS[state], found[state]) for state in VerdictState if found[state])

    def constraints(self, family: str, engine: str) -> list[SharedStep]:
        """What limits a family on an engine, each statement once."""
        return self._stated(family, engine, lambda answer, group, reason: reason.effect in LIMITS)

    def unknown(self, family: str, engine: str) -> list[SharedStep]:
        """Why cells of a family on an engine are without evidence."""
        return self._stated(
            family,
            engine,
            lambda answer, group, reason: group.state is VerdictState.NO_EVIDENCE and reason == answer.deciding(group),
        )

    def sources(self, family: str, engine: str) -> list[str]:
        """What the cells of a family on an engine rest on: the engine's list first, then its backends."""
        steps = [step for answer in self.of(family, engine) for group in answer.groups for step in group.reasons]
        found = (step for rule in ("listed", "rewrite", "kernel-class") for step in steps if step.rule == rule)
        return list(dict.fromkeys(cite for step in found for cite in step.cites))

    def _stated(self, family: str, engine: str, wanted: Wanted) -> list[SharedStep]:
        found: dict[tuple[str, str], SharedStep] = {}
        for answer in self.of(family, engine):
            for group in answer.groups:
                for reason in group.reasons:
                    if wanted(answer, group, reason):
                        one = found.setdefault((reason.effect, reason.text), SharedStep(reason.text, reason.effect))
                        one.add(answer.model, group, reason.cites)
        return list(found.values())

    @cached_property
    def by_gotcha(self) -> Mapping[str, Mapping[tuple[str, str], SharedStep]]:
        """The cells that show each gotcha, by engine and effect."""
        found: dict[str, dict[tuple[str, str], SharedStep]] = {}
        for answer, group, reason in self._steps():
            if reason.rule == "gotcha" and isinstance(reason.value, str):
                rows = found.setdefault(reason.value, {})
                key = (answer.engine, reason.effect)
                rows.setdefault(key, SharedStep(reason.text, reason.effect)).add(answer.model, group, reason.cites)
        return found

    @cached_property
    def by_source(self) -> Mapping[str, Mapping[str, SharedStep]]:
        """The cells whose chain names each source, by engine."""
        memory = self.answers.memory
        return memory.kept("by source", self.answers.all, self._by_source) if memory else self._by_source()

    def _by_source(self) -> Mapping[str, Mapping[str, SharedStep]]:
        found: dict[str, dict[str, SharedStep]] = {}
        for model in self.answers.all:
            for answer in model.values():
                for group in answer.groups:
                    cites = dict.fromkeys(cite for reason in group.reasons for cite in reason.cites)
                    for cite in cites:
                        rows = found.setdefault(cite, {})
                        rows.setdefault(answer.engine, SharedStep("")).add(answer.model, group)
        return found

    def _steps(self) -> Iterator[tuple[EngineVerdicts, GpuGroup, Reason]]:
        for model in self.answers.all:
            for answer in model.values():
                for group in answer.groups:
                    for reason in group.reasons:
                        yield answer, group, reason
