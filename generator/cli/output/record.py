"""``servebook show`` and ``servebook graph``: one record, what follows from it, and its place among the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from generator.catalog.records import Record
from generator.cli.output.to_json import to_json
from generator.knowledge.evidence.impact import consequences
from generator.knowledge.graph import Citation
from generator.knowledge.includes import IncludeError, resolve
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.braces import includes
from generator.notation.units import binary, grouped, number
from generator.prose.expressions.filled_text import filled


def show_text(kb: KnowledgeBase, record: Record) -> str:
    """A record for a terminal: its own words first, then what is derived."""
    lines = [f"{record.title}  ({record.kind} {record.id}, {record.path})", ""]
    lines += _fields(record.data, "", partial(_read, kb, record))
    if record.kind == "model":
        lines += ["", *_model_lines(kb, record)]
    by, cites = kb.graph.neighbours(record.id)
    lines += ["", f"cited by {', '.join(by) or 'nobody'}", f"cites {', '.join(cites) or 'nothing'}"]
    return "\n".join(lines)


def show_json(kb: KnowledgeBase, record: Record) -> str:
    """A record as JSON: data as written, facts as computed."""
    by, cites = kb.graph.neighbours(record.id)
    facts = _model_facts(kb, record) if record.kind == "model" else {}
    head = {"id": record.id, "kind": record.kind, "path": record.path}
    return to_json({**head, "data": record.data, "facts": facts, "cited_by": by, "cites": cites})


def graph_text(kb: KnowledgeBase, record: Record) -> str:
    """Citations to and from a record, and what falls with it."""
    lines = [f"{record.title}  ({record.kind} {record.id})", "", "cited by"]
    lines += _citation_lines(kb.graph.cited_by(record.id), "citing")
    lines += ["", "cites"]
    lines += _citation_lines(kb.graph.cites(record.id), "target")
    lines += ["", "falls if it falls"]
    falling = consequences(kb, record.id)
    lines += [
        f"  {each.record}  {each.place}" + (f"  -> {'; '.join(each.published)}" if each.published else "")
        for each in falling
    ] or ["  nothing: no value rests on it"]
    return "\n".join(lines)


def graph_json(kb: KnowledgeBase, record: Record) -> str:
    """The same as JSON."""
    return to_json(
        {
            "id": record.id,
            "kind": record.kind,
            "cited_by": [_citation_object(citation, citation.citing) for citation in kb.graph.cited_by(record.id)],
            "cites": [_citation_object(citation, citation.target) for citation in kb.graph.cites(record.id)],
            "falls": [
                {"record": each.record, "field": each.place, "published": list(each.published)}
                for each in consequences(kb, record.id)
            ],
        }
    )


def _read(kb: KnowledgeBase, record: Record, text: str) -> str:
    """A text as a reader sees it: values for expressions, and the texts that it includes below whose they are."""
    parts, at = [], 0
    for each in includes(text):
        try:
            section = resolve(kb.catalog, record, each)
        except IncludeError:
            continue
        parts += [filled(kb, record, text[at : each.start]).value, f"(from {each.target})\n"]
        parts.append(filled(kb, record, section.value).value.rstrip())
        at = each.end
    return "".join([*parts, filled(kb, record, text[at:]).value])


def _fields(value: Any, indent: str, read: Callable[[str], str]) -> Iterator[str]:
    for key, item in value.items():
        if isinstance(item, dict) and item:
            yield f"{indent}{key}:"
            yield from _fields(item, indent + "  ", read)
        elif isinstance(item, str) and "\n" in item:
            yield f"{indent}{key}:"
            yield from (f"{indent}  {line}" for line in read(item).rstrip().splitlines())
        elif isinstance(item, list) and any(isinstance(each, dict) for each in item):
            yield f"{indent}{key}: {len(item)}"
            for each in item:
                inner = (
                    list(_fields(each, indent + "    ", read)) if isinstance(each, dict) else [f"{indent}    {each}"]
                )
                yield f"{indent}  - {inner[0].strip()}" if inner else f"{indent}  -"
                yield from inner[1:]
        else:
            yield f"{indent}{key}: {_plain(item)}"


def _plain(item: Any) -> str:
    if item is None:
        return "null"
    if isinstance(item, list):
        text = ", ".join(str(each) for each in item)
        return text if len(text) <= 100 else f"{text[:97]}... ({len(item)} in all)"
    return str(item)


def _model_lines(kb: KnowledgeBase, record: Record) -> list[str]:
    facts = kb.facts.get(record.id)
    if facts is None or facts.geometry is None:
        return [f"not derivable: {facts.reason if facts else 'the record breaks its schema'}"]
    lines = [f"derived: family {facts.geometry.family}"]
    for figure in facts.figures:
        only = "  (geometry only: no engine on record stores it)" if figure.geometry_only else ""
        lines.append(f"  {figure.key:<34} {grouped(figure.growth):>14} B/token  {binary(figure.growth)}{only}")
    lines += [f"  state {name}: {grouped(size)} B per sequence" for name, size in facts.state.items()]
    lines += [f"  class default: {facts.class_defaults}"] if facts.class_defaults else []
    for (model, engine), listing in kb.listings.items():
        if model == record.id:
            lines.append(f"  {engine}: {listing.state}, {listing.reasons[-1].text}")
    return lines


def _model_facts(kb: KnowledgeBase, record: Record) -> dict[str, Any]:
    facts = kb.facts.get(record.id)
    if facts is None or facts.geometry is None:
        return {"derivable": False, "reason": facts.reason if facts else "the record breaks its schema"}
    return {
        "derivable": True,
        "family": facts.geometry.family,
        "layers": facts.geometry.layers,
        "growth_bytes_per_token": {figure.key: number(figure.growth) for figure in facts.figures},
        "state_bytes": dict(facts.state),
        "engines": {engine: str(each.state) for (model, engine), each in kb.listings.items() if model == record.id},
    }


def _citation_lines(citations: Iterable[Citation], end: str) -> list[str]:
    lines = []
    for citation in citations:
        mark = "  (evidence)" if citation.evidence else "  (include)" if citation.included else ""
        lines.append(f"  {getattr(citation, end)}  {citation.place}  {citation.location}{mark}")
    return lines or ["  nobody" if end == "citing" else "  nothing"]


def _citation_object(citation: Citation, id: str | None) -> dict[str, Any]:
    location = citation.location
    return {
        "id": id,
        "field": citation.place,
        "evidence": citation.evidence,
        "kind": "include" if citation.included else "citation",
        "path": location.path,
        "line": location.line,
        "column": location.column,
    }
