"""What numbers may balance with: the fields of a record, the facts and quotes of a source, each with its words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generator.catalog.records import Record
from generator.derive.facts import Facts
from generator.prose.balance.numbers import Number, quantities, singular, words_of
from generator.prose.config_fields.words import SpokenField, SpokenFields
from generator.prose.named_values import KINDS
from generator.prose.reading.quantities import BYTES, COUNT, Quantity
from generator.prose.reading.tokens import tokens, words

_MEASURE = re.compile(r"\S+ \S+")
LONGEST = 5
"""Words of the longest phrase for a field."""
_LINKS = words(
    "is are was of at a an the has have being only just about roughly exactly to with that both set equal uses by "
    "value number count , ( = : ≈ ~ -"
)
_OTHER = words(
    "cite cites reports url locator digest date notes name title aliases waivers repo architectures model_type"
)
"""Fields of a record that say nothing that a number could balance with."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A value on record with its unit, and the words for what it is."""

    quantity: Quantity
    words: frozenset[str]
    label: str

    def equals(self, number: Number) -> bool:
        """Whether a number is this value, at the precision of both, and measures the same."""
        return _same(number, self.quantity)


def _same(number: Number, entry: Quantity) -> bool:
    mine = number.quantity
    if mine.unit is not None and entry.unit is not None:
        if not mine.comparable(entry):
            return False
    elif mine.unit is not None and mine.dimension not in (COUNT, "billion or bytes", BYTES):
        return False
    for one in mine.unit.scales if mine.unit else (Fraction(1),):
        low, high = (mine.value * one,) * 2 if mine.exact else mine.at(one)
        for two in entry.unit.scales if entry.unit else (Fraction(1),):
            if low <= entry.value * two <= high:
                return True
    return False


def entries_of(record: Record) -> tuple[Entry, ...]:
    """The numbers of a record outside its prose; a model's config has words of its own."""
    found: list[Entry] = []
    for key, value in record.data.items():
        if key not in _OTHER and not (record.kind == "model" and key == "architecture"):
            found += _entries((key,), value)
    return tuple(found)


def stated_by(source: Record) -> tuple[Entry, ...]:
    """The numbers of a source's facts and quotes."""
    found = list(_entries(("facts",), source.get("facts") or {}))
    for quote in source.get("quotes") or ():
        found += _entries(("quotes",), " ".join(str(quote.get(part, "")) for part in ("prefix", "exact", "suffix")))
    return tuple(found)


def _entries(path: tuple[str, ...], value: Any) -> Iterator[Entry]:
    of_path = frozenset(word for part in path[-2:] for word in words_of(part.replace("_", " ").replace("-", " ")))
    label = ".".join(path)
    if isinstance(value, Mapping):
        if isinstance(value.get("unit"), str) and "value" in value:
            field = (*path, str(value["field"])) if "field" in value else path
            yield from _entries(field, f"{value['value']} {value['unit']}")
        for key, item in value.items():
            if key not in _OTHER and not (key == "value" and "unit" in value):
                yield from _entries((*path, str(key)), item)
            yield from _in_text(str(key), of_path, label)
    elif isinstance(value, list):
        for item in value:
            yield from _entries(path, item)
    elif isinstance(value, str):
        yield from _in_text(value, of_path, label)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        exact = Fraction(str(value))
        yield Entry(Quantity(exact, Fraction(1), str(value), 0, 0), of_path, label)


def _in_text(text: str, of_path: frozenset[str], label: str) -> Iterator[Entry]:
    """The numbers in a text, two-part versions and joined ones too. A sentence of our own is prose, and no entry."""
    if "[[" in text or not any(char.isdigit() for char in text):
        return
    if " " in text and not label.startswith(("facts", "quotes")) and _MEASURE.fullmatch(text) is None:
        return
    around = of_path | frozenset(words_of(text)) | frozenset(words_of(text.replace("_", " ")))
    for token in tokens(text):
        yield from (Entry(quantity, around, label) for quantity in quantities(token))


# --- configs ---------------------------------------------------------------------------------------------------------


class Phrases:
    """Phrases for config fields, longest first: what words name a field, and whether they name nothing else."""

    def __init__(self, spoken: SpokenFields) -> None:
        self.sure: dict[tuple[str, ...], SpokenField] = {}
        self.loose: dict[tuple[str, ...], SpokenField] = {}
        for field in spoken.fields:
            for key in field.keys:
                self.sure.setdefault((singular(key.rpartition(".")[2]),), field)
                self.sure.setdefault((singular(key),), field)
            for word in field.words:
                self.sure.setdefault(tuple(words_of(word)), field)
            for word in field.loose:
                self.loose.setdefault(tuple(words_of(word)), field)

    def named(self, number: Number, counted: frozenset[str]) -> tuple[SpokenField | None, bool]:
        """The field that the words right beside a number name, and whether they mean nothing else.

        What is counted stands behind its number: "layers of 576" are not 576 layers.
        """
        labels = (phrase for phrase in _before(number) if len(phrase) > 1 or phrase[0] not in counted)
        for phrase in (*_behind(number), *labels):
            if phrase in self.sure:
                return self.sure[phrase], not number.operand
            if phrase in self.loose:
                return self.loose[phrase], False
        return None, False


def _behind(number: Number) -> Iterator[tuple[str, ...]]:
    if number.key:
        yield (singular(number.key),)
    if number.behind:
        yield number.behind


def _before(number: Number) -> Iterator[tuple[str, ...]]:
    """The phrases that end before a number, links left out; a noun behind it must be what such a field counts."""
    words = list(number.before)
    while words and words[-1] in _LINKS:
        words.pop()
    for size in range(min(LONGEST, len(words)), 0, -1):
        if len(words) == size or not words[-size - 1][0].isdigit():
            yield tuple(words[-size:])


def config_values(field: SpokenField | None, key: str, config: Mapping[str, Any]) -> list[Fraction]:
    """The numbers that a config states for a field, lists item by item."""
    found = field.values(config) if field else [config[key]] if key in config else []
    flat = [item for value in found for item in (value if isinstance(value, list) else [value])]
    return [Fraction(str(item)) for item in flat if isinstance(item, int | float) and not isinstance(item, bool)]


def all_values(config: Mapping[str, Any]) -> frozenset[Fraction]:
    """Every number of a config: what an operand may be."""
    found: list[Fraction] = []
    stack: list[Any] = list(config.values())
    while stack:
        value = stack.pop()
        if isinstance(value, Mapping):
            stack += value.values()
        elif isinstance(value, list):
            stack += [*value, len(value)]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found.append(Fraction(str(value)))
    return frozenset(found)


def kinds_of(facts: Facts) -> dict[tuple[str, ...], Fraction]:
    """How many layers of each kind a model has, by the phrases for them."""
    counts = facts.geometry.layers if facts.geometry else {}
    found: dict[tuple[str, ...], Fraction] = {}
    for kind, number in counts.items():
        for word in (*KINDS.get(kind, ()), kind.replace("_", " ")):
            phrase = tuple(words_of(word))
            for end in (("layer",), ("attention", "layer"), ()):
                found.setdefault((*phrase, *end), Fraction(number))
    return found
