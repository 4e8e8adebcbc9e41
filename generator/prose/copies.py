"""Texts that share most of their words in a row (shingles), whatever stands around them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

SHINGLE = 8
"""Words in a row that make two texts one."""
SHARED = 0.6
"""The share of the shorter text that must stand in the other one."""
MANY = 12
"""Words that stand in more texts are a phrase, not a copy; the first ones are enough to find the copies."""

Words = tuple[str, ...]


def copies(texts: Sequence[Words]) -> list[tuple[int, int]]:
    """Pairs of texts by their numbers, in order, of which the shorter stands for the most part in the other."""
    holders: dict[Words, list[int]] = defaultdict(list)
    sizes = []
    for number, words in enumerate(texts):
        shingles = _shingles(words)
        sizes.append(len(shingles))
        for shingle in shingles:
            holders[shingle].append(number)
    common: Counter[tuple[int, int]] = Counter()
    for numbers in holders.values():
        common.update(combinations(numbers[:MANY], 2))
    return [pair for pair, count in sorted(common.items()) if count >= SHARED * min(sizes[each] for each in pair)]


def _shingles(words: Words) -> set[Words]:
    return {words[at : at + SHINGLE] for at in range(len(words) - SHINGLE + 1)}
