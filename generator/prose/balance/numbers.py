"""A number of a text with the words beside it, and the words that numbers are read by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from generator.prose.reading.quantities import Quantity, unit
from generator.prose.reading.tokens import Token, TokenKind

_RANGE = re.compile(r"(?P<one>\d[\d,.]*)[-–](?P<two>\d[\d,.]*)(?P<unit>[A-Za-z%×]*)")
LETTER = re.compile(r"[A-Za-z_]")
WORD = re.compile(r"[A-Za-z_](?:[\w.]*\w)?|\d[\w.,]*(?<![.,])|[^\s`*\"'“”]")
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
SPELLED = {word: number for number, word in enumerate(_ONES.split())}
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
SPELLED |= {word: 10 * at for at, word in enumerate(_TENS.split(), 2)}


def singular(word: str) -> str:
    """A word in lower case without its plural ending.

    >>> [singular(word) for word in ("Layers", "entries", "bias", "indices")]
    ['layer', 'entry', 'bias', 'index']
    """
    low = word.lower()
    if low in ("indices", "indexes"):
        return "index"
    if low.endswith("ies") and len(low) > 4:
        return low[:-3] + "y"
    return low[:-1] if low.endswith("s") and len(low) > 3 and low[-2] not in "sui" else low


def words_of(text: str) -> list[str]:
    """The words and signs of a text, words in the singular."""
    return [singular(each) if LETTER.match(each) else each for each in WORD.findall(text)]


@dataclass(frozen=True, slots=True)
class Number:
    """A number, the words right before and behind it, the noun that it counts, and where its statement stands.

    `key` is the config key that code gives it to.
    """

    quantity: Quantity
    before: tuple[str, ...]
    behind: tuple[str, ...]
    noun: str
    scope: tuple[int, int]
    operand: bool = False
    key: str = ""

    @property
    def start(self) -> int:
        """Where it begins."""
        return self.quantity.start


@dataclass(frozen=True)
class NumberWords:
    """The table ``schema/numbers.yaml``, and the names on record that end in a number."""

    table: Mapping[str, Any]
    named: frozenset[tuple[str, str]] = frozenset()

    @cached_property
    def counted(self) -> frozenset[str]:
        """What numbers count, in the singular."""
        return frozenset(singular(word) for word in self.table.get("counted", ()))

    @cached_property
    def names(self) -> frozenset[str]:
        """Words that make a number behind them a part of a name."""
        return frozenset(self.table.get("names", ()))

    @cached_property
    def positions(self) -> frozenset[str]:
        """Words that make a number behind them a place."""
        return frozenset(self.table.get("positions", ()))

    @cached_property
    def factors(self) -> Mapping[str, Fraction]:
        """Words that are factors."""
        return {word: Fraction(str(value)) for word, value in self.table.get("factors", {}).items()}

    @cached_property
    def constants(self) -> frozenset[Fraction]:
        """What an operand may be without an entry."""
        return frozenset(Fraction(each) for each in self.table.get("constants", ()))


def quantities(token: Token) -> Iterator[Quantity]:
    """The numbers in digits that a token holds: one, or the two ends of a range."""
    if token.quantity is not None:
        yield token.quantity
    elif token.kind is TokenKind.PLURAL:
        yield plain(token.text[:-1], token.start, token.end)
    elif token.kind is TokenKind.OTHER and (match := _RANGE.fullmatch(token.text)):
        of = unit(match["unit"]) if match["unit"] else None
        for name in ("one", "two"):
            if number := match[name].rstrip(".,"):
                yield replace(plain(number, token.start + match.start(name), token.start + match.end(name)), unit=of)


def plain(digits: str, start: int, end: int) -> Quantity:
    plain = digits.replace(",", "").rstrip(".")
    if plain.count(".") > 1 or len(plain) > 40:
        plain = plain.split(".")[0][:40]
    step = Fraction(1, 10 ** len(plain.partition(".")[2]))
    return Quantity(Fraction(plain), step, digits, start, end)


def spelled(word: str) -> int | None:
    """The value of a number word, "forty-three" included."""
    ten, _, one = word.partition("-")
    if not one:
        return SPELLED.get(word)
    big, small = SPELLED.get(ten), SPELLED.get(one)
    return big + small if big and small and big >= 20 and small < 10 else None
