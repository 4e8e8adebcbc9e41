"""Weights and cache of a model against every GPU on record, over some numbers of GPUs.

A row is for the GPUs with equal memory on which some engines store the cache in one format: that of the verdict,
so that each figure is the one that ``servebook why`` prints for the model, the engine and the GPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from generator.catalog.records import Record
from generator.compatibility import VerdictState
from generator.compatibility.fit import Fit, Load, cell_load, figure_for, fit, load, memory_of
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


@dataclass(frozen=True)
class FitRow:
    """GPUs of equal memory, the engines that serve the model on them in one format, and the shares of the memory."""

    gpus: tuple[Record, ...]
    memory: int | None
    cache: CacheRow
    engines: tuple[str, ...]
    fits: tuple[Fit, ...]

    @property
    def shares(self) -> tuple[Fraction | None, ...]:
        """The part of each GPU's memory that is taken, for each number of GPUs."""
        return tuple(each.share for each in self.fits)


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
    for gpu, engine, loads in _cells(kb, answers, model, length):
        row = caches.setdefault(_sizes(loads), CacheRow(loads))
        row.engines[engine] = None
        kept[id(row)] = row
        cells.setdefault(gpu, {}).setdefault(id(row), []).append(engine)
    rows = tuple(_rows(kb, cells, kept, plain))
    shown = {id(row): row for row in (*caches.values(), *(row.cache for row in rows))}
    ordered = tuple(sorted(shown.values(), key=lambda row: not row.decided))
    words = dict.fromkeys(text for row in ordered for one in row.loads for text in one.assumptions)
    return FitTable(ordered, rows, tuple(words))


def _cells(
    kb: KnowledgeBase, answers: VerdictGroups, model: Record, length: int
) -> Iterator[tuple[str, str, tuple[Load, ...]]]:
    """GPU, engine and loads of each cell in which an engine may serve the model."""
    for engine, answer in answers.of(model.id).items():
        for group in answer.groups:
            if group.state in _SERVING:
                facts = kb.facts[model.id]
                loads = tuple(cell_load(facts, group.reasons, engine, length, 1, ranks) for ranks in RANKS)
                yield from ((gpu, engine, loads) for gpu in group.gpus)


def _sizes(loads: tuple[Load, ...]) -> object:
    return loads[0].layout, loads[0].decided, tuple(one.cache for one in loads)


def _rows(
    kb: KnowledgeBase, cells: dict[str, dict[int, list[str]]], kept: dict[int, CacheRow], plain: tuple[Load, ...]
) -> Iterator[FitRow]:
    """GPUs with equal memory, format and engines in one row, the smallest memory first; those without memory last.

    Where a verdict decides the format on a GPU, engines for which none does have no row there: their cache is on
    top, by the geometry.
    """
    nobody = CacheRow(plain)
    groups: dict[tuple[int | None, int, tuple[str, ...]], list[Record]] = {}
    for gpu in kb.catalog.sound("gpu"):
        here = cells.get(gpu.id) or {id(nobody): []}
        decided = {row: engines for row, engines in here.items() if kept.get(row, nobody).decided}
        for row, engines in (decided or here).items():
            groups.setdefault((memory_of(gpu)[0], row, tuple(engines)), []).append(gpu)
    for (memory, row, serving), gpus in sorted(groups.items(), key=lambda pair: (pair[0][0] is None, pair[0][0] or 0)):
        cache = kept.get(row, nobody)
        yield FitRow(tuple(gpus), memory, cache, serving, tuple(fit(one, gpus[0]) for one in cache.loads))
