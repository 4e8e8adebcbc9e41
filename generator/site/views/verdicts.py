"""Verdicts as pages show them: GPUs with the same state and chain are grouped, what all of them share first.

Nothing is decided here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from generator.catalog.records import Record
from generator.compatibility import Reason, Verdict, VerdictState
from generator.compatibility.chain import DECIDES, THESE_GPUS, Effect, on
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.gpus import Gpu, product
from generator.site.memory import Memory, own_inputs, verdict_inputs

CLASSES = {state: f"v{number}" for number, state in enumerate(VerdictState)}
"""Names of the states' colours, short: a matrix has thousands of cells."""

BRIEF = {
    ("kernel-class", Effect.UNREAD): "",
    ("kernel-class", Effect.NOT_PROVED): "no gate read",
    ("family", Effect.UNKNOWN): "family not known",
    ("named", Effect.UNKNOWN): "class not stated",
    ("listed", Effect.UNKNOWN): "no whole list",
    ("listed", Effect.NO_LIST): "no list on record",
    ("listed", Effect.BY_A_COPY): "class named by a copy",
    ("kernel-class", Effect.NO_EVIDENCE): "no backend seen",
    ("kernel-class", Effect.REFUSES): "no backend takes it",
}
"""Deciding steps in a few words."""

LONGEST_BRIEF = 44

MOST_PRODUCTS = 3
"""So many products represent their kind of GPU in a list."""

FLAGS = ("opt-in", "by hand", "named")
"""How modifiers begin that ask for a flag, a choice by hand or a pre-release."""


@dataclass(frozen=True)
class GpuGroup:
    """The GPUs that share an answer: the state, the steps in order, and what would flip it.

    `open` holds the same steps with the GPU left open, so that they are equal wherever only its name differs.
    """

    gpus: tuple[str, ...]
    state: VerdictState
    reasons: tuple[Reason, ...]
    modifiers: tuple[str, ...]
    flips_if: tuple[str, ...]
    open: tuple[Reason, ...] = field(compare=False)

    @property
    def flagged(self) -> bool:
        """Whether it needs a flag, a choice by hand or a pre-release."""
        return any(each.startswith(FLAGS) for each in self.modifiers)


@dataclass(frozen=True)
class EngineVerdicts:
    """What is known of a model on an engine: a group for each answer that differs, and the steps that all have."""

    model: str
    engine: str
    common: tuple[Reason, ...]
    groups: tuple[GpuGroup, ...]

    def on(self, gpus: Iterable[str]) -> Iterator[tuple[GpuGroup, tuple[str, ...]]]:
        """The groups that hold some of these GPUs, each with those that it holds."""
        wanted = tuple(gpus)
        for group in self.groups:
            held = tuple(id for id in wanted if id in group.gpus)
            if held:
                yield group, held

    def deciding(self, group: GpuGroup) -> Reason:
        """The step that the state comes from."""
        steps = (step for effect in DECIDES[group.state] for step in group.reasons if step.effect is effect)
        return next(steps, group.reasons[-1])

    def own(self, group: GpuGroup) -> tuple[Reason, ...]:
        """The steps of a group that not every group has."""
        return tuple(reason for reason in group.reasons if reason not in self.common)


@dataclass(frozen=True, eq=False)
class VerdictGroups:
    """The answers of all models, worked out when asked for; in a preview those of before where nothing changed."""

    kb: KnowledgeBase
    memory: Memory | None = None
    _known: dict[str, Mapping[str, EngineVerdicts]] = field(default_factory=dict)

    def of(self, model: str) -> Mapping[str, EngineVerdicts]:
        """The answers for a model, by engine."""
        if model not in self._known:
            if self.memory is None:
                self._known[model] = self._made(model)
            else:
                key = (self.behind, own_inputs(self.kb, self.kb.catalog.records[model]))
                self._known[model] = self.memory.kept(f"answers of {model}", key, lambda: self._made(model))
        return self._known[model]

    @cached_property
    def all(self) -> tuple[Mapping[str, EngineVerdicts], ...]:
        """Those of every model, in the order of the records; also the key of pages that are made from all."""
        return tuple(self.of(model.id) for model in self.kb.catalog.sound("model"))

    @cached_property
    def behind(self) -> tuple[Any, ...]:
        """What verdicts of all models are made from; see `reuse`."""
        return verdict_inputs(self.kb)

    def brief(self, answer: EngineVerdicts, group: GpuGroup) -> str:
        """The step that decides in a few words; empty where it says no more than the state does."""
        step = answer.deciding(group)
        if group.state is VerdictState.SUPPORTED:
            served = [each.value for each in group.reasons if each.effect is Effect.SERVES]
            ids = dict.fromkeys(str(value["backend"]) for value in served)
            names = [self.kb.catalog.records[id].title if id in self.kb.catalog.records else id for id in ids]
            through = [each for each in group.modifiers if each.startswith("through ")]
            return _clipped(", ".join(dict.fromkeys([*through, *names])))
        if step.rule == "listed" and step.effect is Effect.NOT_LISTED:
            return f"gone: {step.value}" if step.value else ""
        known = BRIEF.get((step.rule, step.effect))
        return _clipped(re.split(r"[;:] |[.(] ?", step.text)[0]) if known is None else known

    @cached_property
    def engines(self) -> tuple[Record, ...]:
        """The engines on record, those that most readers come for first."""
        order = self.kb.catalog.kinds["engine"].order
        return tuple(sorted(self.kb.catalog.sound("engine"), key=lambda engine: order(engine.id)))

    @cached_property
    def places(self) -> tuple[GpuKind, ...]:
        """The kinds of GPU on record: those of one compute capability, or one without."""
        kinds: dict[str, list[Gpu]] = {}
        for gpu in self.kb.verdicts.gpus.values():
            kinds.setdefault(gpu.capability or gpu.id, []).append(gpu)
        places = (
            GpuKind(name, tuple(gpu.id for gpu in gpus), gpus[0], _products(gpus)) for name, gpus in kinds.items()
        )
        return tuple(sorted(places, key=lambda place: place.order))

    def where(self, gpus: Iterable[str]) -> str:
        """GPUs in words: the kinds that are there as a whole by their names, single ones by theirs; empty for all."""
        left = set(gpus)
        if left >= set(self.kb.verdicts.gpus):
            return ""
        words = []
        for place in self.places:
            held = [id for id in place.gpus if id in left]
            whole = len(held) == len(place.gpus)
            words += [place.shown] if whole else [self.kb.catalog.records[id].title for id in held]
        return ", ".join(words)

    def _made(self, model: str) -> dict[str, EngineVerdicts]:
        return {engine.id: self._answer(model, engine.id) for engine in self.engines}

    def _answer(self, model: str, engine: str) -> EngineVerdicts:
        cube = self.kb.verdicts
        same: dict[object, list[str]] = {}  # by what GPUs of one kind share
        for gpu in cube.gpus:
            verdict = cube.verdict(model, engine, gpu)
            own = gpu if verdict.claims else None
            key = (own, verdict.shown, id(verdict.outcome), verdict.platform, verdict.weights)
            same.setdefault(key, []).append(gpu)
        apart = [(tuple(gpus), cube.verdict(model, engine, gpus[0])) for gpus in same.values()]
        groups = _joined(apart)
        first = groups[0].reasons if groups else ()
        common = tuple(step for step in first if all(step in other.reasons for other in groups[1:]))
        return EngineVerdicts(model, engine, common, tuple(groups))


@dataclass(frozen=True)
class GpuKind:
    """A kind of GPU: its name, the GPUs on record, and where its matrix lies."""

    name: str
    gpus: tuple[str, ...]
    first: Gpu
    products: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Where its matrix lies."""
        return f"matrix/{self.name.replace('_', '-')}.md"

    @property
    def shown(self) -> str:
        """What it is called: the capability, or the GPU where it has none."""
        return self.first.shown

    @property
    def called(self) -> str:
        """What people call its GPUs: ``H100, H200, GH200 and 2 more``."""
        more = len(self.products) - MOST_PRODUCTS
        return ", ".join(self.products[:MOST_PRODUCTS]) + (f" and {more} more" if more > 0 else "")

    def anchor(self, engine: str) -> str:
        """The anchor of its answer for an engine, on a model's page."""
        return f"{engine}.{self.name.replace('_', '-')}"

    @property
    def order(self) -> tuple[str, int, str]:
        """CUDA by capability, then the others."""
        digits = re.sub(r"\D", "", self.name)
        return ({"cuda": "0"}.get(self.first.platform, self.first.platform), int(digits or 0), self.name)


def _products(gpus: list[Gpu]) -> tuple[str, ...]:
    """The products among GPUs, those with most variants on record first."""
    return tuple(name for name, _ in Counter(product(gpu.title) for gpu in gpus).most_common())


def _clipped(text: str) -> str:
    return text if len(text) <= LONGEST_BRIEF else text[: LONGEST_BRIEF - 1].rstrip() + "…"


def _joined(apart: Iterable[tuple[tuple[str, ...], Verdict]]) -> list[GpuGroup]:
    """One group for all kinds of GPU with one chain; in a group of one kind the texts name it."""
    joined: list[tuple[list[tuple[str, ...]], Verdict]] = []
    for ids, verdict in apart:
        known = next((kinds for kinds, other in joined if _alike(verdict, other)), None)
        if known is None:
            joined.append(([ids], verdict))
        else:
            known.append(ids)
    return [
        _group(tuple(id for ids in kinds for id in ids), verdict, verdict.shown if len(kinds) == 1 else THESE_GPUS)
        for kinds, verdict in joined
    ]


def _alike(one: Verdict, other: Verdict) -> bool:
    return (one.state, one.chain, one.modifiers, one.flips) == (other.state, other.chain, other.modifiers, other.flips)


def _group(ids: tuple[str, ...], verdict: Verdict, shown: str) -> GpuGroup:
    reasons = tuple(each.on(shown) for each in verdict.chain)
    return GpuGroup(
        ids, verdict.state, reasons, verdict.modifiers, tuple(on(each, shown) for each in verdict.flips), verdict.chain
    )
