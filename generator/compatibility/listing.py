"""Which engine lists which model: the first rule of a verdict, with the citations behind each answer.

An engine's list is a source's fact, extracted, never typed. Absence says no only where the list is exhaustive; a model
whose class no source names is unknown, not refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from generator.catalog.records import Catalog, Record
from generator.compatibility.asked import Asked, asked_for, asking, pairs_of, resolved
from generator.compatibility.chain import Effect, ListingState, Reason, cited
from generator.compatibility.routes import Route, routes_of
from generator.notation.versions import prerelease

KEYS = ("architecture", "model_type")


@dataclass(frozen=True, slots=True)
class Listing:
    """Whether an engine's list names a model, and how one can see it.

    `name` is what the engine is asked for, `route` the way that it takes where it has no class of its own for that.
    """

    model: str
    engine: str
    state: ListingState
    reasons: tuple[Reason, ...]
    flips_if: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()
    name: str | None = None
    route: Route | None = None

    @property
    def cites(self) -> tuple[str, ...]:
        """All sources of the chain, each once."""
        return tuple(dict.fromkeys(cite for reason in self.reasons for cite in reason.cites))


@dataclass(frozen=True)
class EngineList:
    """An engine's list as its source holds it: names in the usual spelling, each with the list that has it.

    ``names`` are those of the list itself, ``further`` those of more lists of the same kind. Each list speaks for
    itself: a name that only a further one has is never that of the list.
    """

    engine: Record
    source: Record
    key: str | None = None
    exhaustive: bool = False
    names: frozenset[str] = frozenset()
    further: Mapping[str, Record] = field(default_factory=dict)
    spellings: Mapping[str, str] = field(default_factory=dict)
    formerly: Mapping[str, str] = field(default_factory=dict)
    routes: tuple[Route, ...] = ()

    @cached_property
    def changes(self) -> Mapping[tuple[str, str], Mapping[str, Any]]:
        """What the engine's record says of changes of the list, by kind of change and name; the first counts."""
        rows = reversed(self.engine.get("architecture_changes") or ())
        return {(row["change"], name): row for row in rows for name in row["names"]}


def listings(catalog: Catalog) -> dict[tuple[str, str], Listing]:
    """The answer for every model and engine on record, keyed (model id, engine id)."""
    engines = [(engine, list_of(catalog, engine)) for engine in catalog.sound("engine")]
    pairs = pairs_of(catalog)
    models = [(model, asked_for(catalog, model, pairs)) for model in catalog.sound("model")]
    return {
        (model.id, engine.id): listing(model.id, model.title, engine, names, asked)
        for engine, names in engines
        for model, asked in models
    }


def list_of(catalog: Catalog, engine: Record) -> EngineList | None:
    """The list of an engine, and its further lists of the same kind."""
    source = resolved(catalog, engine.get("architectures"))
    if source is None:
        return None
    key = source.get("list_key")
    aliases = engine.get("aliases") or {}
    facts = engine.get("lists") or ("architectures", "model_types")
    names = frozenset(aliases.get(name, name) for fact in facts for name in _names_in(source, fact))
    further: dict[str, Record] = {}
    for more in (engine.get("more_lists") or {}).values():
        other = resolved(catalog, more)
        if other is not None and other.get("list_key") == key:
            for name in _names_in(other, "architectures"):
                further.setdefault(aliases.get(name, name), other)
    if key not in KEYS or not (names or further):
        return EngineList(engine, source)
    formerly = source.get("facts", "previously_supported")
    return EngineList(
        engine,
        source,
        key,
        bool(source.get("exhaustive")),
        names,
        {name: other for name, other in further.items() if name not in names},
        {usual: own for own, usual in aliases.items()},
        formerly if isinstance(formerly, dict) else {},
        routes_of(catalog, engine),
    )


def _names_in(source: Record, fact: str) -> tuple[str, ...]:
    """The names that a list in a source's facts holds."""
    listed = source.get("facts", fact)
    return tuple(name for name in listed if isinstance(name, str)) if isinstance(listed, list) else ()


def listing(model: str, title: str, engine: Record, names: EngineList | None, asked: Asked) -> Listing:
    """Apply the rule to one model and one engine."""
    if names is None or names.key is None:
        where = f" in {names.source.title}" if names else ""
        step = Reason("listed", Effect.NO_LIST, f"{engine.title} has no list of names on record{where}", _of(names))
        return Listing(model, engine.id, ListingState.NO_EVIDENCE, (step,), ("a source that lists names",))
    named = asked.architecture if names.key == "architecture" else asked.model_type
    name = named.value
    if name is None:
        text = f"no source on record states the {names.key.replace('_', ' ')} of {title}"
        step = Reason("named", Effect.UNKNOWN, text)
        return Listing(model, engine.id, ListingState.NO_EVIDENCE, (step,), ("the model's own config.json, read",))
    chain = [asking(named, name)]
    rewrite = next((row for row in engine.get("rewrites") or () if row["from"] == name), None)
    if rewrite is not None and name not in names.names and name not in names.further:
        where = f", where {rewrite['condition']}" if rewrite.get("condition") else ""
        text = f"{engine.title} serves {name} through {rewrite['to']}{where}"
        chain.append(Reason("rewrite", Effect.ASKS, text, cited(rewrite.get("cite")), rewrite["to"]))
        name = rewrite["to"]
    return _found(model, names, str(name), chain, named.firm)


def _of(names: EngineList | None) -> tuple[str, ...]:
    return (names.source.id,) if names else ()


def _found(model: str, names: EngineList, name: str, chain: list[Reason], firm: bool) -> Listing:
    engine, title = names.engine, names.source.title

    def answer(
        state: ListingState, *steps: Reason, flips: tuple[str, ...] = (), modifiers: tuple[str, ...] = ()
    ) -> Listing:
        return Listing(model, engine.id, state, (*chain, *steps), flips, modifiers, name)

    for route in names.routes:
        if name in route.classes and (route.only or not (name in names.names or name in names.further)):
            taken = (*chain, route.step(engine.title, name))
            return Listing(model, engine.id, ListingState.LISTED, taken, (), route.modifiers, name, route)
    removed = _change(names, name, "removed")
    spelled = names.spellings.get(name, name)
    if name in names.names or name in names.further:
        return _held(names, name, spelled, removed, answer)
    if removed is not None:
        return answer(ListingState.NOT_LISTED, _gone(removed), flips=("a later list that names it again",))
    added = _change(names, name, "added")
    if added is not None:
        since = _since(added)
        step = Reason("listed", Effect.LISTED, f"named {since}", cited(added.get("cite")), spelled)
        return answer(ListingState.LISTED, step, modifiers=(f"named {since}",))
    if name in names.formerly:
        last = names.formerly[name]
        text = f"{title} names it among those dropped: last in {last}"
        step = Reason("listed", Effect.NOT_LISTED, text, _of(names), last)
        flips = (f"{engine.title} {last}, or a later list that names it again",)
        return answer(ListingState.NOT_LISTED, step, flips=flips)
    return _unnamed(names, name, firm, answer)


def _held(
    names: EngineList, name: str, spelled: str, removed: Mapping[str, Any] | None, answer: Callable[..., Listing]
) -> Listing:
    """A class that one of the engine's lists names: in its own list, or in a further one that its own may deny."""
    holder = names.source if name in names.names else names.further[name]
    text = f"{holder.title} lists {spelled}" + (f", its spelling of {name}" if spelled != name else "")
    step = Reason("listed", Effect.LISTED, text, (holder.id,), spelled)
    if removed is not None:
        return answer(ListingState.NOT_LISTED, step, _gone(removed), flips=("a later list that names it again",))
    if holder is names.source or not names.exhaustive or _change(names, name, "added") is not None:
        return answer(ListingState.LISTED, step)
    text = f"{names.source.title} is exhaustive and does not list {name}"
    against = Reason("listed", Effect.DISAGREES, text, _of(names))
    return answer(ListingState.DISAGREE, step, against, flips=("what separates the two lists",))


def _unnamed(names: EngineList, name: str, firm: bool, answer: Callable[..., Listing]) -> Listing:
    """What silence says: no where the list is whole and the name the model's own, else nothing."""
    title = names.source.title
    if names.exhaustive and not firm:
        text = f"{title} does not list {name}, but only a copy or derivative of the config names the class so"
        flips = ("the model's own config.json, read",)
        return answer(ListingState.NO_EVIDENCE, Reason("listed", Effect.BY_A_COPY, text, _of(names)), flips=flips)
    if names.exhaustive:
        step = Reason("listed", Effect.NOT_LISTED, f"{title} is exhaustive and does not list {name}", _of(names))
        return answer(ListingState.NOT_LISTED, step, flips=(f"a version whose list names {name}",))
    text = f"{title} does not list {name}, and is not exhaustive: its silence says nothing"
    return answer(
        ListingState.NO_EVIDENCE, Reason("listed", Effect.UNKNOWN, text, _of(names)), flips=("an exhaustive list",)
    )


def _since(added: Mapping[str, Any]) -> str:
    """From when on a class that the list that was read does not hold is named."""
    since = f"since {added['since']}" if added.get("since") else "outside the list that was read"
    return since + (", a pre-release" if prerelease(added.get("since")) else "")


def _change(names: EngineList, name: str, what: str) -> Mapping[str, Any] | None:
    """What the engine's record says of a change of its list that names this class, in either spelling."""
    own = names.spellings.get(name, name)
    return names.changes.get((what, name)) or names.changes.get((what, own))


def _gone(removed: Mapping[str, Any]) -> Reason:
    since = f"since {removed['since']}" if removed.get("since") else "in a later version"
    return Reason("listed", Effect.NOT_LISTED, f"not listed {since}", cited(removed.get("cite")), removed.get("since"))
