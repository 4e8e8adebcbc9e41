"""Token slices to exact values. An operand that may itself have been rounded counts as all that it may be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from generator.prose.reading.quantities import Choice, scale
from generator.prose.reading.tokens import Token, TokenKind
from generator.prose.statements import NamedValues

MAX_POWER = 64
LONGEST = 64
"""Tokens of the longest expression that is read."""
LARGEST = Fraction(10**40)


class NotCheckable(Exception):
    """The slice is no expression of numbers."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Everything that a value may be; both ends are the same where it is exact."""

    low: Fraction
    high: Fraction

    @property
    def middle(self) -> Fraction:
        """The value as it reads."""
        return (self.low + self.high) / 2

    def meets(self, other: Interval) -> bool:
        """Whether both may be one value."""
        return self.low <= other.high and other.low <= self.high


def exactly(value: Fraction | int) -> Interval:
    """A value without doubt."""
    return Interval(Fraction(value), Fraction(value))


def _hull(*values: Fraction) -> Interval:
    return Interval(min(values), max(values))


def _combine(symbol: str, a: Interval, b: Interval) -> Interval:
    if symbol == "+":
        return Interval(a.low + b.low, a.high + b.high)
    if symbol in ("-", "−"):
        return Interval(a.low - b.high, a.high - b.low)
    if symbol == "*":
        return _hull(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
    if b.low <= 0 <= b.high:
        raise NotCheckable("division by zero")
    quotients = (a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high)
    return _hull(*(Fraction(math.floor(each)) for each in quotients)) if symbol == "//" else _hull(*quotients)


def _power(a: Interval, b: Interval) -> Interval:
    if b.low != b.high or b.low.denominator != 1 or abs(b.low) > MAX_POWER or a.low <= 0 or a.high > 10**6:
        raise NotCheckable("a power that is not read")
    return _sane(_hull(a.low ** int(b.low), a.high ** int(b.low)))


def _sane(value: Interval) -> Interval:
    if max(abs(value.low), abs(value.high)) > LARGEST:
        raise NotCheckable("too large a number")
    return value


def evaluate(slice_: Sequence[Token], names: NamedValues, choice: Choice) -> Interval:
    """The value of an expression when its units are worth what `choice` says. Raises `NotCheckable`."""
    if len(slice_) > LONGEST:
        raise NotCheckable("too long to be an expression")
    parser = _Parser(slice_, names, choice)
    value = parser.sum()
    if parser.at != len(slice_):
        raise NotCheckable(f"`{slice_[parser.at].text}` is not understood here")
    return value


@dataclass
class _Parser:
    slice: Sequence[Token]
    names: NamedValues
    choice: Choice
    at: int = 0

    def _next(self, *symbols: str) -> str | None:
        if self.at < len(self.slice) and self.slice[self.at].text in symbols:
            self.at += 1
            return self.slice[self.at - 1].text
        return None

    def sum(self) -> Interval:
        value = self.product()
        while symbol := self._next("+", "-", "−"):
            value = _combine(symbol, value, self.product())
        return value

    def product(self) -> Interval:
        value = self.power()
        while symbol := self._next("*", "/", "//"):
            value = _sane(_combine(symbol, value, self.power()))
        return value

    def power(self) -> Interval:
        value = self.operand()
        return _power(value, self.power()) if self._next("^") else value

    def operand(self) -> Interval:
        if self._next("-", "−"):
            return _combine("-", exactly(0), self.operand())
        if self._next("+"):
            return self.operand()
        if self.at >= len(self.slice):
            raise NotCheckable("an operand is missing")
        token = self.slice[self.at]
        self.at += 1
        if token.kind is TokenKind.NUMBER and token.quantity:
            quantity, worth = token.quantity, scale(token.quantity, self.choice)
            return Interval(*quantity.range(worth))
        if token.kind is TokenKind.OPEN:
            return self._behind(self._closed(self.sum()))
        if token.text in FUNCTIONS and self._next("("):
            return self._call(token.text)
        if token.text in self.names.values:
            return exactly(self.names.values[token.text])
        raise NotCheckable(f"`{token.text}` is no number")

    def _closed(self, value: Interval) -> Interval:
        if not self._next(")"):
            raise NotCheckable("a bracket is not closed")
        return value

    def _behind(self, value: Interval) -> Interval:
        if self.at < len(self.slice) and self.slice[self.at].kind is TokenKind.UNIT:
            unit = self.slice[self.at].unit
            self.at += 1
            return _combine("*", value, exactly(self.choice.get(unit.symbol, Fraction(1)) if unit else 1))
        return value

    def _call(self, name: str) -> Interval:
        arguments = [self.sum()]
        while self._next(","):
            arguments.append(self.sum())
        self._closed(arguments[0])
        if name in ("floor", "ceil"):
            rounded = math.floor if name == "floor" else math.ceil
            return Interval(Fraction(rounded(arguments[0].low)), Fraction(rounded(arguments[0].high)))
        pick = min if name == "min" else max
        return Interval(pick(each.low for each in arguments), pick(each.high for each in arguments))


FUNCTIONS = frozenset(("floor", "ceil", "min", "max"))
