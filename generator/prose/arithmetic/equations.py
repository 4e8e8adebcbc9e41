"""Statements with an equals sign: products, sums and quotients with their value, and chains of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from generator.prose.arithmetic.conversions import convert
from generator.prose.arithmetic.innocence import by_a_width, commensurable, may_be_right
from generator.prose.arithmetic.intervals import Interval, NotCheckable, evaluate
from generator.prose.arithmetic.sides import left_of, noise, right_of, variants
from generator.prose.reading.quantities import TIMES, Choice, Quantity, choices, plausible, scale, show
from generator.prose.reading.tokens import Token, TokenKind, tokens
from generator.prose.statements import NOTHING, NamedValues, Statement
from generator.prose.statements import StatementKind as Says

Side = list[Token]


def equations(text: str, names: NamedValues = NOTHING) -> Iterator[Statement]:
    """All equations of a text, one statement for each chain ``a = b = c``."""
    found = tokens(text)
    skip, behind = noise(found), 0
    for at, token in enumerate(found):
        if at < behind or token.kind not in (TokenKind.RELATION, TokenKind.VERB):
            continue
        if token.kind is TokenKind.VERB:
            yield from _spoken(found, at, skip, names)
            continue
        sides, behind = _chain(found, at, skip)
        statement = _judge(sides, names)
        if statement is not None:
            innocent = statement.holds is False and may_be_right(text, found, sides, statement)
            yield replace(statement, holds=None if innocent else statement.holds, sides=_numbers(sides))


def _chain(found: tuple[Token, ...], at: int, skip: frozenset[int]) -> tuple[list[Side], int]:
    sides = [_without_name(left_of(found, at, skip), found[at - 1])] if at else [[]]
    while at < len(found) and found[at].kind is TokenKind.RELATION:
        side, at = right_of(found, at, skip)
        sides.append(side)
    return sides, at


def _without_name(side: Side, last: Token) -> Side:
    """A side without a model's name: the 27B of "the 27B KV cache = 2 × 46 × ..." is none of its numbers."""
    named = _is_number(side) and last is not side[0] and side[0].unit is not None and side[0].unit.symbol == "~B"
    return [] if named else side


def _spoken(found: tuple[Token, ...], at: int, skip: frozenset[int], names: NamedValues) -> Iterator[Statement]:
    """``60 x 576 is 34,560``: a verb is an equals sign only where the numbers could be meant so."""
    left, (right, _) = left_of(found, at, skip), right_of(found, at, skip)
    if len(right) != 1 or not _is_number(right) or not any(token.text in ("*", "+") for token in left):
        return
    statement = _judge([left, right], names)
    if statement is None or statement.holds is None:
        return
    stated = right[0].quantity
    value = _value(left, names, {}) if not statement.holds else None
    if stated and (value is None or plausible(stated.value, value.middle)):
        yield replace(statement, sides=_numbers([left, right]))


def _numbers(sides: list[Side]) -> tuple[tuple[Quantity, ...], ...]:
    return tuple(tuple(token.quantity for token in side if token.quantity is not None) for side in sides)


# --- one chain ------------------------------------------------------------------------------------------------------


def _judge(sides: list[Side], names: NamedValues) -> Statement | None:
    """The first side that does not equal the expression of the chain; the last one where all do."""
    base = next((side for side in sides if _operators(side) and _evaluable(side, names)), None)
    if base is None:
        symbolic = next((side for side in sides if _operators(side)), None)
        if symbolic and any(_is_number(side) for side in sides):
            return Statement(Says.ARITHMETIC, symbolic[0].start, symbolic[-1].end, None)
        return _conversion(sides)
    others = [side for side in sides if side is not base and side and _evaluable(side, names)]
    if not others:
        return None
    first = sides[0] is base
    for at, side in enumerate(others):
        before = others[at - 1] if at else []
        goes_on = _operators(before) and _equal(before, side, names, True) is not None
        if not goes_on and _equal(base, side, names, first) is None:
            statement = _false(base, side, names)
            known = not _operators(before) and not by_a_width(before, statement) and commensurable(base, statement)
            return statement if known else replace(statement, holds=None)
    last = others[-1]
    return Statement(
        Says.ARITHMETIC, last[0].start, last[-1].end, True, stated=last[0].quantity, names=_used(base, names)
    )


def _operators(side: Side) -> bool:
    return any(token.kind is TokenKind.OPERATOR for token in side[1:])


def _is_number(side: Side) -> bool:
    return len(side) == 1 and side[0].kind is TokenKind.NUMBER


def _evaluable(side: Side, names: NamedValues) -> bool:
    return bool(side) and _value(side, names, {}) is not None


def _value(side: Side, names: NamedValues, choice: Choice) -> Interval | None:
    try:
        return evaluate(side, names, choice)
    except NotCheckable:
        return None


def _used(side: Side, names: NamedValues) -> tuple[str, ...]:
    return tuple(dict.fromkeys(token.text for token in side if token.text in names.values))


@dataclass(frozen=True, slots=True)
class _Pair:
    base: Side
    side: Side

    def choices(self) -> Iterator[Choice]:
        return choices(token.unit for token in (*self.base, *self.side))


def _equal(base: Side, side: Side, names: NamedValues, base_first: bool) -> Choice | None:
    """A reading under which both sides are one value, if there is one."""
    for choice in _Pair(base, side).choices():
        for left in variants(base, base_first):
            value = _value(left, names, choice)
            for right in variants(side, not base_first):
                stated = _stated(right, names, choice)
                if value is not None and stated is not None and _same(value, stated, right):
                    return choice
    return None


def _same(value: Interval, stated: Interval, side: Side) -> bool:
    """Whether two values are one; "8 / 64 = 8x" names a factor by the larger number."""
    if value.meets(stated):
        return True
    factor = side[0].unit is not None and side[0].unit.dimension == TIMES
    return factor and value.low > 0 and Interval(1 / value.high, 1 / value.low).meets(stated)


def _stated(side: Side, names: NamedValues, choice: Choice) -> Interval | None:
    """What a side may be: a single figure has been rounded, an expression has not."""
    quantity = side[0].quantity if _is_number(side) else None
    return Interval(*quantity.at(scale(quantity, choice))) if quantity else _value(side, names, choice)


def _false(base: Side, side: Side, names: NamedValues) -> Statement:
    if side[0].unit is not None:
        side = side[:1]  # "= 25.6 MB per layer × 28 layers = ..." states 25.6 MB
    choice = next(_Pair(base, side).choices())
    value = _value(base, names, choice)
    assert value is not None
    stated = side[0].quantity if _is_number(side) else None
    right = value.middle / scale(stated, choice) if stated else value.middle
    return Statement(
        Says.ARITHMETIC,
        side[0].start,
        side[-1].end,
        False,
        show(right, stated),
        _written(base),
        stated,
        _used(base, names),
    )


def _written(side: Side) -> str:
    text = ""
    for token in side:
        glue = "" if not text or text.endswith("(") or token.text in (")", ",") else " "
        text += glue + {"*": "×", "-": "−"}.get(token.text, token.text.strip())
    return text


def _conversion(sides: list[Side]) -> Statement | None:
    """``69,120 B = 67.5 KiB``: two sizes with an equals sign between them."""
    figures = [side[0].quantity for side in sides if _is_number(side)]
    if len(figures) < 2 or figures[0] is None or figures[1] is None:
        return None
    statement = convert(figures[0], figures[1])
    if statement is None or statement.holds or plausible(_bytes(figures[1]), _bytes(figures[0])):
        return statement
    return replace(statement, holds=None)  # "10 sequences at 128 KiB = 40 GiB" converts nothing


def _bytes(quantity: Quantity) -> Fraction:
    return quantity.value * (quantity.unit.scales[0] if quantity.unit else 1)
