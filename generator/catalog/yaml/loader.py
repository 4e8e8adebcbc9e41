"""YAML text to plain values, each with its place; the only module that imports yaml.

PyYAML's C parser yields events; the builder here turns them into values. No constructor is ever called, so no tag can
run code. Scalars follow the YAML 1.2 core rules, made stricter where a reader of YAML 1.1 would see something else:
whatever is ambiguous stays the text that was typed, and is reported as a fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import yaml
from yaml import events
from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs do not export it

from generator.catalog.yaml.broken_scalars import Place, broken_folds, cut_texts, quoted
from generator.catalog.yaml.document import START, Document, Mapping, SecondFile, Sequence, Span, Unreadable, located
from generator.catalog.yaml.scalars import scalar
from generator.findings import Fault, Related

MAX_DEPTH = 64
"""Nesting beyond this is refused: no record needs it, and a thousand brackets are an attack or an accident."""


def load(text: str, path: str = "", second: SecondFile | None = None) -> Document:
    """Read one YAML document. Raises `Unreadable` with the place; what still has a meaning is read, with its faults."""
    place: Place = partial(located, path, second=second)
    builder = _Builder(text, place)
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
    document = Document(text, builder.root, builder.root_span, second=second)
    folds, cuts = broken_folds(place, document, builder.folded), cut_texts(place, document, builder.plain)
    return replace(document, faults=(*builder.faults, *folds, *cuts))


def _bad_character(text: str, error: yaml.reader.ReaderError | UnicodeEncodeError) -> Unreadable:
    found = re.search(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
    if not found:
        return Unreadable(f"the text cannot be read: {error.reason}")
    line, column = Document(text, None).position(found.start())
    where = (line, column, line, column + 1)
    return Unreadable(f"control character U+{ord(found[0]):04X}: is this a text file?", where)


def _plain_words(error: yaml.MarkedYAMLError, text: str, where: Span) -> str:
    line = Document(text, None).line(where[0])
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "a tab in the indentation: YAML indents with spaces"
    hint = "; a text that begins with `[[` needs quotes or a block (|)" if ": [[" in line else ""
    parts = [part for part in (error.context, error.problem) if part]
    return "not valid YAML: " + ", ".join(parts) + hint


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
    place: Place
    root: Any = None
    root_span: Span = START
    faults: list[Fault] = field(default_factory=list)
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
            raise Unreadable("a list or mapping was found where a key is expected", _span(event))
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
        place = self.place(span)
        self.faults.append(Fault("YML004", place, message, fix=quoted(place, written)))
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
                place = self.place(span)
                self.faults.append(Fault("YML003", place, f"{ambiguous}; quote it", fix=quoted(place, event.value)))
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
            message = f"key `{value}` appears here and on line {first[0] + 1}; keep one"
            related = (Related(self.place(first), "first here"),)
            self.faults.append(Fault("YML002", self.place(span), message, related=related))
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
            raise Unreadable("a list or mapping was found where a key is expected", span)
        if key not in frame.container:  # a repeated key keeps its first value; the fault says so
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
