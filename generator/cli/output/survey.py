"""What a base holds and lacks, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from typing import Any

from generator.catalog.records import Record
from generator.cli.output.to_json import to_json
from generator.compatibility import VerdictState
from generator.compatibility.cache_policy import NoPolicy
from generator.compatibility.chain import ListingState
from generator.compatibility.open_cells import OPEN, open_questions
from generator.compatibility.overpaying import REFERENCE
from generator.derive.facts import Facts
from generator.derive.parameters import WeightBytes
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import grouped


def as_json(found: dict[str, Any]) -> str:
    """Any of them as data."""
    return to_json(found)


def stats_object(kb: KnowledgeBase) -> dict[str, Any]:
    """Counts by kind, by state and by how sources were read."""
    states = Counter(verdict.state for verdict in kb.verdicts.values())
    models = list(kb.catalog.sound("model"))
    facts = [kb.facts[model.id] for model in models]
    sources = Counter(str(source.get("retrieval")) for source in kb.catalog.of("source"))
    fields = [value for model in models for value in (model.get("architecture") or {}).values()]
    return {
        "records": {kind.name: len(kb.catalog.of(kind.name)) for kind in kb.catalog.kinds},
        "cells": {str(state): states[state] for state in VerdictState},
        "models": {
            "derived": sum(each.geometry is not None for each in facts),
            "weights": sum(isinstance(each.weights, WeightBytes) for each in facts),
        },
        "sources": dict(sorted(sources.items(), key=lambda pair: (-pair[1], pair[0]))),
        "numbers": {
            "config_fields": sum(isinstance(each, int | float) and not isinstance(each, bool) for each in fields),
            "cache_figures": sum(len(each.figures) for each in facts),
            "policies": sum(_policies(kb, engine)["read"] for engine in kb.catalog.sound("engine")),
        },
    }


def stats_text(found: dict[str, Any]) -> str:
    """For a reader."""
    lines = []
    for name, rows in found.items():
        lines.append(f"{name}")
        lines += [f"  {word.replace('_', ' '):<18}{grouped(count):>10}" for word, count in rows.items()]
    return "\n".join(lines)


def where_object(kind: str, found: list[tuple[Record, tuple[str, ...]]]) -> dict[str, Any]:
    """The records that were found."""
    rows = [{"id": each.id, "title": each.title, "path": each.path, "matched": list(said)} for each, said in found]
    return {"kind": kind, "count": len(rows), "records": rows}


def where_text(kind: str, found: list[tuple[Record, tuple[str, ...]]]) -> str:
    """For a reader."""
    if not found:
        return f"no {kind} is like that"
    width = max(len(record.id) for record, _ in found)
    lines = [f"{record.id:<{width}}  {record.title}  {'; '.join(said)}" for record, said in found]
    return "\n".join([*lines, f"{len(found)} found"])


def gaps_object(kb: KnowledgeBase, engine: str | None, most: int) -> dict[str, Any]:
    """What is unknown, each with what would settle it."""
    questions, states = open_questions(kb.verdicts)
    asked = [each for each in questions if engine in (None, each.engine)]
    engines = [each for each in kb.catalog.sound("engine") if engine in (None, each.id)]
    weights = Counter(
        _why_no_weights(kb.facts[model.id])
        for model in kb.catalog.sound("model")
        if not isinstance(kb.facts[model.id].weights, WeightBytes)
    )
    return {
        "cells": sum(states.values()),
        "open": sum(states[state] for state in OPEN),
        "open_here": sum(each.cells for each in asked),
        "questions": [
            {
                "engine": each.engine,
                "settles": each.settles,
                "cells": each.cells,
                "models": len(each.models),
                "gpus": len(each.gpus),
            }
            for each in asked[:most]
        ],
        "policies": {each.id: _policies(kb, each) for each in engines},
        "weights": [{"reason": reason, "models": count} for reason, count in weights.most_common(most)],
    }


def _why_no_weights(facts: Facts) -> str:
    reasons = (getattr(each, "reason", None) for each in (facts.weights, facts.parameters))
    return next((str(reason) for reason in reasons if reason), facts.reason or "its weights are not counted")


def _policies(kb: KnowledgeBase, engine: Record) -> dict[str, Any]:
    """Of how many models that an engine lists its cache policy was read, and why not of the others."""
    unread: Counter[str] = Counter()
    read = 0
    for model in kb.catalog.sound("model"):
        listed = kb.listings[model.id, engine.id].state is ListingState.LISTED
        if not listed or kb.facts[model.id].geometry is None:
            continue
        found = kb.verdicts.caches.policy(model.id, engine.id, REFERENCE)
        if isinstance(found, NoPolicy):
            unread[found.reason] += 1
        else:
            read += 1
    return {"read": read, "unread": [{"reason": reason, "models": count} for reason, count in unread.most_common()]}


def gaps_text(kb: KnowledgeBase, found: dict[str, Any]) -> str:
    """For a reader."""
    part = 100 * found["open"] / max(1, found["cells"])
    lines = [f"{grouped(found['open'])} of {grouped(found['cells'])} cells ({part:.1f} %) have neither a yes nor a no"]
    for each in found["questions"]:
        title = kb.catalog.records[each["engine"]].title
        about = f"{grouped(each['cells'])} cells, {each['models']} models, {each['gpus']} GPUs"
        lines.append(f"  {title}: {each['settles']} ({about})")
    left = found["open_here"] - sum(each["cells"] for each in found["questions"])
    lines += [f"  others: {grouped(left)} cells; --most shows more"] if left else []
    lines += ["", "cache policies, by the models that an engine lists"]
    for id, row in found["policies"].items():
        lines.append(f"  {kb.catalog.records[id].title}: read for {row['read']}")
        lines += [f"    {each['models']}: {each['reason']}" for each in row["unread"]]
    lines += ["", "models without bytes of weights"]
    lines += [f"  {each['models']}: {each['reason']}" for each in found["weights"]]
    return "\n".join(lines)
