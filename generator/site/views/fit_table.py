"""Weights and cache of a model against one GPU of each size of memory, over some numbers of GPUs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from generator.catalog.records import Record
from generator.compatibility.fit import Load, figure_for, fit, load, memory_of
from generator.knowledge.knowledge_base import KnowledgeBase

_RANKS = (1, 2, 4, 8)
_LENGTH = 131072
_MOST_GPUS = 6


@dataclass(frozen=True)
class FitTable:
    """The table of weights and cache over GPUs, or the reason why there is none."""

    loads: tuple[Load, ...] = ()
    rows: tuple[tuple[Record, int, tuple[Fraction | None, ...]], ...] = ()
    assumptions: tuple[str, ...] = ()
    why: str = ""


def fit_table(kb: KnowledgeBase, model: Record, lengths: list[int]) -> FitTable:
    """What goes onto a GPU over some numbers of GPUs, against one GPU for each size of memory."""
    facts = kb.facts[model.id]
    length = max((each for each in lengths if each <= _LENGTH), default=lengths[0])
    loads = tuple(load(facts, figure_for(facts), length, 1, ranks) for ranks in _RANKS)
    if isinstance(loads[0].weights, str) or isinstance(loads[0].cache, str):
        return FitTable(why=loads[0].weights if isinstance(loads[0].weights, str) else str(loads[0].cache))
    sizes: dict[int, Record] = {}
    for gpu in kb.catalog.sound("gpu"):
        size, _ = memory_of(gpu)
        if size:
            sizes.setdefault(size, gpu)
    chosen = sorted(sizes.items())
    step = max(1, -(-len(chosen) // _MOST_GPUS))
    rows = tuple((gpu, size, tuple(fit(one, gpu).share for one in loads)) for size, gpu in chosen[::step])
    return FitTable(loads, rows, tuple(dict.fromkeys(text for one in loads for text in one.assumptions)))
