"""A cache in blocks of one pool that layers of all kinds take from: a request takes blocks for each group of layers.

vLLM 0.33.0 ``v1/core/kv_cache_planning.py``: layers of a kind are split into groups of as many layers as the smallest
kind has, and each block of the pool is as wide as the widest group, so that padding is paid for. Pages of all layers
are made equal: a smaller one takes more tokens where that divides, else it is padded; a state is padded to the page of
attention, whose block grows until it is as large.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from generator.compatibility.cache_policy import ALL, Kept
from generator.derive.attention.geometry import Entries


@dataclass(frozen=True, slots=True)
class LayerKind:
    """Layers that keep the same: bytes of an entry on one GPU, or of a whole state where ``entries`` is None."""

    layers: int
    size: Fraction
    kept: Kept
    entries: Entries | None


@dataclass(frozen=True, slots=True)
class BlockGroup:
    """Layers of one kind in equal pages: tokens of a block (0 for state), and the bytes that it takes in a layer."""

    kind: LayerKind
    block: int
    page: Fraction

    def blocks(self, tokens: int) -> int:
        """Blocks that a sequence takes in each layer."""
        kind = self.kind
        return kind.kept.copies if kind.entries is None else kind.kept.blocks(kind.entries, tokens, self.block)

    @property
    def slope(self) -> Fraction:
        """Blocks that a token adds in the long run."""
        kind = self.kind
        return Fraction(0) if kind.entries is None else kind.kept.slope(kind.entries) / self.block


@dataclass(frozen=True)
class BlockPool:
    """The layers of a model in groups. ``rows`` are what a block of the pool is wide, and how many groups take it."""

    rows: tuple[tuple[Fraction, int, BlockGroup], ...]

    def bytes(self, tokens: int) -> Fraction:
        """What a sequence of so many tokens takes."""
        return sum((width * groups * each.blocks(tokens) for width, groups, each in self.rows), Fraction(0))

    @property
    def growth(self) -> Fraction:
        """Bytes that a token adds in the long run."""
        return sum((width * groups * each.slope for width, groups, each in self.rows), Fraction(0))


def block_pool(kinds: list[LayerKind]) -> BlockPool | str:
    """The pool for layers of these kinds; a reason where it is not known how they share it."""
    joined = _joined(kinds)
    if len(joined) == 1 or _one_type(joined):
        rows = [(kind.size * kind.kept.block * kind.layers, 1, kind) for kind in joined]
        return BlockPool(tuple((width, n, BlockGroup(each, each.kept.block, width)) for width, n, each in rows))
    groups = _equal_pages(joined)
    if isinstance(groups, str):
        return groups
    least, most = min(each.kind.layers for each in groups), max(each.kind.layers for each in groups)
    together = most if 2 * most < 3 * least else least
    counts = [-(-each.kind.layers // together) for each in groups]
    wide = max(-(-each.kind.layers // count) for each, count in zip(groups, counts, strict=True))
    return BlockPool(tuple((wide * each.page, count, each) for each, count in zip(groups, counts, strict=True)))


def _joined(kinds: list[LayerKind]) -> list[LayerKind]:
    """Kinds that keep the same are one."""
    found: dict[object, LayerKind] = {}
    for kind in kinds:
        full = kind.entries is not None and kind.kept.keeps == ALL
        key = (kind.size, kind.kept.block, "all" if full else kind.entries)
        before = found.get(key)
        found[key] = LayerKind(kind.layers + (before.layers if before else 0), kind.size, kind.kept, kind.entries)
    return list(found.values())


def _one_type(kinds: list[LayerKind]) -> bool:
    """Whether all layers need the same number of tokens: their pages stand side by side in one group."""
    if any(kind.entries is None for kind in kinds):
        return False
    return len({("all", 0) if kind.kept.keeps == ALL else (kind.kept.keeps, kind.entries) for kind in kinds}) == 1


def _equal_pages(kinds: list[LayerKind]) -> list[BlockGroup] | str:
    """The kinds with pages of one size."""
    entries = [kind for kind in kinds if kind.entries is not None]
    states = [kind for kind in kinds if kind.entries is None]
    if states and len({kind.size for kind in entries}) != 1:
        return "how state shares blocks with layers of unequal width was not read"
    if states:
        size, unit = entries[0].size, max(kind.kept.block for kind in entries)
        block = unit * max(1, -int(-max(kind.size for kind in states) // (size * unit)))
        page = size * block
        return [BlockGroup(kind, block, page) for kind in entries] + [BlockGroup(kind, 0, page) for kind in states]
    page = max(kind.size * kind.kept.block for kind in kinds)
    found = []
    for kind in kinds:
        times = page / (kind.size * kind.kept.block)
        block = kind.kept.block * (times.numerator if times.denominator == 1 else 1)
        found.append(BlockGroup(kind, block, page))
    return found
