"""YAML text to plain values, and the place of every key and value in it.

PyYAML's C parser yields events; the builder here turns them into values. No constructor is ever called, so no tag can
run code. Scalars follow the YAML 1.2 core rules, made stricter where a reader of YAML 1.1 would see something else:
whatever is ambiguous stays the text that was typed, and is reported as a trap.

Spans are ``(line, column, end_line, end_column)``, counted from 0 as the parser does; a `Location` counts from 1.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import yaml
from yaml import events
from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs do not export it

from generator.scalars import scalar

MAX_DEPTH = 64
"""Nesting beyond this is refused: no record needs it, and a thousand brackets are an attack or an accident."""

Span = tuple[int, int, int, int]
START: Span = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in an authored file. Lines and columns count from 1; columns count characters; the end is exclusive."""

    path: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


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


@dataclass(frozen=True, slots=True)
class Trap:
    """Text that YAML reads otherwise than its author meant.

    `replacement` is what the span should hold, where that is sure; it is `safe` where our own reading stays the same.
    """

    code: str
    span: Span
    message: str
    replacement: str | None = None
    related: Span | None = None
    safe: bool = True


class Unreadable(Exception):
    """The text is no YAML record. `span` says where reading stopped."""

    def __init__(self, message: str, span: Span = START) -> None:
        super().__init__(message)
        self.message = message
        self.span = span


_BREAK = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")


@dataclass(frozen=True)
class Document:
    """One YAML file: its text, its values, and what is suspicious about the way they are written."""

    text: str
    data: Any
    span: Span = START
    traps: tuple[Trap, ...] = ()

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
        is escaped or folded does not stand there in so many words.
        """
        cursor, end, seen = self.offset(span[0], span[1]), self.offset(span[2], span[3]), 0
        for start, token in tokens:
            at = cursor
            for _ in range(value.count(token, seen, start) + 1):  # the same characters may stand before it, in code
                at = self.text.find(token, at, end)
                if at < 0:
                    break
                at += len(token)
            if at < 0:
                yield None
                continue
            yield (*self.position(at - len(token)), *self.position(at))
            cursor, seen = at, start + len(token)

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) of a character, both counted from 0."""
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]


def load(text: str) -> Document:
    """Read one YAML document. Raises `Unreadable` with the place; what still has a meaning is read, with its traps."""
    builder = _Builder(text)
    try:
        builder.run()
    except yaml.reader.ReaderError as error:
        raise _bad_character(text, error) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = (mark.line, mark.column, mark.line, mark.column + 1) if mark else START
        raise Unreadable(_plain_words(error, text, where), where) from None
    except yaml.YAMLError as error:
        raise Unreadable(f"not valid YAML: {error}") from None
    except UnicodeEncodeError as error:
        raise _bad_character(text, error) from None
    document = Document(text, builder.root, builder.root_span)
    folds, cuts = _broken_folds(document, builder.folded), _cut_texts(document, builder.plain)
    return Document(text, builder.root, builder.root_span, (*builder.traps, *folds, *cuts))


def _bad_character(text: str, error: yaml.reader.ReaderError | UnicodeEncodeError) -> Unreadable:
    found = re.search(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
    if not found:
        return Unreadable(f"the text cannot be read: {error.reason}")
    line = len(_BREAK.findall(text, 0, found.start()))
    column = found.start() - max((m.end() for m in _BREAK.finditer(text, 0, found.start())), default=0)
    where = (line, column, line, column + 1)
    return Unreadable(f"control character U+{ord(found[0]):04X}: is this a text file?", where)


def _plain_words(error: yaml.MarkedYAMLError, text: str, where: Span) -> str:
    line = Document(text, None).line(where[0])
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "a tab in the indentation: YAML indents with spaces"
    hint = "; a text that begins with `[[` needs quotes or a block (|)" if ": [[" in line else ""
    parts = [part for part in (error.context, error.problem) if part]
    return "not valid YAML: " + ", ".join(parts) + hint


# --- the builder --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Frame:
    container: Mapping | Sequence
    start: tuple[int, int]
    flow: bool
    key: str | None = None
    key_span: Span = START


@dataclass(slots=True)
class _Builder:
    text: str
    root: Any = None
    root_span: Span = START
    traps: list[Trap] = field(default_factory=list)
    plain: list[Span] = field(default_factory=list)
    folded: list[tuple[Span, str]] = field(default_factory=list)
    stack: list[_Frame] = field(default_factory=list)

    def run(self) -> None:
        documents = 0
        for event in _events(self.text):
            kind = type(event)
            if kind is events.ScalarEvent:
                self._scalar(event)
            elif kind is events.MappingStartEvent or kind is events.SequenceStartEvent:
                self._open(event, Mapping() if kind is events.MappingStartEvent else Sequence())
            elif kind is events.MappingEndEvent or kind is events.SequenceEndEvent:
                self._close(event)
            elif kind is events.AliasEvent:
                message = f"alias *{event.anchor}: anchors and aliases are not read; write the value out"
                raise Unreadable(message, _span(event))
            elif kind is events.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    raise Unreadable("a second document starts here: one record per file", _span(event))
        if documents == 0 or self.root is None:
            raise Unreadable("the file is empty: a record needs at least its required fields")

    def _open(self, event: Any, container: Mapping | Sequence) -> None:
        _refuse_properties(event)
        if len(self.stack) >= MAX_DEPTH:
            raise Unreadable(f"nested deeper than {MAX_DEPTH} levels", _span(event))
        if self.stack and isinstance(self.stack[-1].container, Mapping) and self.stack[-1].key is None:
            raise Unreadable("a list or mapping stands where a key is expected", _span(event))
        start = event.start_mark
        self.stack.append(_Frame(container, (start.line, start.column), bool(event.flow_style)))

    def _close(self, event: Any) -> None:
        frame = self.stack.pop()
        end = event.end_mark if frame.flow else event.start_mark
        span = (*frame.start, end.line, end.column)
        unquoted = self._unquoted_citation(frame, span)
        if unquoted is not None:
            self._put(unquoted, span)
        else:
            self._put(frame.container, span)

    def _unquoted_citation(self, frame: _Frame, span: Span) -> str | None:
        """``[[id]]`` without quotes is a list in a list; read it as the citation that it was meant to be."""
        inner = frame.container
        if not (frame.flow and isinstance(inner, Sequence) and len(inner) == 1 and isinstance(inner[0], Sequence)):
            return None
        first, items = inner.spans[0], inner[0]
        if first[:2] != (span[0], span[1] + 1) or span[2:] != (first[2], first[3] + 1) or len(items) != 1:
            return None
        written = f"[[{items[0]}]]"
        if not isinstance(items[0], str) or items.spans[0][3] - items.spans[0][1] != len(items[0]):
            return None  # what is quoted inside was meant as a list
        message = f'{written} without quotes is a list inside a list; write "{written}"'
        self.traps.append(Trap("YML004", span, message, f'"{written}"'))
        return written

    def _scalar(self, event: Any) -> None:
        _refuse_properties(event)
        span = _span(event)
        frame = self.stack[-1] if self.stack else None
        is_key = frame is not None and isinstance(frame.container, Mapping) and frame.key is None
        value: Any = event.value
        plain = event.style is None or event.style == ""
        if is_key:
            self._key(frame, value, span, plain)  # type: ignore[arg-type]
            return
        if plain:
            value, ambiguous = scalar(value)
            if ambiguous:
                quoted = '"' + event.value.replace("\\", "\\\\").replace('"', '\\"') + '"'
                self.traps.append(Trap("YML003", span, f"{ambiguous}; quote it", quoted))
            elif isinstance(value, str):
                self.plain.append(span)
        if span[0] != span[2] and event.style != "|":
            self.folded.append((span, event.style or ""))
        self._put(value, span)

    def _key(self, frame: _Frame, value: str, span: Span, plain: bool) -> None:
        if plain and value == "<<":
            raise Unreadable("merge key <<: anchors and merges are not read; write the fields out", span)
        if value in frame.container:
            first = frame.container.key_spans[value]  # type: ignore[union-attr]
            self.traps.append(
                Trap("YML002", span, f"key `{value}` stands here and on line {first[0] + 1}; keep one", related=first)
            )
        frame.key, frame.key_span = value, span

    def _put(self, value: Any, span: Span) -> None:
        if not self.stack:
            self.root, self.root_span = value, span
            return
        frame = self.stack[-1]
        if isinstance(frame.container, Sequence):
            frame.container.append(value)
            frame.container.spans.append(span)
            return
        key = frame.key
        if key is None:
            raise Unreadable("a list or mapping stands where a key is expected", span)
        if key not in frame.container:  # a repeated key keeps its first value; the trap is the finding
            frame.container[key] = value
            frame.container.spans[key] = span
            frame.container.key_spans[key] = frame.key_span
        frame.key = None


def _events(text: str) -> Iterator[Any]:
    parser = CParser(text)
    try:
        while True:
            event = parser.get_event()
            if event is None:
                return
            yield event
            if type(event) is events.StreamEndEvent:
                return
    finally:
        parser.dispose()


def _span(event: Any) -> Span:
    start, end = event.start_mark, event.end_mark
    return (start.line, start.column, end.line, end.column)


def _refuse_properties(event: Any) -> None:
    if event.anchor is not None:
        raise Unreadable(f"anchor &{event.anchor}: anchors and aliases are not read; write the value out", _span(event))
    if event.tag is not None:
        raise Unreadable(f"tag {event.tag}: tags are not read, records hold plain values", _span(event))


def _broken_folds(document: Document, folded: list[tuple[Span, str]]) -> Iterator[Trap]:
    """Folding joins lines with a blank: an id or a hyphenated word that is broken over two lines falls apart."""
    for span, style in folded:
        lines = document.source(span).splitlines()
        for number, (line, following) in enumerate(itertools.pairwise(lines)):
            escaped = style == '"' and line.endswith("\\")  # this line break is no blank
            if not following.strip() or escaped or (style == ">" and number == 0):
                continue
            opened = line.rfind("[[") > line.rfind("]]")
            hyphen = re.search(r"\w-$", line.rstrip()) and re.match(r"\w", following.strip())
            if opened or hyphen:
                what = "a citation" if opened else "a hyphenated word"
                at = span[0] + number
                message = f"the fold breaks {what} over two lines; use a literal block (|)"
                yield Trap("YML005", (at, 0, at, len(document.line(at))), message)
                break


_CUT = re.compile(r"[ \t]+(#[^\s#]\S*)")


def _cut_texts(document: Document, plain: list[Span]) -> Iterator[Trap]:
    """``note: see #3`` ends before the ``#``: YAML takes the rest for a comment."""
    for span in plain:
        found = _CUT.match(document.text, document.offset(span[2], span[3]))
        if found:
            whole = (span[0], span[1], span[2], len(document.line(span[2]).rstrip()))
            text = document.source(whole)
            quoted = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' if span[0] == span[2] else None
            message = f"the text ends before `{found[1]}`, the rest is a comment; quote it"
            yield Trap("YML003", whole, message, quoted, safe=False)
