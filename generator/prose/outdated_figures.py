"""Figures that were once given for a record and no longer hold: what its corrections call wrong, and what followed from
an edition of a source that is superseded.

History is what the base holds; no revision of the files is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generator.catalog.records import Record
from generator.derive import attention
from generator.derive.attention import growth
from generator.derive.cited_config import CitedConfig
from generator.derive.config.fields import NotDerivable
from generator.derive.facts import Facts
from generator.derive.parameters.parts import Parameters
from generator.findings import Location
from generator.knowledge.editions import Newer, shown
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import grouped
from generator.prose.expressions.filled_text import filled
from generator.prose.figure_owners import SIGNIFICANT, own_values, says
from generator.prose.reader import Quantity
from generator.prose.reading.tokens import tokens

_PLAIN = "{{ kv.growth('bf16') }}"


@dataclass(frozen=True)
class OutdatedFigure:
    """A figure that no longer holds: how that came about, where it is written, and what holds now.

    A figure that followed from a config is exact; one that somebody typed is as precise as it was typed.
    """

    figure: Quantity | Fraction
    story: str
    place: Location
    now: str
    expression: str | None = None
    edition: str | None = None

    def stated_by(self, quantity: Quantity) -> bool:
        """Whether a figure in prose is this one, at the precision of both."""
        if isinstance(self.figure, Fraction):
            return "token" in _per(quantity) and "layer" not in _per(quantity) and says(quantity, self.figure)
        return _alike(self.figure, quantity) and _overlap(self.figure, quantity)


def bygones(kb: KnowledgeBase, record: Record) -> list[OutdatedFigure]:
    """The figures of a record that no longer hold. One that it still states, or derives, is none."""
    found = [*_corrected(kb, record), *_superseded_claims(kb, record)]
    facts = kb.facts.get(record.id)
    return [*found, *(_of_old_config(kb, record, facts) if facts is not None and facts.geometry else ())]


def significant(text: str) -> list[Quantity]:
    """The figures of a text that have enough digits not to be chance."""
    return [each for each in _measured(text) if len(re.sub(r"\D", "", each.text).lstrip("0")) >= SIGNIFICANT]


def holds(kb: KnowledgeBase, record: Record, quantity: Quantity) -> bool:
    """Whether a record states a figure as a value today, or it follows for it."""
    facts = kb.facts.get(record.id)
    own = own_values(facts) if facts is not None else set()
    if facts is not None and isinstance(facts.parameters, Parameters):
        own |= {
            Fraction(facts.parameters.total),
            *(Fraction(facts.parameters.active(with_)) for with_ in (True, False)),
        }
    return any(says(quantity, size) for size in own) or any(
        quantity.value == number or says(quantity, number) for number in _numbers(_present(kb, record))
    )


def _measured(text: str) -> list[Quantity]:
    """The figures of a text in bytes, and the counts in words such as billion."""
    read = [token.quantity for token in tokens(text) if token.quantity is not None and token.quantity.unit is not None]
    words = ("thousand", "million", "billion", "trillion")
    return [each for each in read if each.dimension == "bytes" or (each.unit and each.unit.symbol in words)]


def _per(quantity: Quantity) -> tuple[str, ...]:
    return quantity.unit.per if quantity.unit else ()


def _alike(one: Quantity, two: Quantity) -> bool:
    return one.dimension == two.dimension and _per(one) == _per(two)


def _apart(one: Quantity, two: Quantity) -> Fraction:
    """How far the second is from the first, as a share: what was put for a figure is the nearest to it."""
    sizes = [each.value * (each.unit.scales[0] if each.unit else 1) for each in (one, two)]
    return abs(sizes[1] / sizes[0] - 1)


def _overlap(one: Quantity, two: Quantity) -> bool:
    """Whether two figures may be one number, in the likeliest reading of their units."""
    ranges = [each.at(each.unit.scales[0] if each.unit else Fraction(1)) for each in (one, two)]
    return ranges[0][0] < ranges[1][1] and ranges[1][0] < ranges[0][1]


def _present(kb: KnowledgeBase, record: Record) -> dict[str, Any]:
    """A record without its history: corrections, and claims that rest on a superseded source."""
    passed = _passed_claims(kb, record)
    claims = [claim for index, claim in enumerate(record.get("claims") or ()) if index not in passed]
    return {**{key: value for key, value in record.data.items() if key != "corrections"}, "claims": claims}


def _numbers(value: Any) -> Iterator[Fraction]:
    """All numbers below a value."""
    if isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _numbers(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield Fraction(str(value))


def _corrected(kb: KnowledgeBase, record: Record) -> Iterator[OutdatedFigure]:
    """What corrections call wrong and put another figure of the same kind for.

    A figure that a right text names too may be right in another sense; one without a successor may be no mistake.
    """
    corrections = record.get("corrections") or ()
    rights = [_measured(filled(kb, record, correction["right"]).value) for correction in corrections]
    named = [each for right in rights for each in right]
    for index, (correction, right) in enumerate(zip(corrections, rights, strict=True)):
        for figure in significant(correction["wrong"]):
            instead = sorted((each for each in right if _alike(figure, each)), key=lambda each: _apart(figure, each))
            repeated = any(_alike(figure, each) and _overlap(figure, each) for each in named)
            if instead and not repeated and not holds(kb, record, figure):
                yield OutdatedFigure(
                    figure,
                    f"`corrections[{index}]` of {correction['date']} calls it wrong",
                    record.at("corrections", index, "wrong"),
                    instead[0].text.strip(),
                    _PLAIN if _is_growth(kb, record, right) else None,
                )


def _is_growth(kb: KnowledgeBase, record: Record, right: list[Quantity]) -> bool:
    """Whether a right text names the growth in bf16, for which there is an expression."""
    plain = kb.facts[record.id].figure("bf16") if record.id in kb.facts else None
    return plain is not None and any(_per(each) == ("token",) and says(each, plain.growth) for each in right)


def _superseded_claims(kb: KnowledgeBase, record: Record) -> Iterator[OutdatedFigure]:
    """Claims whose source has a newer edition, from which another value of the same thing is claimed."""
    claims = record.get("claims") or ()
    for index, later in _passed_claims(kb, record).items():
        old, id = claims[index], _cited(kb, record)[index]
        for other, target in _cited(kb, record).items():
            new = claims[other]
            if target == later.source.id and new["field"] == old["field"] and new["value"] != old["value"]:
                for figure in significant(f"{old['value']} {old['unit']}"):
                    story = f"`{old['field']}` in {_passed(id, later)}"
                    place, now = record.at("claims", index, "value"), f"{new['value']} {new['unit']}"
                    yield OutdatedFigure(figure, story, place, now, None, later.this)


def _passed_claims(kb: KnowledgeBase, record: Record) -> dict[int, Newer]:
    """The claims of a record that rest on a superseded source, by their index."""
    return {index: kb.newer[id] for index, id in _cited(kb, record).items() if id in kb.newer}


def _cited(kb: KnowledgeBase, record: Record) -> dict[int, str]:
    """The source of each claim, by the claim's index."""
    return {
        int(citation.path[1]): citation.target
        for citation in kb.graph.cites(record.id)
        if citation.path[:1] == ("claims",) and citation.path[-1] == "cite" and citation.target
    }


def _of_old_config(kb: KnowledgeBase, record: Record, facts: Facts) -> Iterator[OutdatedFigure]:
    """What a model kept per token by an earlier edition of its config."""
    source, plain, present = CitedConfig.of(kb.catalog, record).source, kb.formats.uniform("bf16"), facts.figure("bf16")
    if source is None or plain is None or present is None:
        return
    for id, later in kb.newer.items():
        if later.source.id != source.id:
            continue
        old = kb.catalog.records[id]
        geometry = attention.derive({**facts.config, **CitedConfig(old).flat}, kb.keys)
        if isinstance(geometry, NotDerivable):
            continue
        size = growth(geometry, plain)
        if size is not None and size != present.growth:
            story = f"the cache growth in bf16 by {_passed(id, later)}"
            now = f"{grouped(present.growth)} B/token"
            yield OutdatedFigure(size, story, old.at("facts"), now, _PLAIN, later.this)


def _passed(id: str, later: Newer) -> str:
    return f"{id} ({shown(later.this)}), which {later.source.id} supersedes ({shown(later.that)}; {later.why})"
