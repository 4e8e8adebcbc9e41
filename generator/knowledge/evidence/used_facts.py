"""What a record uses of a source: the facts behind its citations, and not the rest of the document.

The recipe is versioned, since a review stamp is a hash over what it gives. Version ``v1``:

- a model's ``config``: the keys of its ``architecture`` whose evidence it is, and the class names, each as the language
  model's config has it;
- a model's ``evidence.KEY``: that key alone;
- a citation with a fragment that is a fact, ``[[id#fact]]``: that fact alone;
- a citation next to a ``value`` that a list or table of the source holds: those entries;
- any other citation: all facts.

What a citation needs is what its record falls with; mentions in prose need nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generator.catalog.records import Record
from generator.derive.cited_config import CitedConfig, agree
from generator.knowledge.evidence.config_comparison import Pair
from generator.knowledge.graph import Citation

RECIPE = "v1"

MOST, SHORT = 4, 40
"""So many changed facts a message names, and values of so many characters it shows."""

Need = tuple[str, str | None]
"""A fact by its name, and the entry of it where only that is used."""


def needs(record: Record, citations: Iterable[Citation], source: Record) -> list[Need]:
    """What the citations of one source by one record need of it, each thing once."""
    found = {need: None for citation in citations for need in _needs(record, citation, source)}
    whole_facts = {fact for fact, entry in found if entry is None}
    return [(fact, entry) for fact, entry in found if entry is None or fact not in whole_facts]


def used(wanted: Iterable[Need], source: Record) -> dict[str, Any]:
    """Those of the needs that a source states: by a name that a reader understands, with the value."""
    facts, found = CitedConfig(source).flat, {}
    for fact, entry in wanted:
        if fact not in facts:
            continue
        if entry is None:
            found[fact] = facts[fact]
        elif entry in _entries(facts[fact]):
            found[f"{fact}[{entry}]"] = _entries(facts[fact])[entry]
    return found


def parsed(name: str) -> Need:
    """The need that a name means.

    >>> parsed("layers"), parsed("architectures[LlamaForCausalLM]")
    (('layers', None), ('architectures', 'LlamaForCausalLM'))
    """
    fact, bracket, entry = name.partition("[")
    return (fact, entry.removesuffix("]")) if bracket and entry.endswith("]") else (name, None)


def _needs(record: Record, citation: Citation, source: Record) -> Iterator[Need]:
    facts = CitedConfig(source).flat
    if record.kind == "model" and citation.path[0] == "config":
        elsewhere = record.get("evidence") or {}
        keys = ("architectures", *(key for key in record.get("architecture") or {} if key not in elsewhere))
        yield from ((key, None) for key in keys if key in facts)
    elif record.kind == "model" and citation.path[0] == "evidence":
        yield str(citation.path[1]), None
    elif citation.mention.fragment in facts:
        yield str(citation.mention.fragment), None
    else:
        value = record.get(*citation.path[:-1], "value") if len(citation.path) > 1 else None
        holding = [fact for fact in facts if isinstance(value, str) and value in _entries(facts[fact])]
        yield from ((fact, str(value)) for fact in holding) if holding else ((fact, None) for fact in facts)


def _entries(fact: Any) -> dict[str, Any]:
    """The named entries of a list or a table."""
    if isinstance(fact, Mapping):
        return {str(key): value for key, value in fact.items()}
    return {each: True for each in fact if isinstance(each, str)} if isinstance(fact, list) else {}


def evidence_by_source(citations: Iterable[Citation]) -> dict[str, list[Citation]]:
    """The citations of a record on which values rest, by the id of the source that they name."""
    found: dict[str, list[Citation]] = {}
    for citation in citations:
        cited = citation.resolution.record
        if citation.evidence and cited is not None and cited.kind == "source":
            found.setdefault(cited.id, []).append(citation)
    return found


@dataclass(frozen=True)
class Difference:
    """What is used of one edition, compared with another: equal, changed as ``[here, there]``, or absent there."""

    same: list[str]
    changed: dict[str, Pair]
    absent: list[str]

    @property
    def shared(self) -> list[str]:
        """What both state."""
        return [*self.same, *self.changed]

    def text(self) -> str:
        """In words what is not the same; empty where all is."""
        changed = [_change(name, *pair) for name, pair in list(self.changed.items())[:MOST]]
        more = [f"{len(self.changed) - MOST} more differ"] if len(self.changed) > MOST else []
        absent = [f"{', '.join(self.absent[:MOST])} not stated there"] if self.absent else []
        return "; ".join([*changed, *more, *absent])


def difference(wanted: Iterable[Need], old: Record, new: Record) -> Difference:
    """What is used of a source, compared with what another one says of the same."""
    wanted = list(wanted)
    here, there = used(wanted, old), used(wanted, new)
    return Difference(
        [name for name in here if name in there and agree(here[name], there[name])],
        {name: [here[name], there[name]] for name in here if name in there and not agree(here[name], there[name])},
        [name for name in here if name not in there],
    )


def _change(name: str, here: Any, there: Any) -> str:
    """One changed fact: both values where they are short, else what came and what went."""
    values = [json.dumps(value, ensure_ascii=False) for value in (here, there)]
    if max(map(len, values)) <= SHORT:
        return f"`{name}` is {values[1]}, not {values[0]}"
    before, after = _entries(here), _entries(there)
    gone = [entry for entry in before if entry not in after]
    came = [entry for entry in after if entry not in before]
    told = [f"{word} {', '.join(each[:MOST])}" for word, each in (("lost", gone), ("gained", came)) if each]
    return f"`{name}` {' and '.join(told)}" if told else f"`{name}` differs"
