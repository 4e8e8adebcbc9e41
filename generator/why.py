"""``servebook why``: a verdict with its chain, as text and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import asdict

from generator.compatibility import GLYPHS, MEANINGS, Reason, Verdict
from generator.knowledge import KnowledgeBase
from generator.report import to_json

WIDTH = 100


def as_json(verdict: Verdict) -> str:
    """The verdict as data."""
    return to_json(
        {
            "state": str(verdict.state),
            "modifiers": list(verdict.modifiers),
            "reasons": [asdict(reason) for reason in verdict.reasons],
            "flips_if": list(verdict.flips_if),
        }
    )


def as_text(kb: KnowledgeBase, verdict: Verdict) -> str:
    """The verdict for a reader: the state, each step with what says so, and what would change it."""
    return "\n".join(_lines(kb, verdict))


def _lines(kb: KnowledgeBase, verdict: Verdict) -> Iterator[str]:
    model, engine, gpu = (kb.catalog.records[id] for id in (verdict.model, verdict.engine, verdict.gpu))
    version = engine.get("version") or str(engine.get("commit") or "")[:9]
    capability = gpu.get("compute_capability")
    place = f"{gpu.title} ({capability})" if capability else gpu.title
    cache = f", cache {verdict.cache}" if verdict.cache else ""
    yield f"{model.title} on {engine.title} {version}, {place}{cache}"
    yield f"{GLYPHS[verdict.state]} {str(verdict.state).replace('-', ' ')}: {MEANINGS[verdict.state]}"
    for modifier in verdict.modifiers:
        yield f"  ⚑ {modifier}"
    yield ""
    for number, reason in enumerate(verdict.reasons, 1):
        yield from _step(number, reason)
    if verdict.flips_if:
        yield ""
        yield "what would change it"
        for flip in verdict.flips_if:
            yield from _wrapped(f"  - {flip}", "    ")


def _step(number: int, reason: Reason) -> Iterator[str]:
    yield from _wrapped(f"{number:>2}. {reason.rule}, {reason.effect}: {reason.text}", "    ")
    if reason.cites:
        yield from _wrapped("    " + " ".join(f"[[{cite}]]" for cite in reason.cites), "    ")


def _wrapped(text: str, indent: str) -> Iterator[str]:
    yield from textwrap.wrap(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False, drop_whitespace=True
    )
