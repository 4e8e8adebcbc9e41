"""The prose of records before the arithmetic reader: which texts, with which named values, and whose figure one is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from weakref import WeakKeyDictionary

from generator.arithmetic import Kind, Names, Quantity, Statement, read, sentence_at
from generator.attention.geometry import Entries, Geometry
from generator.attribution import own_growths, owners_of
from generator.cache_table import Figure
from generator.expressions import of_a_model
from generator.filled import Filled, filled
from generator.findings import Finding, Related
from generator.graph import Citation
from generator.includes import Section, prose, sections
from generator.judgement import Check, Tally
from generator.knowledge import KnowledgeBase
from generator.records import Record, Text
from generator.spans import Location
from generator.units import grouped

KINDS: Mapping[str, tuple[str, ...]] = {
    "heavily_compressed_attention": ("HCA",),
    "compressed_sparse_attention": ("CSA",),
    "sliding_attention": ("sliding",),
    "full_attention": ("full",),
    "linear_attention": ("linear",),
    "mamba": ("Mamba",),
}
"""What prose calls the layers of a kind."""


UNREAD = Filled("")


@dataclass(frozen=True)
class Passage:
    """A prose text of a record and what it may refer to by name."""

    record: Record
    text: Text
    names: Names
    read: Filled = UNREAD
    """What a reader of the page reads: an expression is a number. Empty where only places are asked for."""
    include: Citation | None = None
    """The include by which the text of another record comes here."""
    section: Section | None = None
    """Where it was written, if that is the place to tell of."""

    def place(self, start: int, end: int) -> Location:
        """Where characters `start` to `end` of the text stand in the file; the part on the first line of several."""
        if self.section:
            written, start = self.section, self.section.start + start
            token = written.text.value[start : self.section.start + end].split("\n")[0]
            (span,) = written.record.document.places(written.text.span, written.text.value, [(start, token)])
            return written.record.location(span or written.text.span)
        if self.include:
            return self.include.location
        token = self.text.value[start:end].split("\n")[0]
        (span,) = self.record.document.places(self.text.span, self.text.value, [(start, token)])
        return self.record.location(span or self.text.span)

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


def passages(kb: KnowledgeBase, tally: Tally, kinds: tuple[str, ...] = ()) -> Iterator[Passage]:
    """The prose of the records of some kinds (all but sources).

    What a correction says was wrong is left alone: it quotes the mistake.
    """
    for kind in kinds or tuple(kind.name for kind in kb.catalog.kinds if kind.name != "source"):
        for record in tally.sound(kb, kind):
            yield from _of_record(kb, record)


_READ: WeakKeyDictionary[KnowledgeBase, dict[str, tuple[Passage, ...]]] = WeakKeyDictionary()
"""The passages of each record of a base: every check of prose asks for them all."""


def _of_record(kb: KnowledgeBase, record: Record) -> tuple[Passage, ...]:
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


def names_of(kb: KnowledgeBase, record: Record) -> Names:
    """The config of a model as named values and lists, its layers by kind, its figures; nothing for other records."""
    facts = kb.facts.get(record.id)
    if facts is None:
        return Names()
    values = {
        key: Fraction(str(value))
        for key, value in facts.config.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    lists = {key: tuple(value) for key, value in facts.config.items() if isinstance(value, list) and value}
    layers = values.get("num_hidden_layers")
    types = facts.geometry.layer_types if facts.geometry else ()
    kinds, growths = _spoken_kinds(facts.geometry), own_growths(facts)
    return Names(values, lists, kinds, growths, int(layers) if layers else None, types, _kept(facts.geometry))


def _spoken_kinds(geometry: Geometry | None) -> dict[str, int]:
    counts = geometry.layers if geometry else {}
    return {word: counts[kind] for kind, words in KINDS.items() if kind in counts for word in words}


def _kept(geometry: Geometry | None) -> dict[str, str]:
    """What a layer of each kind keeps, in words."""
    streams = geometry.streams if geometry else ()
    kept = {}
    for kind in dict.fromkeys(stream.layer_type for stream in streams):
        own = [stream for stream in streams if stream.layer_type == kind and stream.role != "index"]
        parts = [_rule(stream.entries) for stream in own]
        grows = any(stream.entries.slope() for stream in own)
        kept[kind] = " and ".join(dict.fromkeys(parts)) + ("" if grows else " and nothing that grows")
    return kept


def _rule(entries: Entries) -> str:
    n = grouped(entries.n)
    words = {"full": "every token", "pooled": f"one entry per {n} tokens", "encoder": "what the encoder wrote"}
    return words.get(entries.rule, f"a {entries.rule} of {n} tokens")


def false_statements(kb: KnowledgeBase, tally: Tally, *kinds: Kind) -> Iterator[tuple[Passage, Statement]]:
    """What the reader finds false; the rest is counted."""
    for passage in (*passages(kb, tally), *included(kb)):
        for statement in read(passage.read.value, passage.names, kinds):
            if statement.holds is None or (not statement.holds and _of_another(kb, passage, statement)):
                tally.not_checkable += 1
                continue
            tally.checked += 1
            if not statement.holds and not _told_by_its_owner(kb, passage, statement, kinds):
                yield passage, statement


def _told_by_its_owner(kb: KnowledgeBase, passage: Passage, statement: Statement, kinds: tuple[Kind, ...]) -> bool:
    """Whether what is false on an including page is so without its figures, and told where it was written."""
    if passage.include is None:
        return False
    owner = kb.catalog.records[str(passage.include.target)]
    alone = filled(kb, owner, passage.text.value)
    false = (each for each in read(alone.value, names_of(kb, owner), kinds) if each.holds is False)
    return passage.read.typed(statement.start) in {alone.typed(each.start) for each in false}


def _of_another(kb: KnowledgeBase, passage: Passage, statement: Statement) -> bool:
    """Whether a statement that rests on this model's values may speak of another model."""
    around = passage.sentence(passage.read.typed(statement.start))
    return bool(statement.names) and bool(kb.names.mentioned(around, passage.record.id))


def _once(kb: KnowledgeBase, found: Iterable[tuple[Passage, Statement]]) -> Iterator[tuple[Passage, Statement]]:
    """What is false on every page that includes a text is one mistake, in the text itself."""
    groups: dict[tuple[str, int], list[tuple[Passage, Statement]]] = {}
    for passage, statement in found:
        if passage.include is None:
            yield passage, statement
        else:
            key = passage.include.mention.target, passage.read.typed(statement.start)
            groups.setdefault(key, []).append((passage, statement))
    for (target, _), group in groups.items():
        passage, statement = group[0]
        if len(group) > 1 and len(group) == sum(each.mention.target == target for each in kb.graph.includes):
            owner = kb.catalog.records[str(passage.include and passage.include.target)]
            section = sections(kb.catalog, owner)[target.partition("#")[2]]
            yield replace(passage, section=section), statement
        else:
            yield from group


def findings(this: Check, kb: KnowledgeBase, tally: Tally, *kinds: Kind) -> Iterator[Finding]:
    """A finding for each false statement: the right value, how it comes about, and whose figure the stated one is."""
    for passage, statement in _once(kb, false_statements(kb, tally, *kinds)):
        written = " ".join(passage.read.value[statement.start : statement.end].split())
        right = (
            f"the right value is {statement.right}{_unit(statement.stated)}" if statement.stated else statement.right
        )
        why = f" ({statement.why})" if statement.why else ""
        expression = passage.read.expression(statement.start, statement.end)
        owners = owners_of(kb, statement.stated, passage.record.id) if statement.stated and not expression else []
        whose = f"; {written} is the figure of {_list(owners)}" if owners else ""
        message = _computed(expression.inner, written, statement) if expression else f"{written}: {right}{why}{whose}"
        place = passage.place(*passage.typed(statement.start, statement.end))
        related = []
        if passage.section:
            message = f"on every page that includes this text, such as {passage.record.id}: {message}"
        elif passage.include:
            message = f"in {passage.include.mention.target}, with the figures of this model: {message}"
            owner = kb.catalog.records[str(passage.include.target)]
            related = [Related(owner.at(*passage.text.path), "the text")]
        yield this.finding(
            place,
            message,
            passage.section.record.id if passage.section else passage.record.id,
            related,
            data={"stated": written, "right": statement.right, "figure_of": [record.id for record, _ in owners]},
        )


def _computed(inner: str, written: str, statement: Statement) -> str:
    """A false statement about a computed value: what was typed beside it is wrong, or another value is meant."""
    beside = f", and {statement.why} gives {statement.right}" if statement.why else f", not {statement.right}"
    return f"`{inner}` is {written}{beside}{_unit(statement.stated)}; correct the typed numbers, or name what they give"


def _unit(quantity: Quantity | None) -> str:
    if quantity is None or quantity.unit is None or quantity.dimension not in ("bytes", "share", "times"):
        return ""
    return quantity.unit.symbol if quantity.dimension == "times" else f" {quantity.unit.symbol}"


def _list(owners: list[tuple[Record, Figure]]) -> str:
    shown = ", ".join(f"{record.id} ({figure.key})" for record, figure in owners[:2])
    return shown + (f" and {len(owners) - 2} more" if len(owners) > 2 else "")
