"""The balance of a text: each of its numbers held against what its sentence names, then against its calculations."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from fractions import Fraction

from generator.catalog.records import Catalog, Record
from generator.knowledge.graph import CitationGraph
from generator.knowledge.includes import HOMES, Section, sections
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.balance.entries import Entry, config_values
from generator.prose.balance.ledger import Balance, Ledger, NamedField, Standing, equals, ledger_of
from generator.prose.balance.numbers import Number, singular, words_of
from generator.prose.balance.reading import numbers
from generator.prose.passages import Passage
from generator.prose.reader import read
from generator.prose.reading.tokens import words
from generator.prose.statements import Statement


def section_of(catalog: Catalog, passage: Passage) -> Section | None:
    """The section that an included text is, in the record that holds it; None for a text of the record itself."""
    if passage.include is None or passage.include.target is None:
        return None
    owner = catalog.records[passage.include.target]
    return sections(catalog, owner)[str(passage.include.mention.fragment)]


def balances(kb: KnowledgeBase, passage: Passage) -> list[Balance]:
    """All numbers of a text that say how much, each with what it balances with."""
    return _Page(ledger_of(kb), kb.graph, passage).balances()


class _Page:
    """One text, held against the ledger."""

    def __init__(self, ledger: Ledger, graph: CitationGraph, passage: Passage) -> None:
        self.graph = graph
        self.ledger, self.passage, self.record = ledger, passage, passage.record
        self.text = passage.read.value
        self.found = [Balance(number) for number in numbers(ledger.words, self.text)]
        self.starts = [each.number.start for each in self.found]
        self.names = list(ledger.names.places(self.text))
        self.cited = sorted(self._cited(), key=lambda each: each[0])
        self.beside = list(self._beside())
        self.apart: dict[tuple[int, int], bool] = {}
        self.worded: dict[tuple[int, int], frozenset[str]] = {}
        self.values: set[Fraction] = set()
        self.scoped: dict[tuple[int, int], list[Record]] = {}

    def balances(self) -> list[Balance]:
        for each in self.found:
            expression = self.passage.read.expression(each.number.start, each.number.quantity.end)
            if expression:
                why = _SAID.search(expression.inner)
                each.standing, each.label = (Standing.SAID, why["why"]) if why else (Standing.EXPRESSION, "")
            elif self._elsewhere(each.number.scope):
                each.standing = Standing.ELSEWHERE
            else:
                self._settle(each)
        statements = read(self.text, self.passage.names) if self.found else []
        for at, statement in enumerate(statements):
            self._state(statement)
            for each in self._numbers(statement) if statement.holds else ():
                each.statement = at
        self.values = {each.number.quantity.value for each in self.found if each.standing is not Standing.UNBALANCED}
        for _ in range(2):
            for statement in statements:
                if statement.holds and statement.sides:
                    self._carry(statement)
        return self.found

    def _elsewhere(self, scope: tuple[int, int]) -> bool:
        """Whether a sentence is read with the figures of the model that includes it, and not here."""
        if scope not in self.apart:
            begin, end = scope
            filled = any(begin <= start < end for start, _, _ in self.passage.read.values)
            opened = self.record.kind in HOMES and "{{" in self.text[begin:end]
            self.apart[scope] = not filled if self.passage.include else opened
        return self.apart[scope]

    # --- whose number it is -----------------------------------------------------------------------------------------

    def _cited(self) -> Iterator[tuple[int, Record]]:
        """The records that the text cites, each at its place in what is read."""
        shifts = [(each.start, end - each.end) for _, end, each in self.passage.read.values]
        section = section_of(self.ledger.catalog, self.passage)
        for citation in self.graph.cites(section.record.id if section else self.record.id):
            if citation.path == self.passage.text.path and citation.target:
                at = citation.mention.start - (section.start if section else 0)
                moved = bisect_right(shifts, (at, 1 << 60)) - 1
                yield at + (shifts[moved][1] if moved >= 0 else 0), self.ledger.catalog.records[citation.target]
        for start, _, expression in self.passage.read.values:
            for id in _MODEL.findall(expression.inner):
                if id in self.ledger.catalog.records:
                    yield start, self.ledger.catalog.records[id]

    def _beside(self) -> Iterator[Record]:
        """What the record, or the object in it that holds the text, rests on: the `cite` of a correction."""
        path, own = self.passage.text.path, self.passage.include is None
        for citation in self.graph.cites(self.record.id) if own else ():
            within = len(path) > 1 and citation.path != path and citation.path[: len(path) - 1] == path[:-1]
            if citation.target and (within or citation.path == ("cite",)):
                yield self.ledger.catalog.records[citation.target]

    def near(self, number: Number) -> list[Record]:
        """The records that a number's sentence or bullet cites, and those beside the text."""
        if number.scope not in self.scoped:
            first, last = (bisect_left(self.cited, at, key=lambda each: each[0]) for at in number.scope)
            self.scoped[number.scope] = [*(record for _, record in self.cited[first:last]), *self.beside]
        return self.scoped[number.scope]

    def subject(self, number: Number) -> str:
        """The model that is named last before a number in its sentence; its own record's where none is."""
        at = bisect_left(self.names, (number.start, "")) - 1
        if at >= 0 and self.names[at][0] >= number.scope[0]:
            return self.names[at][1]
        return self.record.id

    # --- single numbers ---------------------------------------------------------------------------------------------

    def _settle(self, each: Balance) -> None:
        number, near = each.number, self.near(each.number)
        subject = self.ledger.catalog.records[self.subject(number)]
        own = [self.record] if subject is self.record else []
        part = own and self._of_a_part(number)
        for record in (*([] if part else own), *near):
            named = self._named(number, record)
            if named and any(equals(number, value) for value in named.values):
                each.standing = Standing.SOURCE if record.kind == "source" else Standing.FIELD
                each.label, each.named = f"{record.id}: {named.label}", named
                return
            if named and each.named is None:
                each.named = named
        if each.named is None and subject is not self.record:
            each.named = self._named(number, subject)
        for record in (*own, *near):
            entry = next((entry for entry in self.ledger.of(record) if self._is(entry, number, record)), None)
            if entry:
                each.standing = Standing.SOURCE if record.kind == "source" else Standing.FIELD
                each.label = f"{record.id}: {entry.label}"
                return

    def _of_a_part(self, number: Number) -> bool:
        before = self.text[max(number.scope[0], number.start - 160) : number.start]
        return self.ledger.spoken.of_a_part(before)

    def _named(self, number: Number, record: Record) -> NamedField | None:
        """The field of a config that the words beside a number name."""
        known = self.ledger.vocabulary(record)
        if not known.config or number.quantity.dimension not in ("count", "billion or bytes"):
            return None
        if number.behind in known.kinds:
            label = f"layers of the kind {' '.join(number.behind[:-1])}"
            return NamedField(label, (known.kinds[number.behind],), record, True)
        named, sure = self.ledger.phrases.named(number, self.ledger.words.counted)
        values = config_values(named, "", known.config) if named else []
        if named and values:
            key = next((key for key in named.keys if key in known.config), named.name)
            return NamedField(f"`{key}`", tuple(values), record, sure)
        wanted = [singular(number.key)] if number.key else [*reversed(number.before[-3:])]
        key = next((known.keys[word] for word in wanted if word in known.keys), known.phrases.get(number.behind, ""))
        values = config_values(None, key, known.config)
        return NamedField(f"`{key}`", tuple(values), record, False) if values else None

    def _is(self, entry: Entry, number: Number, record: Record) -> bool:
        """Whether a number is an entry: equal, and the words beside it name it; a cited source needs fewer."""
        if not entry.equals(number) or (record.kind == "source" and self.ledger.vocabulary(record).config):
            return False
        counted = self.ledger.words.counted
        if record.kind == "source":
            shared = entry.words & self._around(number)
            alike = not number.noun or not entry.words & counted or bool(shared & counted)
            return alike and (_telling(number) or bool(shared))
        if number.noun:
            return number.noun in entry.words
        measured = number.quantity.unit is not None and len(number.quantity.text.strip("0., ")) > 2
        return measured or bool(entry.words & set(number.before))

    def _around(self, number: Number) -> frozenset[str]:
        """The words of a number's sentence."""
        if number.scope not in self.worded:
            self.worded[number.scope] = frozenset(words_of(self.text[slice(*number.scope)])) - _IDLE
        return self.worded[number.scope]

    # --- statements -------------------------------------------------------------------------------------------------

    def _within(self, start: int, end: int) -> list[Balance]:
        return self.found[bisect_left(self.starts, start) : bisect_left(self.starts, end)]

    def _sides(self, statement: Statement) -> list[list[Balance]]:
        return [[b for number in side for b in self._within(number.start, number.end)] for side in statement.sides]

    def _numbers(self, statement: Statement) -> list[Balance]:
        inside = self._within(statement.start, statement.end)
        return [*inside, *(each for side in self._sides(statement) for each in side)]

    def _state(self, statement: Statement) -> None:
        """What a statement that is judged by the config says of its numbers; one that is false tells of them all."""
        whole = self._numbers(statement)
        if statement.holds is False:
            for each in whole:
                each.standing = Standing.FALSE
        elif statement.holds and (statement.names or any(each.standing is Standing.EXPRESSION for each in whole)):
            for each in whole:
                if each.standing is Standing.UNBALANCED:
                    each.standing = Standing.FIELD if statement.names else Standing.EQUATION

    def _carry(self, statement: Statement) -> None:
        """A side that balances carries every side that is one number."""
        sides = self._sides(statement)
        full = any(side and all(self._counts(each, len(side) > 1) for each in side) for side in sides)
        for side in sides if full else ():
            open_ = [each for each in side if not self._counts(each, len(side) > 1)]
            if len(open_) <= 1:
                for each in side:
                    if each.standing is Standing.UNBALANCED:
                        each.standing = Standing.EQUATION
                        self.values.add(each.number.quantity.value)

    def _counts(self, each: Balance, operand: bool) -> bool:
        """Whether a number balances, or is an operand that may stand for an entry without words."""
        if each.standing is not Standing.UNBALANCED:
            return True
        value = each.number.quantity.value
        if not operand or value in self.ledger.words.constants or value in self.values:
            return operand
        subject = self.ledger.catalog.records[self.subject(each.number)]
        return any(value in self.ledger.operands(one) for one in (self.record, subject, *self.near(each.number)))


def _telling(number: Number) -> bool:
    """Whether a number has so many digits that a cited source hardly has it by chance."""
    digits = number.quantity.text.replace(",", "").replace(".", "").strip("0 ")
    return sum(each.isdigit() for each in digits) > 1


_IDLE = words("a an the of to in on at for and or is are be it its with by as that this from no not fact quote")
_SAID = re.compile(r"\bsaid\([^,]*,\s*(?P<mark>['\"])(?P<why>.*?)(?P=mark)\s*\)")
_MODEL = re.compile(r"\bmodel\(['\"]([a-z0-9-]+)['\"]\)")
