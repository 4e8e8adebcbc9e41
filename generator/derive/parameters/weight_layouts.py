"""How many bytes a quantised matrix takes: blocks of weights with the scales that they share.

The layouts themselves are records, in ``records/quantizations/``; here is only what follows from their parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from generator.derive.config.fields import Refused

Extent = int | None
"""Rows or columns of a block; None for all that there are."""


@dataclass(frozen=True, slots=True)
class StoredPart:
    """One thing that a block stores: `count` scalars of so many bits, or one for each weight where it is None."""

    what: str
    count: int | None
    bits: int


@dataclass(frozen=True, slots=True)
class WeightBlock:
    """Parts that so many weights share: `rows` x `columns` of a matrix, or a `run` of weights row by row."""

    rows: Extent
    columns: Extent
    run: Extent
    parts: tuple[StoredPart, ...]

    def blocks(self, rows: int, columns: int) -> int:
        """How many blocks have begun in a matrix."""
        if self.run is not None:
            return ceil(rows * columns / self.run)
        return ceil(rows / (self.rows or rows)) * ceil(columns / (self.columns or columns))

    @property
    def weights(self) -> Extent:
        """Weights of a whole block; None where that depends on the matrix."""
        if self.run is not None:
            return self.run
        return self.rows * self.columns if self.rows and self.columns else None


@dataclass(frozen=True, slots=True)
class WeightLayout:
    """What is stored for a matrix; `values` is the kind of number that its weights are."""

    id: str
    values: str
    blocks: tuple[WeightBlock, ...]

    def sizes(self, rows: int, columns: int) -> tuple[int, int]:
        """Bytes of the weights, and of all that is stored with them, for one matrix."""
        own = scales = 0
        for block in self.blocks:
            for part in block.parts:
                if part.count is None:
                    own += ceil(rows * columns * part.bits / 8)
                else:
                    scales += ceil(block.blocks(rows, columns) * part.count * part.bits / 8)
        return own, scales

    def scales(self, rows: int, columns: int) -> int:
        """How many scalars blocks of a matrix share, without those of the whole of it."""
        shared = (block for block in self.blocks if block.run or block.rows or block.columns)
        return sum(block.blocks(rows, columns) * (part.count or 0) for block in shared for part in block.parts)

    @property
    def bits_per_weight(self) -> Fraction:
        """Bits for a weight of a large matrix: what a row, a column or the whole matrix stores once vanishes there."""
        found = Fraction(0)
        for block in self.blocks:
            for part in block.parts:
                if part.count is None:
                    found += part.bits
                elif block.weights:
                    found += Fraction(part.count * part.bits, block.weights)
        return found

    @property
    def about(self) -> str:
        """The layout in words: ``fp4, 1 scale for 16 weights``."""
        shared = [
            f"{part.what} of {part.bits // 8 or f'{part.bits}/8'} bytes per {_extent(block)}"
            for block in self.blocks
            for part in block.parts
            if part.count is not None
        ]
        return ", ".join([self.values, *shared])


def _extent(block: WeightBlock) -> str:
    if block.run is not None:
        return f"{block.run} weights"
    if block.rows is None and block.columns is None:
        return "matrix"
    if block.rows == 1:
        return "row" if block.columns is None else f"{block.columns} of a row"
    return "column" if block.rows is None else f"{block.rows} x {block.columns}"


def layout_from(table: Mapping[str, Any], id: str, given: Mapping[str, int], unquantised: int) -> WeightLayout:
    """A layout of the table. `given` are the sizes taken from a config, `unquantised` the bits of the plain type."""
    row = table["layouts"].get(id)
    if row is None:
        raise Refused(f"how {id} stores a matrix is not on record", "quantization_config")
    bits = {**table["bits"], "unquantised": unquantised}
    blocks = []
    for block in row["blocks"]:
        of = block["of"]
        rows, columns = of if isinstance(of, list) else ("all", "all")
        parts = tuple(
            StoredPart(part["what"], None if part["count"] == "each" else part["count"], bits[part["dtype"]])
            for part in block["parts"]
        )
        blocks.append(
            WeightBlock(_side(rows, given), _side(columns, given), of if isinstance(of, int) else None, parts)
        )
    return WeightLayout(id, row["values"], tuple(blocks))


def _side(stated: int | str, given: Mapping[str, int]) -> Extent:
    if stated == "all":
        return None
    return stated if isinstance(stated, int) else given[stated]
