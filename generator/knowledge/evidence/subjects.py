"""What a cited source must be about, and which sources declare it."""

from __future__ import annotations

from collections.abc import Iterator

from generator.catalog.records import Record
from generator.derive.cited_config import flat_facts
from generator.knowledge.evidence.config_comparison import agree
from generator.knowledge.graph import Citation
from generator.knowledge.knowledge_base import KnowledgeBase


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
