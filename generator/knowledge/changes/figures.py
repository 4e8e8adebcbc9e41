"""What is derived for a model and published, by name: what two knowledge bases can be compared by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction

from generator.derive.config.fields import NotDerivable
from generator.derive.facts import Facts
from generator.derive.figures import Figure
from generator.knowledge.changes.written import RecordChange, causes_among
from generator.knowledge.evidence.impact import format_cites, layout_cite
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.citations import whole

_BEYOND = 1 << 40
"""Tokens, more than any window holds."""

Published = Fraction | str
"""A figure in its unit, or a word."""


class Weight(IntEnum):
    """How bad a change is for a reader who has used the old value; the worst first."""

    LOST = 0
    FAMILY = 1
    FIGURE = 2
    WORD = 3
    GAINED = 4


@dataclass(frozen=True, slots=True)
class FactChange:
    """A published fact that differs; None where there is none. Bytes, counts or words, as its name says."""

    record: str
    fact: str
    before: Published | None
    after: Published | None
    because: tuple[str, ...] = ()

    @property
    def ratio(self) -> Fraction | None:
        """After against before; None where one is not a figure."""
        one, other = self.before, self.after
        return other / one if isinstance(one, Fraction) and isinstance(other, Fraction) and one else None

    @property
    def weight(self) -> Weight:
        """How bad it is."""
        if self.fact.endswith(".reason"):
            return Weight.LOST if self.after is not None else Weight.GAINED
        if self.before is None:
            return Weight.GAINED
        if self.after is None:
            return Weight.LOST
        return Weight.FIGURE if self.ratio is not None else Weight.FAMILY if self.fact == "family" else Weight.WORD

    @property
    def rank(self) -> tuple[int, Fraction, str]:
        """The worst first; of figures the one that is off by the largest factor."""
        ratio = self.ratio
        times = max(ratio, 1 / ratio) if ratio and ratio > 0 else Fraction(0)
        return self.weight, -times, self.fact


def changed_facts(
    before: KnowledgeBase, after: KnowledgeBase, records: Mapping[str, RecordChange], tables: tuple[str, ...]
) -> tuple[FactChange, ...]:
    """The facts that differ, of models that both bases have; a model that came or went is reported as a record."""
    found = []
    for model, facts in after.facts.items():
        old = before.facts.get(model)
        if old is None or (old is facts and not tables):
            continue
        one, other = dict(published(before, old)), dict(published(after, facts))
        names = [name for name in dict.fromkeys((*other, *one)) if one.get(name) != other.get(name)]
        because = tuple(_because(before, after, old, facts, records, tables)) if names else ()
        found += [FactChange(model, name, one.get(name), other.get(name), because) for name in names]
    return tuple(found)


def published(kb: KnowledgeBase, facts: Facts) -> Iterator[tuple[str, Published]]:
    """The facts of a model: growth in bytes per token, state and windows in bytes, parameters, bytes of weights."""
    geometry = facts.geometry
    if geometry is None:
        yield "kv.reason", str(facts.reason)
    else:
        yield "family", geometry.family
        ways = kb.verdicts.profiles[facts.id].alternatives
        if ways:
            yield "kernel classes", " or ".join(" + ".join(name for job in way for name in job.classes) for way in ways)
        yield from ((f"layers.{name}", Fraction(count)) for name, count in geometry.layers.items())
    for figure in facts.figures:
        yield f"kv.growth.{figure.key}", figure.growth
        if held := figure.bytes(_BEYOND) - figure.growth * _BEYOND:
            yield f"kv.windows.{figure.key}", held
        yield f"kv.engines.{figure.key}", ", ".join(sorted(figure.engines)) or "none"
    yield from ((f"state.{name}", Fraction(size)) for name, size in facts.state.items())
    for cost in facts.overpay.costs:
        yield f"unsupported.{cost.tokens}", cost.unsupported
    yield from _sizes(facts)


def _sizes(facts: Facts) -> Iterator[tuple[str, Published]]:
    counted, weighed = facts.parameters, facts.weights
    if isinstance(counted, NotDerivable):
        yield "parameters.reason", counted.reason
    elif counted is not None:
        yield "parameters.total", Fraction(counted.total)
        yield "parameters.active", Fraction(counted.active(with_input_embedding=True))
    if isinstance(weighed, NotDerivable):
        yield "weights.reason", weighed.reason
    elif weighed is not None:
        yield "weights.bytes", Fraction(weighed.total)


def _because(
    before: KnowledgeBase,
    after: KnowledgeBase,
    old: Facts,
    new: Facts,
    records: Mapping[str, RecordChange],
    tables: tuple[str, ...],
) -> Iterator[str]:
    """The records behind a model's facts that differ, and the config keys that do."""
    keys = [key for key in dict.fromkeys((*new.config, *old.config)) if old.config.get(key) != new.config.get(key)]
    reads = {key for facts in (old, new) if facts.geometry for key in facts.geometry.reads}
    keys = [key for key in keys if key in reads or (key in old.config and key in new.config)]
    keys.sort(key=lambda key: key not in reads)
    ids = [id for kb, facts in ((after, new), (before, old)) for id in _behind(kb, facts)]
    found = tuple(causes_among(records, ids, keys))
    yield from found
    told = [f"{key} {old.config.get(key, 'none')} -> {new.config.get(key, 'none')}" for key in keys[:4]]
    plain = [each for each in told if len(each) < 80 and not any(each in cause for cause in found)]
    if plain:
        yield f"{after.catalog.records[new.id].path}: its config has {'; '.join(plain)}"
    yield from (() if found or plain else (f"{path}: changed" for path in tables))


def _behind(kb: KnowledgeBase, facts: Facts) -> Iterator[str]:
    """The records from which a model's facts follow: its own, its evidence, and those of the formats."""
    record = kb.catalog.records[facts.id]
    yield record.id
    for text in (record.get("config"), record.get("class_defaults"), *(record.get("evidence") or {}).values()):
        mention = whole(str(text or ""))
        if mention is not None and not mention.problem:
            yield kb.catalog.redirects.get(mention.id, mention.id)
    for figure in facts.figures:
        yield from _formats_of(kb, figure)


def _formats_of(kb: KnowledgeBase, figure: Figure) -> Iterator[str]:
    for stored in figure.layouts:
        if stored.engine:
            yield stored.engine.id
        if cite := layout_cite(stored):
            yield cite
    for cite, format in format_cites(kb, figure):
        yield format.partition("#")[0]
        yield cite
