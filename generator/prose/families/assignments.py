"""Where records say to which attention family, or class of kernels, a model belongs, and what its config says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from generator.catalog.records import Record
from generator.derive.cited_config import CitedConfig
from generator.findings import Location
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.families.labels import labelled
from generator.prose.families.phrases import FAMILY, KERNELS, phrases
from generator.prose.passages import Passage
from generator.prose.reader import NOTHING

CLAIMED = {"attention_family": FAMILY, "family": FAMILY, "kernel_class": KERNELS}
ROWS = {"gotcha": ("conditions",), "engine": ("restrictions", "cache_layouts", "auto_cache", "selection")}
"""Where a record names families beside classes: a row holds for a model only if both fit."""

Spoken: TypeAlias = dict[str, tuple[str, ...]]
"""Words of prose, in lower case, each with all that it may rightly name."""

_TABLES = {FAMILY: "families", KERNELS: "kernel_classes"}


@dataclass(frozen=True)
class FamilyStatement:
    """A statement: at a place, these names of families or kernel classes, about something that these models are.

    `word` is what prose says, which may stand for several of them.
    """

    record: Record
    location: Location
    names: tuple[str, ...]
    what: str
    about: str
    models: tuple[str, ...]
    word: str | None = None


def statements(kb: KnowledgeBase, sound: Callable[[KnowledgeBase, str], Iterator[Record]]) -> Iterator[FamilyStatement]:
    """All statements of records that keep to their schema; ``sound`` gives these, kind by kind."""
    classes, words = _classes(kb), (words_for(kb, FAMILY), words_for(kb, KERNELS))
    named = {**classes, **{name: (model.id,) for model in kb.catalog.sound("model") for name in _titles(model)}}
    for kind in kb.catalog.kinds:
        for record in sound(kb, kind.name) if kind.name != "source" else ():
            if kind.name == "model":
                yield from _claims(record)
                yield from _notes(kb, record, words)
            for field in ROWS.get(kind.name, ()):
                yield from _rows(record, field, classes)
            yield from _labels(kb, record, named, words[0])


def _claims(model: Record) -> Iterator[FamilyStatement]:
    for index, claim in enumerate(model.get("claims") or ()):
        if claim["field"] in CLAIMED:
            name, where = str(claim["value"]).lower(), model.at("claims", index, "value")
            yield FamilyStatement(model, where, (name,), CLAIMED[claim["field"]], model.id, (model.id,))


def _notes(kb: KnowledgeBase, model: Record, words: tuple[Spoken, Spoken]) -> Iterator[FamilyStatement]:
    """Plain words in a model's notes, in sentences that name no other model."""
    families, kernels = words
    for text in kb.catalog.texts(model):
        if text.path != ("notes",):
            continue
        for phrase in phrases(text.value, kb.names.of[model.id], families, kernels):
            ids = (families if phrase.what == FAMILY else kernels).get(phrase.word.lower(), (phrase.word.lower(),))
            passage = Passage(model, text, NOTHING)
            if not kb.names.mentioned(passage.sentence(phrase.start), model.id):
                where = passage.place(phrase.start, phrase.end)
                yield FamilyStatement(model, where, ids, phrase.what, model.id, (model.id,), phrase.word)


def _labels(
    kb: KnowledgeBase, record: Record, classes: Mapping[str, tuple[str, ...]], families: Spoken
) -> Iterator[FamilyStatement]:
    """Classes and models that prose lists under the name of a family."""
    for text in kb.catalog.texts(record):
        if text.field is None or not text.field.schema.get("x-prose") or text.path[-1] == "wrong":
            continue
        for item in labelled(text.value, classes, families):
            where = Passage(record, text, NOTHING).place(item.start, item.end)
            ids = families.get(item.word.lower(), ())
            yield FamilyStatement(record, where, ids, FAMILY, item.name, classes.get(item.name, ()), item.word)


def _rows(record: Record, field: str, classes: Mapping[str, tuple[str, ...]]) -> Iterator[FamilyStatement]:
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
            yield FamilyStatement(record, where, tuple(families), FAMILY, name, classes.get(name, ()))


def _classes(kb: KnowledgeBase) -> dict[str, tuple[str, ...]]:
    """The models on record by class: that of the config, and that which engines are asked for."""
    found: dict[str, list[str]] = {}
    for model in kb.catalog.sound("model"):
        cited = CitedConfig.of(kb.catalog, model).flat
        own = model.get("architecture", "architectures") or cited.get("architectures")
        names = [name for name in own if isinstance(name, str)] if isinstance(own, list) else []
        for name in dict.fromkeys([*names, model.get("serving_architecture", "value")]):
            if name is not None:
                found.setdefault(name, []).append(model.id)
    return {name: tuple(ids) for name, ids in found.items()}


def _titles(model: Record) -> set[str]:
    """The names by which a list calls a model; short ones such as "V3" could be anything there."""
    return {model.id, model.title, *(model.get("aliases") or ()), str(model.get("repo") or model.id).rpartition("/")[2]}


def words_for(kb: KnowledgeBase, what: str) -> Spoken:
    """The words of prose for families, or for classes of kernels, each with all that it may rightly name."""
    found: dict[str, list[str]] = {}
    for id, row in kb.catalog.tables.get(_TABLES[what], {}).items():
        for word in dict.fromkeys((id, *(word.lower() for word in row.get("called") or ()))):
            found.setdefault(word, []).append(id)
    return {word: tuple(ids) for word, ids in found.items()}


def known(kb: KnowledgeBase, what: str) -> set[str]:
    """The names of all families, or of all classes of kernels."""
    return set(kb.catalog.tables.get(_TABLES[what], {}))


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


def described(kb: KnowledgeBase, what: str, names: Sequence[str], models: Sequence[str]) -> str:
    """Families with the KV heads of the models, where these have the same; classes of kernels with what they do."""
    if what == KERNELS:
        table = kb.catalog.tables["kernel_classes"]
        return ", ".join(f"{name} ({table[name]['title']})" for name in names)
    geometries = [geometry for geometry in (kb.facts[id].geometry for id in models) if geometry]
    heads = {stream.heads for geometry in geometries for stream in geometry.streams if stream.role == "kv"}
    told = f" ({max(heads)} KV heads)" if len(heads) == 1 and max(heads) > 1 else ""
    return ", ".join(names) + told
