"""Which engine lists which model: the first rule of a verdict, with the citations behind each answer.

An engine's list is a source's fact, extracted, never typed. Absence says no only where the list is exhaustive; a model
whose class no source names is unknown, not refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from generator.citations import whole
from generator.derive import config_source, source_config
from generator.records import Catalog, Record


class State(StrEnum):
    """What is known. The glyph and the word always stand together; colour is never the only signal."""

    LISTED = "listed"
    NOT_LISTED = "not-listed"
    NO_EVIDENCE = "no-evidence"


@dataclass(frozen=True, slots=True)
class Reason:
    """One step of the chain: the rule, what it does, in words, and the sources that say so."""

    rule: str
    effect: str
    text: str
    cites: tuple[str, ...] = ()
    value: Any = None


@dataclass(frozen=True, slots=True)
class Listing:
    """Whether an engine's list names a model, and how one can see it."""

    model: str
    engine: str
    state: State
    reasons: tuple[Reason, ...]
    flips_if: tuple[str, ...] = ()

    @property
    def cites(self) -> tuple[str, ...]:
        """All sources of the chain, each once."""
        return tuple(dict.fromkeys(cite for reason in self.reasons for cite in reason.cites))


@dataclass(frozen=True)
class _List:
    """An engine's list as its source holds it."""

    source: Record
    names: frozenset[str]
    key: str | None
    exhaustive: bool
    aliases: Mapping[str, str] = field(default_factory=dict)


def listings(catalog: Catalog) -> dict[tuple[str, str], Listing]:
    """The answer for every model and engine on record, keyed (model id, engine id)."""
    engines = [(engine, _list_of(catalog, engine)) for engine in catalog.sound("engine")]
    models = [(model, _asked_for(catalog, model)) for model in catalog.sound("model")]
    return {
        (model.id, engine.id): _listing(model, engine, names, asked)
        for engine, names in engines
        for model, asked in models
    }


def _cited(catalog: Catalog, text: Any) -> Record | None:
    mention = whole(str(text or ""))
    return catalog.resolve(mention).record if mention and not mention.problem else None


def _list_of(catalog: Catalog, engine: Record) -> _List | None:
    source = _cited(catalog, engine.get("architectures"))
    if source is None:
        return None
    key = source.get("list_key")
    names = source.get("facts", "architectures") or source.get("facts", "model_types")
    if not isinstance(names, list) or key not in ("architecture", "model_type"):
        return _List(source, frozenset(), None, False)
    aliases = engine.get("aliases") or {}
    spelled = frozenset(aliases.get(name, name) for name in names if isinstance(name, str))
    return _List(source, spelled, key, bool(source.get("exhaustive")), {usual: own for own, usual in aliases.items()})


@dataclass(frozen=True, slots=True)
class _Asked:
    """What an engine is asked for: a class, a model type, and the sources that say so."""

    architecture: str | None
    model_type: str | None
    cites: tuple[str, ...]


def _asked_for(catalog: Catalog, model: Record) -> _Asked:
    """The class that engines are asked for: the record's serving class, else the config's own."""
    source = config_source(catalog, model)
    config = {**source_config(source), **(model.get("architecture") or {})}
    outer = source.get("facts") or {} if source else {}
    architectures = (
        model.get("architecture", "architectures") or outer.get("architectures") or config.get("architectures")
    )
    serving = model.get("serving_architecture") or {}
    cites = [source.id] if source else []
    by_cite = _cited(catalog, serving.get("cite"))
    if by_cite is not None:
        cites = [by_cite.id]
    own = architectures[0] if isinstance(architectures, list) and architectures else None
    model_type = model.get("serving_model_type", "value") or outer.get("model_type") or config.get("model_type")
    return _Asked(serving.get("value") or own, model_type, tuple(cites))


def _listing(model: Record, engine: Record, names: _List | None, asked: _Asked) -> Listing:
    def answer(state: State, *reasons: Reason, flips: tuple[str, ...] = ()) -> Listing:
        return Listing(model.id, engine.id, state, reasons, flips)

    if names is None or names.key is None:
        where = f" in {names.source.title}" if names else ""
        text = f"{engine.title} has no list of names on record{where}"
        cites = (names.source.id,) if names else ()
        return answer(State.NO_EVIDENCE, Reason("listed", "unknown", text, cites), flips=("a source that lists names",))
    name = asked.architecture if names.key == "architecture" else asked.model_type
    if name is None:
        text = f"no source on record states the {names.key.replace('_', ' ')} of {model.title}"
        return answer(State.NO_EVIDENCE, Reason("named", "unknown", text), flips=("a source that states it",))
    named = Reason("named", "asks", f"engines are asked for {name}", asked.cites, name)
    rewrite = next((row for row in engine.get("rewrites") or () if row["from"] == name), None)
    if rewrite is not None and name not in names.names:
        cite = whole(rewrite.get("cite") or "")
        text = f"{engine.title} serves {name} through {rewrite['to']}"
        step = Reason("rewrite", "asks", text, (cite.id,) if cite else (), rewrite["to"])
        return _found(answer, names, rewrite["to"], engine, named, step)
    return _found(answer, names, name, engine, named)


def _found(answer: Any, names: _List, name: str, engine: Record, *before: Reason) -> Listing:
    source = names.source.id
    removed = next(
        (
            row
            for row in engine.get("architecture_changes") or ()
            if row["change"] == "removed" and _names(row, name, names)
        ),
        None,
    )
    if name in names.names:
        spelled = names.aliases.get(name, name)
        text = f"{names.source.title} lists {spelled}" + (f", its spelling of {name}" if spelled != name else "")
        listed = Reason("listed", "listed", text, (source,), spelled)
        if removed is None:
            return answer(State.LISTED, *before, listed)  # type: ignore[no-any-return]
        cite = whole(removed.get("cite") or "")
        since = f"since {removed['since']}" if removed.get("since") else "in a later version"
        gone = Reason("listed", "not listed", f"not listed {since}", (cite.id,) if cite else (), removed.get("since"))
        return answer(State.NOT_LISTED, *before, listed, gone, flips=("a later list that names it again",))  # type: ignore[no-any-return]
    if names.exhaustive:
        text = f"{names.source.title} is exhaustive and does not list {name}"
        step = Reason("listed", "not listed", text, (source,))
        return answer(State.NOT_LISTED, *before, step, flips=(f"a version whose list names {name}",))  # type: ignore[no-any-return]
    text = f"{names.source.title} does not list {name}, and is not exhaustive: its silence says nothing"
    step = Reason("listed", "unknown", text, (source,))
    return answer(State.NO_EVIDENCE, *before, step, flips=("an exhaustive list",))  # type: ignore[no-any-return]


def _names(row: Mapping[str, Any], name: str, names: _List) -> bool:
    return name in row["names"] or names.aliases.get(name, name) in row["names"]
