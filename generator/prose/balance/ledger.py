"""What each number of a text balances with: an expression, a field, a source, an equation, a word, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

from generator.catalog.records import Catalog, Record
from generator.derive.cited_config import CitedConfig
from generator.derive.facts import Facts
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.knowledge.model_names import ModelNames
from generator.prose.balance.entries import Entry, Phrases, all_values, entries_of, kinds_of, stated_by
from generator.prose.balance.numbers import Number, NumberWords, singular, words_of
from generator.prose.config_fields.words import SpokenFields


class Standing(StrEnum):
    """What a number balances with."""

    EXPRESSION = "expression"
    FIELD = "field"
    SOURCE = "source"
    EQUATION = "equation"
    SAID = "said"
    FALSE = "false"
    """It is part of a statement that another check finds false."""
    ELSEWHERE = "elsewhere"
    """Its sentence has figures of the model that includes the text, and is read with these; or, there, has none."""
    UNBALANCED = "unbalanced"


@dataclass(frozen=True, slots=True)
class NamedField:
    """What a number is said to be: a field by its name, what a model or a source has for it, and whose it is.

    `sure` if the words mean nothing else.
    """

    label: str
    values: tuple[Fraction, ...]
    owner: Record
    sure: bool


@dataclass(slots=True)
class Balance:
    """A number with what it balances with."""

    number: Number
    standing: Standing = Standing.UNBALANCED
    label: str = ""
    named: NamedField | None = None
    statement: int = -1
    """The calculation in which it stands: that is reported once."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A config, its keys by what prose makes of them, and how many layers there are of each kind."""

    config: Mapping[str, Any]
    keys: Mapping[str, str]
    phrases: Mapping[tuple[str, ...], str]
    kinds: Mapping[tuple[str, ...], Fraction]

    @classmethod
    def of(cls, config: Mapping[str, Any], kinds: Mapping[tuple[str, ...], Fraction]) -> Vocabulary:
        """The words of a config: 3 hash layers are `num_hash_layers`."""
        phrases: dict[tuple[str, ...], str] = {}
        for key in config:
            phrase = tuple(word for word in words_of(key.replace("_", " ")) if word not in _FILLERS)
            if len(phrase) > 1:
                phrases.setdefault(phrase, key)
        return cls(config, {singular(key): key for key in config}, phrases, kinds)


_FILLERS = frozenset({"num", "n", "size", "dim", "per", "tok", "max"})


@dataclass(frozen=True, eq=False)
class Ledger:
    """A base as its prose is held against it; one for each base."""

    catalog: Catalog
    facts: Mapping[str, Facts]
    names: ModelNames
    entries: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    numbers: dict[str, frozenset[Fraction]] = field(default_factory=dict)
    vocabularies: dict[str, Vocabulary] = field(default_factory=dict)

    @cached_property
    def words(self) -> NumberWords:
        """How numbers are read."""
        named = set()
        for record in self.catalog.records.values():
            if record.kind != "source":
                for name in (record.title, *(record.get("aliases") or ())):
                    parts = str(name).split()
                    named |= {(one, two) for one, two in pairwise(parts) if two[0].isdigit()}
        return NumberWords(self.catalog.tables.get("numbers", {}), frozenset(named))

    @cached_property
    def spoken(self) -> SpokenFields:
        """The words for fields."""
        return SpokenFields.from_table(self.catalog.tables.get("spoken_fields", {}))

    @cached_property
    def phrases(self) -> Phrases:
        """The phrases for fields."""
        return Phrases(self.spoken)

    def of(self, record: Record) -> tuple[Entry, ...]:
        """The entries of a record outside its prose."""
        if record.id not in self.entries:
            self.entries[record.id] = stated_by(record) if record.kind == "source" else entries_of(record)
        return self.entries[record.id]

    def operands(self, record: Record) -> frozenset[Fraction]:
        """Every number that stands in a record outside its prose: what may be an operand."""
        if record.id not in self.numbers:
            known = self.vocabulary(record)
            found = {entry.quantity.value for entry in self.of(record)} | all_values(known.config)
            self.numbers[record.id] = frozenset(found | set(known.kinds.values()))
        return self.numbers[record.id]

    def vocabulary(self, record: Record) -> Vocabulary:
        """What the words beside a number may name in the config of a model or of a source."""
        if record.id not in self.vocabularies:
            facts = self.facts.get(record.id)
            self.vocabularies[record.id] = Vocabulary.of(self._config(record), kinds_of(facts) if facts else {})
        return self.vocabularies[record.id]

    def _config(self, record: Record) -> Mapping[str, Any]:
        """The config of a model, or of a source that is one; empty for others."""
        if record.kind == "model":
            facts = self.facts.get(record.id)
            return facts.config if facts else {}
        is_config = record.kind == "source" and record.get("type") == "hf-config"
        return CitedConfig(record).flat if is_config else {}


_LEDGERS: WeakKeyDictionary[KnowledgeBase, Ledger] = WeakKeyDictionary()


def ledger_of(kb: KnowledgeBase) -> Ledger:
    """The one ledger of a base."""
    if kb not in _LEDGERS:
        _LEDGERS[kb] = Ledger(kb.catalog, kb.facts, kb.names)
    return _LEDGERS[kb]


def equals(number: Number, value: Fraction) -> bool:
    """Whether a number is a value, at the precision that is written."""
    quantity = number.quantity
    for scale in quantity.unit.scales if quantity.unit else (Fraction(1),):
        low, high = (quantity.value * scale,) * 2 if quantity.exact else quantity.at(scale)
        if low <= value <= high:
            return True
    return False
