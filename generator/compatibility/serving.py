"""The answer to "does it run there, and does it fit": each engine with its verdict, its cache and its command line.

Kernels and memory are two separate answers, never one. What is asked backwards, the smallest box, the longest
context and the most sequences, is asked of the memory alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from generator.catalog.records import Record
from generator.compatibility.caches import UnknownCache
from generator.compatibility.chain import Effect, Reason, VerdictState, cited
from generator.compatibility.cube import Cube, Verdict
from generator.compatibility.engine_cache import EngineCache
from generator.compatibility.fit import Fit, cell_fit, figure_for, stored_figure

SERVES = (VerdictState.SUPPORTED, VerdictState.PARTIAL)
MAY_SERVE = (*SERVES, VerdictState.LISTED, VerdictState.SOURCES_DISAGREE)
ORDER = (*MAY_SERVE, VerdictState.NO_EVIDENCE, VerdictState.NOT_LISTED, VerdictState.BLOCKED)
"""How far a state may serve, the best first."""

BOXES = (1, 2, 4, 8, 16)
"""GPUs of one kind that share a model by tensor parallelism."""

MOST_SEQUENCES = 65536


@dataclass(frozen=True)
class ServingQuestion:
    """What is to be served: the model, tokens of each sequence, sequences, the cache type, and on how many of a GPU."""

    model: str
    context: int
    sequences: int = 1
    cache: str | None = None
    gpu: str | None = None
    count: int = 1


@dataclass(frozen=True)
class EngineAnswer:
    """What one engine makes of a question on a GPU."""

    cube: Cube
    ask: ServingQuestion
    verdict: Verdict

    @property
    def engine(self) -> Record:
        """The engine."""
        return self.cube.catalog.records[self.verdict.engine]

    @cached_property
    def fit(self) -> Fit:
        """Weights, cache and what is kept free, against the GPU."""
        return self._fit(self.ask.context, self.ask.sequences, self.ask.count)

    @property
    def serves(self) -> bool:
        """Whether nothing on record keeps it from serving."""
        return self.verdict.state in MAY_SERVE

    @property
    def backends(self) -> tuple[str, ...]:
        """The backends that it takes by itself, as far as the chain says."""
        values = (step.value for step in self.verdict.reasons if step.effect is Effect.SERVES)
        ids = dict.fromkeys(str(value["backend"]) for value in values if isinstance(value, dict) and "backend" in value)
        records = self.cube.catalog.records
        return tuple(records[id].title if id in records else id for id in ids)

    @property
    def per_token(self) -> Fraction | None:
        """Bytes that a token adds in the long run, over all GPUs as on one."""
        facts = self.cube.facts[self.ask.model]
        stored = next((step.value for step in self.verdict.reasons if step.effect is Effect.STORES), None)
        figure = stored_figure(facts, stored, self.engine.id) or figure_for(facts)
        place = self.cube.caches.place(self.verdict.gpu)
        found = self.cube.caches.cache(self.ask.model, self.engine.id, place, figure) if figure else None
        return found.growth if isinstance(found, EngineCache) else None

    @property
    def gotchas(self) -> tuple[str, ...]:
        """The ids of the gotchas that hold here."""
        told = (Effect.PAST, Effect.NOT_ABOUT_THIS, Effect.NOT_DECISIVE)
        steps = (step for step in self.verdict.reasons if step.rule == "gotcha" and step.effect not in told)
        return tuple(dict.fromkeys(str(step.value) for step in steps))

    def smallest_box(self) -> int | None:
        """The fewest of the GPU that it fits on; None where it fits on no number of them."""
        return next((count for count in BOXES if self._fits(self.ask.context, self.ask.sequences, count)), None)

    def longest_context(self) -> int | None:
        """The most tokens of each sequence that go in, the model's own longest at most; None where none do."""
        longest = self.cube.facts[self.ask.model].longest
        return _most(lambda tokens: self._fits(tokens, self.ask.sequences, self.ask.count), longest or 1 << 20)

    def most_sequences(self) -> int | None:
        """The most sequences of the context that go in; None where not even one does."""
        return _most(lambda each: self._fits(self.ask.context, each, self.ask.count), MOST_SEQUENCES)

    def command(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """The words that start it, in groups, each with the sources of its flag."""
        launch = self.engine.get("launch") or {}
        if not launch:
            return
        model = self.cube.catalog.records[self.ask.model]
        repo = str(model.get("repo") or model.id)
        yield tuple(str(word).replace("{repo}", repo) for word in launch["words"]), cited(launch["cite"])
        asked = {
            "gpus": str(self.ask.count) if self.ask.count > 1 else None,
            "context": str(self.ask.context),
            "whole_context": str(self.ask.context * self.ask.sequences),
            "sequences": str(self.ask.sequences),
            "cache": self.ask.cache,
        }
        for row in launch.get("flags") or ():
            value = asked[row["sets"]]
            if value is not None:
                yield (str(row["flag"]), value), cited(row["cite"])

    def _fits(self, context: int, sequences: int, count: int) -> bool:
        return self._fit(context, sequences, count).fits is True

    def _fit(self, context: int, sequences: int, count: int) -> Fit:
        cell = (self.ask.model, self.engine.id, self.verdict.gpu)
        return cell_fit(self.cube.caches, cell, self.verdict.reasons, context, sequences, count)


def answers(cube: Cube, ask: ServingQuestion, engines: list[Record]) -> list[EngineAnswer]:
    """What each engine makes of a question on its GPU, the best first; those that know no such cache type are left out.

    Raises UnknownCache where no engine knows it.
    """
    assert ask.gpu is not None
    found, unknown = [], None
    for engine in engines:
        try:
            found.append(EngineAnswer(cube, ask, cube.verdict(ask.model, engine.id, ask.gpu, ask.cache)))
        except UnknownCache as problem:
            unknown = problem
    if unknown and all(step.effect is Effect.NOT_ON_RECORD for each in found for step in _cache_steps(each)):
        raise unknown
    return sorted(
        found,
        key=lambda each: (ORDER.index(each.verdict.state), _doubt(each), not each.fit.load.decided, each.engine.title),
    )


def _cache_steps(answer: EngineAnswer) -> list[Reason]:
    return [step for step in answer.verdict.reasons if step.rule == "cache"]


def _doubt(answer: EngineAnswer) -> int:
    """Those that fit come before those of which that is not known, and these before those that do not."""
    return {True: 0, None: 1, False: 2}[answer.fit.fits]


@dataclass(frozen=True)
class Box:
    """So many of a GPU on which a model fits in an engine that may serve it there."""

    gpu: str
    count: int
    engine: str
    state: VerdictState
    memory: int


def smallest_boxes(cube: Cube, ask: ServingQuestion, engines: list[Record]) -> list[Box]:
    """The fewest of each GPU on record that a model fits on, those with least memory in all first."""
    boxes = []
    for gpu in [ask.gpu] if ask.gpu else cube.gpus:
        here = replace(ask, gpu=gpu, count=1)
        found = [
            Box(gpu, count, each.engine.id, each.verdict.state, each.fit.memory or 0)
            for each in answers(cube, here, engines)
            if each.serves and (count := each.smallest_box()) is not None
        ]
        boxes += sorted(found, key=lambda box: (box.count, ORDER.index(box.state)))[:1]
    return sorted(boxes, key=lambda box: (box.count * box.memory, box.count, box.gpu))


def _most(holds: Callable[[int], bool], most: int) -> int | None:
    """The largest number up to `most` for which something holds that holds for all smaller ones; None for none."""
    if not holds(1):
        return None
    low, high = 1, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low
