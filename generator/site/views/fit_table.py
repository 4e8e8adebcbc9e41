"""Weights and cache of a model against every GPU on record, over some numbers of GPUs.

A row is for the GPUs with equal memory on which some engines keep a cache of one size: in the format of the verdict
and by the engine's policy, so that each figure is the one that ``servebook why`` prints for the model, the engine and
the GPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from generator.catalog.records import Record
from generator.compatibility import VerdictState
from generator.compatibility.fit import Fit, Load, bare_fit, cell_load, figure_for, fit, load
from generator.compatibility.gpu_memory import memory_of
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site.views.verdicts import VerdictGroups

RANKS = (1, 2, 4, 8)
_LENGTH = 131072
_SERVING = (VerdictState.SUPPORTED, VerdictState.PARTIAL, VerdictState.LISTED, VerdictState.SOURCES_DISAGREE)


@dataclass
class CacheRow:
    """What one sequence takes in one format, over numbers of GPUs, and the engines that keep it so somewhere."""

    loads: tuple[Load, ...]
    engines: dict[str, None] = field(default_factory=dict)

    @property
    def layout(self) -> str | None:
        """The key of the format."""
        return self.loads[0].layout

    @property
    def decided(self) -> bool:
        """Whether a verdict says so, or the geometry is used instead."""
        return self.loads[0].decided

    @property
    def known(self) -> bool:
        """Whether there is a figure at all."""
        return not isinstance(self.loads[0].cache, str)


@dataclass(frozen=True)
class FitRow:
    """GPUs of equal memory, the engines that serve the model on them in one format, and the shares of the memory.

    ``fits`` has a fit for each number of GPUs and each engine, or one that no engine is behind.
    """

    gpus: tuple[Record, ...]
    memory: int | None
    cache: CacheRow
    engines: tuple[str, ...]
    fits: tuple[tuple[Fit, ...], ...]

    @property
    def shares(self) -> tuple[Fraction | None, ...]:
        """The part of each GPU's memory that is taken, for each number of GPUs."""
        return tuple(each[0].share for each in self.fits)

    @property
    def lacking(self) -> tuple[tuple[str, ...], ...]:
        """The engines that have too little beside what they keep free, though weights and cache would go in."""
        return tuple(
            tuple(
                engine
                for engine, one in zip(self.engines, each, strict=False)
                if one.fits is False and one.share is not None and one.share <= 1
            )
            for each in self.fits
        )


@dataclass(frozen=True)
class FitTable:
    """The table of weights and cache over GPUs, or the reason why there is none."""

    caches: tuple[CacheRow, ...] = ()
    rows: tuple[FitRow, ...] = ()
    assumptions: tuple[str, ...] = ()
    why: str = ""

    @property
    def loads(self) -> tuple[Load, ...]:
        """One load for each number of GPUs, for what does not depend on the format."""
        return self.caches[0].loads if self.caches else ()


def fit_table(kb: KnowledgeBase, answers: VerdictGroups, model: Record, lengths: list[int]) -> FitTable:
    """What goes onto each GPU on record, over some numbers of them, in the formats that the verdicts store."""
    facts = kb.facts[model.id]
    length = max((each for each in lengths if each <= _LENGTH), default=lengths[0])
    plain = tuple(load(facts, figure_for(facts), length, 1, ranks, decided=False) for ranks in RANKS)
    if isinstance(plain[0].weights, str) or isinstance(plain[0].cache, str):
        return FitTable(why=plain[0].weights if isinstance(plain[0].weights, str) else str(plain[0].cache))
    caches: dict[object, CacheRow] = {}
    cells: dict[str, dict[int, list[str]]] = {}
    kept: dict[int, CacheRow] = {}
    for gpus, engine, loads in _cells(kb, answers, model, length):
        row = caches.setdefault(_sizes(loads), CacheRow(loads))
        row.engines[engine] = None
        kept[id(row)] = row
        for gpu in gpus:
            cells.setdefault(gpu, {}).setdefault(id(row), []).append(engine)
    rows = tuple(_rows(kb, cells, kept, plain))
    shown = {id(row): row for row in (*caches.values(), *(row.cache for row in rows))}
    ordered = tuple(sorted(shown.values(), key=lambda row: (not row.known, not row.decided)))
    words = dict.fromkeys(text for row in ordered for one in row.loads for text in one.assumptions)
    return FitTable(ordered, rows, tuple(words))


def _cells(
    kb: KnowledgeBase, answers: VerdictGroups, model: Record, length: int
) -> Iterator[tuple[list[str], str, tuple[Load, ...]]]:
    """GPUs, engine and loads of the cells in which an engine may serve the model, those with the same settings
    together."""
    caches = kb.verdicts.caches
    for engine, answer in answers.of(model.id).items():
        for group in answer.groups:
            if group.state not in _SERVING:
                continue
            alike: dict[object, list[str]] = {}
            for gpu in group.gpus:
                settings = tuple(caches.settings(engine, caches.place(gpu, ranks)) for ranks in RANKS)
                alike.setdefault(settings, []).append(gpu)
            for gpus in alike.values():
                places = [caches.place(gpus[0], ranks) for ranks in RANKS]
                yield (
                    gpus,
                    engine,
                    tuple(cell_load(caches, model.id, engine, place, group.reasons, length) for place in places),
                )


def _sizes(loads: tuple[Load, ...]) -> object:
    return loads[0].layout, loads[0].decided, tuple(one.cache for one in loads)


def _rows(
    kb: KnowledgeBase, cells: dict[str, dict[int, list[str]]], kept: dict[int, CacheRow], plain: tuple[Load, ...]
) -> Iterator[FitRow]:
    """GPUs with equal memory, format and engines in one row, the smallest memory first; those without memory last.

    Where a verdict decides the format on a GPU and the engine's policy is known, engines for which that is not so have
    no row there: their cache is on top, by the geometry or with the reason why there is no figure. A GPU on which no
    engine has a figure is in one row with all of them.
    """
    nobody = CacheRow(plain)
    groups: dict[tuple[int | None, int, tuple[str, ...]], list[Record]] = {}
    for gpu in kb.catalog.sound("gpu"):
        here = cells.get(gpu.id) or {id(nobody): []}
        known = {row: engines for row, engines in here.items() if kept.get(row, nobody).known}
        decided = {row: engines for row, engines in known.items() if kept.get(row, nobody).decided}
        for row, engines in (decided or known or _together(here)).items():
            groups.setdefault((memory_of(gpu)[0], row, tuple(engines)), []).append(gpu)
    for (memory, row, serving), gpus in sorted(groups.items(), key=lambda pair: (pair[0][0] is None, pair[0][0] or 0)):
        cache, caches, first = kept.get(row, nobody), kb.verdicts.caches, gpus[0]
        fits = (
            tuple(fit(caches, engine, one, first.id) for engine in serving) or (bare_fit(one, first),)
            for one in cache.loads
        )
        yield FitRow(tuple(gpus), memory, cache, serving, tuple(fits))


def _together(here: dict[int, list[str]]) -> dict[int, list[str]]:
    return {next(iter(here)): [engine for engines in here.values() for engine in engines]}
