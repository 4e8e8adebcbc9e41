"""``servebook why``: a verdict with its chain, as text and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from generator.cli.output.memory import fit_lines, fit_object
from generator.cli.output.to_json import to_json
from generator.compatibility import GLYPHS, MEANINGS, Reason, Verdict, VerdictState
from generator.compatibility import fit as memory
from generator.compatibility.deciding_list import dated, on_silence
from generator.compatibility.fit import Fit
from generator.knowledge.knowledge_base import KnowledgeBase

WIDTH = 100

CONTEXT = 8192
"""Tokens of a sequence where a question about memory names none."""


@dataclass(frozen=True)
class VerdictQuestion:
    """How long the sequences are, how many there are, and over how many GPUs."""

    context: int
    batch: int = 1
    tp: int = 1


def question(context: int | None, batch: int | None, tp: int | None) -> VerdictQuestion | None:
    """The question about memory, if any part of it was asked."""
    return VerdictQuestion(context or CONTEXT, batch or 1, tp or 1) if context or batch or tp else None


def fitted(kb: KnowledgeBase, verdict: Verdict, ask: VerdictQuestion) -> Fit:
    """Weights and cache against the GPU's memory, by the engine's policy."""
    cell = (verdict.model, verdict.engine, verdict.gpu)
    return memory.cell_fit(kb.verdicts.caches, cell, verdict.reasons, ask.context, ask.batch, ask.tp)


def as_json(verdict: Verdict, fit: Fit | None = None) -> str:
    """The verdict as data."""
    return to_json(
        {
            "state": str(verdict.state),
            "modifiers": list(verdict.modifiers),
            "reasons": [asdict(reason) for reason in verdict.reasons],
            "flips_if": list(verdict.flips_if),
            **({"fit": fit_object(fit)} if fit else {}),
        }
    )


def as_text(kb: KnowledgeBase, verdict: Verdict, fit: Fit | None = None) -> str:
    """The verdict for a reader: the state, each step with what says so, and what would change it."""
    return "\n".join([*_lines(kb, verdict), *(["", *fit_lines(fit)] if fit else [])])


def _lines(kb: KnowledgeBase, verdict: Verdict) -> Iterator[str]:
    model, engine, gpu = (kb.catalog.records[id] for id in (verdict.model, verdict.engine, verdict.gpu))
    version = engine.get("version") or str(engine.get("commit") or "")[:9]
    capability = gpu.get("compute_capability")
    place = f"{gpu.title} ({capability})" if capability else gpu.title
    cache = f", cache {verdict.cache}" if verdict.cache else ""
    yield f"{model.title} on {engine.title} {version}, {place}{cache}"
    yield f"{GLYPHS[verdict.state]} {str(verdict.state).replace('-', ' ')}: {MEANINGS[verdict.state]}"
    yield from _decided_by_list(kb, verdict)
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


def _decided_by_list(kb: KnowledgeBase, verdict: Verdict) -> Iterator[str]:
    """Which list it was, and of which day, where nothing after the list decides."""
    by_list = verdict.state in (VerdictState.LISTED, VerdictState.NOT_LISTED) or verdict.outcome is None
    if not by_list or verdict.platform.runs is False:
        return
    step = verdict.listing.reasons[-1]
    for source in (kb.catalog.records[cite] for cite in step.cites if step.rule == "listed"):
        text = f"decided by {source.title}, {dated(source)}; what it does not name {on_silence(source)}"
        yield from _wrapped(f"  {text}", "    ")


def _step(number: int, reason: Reason) -> Iterator[str]:
    rule = reason.rule if reason.rule == reason.effect else f"{reason.rule}, {reason.effect}"
    yield from _wrapped(f"{number:>2}. {rule}: {reason.text}", "    ")
    if reason.cites:
        yield from _wrapped("    " + " ".join(f"[[{cite}]]" for cite in reason.cites), "    ")


def _wrapped(text: str, indent: str) -> Iterator[str]:
    yield from textwrap.wrap(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False, drop_whitespace=True
    )
