"""Comparisons of models in words, field by field against both configs.

Precision comes first: a sentence that names more models than the pattern needs, that denies, doubts or quotes, or that
narrows what it speaks of, is not checkable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from generator.prose.comparisons.designs import designs
from generator.prose.comparisons.differences import differences
from generator.prose.comparisons.geometries import geometries
from generator.prose.comparisons.reference import Reference
from generator.prose.comparisons.sentence import JudgedComparison, Sentence, speeches
from generator.prose.comparisons.single_fields import fields
from generator.prose.comparisons.sizes import sizes
from generator.prose.comparisons.weights import weights
from generator.prose.passages import Passage

__all__ = ["JudgedComparison", "Reference", "comparisons"]

_READERS: tuple[Callable[[Sentence, Reference], Iterator[JudgedComparison]], ...] = (
    sizes,
    fields,
    differences,
    geometries,
    designs,
    weights,
)


def comparisons(passage: Passage, bench: Reference) -> Iterator[JudgedComparison]:
    """Every comparison in a text, by its place in it; no two about the same words."""
    for speech in speeches(passage, bench.names):
        end = 0
        for said in sorted(
            (each for reader in _READERS for each in reader(speech, bench)), key=lambda each: each.start
        ):
            if said.start >= end:
                end = said.end
                yield replace(said, start=said.start + speech.begin, end=said.end + speech.begin)
