"""What would balance a number: an expression, a record, a source; or what this model's value of the same thing is.

Nothing is offered that the words beside the number do not name: a number may equal many values by chance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from generator.derive.facts import Facts
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import grouped
from generator.prose.balance.ledger import Balance, NamedField, equals, ledger_of
from generator.prose.balance.numbers import words_of
from generator.prose.balance.typed_figures import SpokenFigures
from generator.prose.figure_owners import own_figure, own_values, owners_of, per_layer, says, siblings
from generator.prose.named_values import KINDS
from generator.prose.passages import Passage
from generator.prose.reader import Quantity, sentence_at, show
from generator.prose.reading.quantities import BYTES, COUNT

OTHERWISE = "cite where this stands, or compute it"
_SHARE = re.compile(
    r"\b(?:(?:per|each|every|one)\s+(?:GPU|rank|device|card|node|shard|worker)|\d+\s*(?:GPUs|ranks|devices|cards|nodes)|"
    r"shares?|shards?|TP\s?=?\s?\d+|tensor[ -]parallel\w*|(?:pages?|blocks?)\s+of|(?:per|each|every)\s+(?:page|block)|"
    r"(?:page|block)\s+size|positions?|would|draft|MTP|if|without|instead|window|state|head)\b",
    re.I,
)
"""What speaks of a part of the cache or of another case: one of several GPUs, a page, a position, what would be."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a finding says would balance a number; `expression` may stand in its place."""

    message: str
    expression: str | None = None
    expected: str | None = None

    @property
    def weight(self) -> tuple[bool, ...]:
        """How much it says, to compare with other offers."""
        return self.expression is not None, self.expected is not None, self.message != OTHERWISE


def offer(kb: KnowledgeBase, passage: Passage, balance: Balance) -> Offer:
    """The best of what is known about a number that does not balance."""
    return next(_offers(kb, passage, balance), Offer(OTHERWISE))


def _offers(kb: KnowledgeBase, passage: Passage, balance: Balance) -> Iterator[Offer]:
    quantity, named = balance.number.quantity, balance.named
    facts, others = kb.facts.get(passage.record.id), _others(kb, passage, balance)
    if named is not None:
        yield from _of_a_field(passage, balance, named)
    elif facts is not None and not others and quantity.unit is not None:
        yield from _of_the_model(kb, passage, facts, quantity)
    yield from _of_a_source(kb, passage, balance)


def _others(kb: KnowledgeBase, passage: Passage, balance: Balance) -> set[str]:
    begin, end = balance.number.scope
    text = passage.read.value
    more = re.match(r"\s*(?:That|This) is [^.]*", text[end:])
    return kb.names.mentioned(text[begin:end] + (more[0] if more else ""), passage.record.id)


def _of_a_field(passage: Passage, balance: Balance, named: NamedField) -> Iterator[Offer]:
    value = ", ".join(grouped(each) for each in dict.fromkeys(named.values[:4]))
    if any(equals(balance.number, each) for each in named.values):
        yield Offer(f"{named.label} of {named.owner.id} is {value}: cite [[{named.owner.id}]] beside it")
    elif len(named.values) == 1 and _unnarrowed(passage, balance):
        whose = "this record" if named.owner is passage.record else named.owner.id
        if named.sure and _of_the_whole(passage, balance):
            yield Offer(f"{named.label} of {whose} is {value}", expected=value)
        else:
            yield Offer(f"{OTHERWISE}; {named.label} of {whose} is {value}")


_WHOLE = re.compile(
    r"\b(?:has|have|its|the|with|and|across)\s*$|`\s*(?:[:=]|is|of)?\s*`?$|\w_\w+\s*(?:[:=]|is|of)?\s*$"
)
_ENDS = re.compile(r"[\w\s`-]{0,40}?(?:[.,;:)]|$|\s+(?:in\s+total|in\s+all|and)\b)")


def _unnarrowed(passage: Passage, balance: Balance) -> bool:
    """Whether a number in digits is said outright, and nothing in its sentence makes it that of a part or of a case."""
    number, text = balance.number, passage.read.value
    narrow = _SHARE.search(text, *number.scope) or "class" in text[slice(*number.scope)]
    return number.quantity.text[0].isdigit() and not number.operand and not narrow


def _of_the_whole(passage: Passage, balance: Balance) -> bool:
    """Whether a number is said of the whole model: "20 of the 40 layers" are not."""
    number, text = balance.number, passage.read.value
    before = text[max(number.scope[0], number.start - 40) : number.start]
    rest = text[number.quantity.end : number.scope[1]]
    return bool(_WHOLE.search(before) and _ENDS.match(rest))


def _of_the_model(kb: KnowledgeBase, passage: Passage, facts: Facts, quantity: Quantity) -> Iterator[Offer]:
    """A typed figure of the cache, or a count of parameters."""
    text, unit = passage.read.value, quantity.unit
    per = unit.per if unit else ()
    billions = quantity.dimension == COUNT and unit is not None and unit.symbol == "billion"
    if billions or (quantity.dimension == BYTES and ("token" in per or (unit and unit.symbol == "KiB"))):
        meant = SpokenFigures(kb.catalog.tables.get("spoken_figures", {})).meant(facts, text, quantity)
        if meant is not None and ("token" in per or billions or meant.expression):
            yield Offer(meant.message, meant.expression)
    if quantity.dimension != BYTES or "token" not in per or facts.geometry is None:
        return
    if "layer" in per:
        yield from _of_one_layer(passage, facts, quantity)
    elif not any(says(quantity, size) for size in own_values(facts)):
        near = siblings(kb, facts.id)
        owners = [(record, figure) for record, figure in owners_of(kb, quantity, facts.id) if record.id in near]
        sentence = passage.read.value[slice(*_sentence(passage, quantity))]
        own = own_figure(facts)
        if owners and not _SHARE.search(sentence):
            record, figure = owners[0]
            more = f" and {len(owners) - 1} more" if owners[1:] else ""
            yield Offer(
                f"it is the figure of {record.id}{more} ({figure.key}), which this sentence does not name; this "
                f"model's is {own}",
                expected=own,
            )
        elif not _SHARE.search(sentence):
            yield Offer(f"this model's is {own} in bf16; {OTHERWISE}", expected=own)


def _sentence(passage: Passage, quantity: Quantity) -> tuple[int, int]:
    return sentence_at(passage.read.value, quantity.start)


def _of_one_layer(passage: Passage, facts: Facts, quantity: Quantity) -> Iterator[Offer]:
    """A figure per token and layer beside the name of one kind of layer: what such a layer takes."""
    begin, _ = _sentence(passage, quantity)
    before = passage.read.value[begin : quantity.end]
    sizes = per_layer(facts)
    kinds = [kind for kind in sizes for word in KINDS.get(kind, ()) if f"{word} layer" in before]
    if len(kinds) == 1:
        known: dict[str, Fraction] = sizes[kinds[0]]
        right = ", ".join(f"{show(size)} ({key})" for key, size in list(known.items())[:3])
        yield Offer(f"a layer of this kind takes {right} B/token", expected=right)


def _of_a_source(kb: KnowledgeBase, passage: Passage, balance: Balance) -> Iterator[Offer]:
    """A source that the record cites elsewhere and that states the number under a word of the sentence."""
    ledger, number = ledger_of(kb), balance.number
    words = set(words_of(passage.read.value[slice(*number.scope)]))
    for id in dict.fromkeys(each.target for each in kb.graph.cites(passage.record.id)):
        record = kb.catalog.records[str(id)]
        if record.kind != "source" or ledger.vocabulary(record).config:  # a config has words for each of its fields
            continue
        equal = (entry for entry in ledger.of(record) if entry.equals(number))
        entry = next((entry for entry in equal if _telling(entry.words & words, ledger.words.counted)), None)
        if entry is not None:
            yield Offer(f"[[{record.id}]] states it (`{entry.label}`): cite it beside the number, or compute it")


def _telling(shared: frozenset[str], counted: frozenset[str]) -> bool:
    """Whether words that an entry and a sentence share say what is counted."""
    return any(len(word) > 3 for word in shared) and (bool(shared & counted) or len(shared) > 1)
