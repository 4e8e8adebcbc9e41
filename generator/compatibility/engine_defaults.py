"""What an engine sets by itself on a GPU: tokens of a batch, sequences of a graph, by memory, as its record states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from generator.catalog.records import Record
from generator.notation.gpus import Gpu, any_covers
from generator.notation.units import BYTES

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EnginePlace:
    """Where an engine runs: a GPU, its memory in bytes, and how many share the model. None: no GPU is meant."""

    gpu: Gpu | None = None
    memory: int | None = None
    count: int = 1

    def on(self, count: int) -> EnginePlace:
        """The same GPU, as many times."""
        return replace(self, count=count)


def size_of(row: Row) -> int:
    """An amount of memory in bytes."""
    return int(Fraction(str(row["value"])) * BYTES[row["unit"]])


def default_of(engine: Record, name: str, place: EnginePlace) -> int | None:
    """The value of a setting on a GPU; None where its memory is not known and decides it."""
    for row in engine.get("defaults", name, "rows") or ():
        covered = _covers(row, place)
        if covered is None:
            return None
        if covered:
            value = row["value"]
            return value if isinstance(value, int) else None
    return None


def _covers(row: Row, place: EnginePlace) -> bool | None:
    """Whether a row holds there; None where that is not known."""
    if place.count < row.get("count_from", 1):
        return False
    if row.get("gpus") and not (place.gpu and any_covers(tuple(row["gpus"]), place.gpu)):
        return False
    if "memory_from" not in row:
        return True
    return None if place.memory is None else place.memory >= size_of(row["memory_from"])


def alternatives(engine: Record, name: str) -> Iterator[tuple[str, int]]:
    """Each value that a setting has somewhere, with the GPUs on which it has it in words."""
    for row in engine.get("defaults", name, "rows") or ():
        least = row.get("memory_from")
        where = [f"from {least['value']:g} {least['unit']} on"] if least else []
        where += [", ".join(row["gpus"])] if row.get("gpus") else []
        yield " ".join(where) or "elsewhere", int(row["value"])
