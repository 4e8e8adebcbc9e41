"""One size in two units side by side: ``69,120 B (67.5 KiB)``, ``69,120 B, or 67.5 KiB``."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from generator.prose.arithmetic.intervals import Interval
from generator.prose.reading.quantities import Quantity, choices, plausible, scale, show
from generator.prose.reading.tokens import Token, TokenKind, tokens
from generator.prose.statements import NOTHING, NamedValues, Statement
from generator.prose.statements import StatementKind as Says

_OR = frozenset(("or", "that", "is", "i.e", "alias"))
APART = Fraction(1, 10)
"""Sizes with nothing but a comma between them are one size only if they are this near to each other."""


def conversions(text: str, names: NamedValues = NOTHING) -> Iterator[Statement]:
    """All conversions that no equals sign makes; names play no part in them."""
    found = tokens(text)
    for at, token in enumerate(found):
        if token.quantity is None or token.quantity.dimension != "bytes":
            continue
        other, sure = _beside(found, at + 1)
        statement = convert(token.quantity, other) if other else None
        if other is None or statement is None:
            continue
        near = plausible(_bytes(other), _bytes(token.quantity)) if sure else _near(token.quantity, other)
        if statement.holds or near:
            yield statement


def _beside(found: tuple[Token, ...], at: int) -> tuple[Quantity | None, bool]:
    """The size that is set beside another one, and whether the form says that it is the same size."""
    opened = _is(found, at, "(")
    comma = _is(found, at, ",")
    at += opened or comma
    said = False
    while _leads(found, at):
        said = said or found[at].text.lower() in _OR
        at += 1
    if at >= len(found) or found[at].quantity is None or not (opened or comma or said):
        return None, False
    if opened and not _is(found, at + 1, ")") and not _is(found, at + 1, ",") and not _is(found, at + 1, ";"):
        return None, False
    return found[at].quantity, opened or said


def _leads(found: tuple[Token, ...], at: int) -> bool:
    """Whether a token introduces the other size: "or", "that is", "about", "="."""
    if at >= len(found):
        return False
    return found[at].kind is TokenKind.ABOUT or found[at].text.lower() in _OR or found[at].text in (".", ",", "=", "≈")


def _is(found: tuple[Token, ...], at: int, text: str) -> bool:
    return at < len(found) and found[at].text == text


def _bytes(quantity: Quantity) -> Fraction:
    return quantity.value * (quantity.unit.scales[0] if quantity.unit else 1)


def _near(one: Quantity, other: Quantity) -> bool:
    return bool(_bytes(other)) and abs(_bytes(one) / _bytes(other) - 1) <= APART


def convert(one: Quantity, other: Quantity) -> Statement | None:
    """Whether two sizes in different units are one size. The less precise is judged by the more precise one."""
    if one.unit is None or other.unit is None or one.unit.symbol == other.unit.symbol:
        return None
    if one.dimension != "bytes" or not one.comparable(other):
        return None
    rounded, base = (one, other) if _coarseness(one) > _coarseness(other) else (other, one)
    sides = ((one,), (other,))
    for choice in choices((one.unit, other.unit), raw=False):
        if Interval(*one.at(scale(one, choice))).meets(Interval(*other.at(scale(other, choice)))):
            return Statement(Says.CONVERSION, rounded.start, rounded.end, True, stated=rounded, sides=sides)
    choice = next(choices((one.unit, other.unit), raw=False))
    right = base.value * scale(base, choice) / scale(rounded, choice)
    why = f"{base.text.strip()} in {rounded.unit.symbol if rounded.unit else 'B'}"
    return Statement(
        Says.CONVERSION, rounded.start, rounded.end, False, show(right, rounded), why, rounded, sides=sides
    )


def _coarseness(quantity: Quantity) -> Fraction:
    return quantity.margin / quantity.value if quantity.value else Fraction(0)
