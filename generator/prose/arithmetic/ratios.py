"""Factors and percentages in words: "58x smaller than", "wrong by 1.7 %", "a 128x reduction".

Which two numbers are meant is a guess wherever a sentence holds more than two; then the statement can be found true but
never false.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from generator.prose.arithmetic.conversions import conversions
from generator.prose.arithmetic.intervals import Interval, exactly
from generator.prose.reading.quantities import BYTES, SHARE, TIMES, Quantity, plausible, scale, show
from generator.prose.reading.sentences import sentences
from generator.prose.reading.tokens import Token, tokens
from generator.prose.reading.tokens import TokenKind as Is
from generator.prose.statements import NOTHING, NamedValues, Statement, StatementKind

_COMPARES = re.compile(
    r"\s*+(?:\*\*\s*+)?(?:(?:the|as)\b|too\b|that\b|what\b|(?:smaller|less|lower|fewer|larger|bigger|more|higher|greater|"
    r"reduction|saving|compression|increase|overestimate|difference|gap|off)\b)"
)
_DEVIATES = re.compile(
    r"\b(?:wrong|off|too (?:high|low|large|small)|errors?|deviat\w+|overstates?|understates?|overshoots?)\b"
)
_BEHIND_SHARE = re.compile(
    r"\s*+(?:too (?:high|low|large|small)|(?:larger|smaller|higher|lower|more|less|off)(?:\s+than\b|\s*[,.;)]|\s*$))"
)
_LESS = re.compile(r"\s*+(?:smaller|lower|less|too (?:low|small))\b")
_WITHIN = re.compile(r"\b(?:within|to)\s+(?:about |~|roughly )?$")
_AGREES = re.compile(r"\b(?:agree|agrees|match|matches|matching|reconciles?)\b")
_CLAUSE = re.compile(r"[,;:—]|\s[-–]\s")
NEAR = Fraction(1, 20)
MANY = 8
"""A sentence with more figures is a list: which two a factor compares is anybody's guess."""


def ratios(text: str, names: NamedValues = NOTHING) -> Iterator[Statement]:
    """All factors and percentages of a text that compare two numbers."""
    found = tokens(text)
    starts = [token.start for token in found]
    again = {each.start for each in conversions(text) if each.holds}  # "69,120 B (67.5 KiB)" is one figure
    for begin, end in sentences(text):
        inside = range(bisect_left(starts, begin), bisect_left(starts, end))
        stated = [at for at in inside if found[at].unit and not _in_expression(found, at)]
        if not any(found[at].unit.dimension in (TIMES, SHARE) for at in stated):  # type: ignore[union-attr]
            continue
        figures = [figure for figure in _figures(found, inside) if figure.start not in again]
        sentence = _Sentence(text, begin, end, figures if len(figures) <= MANY else ())
        for at in stated:
            quantity = found[at].quantity
            if quantity is None:
                continue
            if quantity.dimension == TIMES and _compares(text, found, at):
                yield from _factor(sentence, quantity, names)
            elif quantity.dimension == SHARE:
                yield from _share(sentence, quantity)


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    begin: int
    end: int
    figures: Sequence[Quantity]

    def pairs(self) -> list[tuple[Quantity, Quantity]]:
        """Two figures that measure the same, in all ways in which there are two."""
        return [(a, b) for a, b in combinations(self.figures, 2) if a.comparable(b) and 0 < _size(a) != _size(b) > 0]


def _in_expression(found: Sequence[Token], at: int) -> bool:
    """Whether a number is an operand or the result of an equation, which are read elsewhere."""
    before, after = found[at - 1] if at else None, found[at + 1] if at + 1 < len(found) else None
    if before is not None and before.kind is Is.ABOUT and at > 1:
        before = found[at - 2]
    edges = (Is.OPERATOR, Is.RELATION)
    return bool((before and before.kind in edges) or (after and after.kind in edges and after.text != "-"))


def _figures(found: Sequence[Token], inside: range) -> list[Quantity]:
    """The figures that a sentence compares: sizes, and large plain numbers; the operands of expressions are not."""
    figures = []
    for at in inside:
        quantity = found[at].quantity
        if quantity is None or not (quantity.dimension == BYTES or (quantity.unit is None and "," in quantity.text)):
            continue
        after = found[at + 1].kind if at + 1 < len(found) else None
        operand = at > 0 and found[at - 1].kind is Is.OPERATOR
        if after not in (Is.OPERATOR, Is.RELATION) and not operand:
            figures.append(quantity)
    return figures


def _compares(text: str, found: Sequence[Token], at: int) -> bool:
    """Whether "58x" is a comparison and not "8x RTX PRO 6000"."""
    before = text[max(0, found[at].start - 16) : found[at].start].rstrip()
    return bool(_COMPARES.match(text, found[at].end)) or before.endswith(("factor of", "factor"))


def _size(quantity: Quantity) -> Fraction:
    return quantity.value * (quantity.unit.scales[0] if quantity.unit else 1)


def _range(quantity: Quantity) -> Interval:
    return Interval(*quantity.range(quantity.unit.scales[0] if quantity.unit else Fraction(1)))


def _quotients(one: Quantity, other: Quantity) -> Interval:
    """What the larger may be in terms of the smaller; 68.6 KiB stands for all that is written so."""
    larger, smaller = (one, other) if _size(one) > _size(other) else (other, one)
    return Interval(_range(larger).low / _range(smaller).high, _range(larger).high / _range(smaller).low)


# --- factors --------------------------------------------------------------------------------------------------------


def _factor(sentence: _Sentence, stated: Quantity, names: NamedValues) -> Iterator[Statement]:
    pairs = sentence.pairs()
    if not pairs:
        yield from _against_own(sentence, stated, names)
        return
    results = [_quotients(a, b) for a, b in pairs]
    fitting = next((pair for pair, result in zip(pairs, results, strict=True) if _fits(stated, result)), None)
    if fitting:
        yield _true(stated, fitting)
    elif len(pairs) == 1 and results and _means(sentence, stated, *pairs[0], results[0].middle):
        yield _false(stated, results[0].middle, _quotient(*pairs[0]))
    else:
        yield Statement(StatementKind.RATIO, stated.start, stated.end, None, stated=stated)


def _against_own(sentence: _Sentence, stated: Quantity, names: NamedValues) -> Iterator[Statement]:
    """One figure in the sentence: the other one is what the sentence is about."""
    sizes = [figure for figure in sentence.figures if figure.dimension == BYTES]
    if len(sizes) != 1 or not names.figures:
        return
    other = _size(sizes[0])
    results = {
        name: max(other, own) / min(other, own) for name, own in names.figures.items() if own and other and own != other
    }
    if any(_fits(stated, exactly(result)) for result in results.values()):
        yield _true(stated, (sizes[0],), tuple(results))
        return
    close = [name for name, result in results.items() if abs(stated.value / result - 1) <= NEAR]
    if len({results[name] for name in close}) == 1:
        own = names.figures[close[0]]
        why = f"{show(max(own, other))} / {show(min(own, other))}"
        yield _false(stated, results[close[0]], why, (close[0],))
    else:
        yield Statement(StatementKind.RATIO, stated.start, stated.end, None, stated=stated)


def _fits(stated: Quantity, result: Interval) -> bool:
    return Interval(*stated.at(Fraction(1))).meets(result)


def _means(sentence: _Sentence, stated: Quantity, one: Quantity, other: Quantity, result: Fraction) -> bool:
    """Whether the factor can be about these two numbers at all. A factor of two has too many innocent reasons."""
    if any(_fits(stated, exactly(result * twice)) for twice in (Fraction(2), Fraction(1, 2))):
        return False
    if plausible(stated.value, result):
        return True
    between = min(one.start, other.start) < stated.start < max(one.start, other.start)
    return between and not _CLAUSE.search(sentence.text, stated.end, max(one.start, other.start))


def _quotient(one: Quantity, other: Quantity) -> str:
    larger, smaller = (one, other) if _size(one) > _size(other) else (other, one)
    return f"{larger.text.strip()} / {smaller.text.strip()}"


def _true(stated: Quantity, of: tuple[Quantity, ...], names: tuple[str, ...] = ()) -> Statement:
    return Statement(
        StatementKind.RATIO, stated.start, stated.end, True, stated=stated, names=names, sides=(of, (stated,))
    )


def _false(stated: Quantity, result: Fraction, why: str, names: tuple[str, ...] = ()) -> Statement:
    return Statement(StatementKind.RATIO, stated.start, stated.end, False, show(result, stated), why, stated, names)


# --- percentages ----------------------------------------------------------------------------------------------------


def _share(sentence: _Sentence, stated: Quantity) -> Iterator[Statement]:
    """A deviation in per cent of either number, or a bound of one ("agree within 1 %")."""
    before = sentence.text[max(sentence.begin, stated.start - 120) : stated.start]
    bound = bool(_WITHIN.search(before) and _AGREES.search(before))
    deviates = _DEVIATES.search(before[-40:]) or _BEHIND_SHARE.match(sentence.text[stated.end : sentence.end])
    pairs = sentence.pairs()
    if not (bound or deviates) or not pairs:
        return
    percent = scale(stated, {"%": Fraction(1, 100)})
    low, high = stated.at(percent)
    deviations = [(result, pair) for pair in pairs for result in _deviations(*pair)]
    results = [result for result, _ in deviations]
    fits = ((bound or low <= result.high) and result.low <= high for result in results)
    fitting = next((pair for (_, pair), fit in zip(deviations, fits, strict=True) if fit), None)
    if fitting:
        yield _true(stated, fitting)
    elif len(pairs) == 1 and (bound or plausible(stated.value * percent, results[0].middle, Fraction(1))):
        smaller = _LESS.match(sentence.text[stated.end : sentence.end])
        right = results[1 if smaller else 0].middle / percent
        yield _false(stated, right, f"{pairs[0][0].text.strip()} against {pairs[0][1].text.strip()}")
    else:
        yield Statement(StatementKind.RATIO, stated.start, stated.end, None, stated=stated)


def _deviations(one: Quantity, other: Quantity) -> tuple[Interval, Interval]:
    """The difference in terms of the smaller and of the larger number; which one is the base is seldom said."""
    quotient = _quotients(one, other)
    return Interval(quotient.low - 1, quotient.high - 1), Interval(1 - 1 / quotient.low, 1 - 1 / quotient.high)
