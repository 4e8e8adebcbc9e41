"""Why an equation that does not hold may be right all the same: units that are not read, a factor written elsewhere.

A right statement that is called wrong costs more than ten that are missed, so each of these is enough for silence.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction

from generator.prose.arithmetic.intervals import NotCheckable, evaluate
from generator.prose.reading.quantities import BYTES, plausible
from generator.prose.reading.tokens import Token, TokenKind
from generator.prose.statements import NOTHING, Statement

_MEASURE = re.compile(
    r"""(?<=[\d)])\s?(?:
        [numµkKMGTPE]?(?:s|W|Wh|J|Hz|FLOPS?|FLOPs|OPS|bps|bit/s)
      | bpw | h | min | (?:mins?|sec|hour|day|week|month|year|minute|second|(?:milli|micro|nano)second)s?
      | (?![KMGTP]?i?B/)[A-Za-z][\w-]{0,40}(?:\s[\w-]{1,40})?(?:/s|\sper\ssecond)
    )(?!\w)""",
    re.X,
)
"""Times, rates, powers: what one of them is worth in another is not read."""
_SENTENCE_ENDS = (".", ";", ":")
REACH = 24
"""Tokens before an expression that are searched for a factor of it."""


def may_be_right(text: str, found: Sequence[Token], sides: Sequence[Sequence[Token]], statement: Statement) -> bool:
    """Whether a false equation says something that its reader cannot see."""
    written = [token for side in sides for token in side]
    begin, end = min(token.start for token in written), max(token.end for token in written)
    word = re.compile(r"\s?[\w/-]{0,40}(?:\s[\w/-]{1,40})?(?:\sper\ssecond)?").match(text, end)
    if _MEASURE.search(text, begin, word.end() if word else end):
        return True
    per = {token.unit.per for token in written if token.unit and token.unit.dimension == BYTES}
    if ("s",) in per and len(per) > 1:
        return True
    return _multiplied(found, begin, statement)


def _multiplied(found: Sequence[Token], begin: int, statement: Statement) -> bool:
    """Whether a number before the expression multiplies it: "60 layers at 576 x 2 bytes = 69,120 bytes"."""
    stated = statement.stated
    if stated is None or not stated.value:
        return False
    right = Fraction(statement.right.replace(",", ""))
    return any(abs(right * factor / stated.value - 1) <= Fraction(1, 4) for factor in _before(found, begin))


def _before(found: Sequence[Token], begin: int) -> Iterator[Fraction]:
    """The whole numbers before an expression, in its sentence."""
    at = bisect_left([token.start for token in found], begin)
    for token in reversed(found[max(0, at - REACH) : at]):
        if token.kind in (TokenKind.BREAK, TokenKind.RELATION) or token.text in _SENTENCE_ENDS:
            return
        if token.quantity is not None and token.quantity.value > 1:
            yield token.quantity.value


def by_a_width(before: Sequence[Token], statement: Statement) -> bool:
    """Whether a chain makes a size of a count, by a width that it does not name: "35,136 elements = 70,272 bytes"."""
    stated = statement.stated
    if not before or any(token.unit for token in before) or stated is None or stated.dimension != BYTES:
        return False
    right = Fraction(statement.right.replace(",", ""))
    return bool(right) and stated.value / right in (Fraction(1, 2), 2, 4, 8)


def commensurable(base: Sequence[Token], statement: Statement) -> bool:
    """Whether an expression without units can be meant to give a size: "32 × 3 = 96 doubles = 0.75 KiB" does not."""
    stated = statement.stated
    if stated is None or stated.unit is None or max(stated.unit.scales) == 1 or any(token.unit for token in base):
        return True
    size, middle = stated.value * stated.unit.scales[0], _middle(base)
    return plausible(size, middle, Fraction(3, 20)) or (_has_width(base) and size in (2 * middle, middle / 2))


def _has_width(base: Sequence[Token]) -> bool:
    """Whether two factors of a product can be the pair of key and value, and the bytes of an element."""
    widths = [token for token in base if token.quantity and token.quantity.value in (1, 2, 4)]
    return len(widths) > 1 and all(token.text == "*" for token in base if token.kind is TokenKind.OPERATOR)


def _middle(base: Sequence[Token]) -> Fraction:
    try:
        return evaluate(base, NOTHING, {}).middle
    except NotCheckable:
        return Fraction(0)
