"""The numbers of a text that say how much: digits, ranges, number words and factors, with what they count.

A number that is part of a name, a version, a date, an id, a place, code, a heading's number or a list's mark says
nothing of that kind, and is left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from generator.notation.code import CodeGaps, code, comments, fences
from generator.prose.balance.numbers import (
    LETTER,
    SPELLED,
    WORD,
    Number,
    NumberWords,
    plain,
    quantities,
    singular,
    spelled,
)
from generator.prose.balance.tables import Cells
from generator.prose.reading.quantities import COUNT, TIMES, Quantity, Unit
from generator.prose.reading.sentences import sentences
from generator.prose.reading.tokens import Token, TokenKind, tokens, words

NEAR = 80
"""Characters before a number in code that may hold its key."""
MANY = 8
"""Words before and behind a number that may say what it counts."""
_JOINED = re.compile(r"(?P<number>\d[\d,]*(?:\.\d+)?)(?P<measure>[A-Za-zµ]+)")
_MARK = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+)?(?:\d+(?:\.\d+)*[.)](?=[ \t])|#{1,6}[ \t]+\d[\d.]*(?=[ \t]))", re.M)
_SINCE = frozenset(["in", "of", "since", "until", "from", "by", "early", "late"])
_YEAR = re.compile(r"(?:19|20)\d\d")
_STATED = re.compile(r"(?P<key>[A-Za-z_][\w.]*)[\"']?\s*[:=]\s*$")
_OF = re.compile(r"\s+(?:the|as|of|that|what|its|this)\b")
_BETWEEN = re.compile(r"[,\s-]*(?:[/&–]|and|or|to|nor|through)[\s-]*|,\s*")
_BITS = re.compile(r"-?,?\s*(?:or|and|to|/)\s*\d+[\s-]?bits?\b")
_CITATIONS = re.compile(r"[\s(]*(?:\[\[[^\]]*\]\][\s(),.;]*)+")
_LABELS = (("of",), ("is",), ("=",), (":",))
_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")
_STOP = words(
    "the a an of in to is are was were for on by with and or from that which at as has have had not than per it its "
    "they this these those below above under over between end start so but where when while if each every all both "
    "give keep take hold need use make"
)
_JOINS = frozenset({"and", "or", "to", ",", "/", "through", "nor", "&"})


def numbers(spoken: NumberWords, text: str) -> tuple[Number, ...]:
    """All numbers of a text that say how much, in order."""
    return tuple(_Reading(spoken, text).numbers())


class _Reading:
    """One pass over the tokens of one text."""

    def __init__(self, spoken: NumberWords, text: str) -> None:
        self.words, self.text = spoken, text
        self.spans = CodeGaps(code(text))
        self.apart = CodeGaps([*comments(text), *((each.start, each.end) for each in fences(text))])
        self.marks = CodeGaps(match.span() for match in _MARK.finditer(text))
        self.found = tokens(text)
        matches = list(WORD.finditer(text))
        self.places = [match.start() for match in matches]
        self.written = [match[0] for match in matches]
        self.said = [singular(each) if LETTER.match(each) else each for each in self.written]
        self.cells = Cells(text)
        self.scopes = _scopes(text)
        self.starts = [start for start, _ in self.scopes]

    def numbers(self) -> Iterator[Number]:
        """Those that say how much; what a list of places begins with holds for all of it."""
        last: Number | None = None
        role_until = -1
        waiting: list[Number] = []
        for at, token in enumerate(self.found):
            for quantity in self._quantities(token):
                joined = role_until >= 0 and self._joined(role_until, at) and self._bare(quantity)
                key = self._key(quantity)
                if key is None or joined or (not key and self._role(quantity)):
                    role_until = at
                    continue
                role_until = -1
                number = self._number(at, quantity, key)
                if last is not None and self._list(last, number):
                    number = number if _labelled(number, last) else replace(number, before=last.before)
                else:
                    yield from _with_noun_of_last(waiting, self.text)
                    waiting = []
                waiting.append(number)
                last = number
        yield from _with_noun_of_last(waiting, self.text)

    # --- numbers ----------------------------------------------------------------------------------------------------

    def _quantities(self, token: Token) -> Iterator[Quantity]:
        yield from quantities(token)
        if token.kind is TokenKind.NAME and token.text[0].isdigit():
            match = _JOINED.fullmatch(token.text.rstrip("."))
            if match and match["measure"] in self.words.table.get("measures", ()):
                of = Unit(match["measure"], match["measure"])
                yield replace(plain(match["number"], token.start, token.start + len(match[0])), unit=of, text=match[0])
        elif token.kind in (TokenKind.WORD, TokenKind.NAME):
            yield from self._spelled(token)

    def _spelled(self, token: Token) -> Iterator[Quantity]:
        low = token.text.lower()
        if low in self.words.factors and _OF.match(self.text, token.end):
            yield Quantity(self.words.factors[low], Fraction(1), token.text, token.start, token.end, Unit("x", TIMES))
            return
        value = spelled(low)
        if value is not None and value > 1 and self._behind(token.end, len(self.text)):
            yield Quantity(Fraction(value), Fraction(1), token.text, token.start, token.end)

    def _number(self, at: int, quantity: Quantity, key: str) -> Number:
        begin, end = self._scope(quantity.start)
        cell = self.cells.at(quantity.start)
        if cell is not None:
            behind = self._behind(quantity.end, cell.end) or _counted(cell.header, self.words.counted)
            before = (*cell.row, *cell.header, *self._before(quantity.start, cell.start))
            measured = replace(quantity, unit=quantity.unit or cell.unit)
            return Number(measured, before, behind, behind[-1] if behind else "", (begin, end), False, key)
        behind = self._behind(quantity.end, end)
        edges = [self.found[i].kind for i in (at - 1, at + 1) if 0 <= i < len(self.found)]
        operand = TokenKind.OPERATOR in edges or TokenKind.RELATION in edges
        return Number(
            quantity,
            self._before(quantity.start, begin),
            behind,
            behind[-1] if behind else "",
            (begin, end),
            operand,
            key,
        )

    def _before(self, start: int, begin: int) -> tuple[str, ...]:
        """The words before a number, as far as its sentence goes."""
        at = bisect_left(self.places, start)
        first = bisect_left(self.places, begin, max(0, at - MANY), at)
        return tuple(self.said[first:at])

    def _behind(self, start: int, end: int) -> tuple[str, ...]:
        """The words from a number to the noun that it counts; none where it counts nothing."""
        found: list[str] = []
        counted = self.words.counted
        at = bisect_left(self.places, start)
        for number in range(at, min(at + MANY, len(self.said))):
            word = self.said[number]
            if word == "-" and not found:
                continue
            if self.places[number] >= end or not LETTER.match(word) or word in _STOP or word in SPELLED:
                break
            if found and found[-1] in counted and word not in counted:
                break
            found.append(word)
            if word in ("bit", "byte"):
                break
        while found and found[-1] not in self.words.counted:
            found.pop()
        return tuple(found)

    def _scope(self, at: int) -> tuple[int, int]:
        number = bisect_right(self.starts, at) - 1
        return self.scopes[number] if number >= 0 else (0, len(self.text))

    # --- roles ------------------------------------------------------------------------------------------------------

    def _key(self, quantity: Quantity) -> str | None:
        """The config key to which code gives a number; empty outside code, None where code says something else."""
        if self.apart.hold(quantity.start):
            return None
        if not self.spans.hold(quantity.start):
            return ""
        stated = _STATED.search(self.text, max(0, quantity.start - NEAR), quantity.start)
        return stated["key"] if stated else None

    def _role(self, quantity: Quantity) -> bool:
        """Whether a number is part of a name, a date, a type or a place, or a mark."""
        spoken, text = self.words, self.text
        if self.marks.hold(quantity.start):
            return True
        at = bisect_left(self.places, quantity.start) - 1
        between = text[self.places[at] + len(self.written[at]) : quantity.start] if at >= 0 else "."
        last = self.written[at] if at >= 0 and not between.strip() else ""
        behind = self._behind(quantity.end, len(text))
        if quantity.unit is None and not behind:
            if last in spoken.names or (last, quantity.text) in spoken.named or self._dates(last, quantity.end):
                return True
            if _YEAR.fullmatch(quantity.text) and last.lower() in _SINCE:
                return True
        if quantity.unit is not None and quantity.unit.symbol == "~B" and last[:1].isupper() and not behind:
            return True  # the size in a model's name: Mistral 7B
        if last.lower() in spoken.positions and quantity.unit is None and (last.lower() != "head" or not behind):
            return True
        if quantity.unit is None and _BITS.match(text, quantity.end):
            behind = ("bit",)
        bits = quantity.dimension == "bits" or (quantity.dimension == COUNT and behind == ("bit",))
        return bits and quantity.value in spoken.table.get("widths", ())

    def _dates(self, before: str, end: int) -> bool:
        months = self.words.table.get("months", ())
        return before in months or self.text[end : end + 12].strip().split(" ")[0].rstrip(".,;") in months

    def _joined(self, first: int, at: int) -> bool:
        """Whether nothing but "and", "or", "to" and commas stands between two tokens."""
        between = self.found[first + 1 : at]
        return len(between) <= 3 and all(each.text.lower() in _JOINS for each in between)

    def _bare(self, quantity: Quantity) -> bool:
        return quantity.unit is None and not self._behind(quantity.end, len(self.text))

    def _list(self, one: Number, two: Number) -> bool:
        """Whether two numbers are of one list: "16 or 128 heads"."""
        between = self.text[one.quantity.end : two.start]
        return (
            one.scope == two.scope
            and len(between) <= 12
            and bool(re.fullmatch(r"\s*(?:[,/&–-]|and|or|to|nor|\s)*-?\s*", between))
        )


def _counted(header: tuple[str, ...], counted: frozenset[str]) -> tuple[str, ...]:
    """The words of a column's header, if they end in what numbers count."""
    return header if header and header[-1] in counted else ()


def _labelled(number: Number, last: Number) -> bool:
    """Whether a number of a list counts something of its own behind it, and the one before it does, too."""
    return bool(number.noun and last.noun)


def _with_noun_of_last(listed: Sequence[Number], text: str) -> Iterator[Number]:
    """The numbers of a list count what the last of them counts, where they name nothing themselves.

    A comma alone makes no list: "hidden size 4096, 43 layers".
    """
    last = listed[-1] if listed else None
    closed = len(listed) > 1 and text[listed[-2].quantity.end : listed[-1].start].strip() != ","
    for number in listed:
        labelled = number.before[-1:] in _LABELS
        if last is not None and closed and not labelled and not number.noun and number.quantity.unit is None:
            of = last.quantity.unit
            yield replace(number, behind=last.behind, noun=last.noun, quantity=replace(number.quantity, unit=of))
        else:
            yield number


def _scopes(text: str) -> list[tuple[int, int]]:
    """Sentences with the citations that stand behind them; a bullet as a whole."""
    found: list[tuple[int, int]] = []
    bullet = False
    for begin, end in sentences(text):
        written = text[begin:end]
        blanks = written[: len(written) - len(written.lstrip())]
        fresh = not found or text[begin - 1] == "\n" or blanks.count("\n") > 1
        if fresh:
            bullet = bool(_BULLET.match(written.lstrip("\n")))
        goes_on = (bullet and not fresh) or written.lstrip().startswith(("[[", "([["))
        if found and goes_on and (bullet or _CITATIONS.fullmatch(written)):
            found[-1] = (found[-1][0], end)
        else:
            found.append((begin, end))
    return found
