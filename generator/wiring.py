"""Whether a citation names the right document: a subject look-up, and how two configs compare field by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generator import attention
from generator.attention.config import WRAPPERS, unwrap
from generator.attention.formats import growth
from generator.attention.geometry import NotDerivable
from generator.graph import Citation
from generator.knowledge import KnowledgeBase
from generator.records import Record
from generator.spans import Location

Pair = list[Any]
"""A field's two values, ``[right, cited]``."""

OUTER = ("architectures", "quantization_config")


def expected_subject(citation: Citation, record: Record) -> str | None:
    """The subject that the citing field wants its source to declare, or None where the record does not determine it."""
    template = citation.field.schema.get("x-subject") if citation.field else None
    if template is None:
        return None
    values = {"id": record.id, "repo": record.get("repo")}
    named = {key: value for key, value in values.items() if f"{{{key}}}" in template}
    return None if None in named.values() else str(template).format(**named)


def subject_citations(kb: KnowledgeBase, record: Record) -> Iterator[tuple[Citation, str | None, Record]]:
    """The citations of a record whose source must be about a certain subject: (citation, subject, source)."""
    for citation in kb.graph.cites(record.id):
        source = citation.resolution.record
        if source is not None and source.kind == "source" and citation.field and "x-subject" in citation.field.schema:
            yield citation, expected_subject(citation, record), source


def flat_facts(source: Record | None) -> dict[str, Any]:
    """A source's facts as a flat config: the language model's own, with the identity that stands outside of it."""
    facts = source.get("facts") if source else None
    if not isinstance(facts, Mapping):
        return {}
    return {**unwrap(facts), **{key: facts[key] for key in OUTER if key in facts}}


def model_types(source: Record) -> set[str]:
    """The model types by which a config may be known: the wrapper's and the language model's."""
    facts = source.get("facts") or {}
    return {str(value) for value in (facts.get("model_type"), unwrap(facts).get("model_type")) if value is not None}


def agree(one: Any, other: Any) -> bool:
    """Whether two values of a config say the same: 10000 and 10000.0 do, 1 and true do not."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(agree(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(agree, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


@dataclass(frozen=True)
class Comparison:
    """Two configs beside each other, over the fields that a record relies on and over the others."""

    discriminating: dict[str, Pair]
    shared: list[str]
    absent: list[str]
    elsewhere: dict[str, Pair]


def compare(relied_on: Mapping[str, Any], right: Mapping[str, Any], cited: Mapping[str, Any]) -> Comparison:
    """Which fields tell two configs apart.

    A field that the right one lacks tells nothing; one that the cited one lacks is `absent`. `elsewhere` are differing
    facts that the record does not rely on.
    """
    both = [key for key in relied_on if key in right and key in cited]
    discriminating = {key: [right[key], cited[key]] for key in both if not agree(right[key], cited[key])}
    shared = [key for key in both if key not in discriminating]
    absent = [key for key in relied_on if key in right and key not in cited]
    elsewhere = {
        key: [right[key], cited[key]]
        for key in right
        if key in cited and key not in relied_on and not agree(right[key], cited[key])
    }
    return Comparison(discriminating, shared, absent, elsewhere)


def candidates(kb: KnowledgeBase, record: Record, citation: Citation, subject: str, wrong: Record) -> list[Record]:
    """Sources that declare the subject and may stand in this field, best first.

    Ranked by agreeing fields; between equals an orphan goes first, then the one that says the same kinds of things.
    """
    types = citation.field.cites.get("types") if citation.field and citation.field.cites else None
    orphans = set(kb.graph.orphans())
    # A field whose evidence is another document says nothing about which config this one is.
    elsewhere = record.get("evidence") or {}
    relied_on = {key: value for key, value in (record.get("architecture") or {}).items() if key not in elsewhere}

    def rank(source: Record) -> tuple[int, bool, int, str]:
        facts = flat_facts(source)
        agreeing = sum(key in facts and agree(facts[key], value) for key, value in relied_on.items())
        alike = len(set(facts) & set(flat_facts(wrong)))
        return (-agreeing, source.id not in orphans, -alike, source.id)

    fitting = [
        source
        for source in kb.catalog.sound("source")
        if subject in (source.get("subjects") or []) and (types is None or source.get("type") in types)
    ]
    return sorted(fitting, key=rank)


def growth_of(kb: KnowledgeBase, config: Mapping[str, Any]) -> Fraction | None:
    """KV growth of a config in bf16, in bytes per token; None where it cannot be derived."""
    plain = kb.formats.uniform("bf16")
    geometry = attention.derive(config, kb.keys)
    if plain is None or isinstance(geometry, NotDerivable):
        return None
    return growth(geometry, plain)


def disagreements(record: Record, source: Record) -> dict[str, Pair]:
    """The fields in which a model's architecture and a config differ, ``[here, there]``.

    A field whose evidence is another document, or that the config lacks, says nothing; a model type may be the outer
    or the inner one.
    """
    facts, elsewhere = flat_facts(source), record.get("evidence") or {}
    return {
        key: [value, facts[key]]
        for key, value in (record.get("architecture") or {}).items()
        if key in facts
        and key not in elsewhere
        and not agree(value, facts[key])
        and not (key == "model_type" and str(value) in model_types(source))
    }


def fact_place(source: Record, key: str) -> Location:
    """Where a fact stands: in the wrapped config, whose fields count, or outside of it."""
    holders = (outer for outer, inner in source.get("facts").items() if isinstance(inner, Mapping) and key in inner)
    wrapped = next((outer for outer in holders if outer in WRAPPERS), None)
    return source.at("facts", key) if wrapped is None else source.at("facts", wrapped, key)
