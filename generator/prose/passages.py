"""The prose of records before the arithmetic reader: which texts, with which named values, and whose figure one is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from generator.catalog.records import Record, Text
from generator.findings import Location
from generator.knowledge.graph import Citation
from generator.knowledge.includes import Section, prose, sections
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.expressions.evaluator import of_a_model
from generator.prose.expressions.filled_text import FilledText, filled
from generator.prose.named_values import names_of
from generator.prose.reader import NamedValues, sentence_at

UNREAD = FilledText("")


@dataclass(frozen=True)
class Passage:
    """A prose text of a record and what it may refer to by name."""

    record: Record
    text: Text
    names: NamedValues
    read: FilledText = UNREAD
    """What a reader of the page reads: an expression is a number. Empty where only places are asked for."""
    include: Citation | None = None
    """The include by which the text of another record comes here."""
    section: Section | None = None
    """Where it was written, if that is the place to tell of."""

    def place(self, start: int, end: int) -> Location:
        """Where characters `start` to `end` of the text stand in the file; the part on the first line of several."""
        return self.places([(start, end)])[0]

    def places(self, parts: Sequence[tuple[int, int]]) -> list[Location]:
        """The places of several parts of the text, in one pass over it."""
        if self.include and not self.section:
            return [self.include.location for _ in parts]
        record, text = (self.section.record, self.section.text) if self.section else (self.record, self.text)
        ahead = self.section.start if self.section else 0
        tokens = [(ahead + start, text.value[ahead + start : ahead + end].split("\n")[0]) for start, end in parts]
        spans = record.document.places(text.span, text.value, tokens)
        return [record.location(span or text.span) for span in spans]

    def typed(self, start: int, end: int) -> tuple[int, int]:
        """The typed characters behind a part of what is read; the whole expression where a value is meant."""
        expression = self.read.expression(start, end)
        return (expression.start, expression.end) if expression else (self.read.typed(start), self.read.typed(end))

    def sentence(self, offset: int) -> str:
        """The sentence around a character, with the next one where that goes on about it ("That is V3's figure")."""
        value = self.text.value
        begin, end = sentence_at(value, offset)
        following = value[end : sentence_at(value, end)[1]] if end < len(value) else ""
        more = following if re.match(r"\s*(?:That|This|It|The (?:other|former|latter|figure))\b", following) else ""
        return value[begin:end] + more


_READ: WeakKeyDictionary[KnowledgeBase, dict[str, tuple[Passage, ...]]] = WeakKeyDictionary()
"""The passages of each record of a base: every check of prose asks for them all."""


def passages_of(kb: KnowledgeBase, record: Record) -> tuple[Passage, ...]:
    known = _READ.setdefault(kb, {})
    if record.id not in known:
        names, texts = names_of(kb, record), prose(kb.catalog, record)
        known[record.id] = tuple(
            Passage(record, text, names, filled(kb, record, text.value)) for text in texts if text.path[-1] != "wrong"
        )
    return known[record.id]


_INCLUDED: WeakKeyDictionary[KnowledgeBase, tuple[Passage, ...]] = WeakKeyDictionary()


def included(kb: KnowledgeBase) -> tuple[Passage, ...]:
    """The included texts that say something else on each page: those with the figures of the including model.

    Any other text is read once, in its own record.
    """
    if kb not in _INCLUDED:
        _INCLUDED[kb] = tuple(_included(kb))
    return _INCLUDED[kb]


def _included(kb: KnowledgeBase) -> Iterator[Passage]:
    for include in kb.graph.includes:
        record, owner = kb.catalog.records[include.citing], kb.catalog.records[str(include.target)]
        section = sections(kb.catalog, owner)[str(include.mention.fragment)]
        if record.id not in kb.catalog.unsound and any(of_a_model(owner, each.inner) for each in section.expressions):
            text = replace(section.text, value=section.value)
            yield Passage(record, text, names_of(kb, record), filled(kb, record, section.value), include)
