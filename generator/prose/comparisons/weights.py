"""Bytes of the weights against the parameter count: "the bf16 total is smaller than 284B suggests"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from generator.derive.facts import Facts
from generator.derive.parameters import WeightBytes
from generator.derive.parameters.stated_counts import agrees
from generator.prose.comparisons.reference import Reference, total
from generator.prose.comparisons.sentence import ADVERB, JudgedComparison, Sentence

BYTES: Mapping[str, int] = {"bf16": 2, "bfloat16": 2, "fp16": 2, "float16": 2, "fp32": 4, "float32": 4}
"""Types without scales, in which a parameter takes so many bytes and no more."""

_WHAT = r"(?:total|size|weights|checkpoint|footprint)"
_FORM = re.compile(
    rf"\b(?:(?P<type>{'|'.join(BYTES)})\s+{_WHAT}|in\s+(?P<in>{'|'.join(BYTES)}),?\s+(?:the\s+)?{_WHAT})\s+"
    r"(?:is|are|would\s+be)\s+"
    rf"{ADVERB}(?P<cmp>smaller|larger|less|more|lower|higher)\s+than\s+(?:the\s+|its\s+)?"
    r"(?P<count>\d[\d,]*(?:\.\d+)?)\s*(?P<unit>B|billion)\b(?:\s+parameters)?\s+(?:suggests?|impl(?:y|ies)|says?)\b",
    re.I,
)


def weights(speech: Sentence, bench: Reference) -> Iterator[JudgedComparison]:
    """Without scales every parameter takes the same bytes: the total is what the count says, no more and no less."""
    for match in _FORM.finditer(speech.text):
        others = {each.id for each in speech.mentions} - {speech.own}
        facts = None if others or not speech.asserted(match) else bench.facts(speech.own)
        counted = total(facts) if facts else None
        if facts is None or counted is None or not agrees(match["count"], "billion", counted):
            yield JudgedComparison(match.start(), match.end(), None)
            continue
        yield JudgedComparison(match.start(), match.end(), False, _tell(facts, counted, match["type"] or match["in"]))


def _tell(facts: Facts, counted: int, kind: str) -> str:
    wide = BYTES[kind.lower()]
    own = facts.weights
    checkpoint = (
        f"; in the checkpoint's own types they take {_gigabytes(own.total)}" if isinstance(own, WeightBytes) else ""
    )
    return (
        f"a number type changes no parameter count: {counted / 10**9:,.1f} billion parameters × {wide} bytes are "
        f"{_gigabytes(counted * wide)} in {kind}{checkpoint}"
    )


def _gigabytes(size: int) -> str:
    return f"{float(Fraction(size, 10**9)):,.0f} GB"
