"""A sentence in which models are compared: who is named where, who the subject is, and what keeps it from being judged.

Names of models are masked, so that a pattern can ask for "a model" without knowing any.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.code import blanked
from generator.prose.passages import Passage
from generator.prose.reading.assertions import asserted
from generator.prose.reading.sentences import sentences

MARK = "\x01"
MODEL = f"(?<!{MARK}){MARK}++"
"""The pattern for the name of a model in a masked text."""

ADVERB = r"(?:(?:much|far|clearly|significantly|considerably|slightly|somewhat|also|even|still)\s+)?"
"""What may stand before a comparative and changes nothing of it."""

_CITED = re.compile(r"\[\[([^\[\]|#\n]++)[^\[\]\n]*\]\]")
_PIECE = re.compile(r"(?<![\w.\-/])\w[\w.-]*")
_LONGEST_NAME = 5
_ENOUGH = 3
"""Models that a paragraph has named before: where there are more than two, it is not said which two are compared."""
_EXCEPTED = re.compile(r"\b(?:except|but|besides|apart|aside|other\s+than|up\s+to|modulo|almost|nearly|old)\b", re.I)
_PRONOUN = re.compile(
    r"\s*(?:[-*+]\s+)?(?:So\s+|Here\s+)?(?:It|Its|This|That|These|They|Their|Both|The (?:other|latter|former))\b"
)


@dataclass(frozen=True, slots=True)
class ModelMention:
    """A model's name in a sentence; None where several models bear it."""

    start: int
    end: int
    id: str | None


@dataclass(frozen=True)
class Sentence:
    """A sentence with its names masked; it begins at `begin`, and its paragraph has named the models `before`."""

    passage: Passage
    begin: int
    text: str
    mentions: tuple[ModelMention, ...]
    before: tuple[ModelMention, ...]
    previous: frozenset[str | None]

    def at(self, match: re.Match[str], group: str) -> str | None:
        """The model that a group of a pattern has matched."""
        return next((each.id for each in self.mentions if each.start <= match.start(group) < each.end), None)

    def subject(self, start: int, other: str | None) -> str | None:
        """Whom a statement that begins at `start` is about: the one model named before it, else the record's own."""
        own = self.own
        ids = {each.id for each in self.mentions if each.end <= start} - {other}
        if len(ids) > 1 or None in ids:
            return None
        if ids:
            return ids.pop()
        return None if _PRONOUN.match(self.text) and self.previous - {own, other} else own

    @property
    def own(self) -> str | None:
        """The model whose record this is."""
        record = self.passage.record
        return record.id if record.kind == "model" else None

    def pair(self, *, named: bool = False) -> tuple[str, str] | None:
        """The two models that a statement without objects compares: named in the sentence, or once in the paragraph."""
        for mentions in (self.mentions,) if named else (self.mentions, self.before):
            ids = list(dict.fromkeys(each.id for each in mentions))
            if self.own in ids:
                ids.sort(key=lambda id: id != self.own)
            elif len(ids) == 1 and self.own:
                ids.insert(0, self.own)
            known = [id for id in ids if id is not None]
            if len(known) == len(ids) == 2:
                return known[0], known[1]
            if ids not in ([], [self.own]):
                return None
        return None

    def asserted(self, match: re.Match[str]) -> bool:
        """Whether the sentence says so itself, and of everything: it makes no exception beside what was matched."""
        around = self.text[: match.start()] + self.text[match.end() :]
        return asserted(self.text, match.start(), match.end()) and not _EXCEPTED.search(around)


@dataclass(frozen=True)
class JudgedComparison:
    """A comparison as it was judged: where it stands in its sentence, and what is right where it does not hold."""

    start: int
    end: int
    holds: bool | None
    right: str = ""


@dataclass(frozen=True)
class Namesakes:
    """Which models bear a name."""

    ids: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, kb: KnowledgeBase) -> Namesakes:
        """The names of all models on record."""
        found: dict[str, set[str]] = {}
        for id, called in kb.names.of.items():
            for name in called:
                found.setdefault(name, set()).add(id)
        return cls({name: frozenset(ids) for name, ids in found.items()})

    def mentions(self, text: str) -> Iterator[ModelMention]:
        """The names in a text, the longest first where one contains another."""
        for match in _CITED.finditer(text):
            ids = self.ids.get(match[1].strip().rpartition("/")[2])
            if ids:
                yield ModelMention(match.start(), match.end(), _one(ids))
        plain = _CITED.sub(lambda match: " " * len(match[0]), text)
        pieces, at = list(_PIECE.finditer(plain)), 0
        for number, piece in enumerate(pieces):
            if piece.start() < at:
                continue
            for last in reversed(pieces[number : number + _LONGEST_NAME]):
                name = plain[piece.start() : last.end()].rstrip(".-")
                if name in self.ids:
                    at = piece.start() + len(name)
                    yield ModelMention(piece.start(), at, _one(self.ids[name]))
                    break


def _one(ids: frozenset[str]) -> str | None:
    return next(iter(ids)) if len(ids) == 1 else None


def speeches(passage: Passage, names: Namesakes) -> Iterator[Sentence]:
    """The sentences of a passage, fenced code left out."""
    value = passage.text.value
    mentions = sorted(names.mentions(value), key=lambda each: each.start)
    starts = [each.start for each in mentions]
    previous: frozenset[str | None] = frozenset()
    paragraph, before = 0, dict[str | None, ModelMention]()
    for begin, end in sentences(value):
        first, last = bisect_left(starts, begin), bisect_left(starts, end)
        inside = [ModelMention(each.start - begin, each.end - begin, each.id) for each in mentions[first:last]]
        written = value[begin:end]
        new = value.rfind("\n\n", paragraph, begin + len(written) - len(written.lstrip())) + 1
        if new:
            paragraph = new
            before = {}
            for each in mentions[bisect_left(starts, new) : first]:
                before.setdefault(each.id, each)
        masked = blanked(written, ((each.start, each.end) for each in inside), MARK)
        yield Sentence(passage, begin, masked, tuple(inside), tuple(islice(before.values(), _ENOUGH)), previous)
        previous = frozenset(each.id for each in inside)
        for each in inside:
            before.setdefault(each.id, each)
