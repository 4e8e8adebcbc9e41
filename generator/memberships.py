"""Where records say to which attention family, or class of kernels, a model belongs, and what its config says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generator.derive import config_source
from generator.knowledge import KnowledgeBase
from generator.records import Record
from generator.spans import Location
from generator.wiring import flat_facts

FAMILY, KERNELS = "family", "kernel class"
CLAIMED = {"attention_family": FAMILY, "family": FAMILY, "kernel_class": KERNELS}
IN_PROSE = re.compile(r"\b(?:attention[ _])?family\s*[=:]\s*`?(?P<name>[a-z][a-z0-9_]+)", re.I)
DENIED = re.compile(r"\b(?:not|never|no|wrong|wrongly|instead|cannot)\b|n't\b", re.I)
ROWS = {"gotcha": ("conditions",), "engine": ("restrictions", "cache_layouts", "auto_cache", "selection")}
"""Where a record names families beside classes: a row holds for a model only if both fit."""


@dataclass(frozen=True)
class Said:
    """A statement: at a place, these names of families or kernel classes, about something that these models are."""

    record: Record
    location: Location
    names: tuple[str, ...]
    what: str
    about: str
    models: tuple[str, ...]


def statements(kb: KnowledgeBase, sound: Callable[[KnowledgeBase, str], Iterator[Record]]) -> Iterator[Said]:
    """All statements of records that keep to their schema; ``sound`` gives these, kind by kind."""
    for model in sound(kb, "model"):
        yield from _claims(model)
        yield from _notes(kb, model)
    classes = _classes(kb)
    for kind, fields in ROWS.items():
        for record in sound(kb, kind):
            for field in fields:
                yield from _rows(record, field, classes)


def _claims(model: Record) -> Iterator[Said]:
    for index, claim in enumerate(model.get("claims") or ()):
        if claim["field"] in CLAIMED:
            name, where = str(claim["value"]).lower(), model.at("claims", index, "value")
            yield Said(model, where, (name,), CLAIMED[claim["field"]], model.id, (model.id,))


def _notes(kb: KnowledgeBase, model: Record) -> Iterator[Said]:
    """Plain words in a model's notes, if nothing just before denies them; corrections say themselves what is wrong."""
    for text in kb.catalog.texts(model):
        if text.path != ("notes",):
            continue
        found = list(IN_PROSE.finditer(text.value))
        places = model.document.places(text.span, text.value, [(match.start(), match[0]) for match in found])
        for match, place in zip(found, places, strict=True):
            if not DENIED.search(text.value[max(0, match.start() - 40) : match.start()]):
                where = model.location(place or text.span)
                yield Said(model, where, (match["name"].lower(),), FAMILY, model.id, (model.id,))


def _rows(record: Record, field: str, classes: Mapping[str, tuple[str, ...]]) -> Iterator[Said]:
    """One statement for each class that a row names beside families."""
    for index, row in enumerate(record.get(field) or ()):
        path: tuple[str | int, ...] = (field, index)
        holder: Mapping[str, Any] = row
        if isinstance(row.get("when"), Mapping):
            path, holder = (*path, "when"), row["when"]
        one = holder.get("family")
        families: Sequence[str] = holder.get("families") or ([one] if one else [])
        for place, name in enumerate(holder.get("architectures") or () if families else ()):
            where = record.at(*path, "architectures", place)
            yield Said(record, where, tuple(families), FAMILY, name, classes.get(name, ()))


def _classes(kb: KnowledgeBase) -> dict[str, tuple[str, ...]]:
    """The models on record by class: that of the config, and that which engines are asked for."""
    found: dict[str, list[str]] = {}
    for model in kb.catalog.sound("model"):
        cited = flat_facts(config_source(kb.catalog, model))
        own = model.get("architecture", "architectures") or cited.get("architectures")
        names = [name for name in own if isinstance(name, str)] if isinstance(own, list) else []
        for name in dict.fromkeys([*names, model.get("serving_architecture", "value")]):
            if name is not None:
                found.setdefault(name, []).append(model.id)
    return {name: tuple(ids) for name, ids in found.items()}


def known(kb: KnowledgeBase, what: str) -> set[str]:
    """The names of all families, or of all classes of kernels."""
    return set(kb.catalog.tables.get("families" if what == FAMILY else "kernel_classes", {}))


def derived(kb: KnowledgeBase, id: str, what: str) -> set[str]:
    """The family of a model, or the classes of kernels that can serve it; empty where no family is derived."""
    geometry = kb.facts[id].geometry
    if geometry is None:
        return set()
    if what == FAMILY:
        return {geometry.family}
    row = kb.catalog.tables.get("families", {}).get(geometry.family, {})
    ways = [name for way in row.get("requires_any_of") or () for name in way]
    return {*ways, *(row.get("adds") or {}).values()}
