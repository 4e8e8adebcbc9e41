"""Values as they were typed, and the place of every key and value in their text.

Spans are ``(line, column, end_line, end_column)``, counted from 0 as the parser does; a `Location` counts from 1.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from generator.findings import Fault, Location

Span = tuple[int, int, int, int]
START: Span = (0, 0, 0, 0)


class Mapping(dict[str, Any]):
    """A mapping as typed, with the span of each key and of each value."""

    __slots__ = ("key_spans", "spans")

    def __init__(self) -> None:
        super().__init__()
        self.key_spans: dict[str, Span] = {}
        self.spans: dict[str, Span] = {}


class Sequence(list[Any]):
    """A list as typed, with the span of each item."""

    __slots__ = ("spans",)

    def __init__(self) -> None:
        super().__init__()
        self.spans: list[Span] = []


def without(value: Any, paths: Iterable[tuple[str | int, ...]]) -> Any:
    """A copy of a value without what is at some places; None where all of it is taken out."""
    below: dict[str | int, list[tuple[str | int, ...]]] = {}
    for path in paths:
        if not path:
            return None
        below.setdefault(path[0], []).append(path[1:])
    if isinstance(value, Mapping):
        kept = Mapping()
        for key in (key for key in value if () not in below.get(key, ())):
            kept[key] = without(value[key], below[key]) if key in below else value[key]
            kept.spans[key], kept.key_spans[key] = value.spans[key], value.key_spans[key]
        return kept
    if isinstance(value, Sequence):
        items = Sequence()
        for index in (index for index in range(len(value)) if () not in below.get(index, ())):
            items.append(without(value[index], below[index]) if index in below else value[index])
            items.spans.append(value.spans[index])
        return items
    return value


class Unreadable(Exception):
    """The text is not a YAML record. `span` says where reading stopped, `code` which check reports it."""

    def __init__(self, message: str, span: Span = START, code: str = "YML001") -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.code = code


@dataclass(frozen=True, slots=True)
class SecondFile:
    """A second file whose text follows that of the first: its path, and the line on which it begins."""

    path: str
    line: int


def located(path: str, span: Span, second: SecondFile | None = None) -> Location:
    """The place of a span: in the file at `path`, or in the second file where the span begins there."""
    if second is None or span[0] < second.line:
        return Location.of(path, span)
    return Location.of(second.path, (span[0] - second.line, span[1], span[2] - second.line, span[3]))


def _places(text: str, token: str, begin: int, end: int) -> Iterator[int]:
    at = text.find(token, begin, end)
    while at >= 0 and token:
        yield at
        at = text.find(token, at + 1, end)


_BREAK = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")


@dataclass(frozen=True)
class Document:
    """One YAML file: its text, its values, and where YAML reads the text otherwise than its author meant."""

    text: str
    data: Any
    span: Span = START
    faults: tuple[Fault, ...] = ()
    second: SecondFile | None = None

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in _BREAK.finditer(self.text))]

    def offset(self, line: int, column: int) -> int:
        """Characters before (line, column), both counted from 0."""
        if line >= len(self._starts):
            return len(self.text)
        return min(self._starts[line] + column, len(self.text))

    def source(self, span: Span) -> str:
        """The text of a span as it was typed, quotes included."""
        return self.text[self.offset(span[0], span[1]) : self.offset(span[2], span[3])]

    def line(self, number: int) -> str:
        """Line `number` (from 0) without its break, or an empty string."""
        if number >= len(self._starts):
            return ""
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.text)
        return self.text[self._starts[number] : end].rstrip("\r\n\x85\u2028\u2029")

    def places(self, span: Span, value: str, tokens: Iterable[tuple[int, str]]) -> Iterator[Span | None]:
        """Where tokens of a scalar's value, each (offset in the value, token), are typed; None where one is not.

        A block scalar's mark is its ``|``, so columns inside it come from the source, not from the value. A token that
        is escaped or folded does not appear there character for character. The same characters may appear before it, in
        code: the token is the one of its number among all that are alike.
        """
        begin, end = self.offset(span[0], span[1]), self.offset(span[2], span[3])
        for start, token in tokens:
            number = bisect_left(self._all(value, token, 0, len(value)), start)
            typed = self._all(self.text, token, begin, end)
            if number >= len(typed):
                yield None
                continue
            at = typed[number]
            yield (*self.position(at), *self.position(at + len(token)))

    def _all(self, text: str, token: str, begin: int, end: int) -> list[int]:
        """Every place of a token in a part of a text; kept, since many findings ask about one text."""
        key = (id(text), begin, token)
        if key not in self._known:
            self._known[key] = text, list(_places(text, token, begin, end))
        return self._known[key][1]

    @cached_property
    def _known(self) -> dict[tuple[int, int, str], tuple[str, list[int]]]:
        """What `_all` has found, with the text, which keeps its id its own."""
        return {}

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) of a character, both counted from 0."""
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]
