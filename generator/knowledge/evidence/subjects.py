"""What a cited source must be about, and which sources declare it."""

from __future__ import annotations

from collections.abc import Iterator

from generator.catalog.records import Record
from generator.derive.cited_config import CitedConfig, agree
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


def foreign_citations(kb: KnowledgeBase, record: Record) -> Iterator[tuple[Citation, str | None, Record]]:
    """The citations that a record rests on, of sources about other subjects of its kind and not about its own.

    A source may be about several, or about none of this kind: an engine's issue says something of a model, too. What
    was derived from the record's repository speaks of it.
    """
    own = subjects_of(record)
    scheme = own[0].partition(":")[0] + ":"
    for citation in kb.graph.cites(record.id):
        source, field = citation.resolution.record, citation.field
        if (
            source is None
            or source.kind != "source"
            or not citation.evidence
            or (field and "x-subject" in field.schema)
        ):
            continue
        about = [str(each) for each in (*(source.get("subjects") or ()), source.get("derived_from"))]
        others = [each for each in about if each.startswith(scheme)]
        if others:
            yield citation, None if set(own) & set(others) else own[0], source


def subjects_of(record: Record) -> tuple[str, ...]:
    """The subjects that a record is about: a model's repository and its base, else its kind and id."""
    if record.kind != "model":
        return (f"{record.kind}:{record.id}",)
    return tuple(f"hf:{repo}" for repo in (record.get("repo"), record.get("derived_from")) if repo) or ("hf:",)


def candidates(kb: KnowledgeBase, record: Record, citation: Citation, subject: str, wrong: Record) -> list[Record]:
    """Sources that declare the subject and are allowed in this field, best first.

    Ranked by agreeing fields; between equals an orphan goes first, then the one that says the same kinds of things.
    """
    types = citation.field.cites.get("types") if citation.field and citation.field.cites else None
    orphans = set(kb.graph.orphans())
    # A field whose evidence is another document says nothing about which config this one is.
    elsewhere = record.get("evidence") or {}
    relied_on = {key: value for key, value in (record.get("architecture") or {}).items() if key not in elsewhere}

    def rank(source: Record) -> tuple[int, bool, int, str]:
        facts = CitedConfig(source).flat
        agreeing = sum(key in facts and agree(facts[key], value) for key, value in relied_on.items())
        alike = len(set(facts) & set(CitedConfig(wrong).flat))
        return (-agreeing, source.id not in orphans, -alike, source.id)

    fitting = [
        source
        for source in kb.catalog.sound("source")
        if subject in (source.get("subjects") or []) and (types is None or source.get("type") in types)
    ]
    return sorted(fitting, key=rank)
