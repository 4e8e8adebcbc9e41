"""``servebook ask``: the answer as text and as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import click

from generator.catalog.records import Record
from generator.cli.output.to_json import to_json
from generator.compatibility import GLYPHS
from generator.compatibility.serving import (
    SERVES,
    Box,
    EngineAnswer,
    ServingQuestion,
    answers,
    smallest_boxes,
)
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import binary, grouped, number

MOST_BOXES = 5
"""So many boxes are listed where no GPU is named."""


@dataclass(frozen=True)
class ServingAnswer:
    """The engines on one GPU, the best first, and the boxes that would do."""

    kb: KnowledgeBase
    ask: ServingQuestion
    engines: tuple[EngineAnswer, ...]
    boxes: tuple[Box, ...]

    @property
    def best(self) -> EngineAnswer | None:
        """The first engine that may serve it and has the memory."""
        return next((each for each in self.engines if each.serves and each.fit.fits), None)

    @property
    def shown(self) -> EngineAnswer | None:
        """The engine whose memory is told: the best, else one that may serve it and for which it is known, else any."""
        serving = [each for each in self.engines if each.serves]
        known = [each for each in serving if each.fit.fits is False]
        return self.best or next(iter([*known, *serving, *self.engines]), None)


def answer(kb: KnowledgeBase, ask: ServingQuestion, engines: list[Record]) -> ServingAnswer:
    """What is on record; without a GPU on the smallest box. Raises UnknownCache for a word that no engine knows."""
    boxes = smallest_boxes(kb.verdicts, ask, engines)
    if ask.gpu is None and boxes:
        ask = replace(ask, gpu=boxes[0].gpu, count=boxes[0].count)
    found = answers(kb.verdicts, ask, engines) if ask.gpu else []
    return ServingAnswer(kb, ask, tuple(found), tuple(boxes))


def as_json(found: ServingAnswer) -> str:
    """The answer with the keys that others build on."""
    shown, best = found.shown, found.best
    return to_json(
        {
            "model": found.ask.model,
            "gpu": found.ask.gpu,
            "count": found.ask.count,
            "context": found.ask.context,
            "sequences": found.ask.sequences,
            "memory": _memory(shown) if shown else None,
            "smallest": [{"gpu": b.gpu, "count": b.count, "engine": b.engine, "state": b.state} for b in found.boxes],
            "longest_context": best.longest_context() if best else None,
            "most_sequences": best.most_sequences() if best else None,
            "engines": [_engine(each) for each in found.engines],
        }
    )


def _memory(each: EngineAnswer) -> dict[str, Any]:
    fit = each.fit
    load, free = fit.load, fit.kept_free.bytes
    sizes = [None if isinstance(part, str) else number(part) for part in (load.weights, load.cache)]
    needed = None if load.bytes is None else number(load.bytes + (free or 0))
    return {
        "engine": each.engine.id,
        "fits": fit.fits,
        "needed_bytes": needed,
        "available_bytes": fit.memory,
        "parts": {"weights": sizes[0], "cache": sizes[1], "reserved": None if free is None else number(free)},
        "reasons": [part for part in (load.weights, load.cache) if isinstance(part, str)],
        "not_counted": list(load.assumptions),
        "cites": list(fit.cites),
    }


def _engine(each: EngineAnswer) -> dict[str, Any]:
    words = list(each.command())
    return {
        "engine": each.engine.id,
        "version": each.engine.get("version") or each.engine.get("commit"),
        "state": str(each.verdict.state),
        "backend": ", ".join(each.backends) or None,
        "layout": each.fit.load.layout,
        "bytes_per_token": None if each.per_token is None else number(each.per_token),
        "memory": _memory(each),
        "gotchas": list(each.gotchas),
        "command": [word for group, _ in words for word in group],
        "command_cites": [{"words": list(group), "cites": list(cites)} for group, cites in words],
        "reasons": [step.text for step in each.verdict.reasons],
    }


def as_text(found: ServingAnswer, colour: bool = False) -> str:
    """The answer for a reader."""
    return "\n".join(_lines(found, colour))


def _lines(found: ServingAnswer, colour: bool) -> Iterator[str]:
    ask, records = found.ask, found.kb.catalog.records
    sequences = f"{grouped(ask.sequences)} sequence{'' if ask.sequences == 1 else 's'} of {grouped(ask.context)} tokens"
    title = records[ask.model].title
    if ask.gpu is None:
        yield f"{title}: {sequences}"
        yield f"  no box on record is known to hold it: {_why_no_box(found)}"
        yield "  --gpu asks for one GPU, and shows what is known of it"
        return
    yield f"{title}: {sequences} on {ask.count} × {records[ask.gpu].title}"
    yield from _lamps(found, colour)
    yield ""
    for each in found.engines:
        yield from _engine_lines(each)
    yield ""
    yield from _boxes(found)
    if found.best:
        yield from _backwards(found.best)
        yield from _command(found.best)
    told = found.shown
    if told:
        yield from (f"assumed in {told.engine.title}: {text}" for text in told.fit.load.assumptions)


def _lamps(found: ServingAnswer, colour: bool) -> Iterator[str]:
    """Kernels and memory, each for itself."""
    proved = [each.engine.title for each in found.engines if each.verdict.state in SERVES]
    listed = [each.engine.title for each in found.engines if each.serves and each.verdict.state not in SERVES]
    words = (
        f"{', '.join(proved)} serve{'s' if len(proved) == 1 else ''} it" if proved else "no engine is shown to serve it"
    )
    more = f"; named by the list{'' if len(listed) == 1 else 's'} of {', '.join(listed)}" if listed else ""
    yield f"kernels  {_lamp(True if proved else None if listed else False, colour)} {words}{more}"
    yield f"memory   {_memory_lamp(found, colour)}"


def _memory_lamp(found: ServingAnswer, colour: bool) -> str:
    shown = found.shown
    if shown is None:
        return f"{_lamp(None, colour)} not known"
    fit = shown.fit
    lamp, where = _lamp(fit.fits, colour), f"in {shown.engine.title}"
    if fit.fits is False and fit.load.bytes is None:
        return f"{lamp} does not fit {where}: what is known of it is more than {binary(fit.memory or 0)} on each"
    if fit.load.bytes is None or fit.memory is None:
        why = next((part for part in (fit.load.weights, fit.load.cache) if isinstance(part, str)), fit.memory_basis)
        return f"{lamp} not known {where}: {why}"
    free = fit.kept_free.bytes
    parts = f"weights {binary(_size(fit.load.weights))} + cache {binary(_size(fit.load.cache))}"
    parts += f" + {binary(free)} kept free" if free else ""
    said = {True: "fits", False: "does not fit", None: "not known"}[fit.fits]
    unread = f"; {fit.kept_free.text}" if fit.fits is None else ""
    return f"{lamp} {said} {where}: {parts}, of {binary(fit.memory)} on each{unread}"


def _size(part: Any) -> Any:
    assert not isinstance(part, str)
    return part


def _lamp(state: bool | None, colour: bool) -> str:
    """A lamp that can be read without colour."""
    glyph, hue = {True: ("●", "green"), False: ("○", "red"), None: ("◌", "yellow")}[state]
    return click.style(glyph, fg=hue) if colour else glyph


def _engine_lines(each: EngineAnswer) -> Iterator[str]:
    """One line for an engine, and what to know about it."""
    fit, state = each.fit, str(each.verdict.state).replace("-", " ")
    version = str(each.engine.get("version") or str(each.engine.get("commit") or "")[:9])
    words = [f"{GLYPHS[each.verdict.state]} {state}"]
    if each.serves:
        words += [", ".join(each.backends)] if each.backends else []
        growth = "" if each.per_token is None else f" {grouped(each.per_token)} B/token"
        words += [f"{fit.load.layout}{growth}"] if fit.load.layout else []
        words += [_room(each)]
    yield f"  {each.engine.title} {version}: {'; '.join(words)}"
    if each.serves and each.gotchas:
        yield f"    to know: {', '.join(each.gotchas)}"
    yield from (f"    ⚑ {text}" for text in each.verdict.modifiers if each.serves)


def _room(each: EngineAnswer) -> str:
    fit = each.fit
    if isinstance(fit.load.cache, str):
        return f"cache not known: {fit.load.cache}"
    if fit.load.bytes is None:
        return f"cache {binary(fit.load.cache)} on each, weights not known"
    if fit.memory is None:
        return f"needs {binary(fit.load.bytes)} on each; the GPU's memory is not known"
    unread = ", what it keeps free not read" if fit.kept_free.bytes is None else ""
    return f"needs {binary(fit.load.bytes)} of {binary(fit.memory - (fit.kept_free.bytes or 0))} on each{unread}"


def _boxes(found: ServingAnswer) -> Iterator[str]:
    records = found.kb.catalog.records
    if not found.boxes:
        yield f"smallest box: none of up to 16 is known to hold it: {_why_no_box(found)}"
        return
    words = [
        f"{box.count} × {records[box.gpu].title} ({records[box.engine].title}, {box.state})" for box in found.boxes
    ]
    more = len(words) - MOST_BOXES
    yield f"smallest box: {', '.join(words[:MOST_BOXES])}" + (f" and {more} more kinds of GPU" if more > 0 else "")


def _why_no_box(found: ServingAnswer) -> str:
    facts = found.kb.facts[found.ask.model]
    if facts.geometry is None:
        return facts.reason or "its cache is not derivable"
    reason = getattr(facts.weights, "reason", None) or getattr(facts.parameters, "reason", None)
    return str(reason or "weights, cache and what engines keep free are more than they have, or a part is not known")


def _backwards(best: EngineAnswer) -> Iterator[str]:
    context, sequences = best.longest_context(), best.most_sequences()
    where = f"there in {best.engine.title}"
    if context:
        yield f"longest context {where}: {grouped(context)} tokens"
    if sequences:
        yield f"most sequences {where}: {grouped(sequences)} of {grouped(best.ask.context)} tokens"


def _command(best: EngineAnswer) -> Iterator[str]:
    groups = list(best.command())
    if not groups:
        return
    yield "command: " + " ".join(shlex.quote(word) for words, _ in groups for word in words)
    for words, cites in groups:
        yield f"  {words[0] if len(words) == 2 else ' '.join(words)}: {' '.join(f'[[{cite}]]' for cite in cites)}"
    if note := best.engine.get("launch", "note"):
        yield f"  {note}"
