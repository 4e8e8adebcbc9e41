"""Numbers as prose states them: how precisely, in which unit, and what that unit may be worth.

Usage is divided over some units: KB is 1,000 bytes or 1,024, the B of 284B is a billion or a byte. Such a unit has
several scales, and a statement is false only if none of them makes it true.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

from generator.notation.units import POWERS, grouped

BYTES, SHARE, TIMES, COUNT = "bytes", "share", "times", "count"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as written: what it measures, what one of it may be worth, and per what it counts."""

    symbol: str
    dimension: str
    scales: tuple[Fraction, ...] = (Fraction(1),)
    per: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text, from character `start` to `end`. `step` is the value of one in its last printed digit."""

    value: Fraction
    step: Fraction
    text: str
    start: int
    end: int
    unit: Unit | None = None
    about: bool = False

    @property
    def margin(self) -> Fraction:
        """How far the exact value may lie from what is written: half a unit in the last digit; "about" allows one more.

        The zeros at the end of a number that is called approximate are no digits, but two digits always are.
        """
        if not self.about:
            return self.step / 2
        step = self.step
        while step >= 1 and self.value % (step * 10) == 0 and self.value >= step * 100:
            step *= 10
        return step * Fraction(3, 2)

    @property
    def exact(self) -> bool:
        """Whether it is an input to count with, not a figure that may itself have been rounded: 6.72 GiB may."""
        scaled = self.unit is not None and (self.unit.dimension == SHARE or max(self.unit.scales) > 1)
        return not self.about and (self.step >= 1 or not scaled)

    def at(self, scale: Fraction) -> tuple[Fraction, Fraction]:
        """The lowest and the highest value that is written so, when one unit is worth `scale`."""
        return (self.value - self.margin) * scale, (self.value + self.margin) * scale

    def range(self, scale: Fraction) -> tuple[Fraction, Fraction]:
        """What it may be as an input: one value, or all that is written so."""
        return self.at(scale) if not self.exact else (self.value * scale, self.value * scale)

    @property
    def dimension(self) -> str:
        """What it measures; plain numbers count."""
        return self.unit.dimension if self.unit else COUNT

    def comparable(self, other: Quantity) -> bool:
        """Whether both measure the same, per the same things as far as they say so."""
        mine, theirs = self.unit.per if self.unit else (), other.unit.per if other.unit else ()
        return self.dimension == other.dimension and (mine == theirs or not mine or not theirs)


Choice = dict[str, Fraction]
"""What each unit of a statement is taken to be worth, by its symbol."""


def choices(units: Iterable[Unit | None], raw: bool = True) -> Iterator[Choice]:
    """All readings of a statement's units, the likeliest first; `raw` adds the one that leaves them out of account."""
    named = {unit.symbol: unit for unit in units if unit is not None}
    yield from islice(
        (dict(zip(named, scales, strict=True)) for scales in product(*(u.scales for u in named.values()))), 16
    )
    if raw and named:
        yield dict.fromkeys(named, Fraction(1))


def scale(quantity: Quantity, choice: Choice) -> Fraction:
    """What one unit of a quantity is worth under a reading."""
    return choice.get(quantity.unit.symbol, Fraction(1)) if quantity.unit else Fraction(1)


def show(value: Fraction, like: Quantity | None = None) -> str:
    """A right value as text: exact where that is short, else with as many digits as the stated figure, or a few more.

    >>> show(Fraction(69120)), show(Fraction(3932160, 69120)), show(Fraction(15401, 4))
    ('69,120', '56.9', '3,850.25')
    """
    exact = grouped(value)
    if "/" not in exact and len(exact.partition(".")[2]) <= 2:
        return exact
    printed = len(grouped(like.step).partition(".")[2]) if like and like.step < 1 else 0
    whole = len(str(abs(int(value)))) if abs(value) >= 1 else 0
    digits = max(printed, 1, 3 - whole)
    while value and abs(value) * 10**digits < 10 and digits < 12:
        digits += 1
    rounded = round(value * 10**digits)
    return (
        grouped(Fraction(rounded, 10**digits))
        if rounded % 10 or digits == printed
        else f"{rounded / 10**digits:,.{digits}f}"
    )


def plausible(stated: Fraction, right: Fraction, share: Fraction = Fraction(1, 4)) -> bool:
    """Whether a false figure can be a slip at all: near the right one, or off by a power of ten or of 1,024.

    In the looser forms of speech two numbers may have nothing to do with each other; then they are far apart.
    """
    if stated <= 0 or right <= 0:
        return False
    factors = (1, 10, 100, 1000, 1024)
    return any(
        abs(stated * factor / right - 1) <= share or abs(right * factor / stated - 1) <= share for factor in factors
    )


# --- units as written -----------------------------------------------------------------------------------------------

_MAGNITUDES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_PER = r"(?:/[a-z]+|\s+(?:per|a)\s+(?:token|layer|entry|row|head|sequence)(?:\s+and\s+(?:per\s+)?(?:layer|token))?)"
UNIT = rf"""
    \s?(?:[KMGTP]i?B|kB|bytes?|bits?)\b(?:{_PER})*
  | \s B\b(?![-'’])(?:{_PER})*
  | B\b(?![-'’])(?:{_PER})*
  | \s?%(?![\w%(])
  | [x×](?![\w.(×]|\s*[\d(])
  | \s times\b(?!\s+[\d(]) | -?fold\b
  | \s (?:thousand|million|billion|trillion)\b
  | [KkMT]\b(?![-'’])
"""
_WORD = re.compile(r"[A-Za-z]+|%|×")


def unit(text: str) -> Unit | None:
    """The unit that a piece of text writes behind a number."""
    if not text:
        return None
    word, *per = [found for found in _WORD.findall(text) if found not in ("per", "and", "each", "a")]
    if word == "%":
        return Unit("%", SHARE, (Fraction(1, 100),))
    if word in ("x", "×", "times", "fold"):
        return Unit("x", TIMES)
    if word in _MAGNITUDES:
        return Unit(word, COUNT, (Fraction(10 ** _MAGNITUDES[word]),))
    if word in ("K", "k", "M", "T"):
        power = POWERS[word.upper()]
        return Unit(word, COUNT, (Fraction(1000**power), Fraction(1024**power)))
    return _byte_unit(word, text, tuple(per))


def _byte_unit(word: str, text: str, per: tuple[str, ...]) -> Unit:
    if word.startswith("bit"):
        return Unit("bit", "bits", (Fraction(1, 8),), per)
    if word == "B" and not text[0].isspace() and not per:  # 284B: parameters, rather than bytes
        return Unit("~B", "billion or bytes", (Fraction(10**9), Fraction(1)), per)
    if word == "B" or word.startswith("byte"):
        return Unit("B", BYTES, (Fraction(1),), per)
    power = POWERS[word[0].upper()]
    if "i" in word:
        return Unit(word, BYTES, (Fraction(1024**power),), per)
    return Unit(word, BYTES, (Fraction(1000**power), Fraction(1024**power)), per)
