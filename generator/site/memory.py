"""What was made for the build before, and what verdicts and figures are made from."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from generator.catalog.records import Record
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site.html.page import Page

if TYPE_CHECKING:
    from generator.site.html.page import Page


Part = TypeVar("Part")


SHARED = ("cache_formats", "cache_layouts", "blocks", "mixture")
"""Records with these fields decide about figures of models that do not cite them."""


OWN = ("model", "source", "concept")
"""Kinds of records that decide about nothing but themselves and who cites them."""


@dataclass
class Memory:
    """Pages by path, and what else was made for them, each with the key that it was made under."""

    parts: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    def page(self, path: str, key: Hashable, make: Callable[[], Page]) -> Page:
        """The page of before where its key is the same, else a new one."""
        return self.kept(path, key, make)

    def kept(self, name: str, key: Any, make: Callable[[], Part]) -> Part:
        """Anything of before where its key is the same, else made anew."""
        known = self.parts.get(name)
        if known is None or known[0] != key:
            known = self.parts[name] = (key, make())
        made: Part = known[1]
        return made


def shown_names(kb: KnowledgeBase) -> Hashable:
    """What pages show of records that chains name: of GPUs all, of others names, versions and how they were read."""
    return tuple(
        record.document.text
        if record.kind == "gpu"
        else (record.id, record.title, record.get("version"), record.get("retrieval"))
        for record in kb.catalog.records.values()
        if record.kind != "model"
    )


def verdict_inputs(kb: KnowledgeBase) -> tuple[Hashable, ...]:
    """The texts of all records that decide about models which do not cite them, and of what those cite."""
    ids: dict[str, None] = {}
    for record in kb.catalog.records.values():
        if record.kind not in OWN:
            ids |= dict.fromkeys((record.id, *sources_of(kb, record)))
    for row in kb.catalog.tables.get("kernel_classes", {}).values():
        ids[str((row.get("wanted_by") or {}).get("source"))] = None
    repos = tuple((model.id, model.get("repo")) for model in kb.catalog.sound("model"))
    return (*(text_of(kb, id) for id in ids), repos)


def sources_of(kb: KnowledgeBase, record: Record) -> list[str]:
    """The sources that a record cites; what else it names decides nothing."""
    known = kb.catalog.records
    return [id for id in kb.graph.neighbours(record.id)[1] if id in known and known[id].kind == "source"]


def own_inputs(kb: KnowledgeBase, model: Record) -> Hashable:
    """What else the verdicts of one model are made from: its file, what it cites, and what lists say of it."""
    listings = tuple(kb.listings[model.id, engine.id] for engine in kb.catalog.sound("engine"))
    return text_of(kb, model.id), tuple(text_of(kb, id) for id in sources_of(kb, model)), listings


def figure_inputs(kb: KnowledgeBase) -> tuple[str, ...]:
    """The texts of all records that say how entries are stored, and of what those cite."""
    ids: dict[str, None] = {}
    for record in kb.catalog.records.values():
        if any(name in record.data for name in SHARED):
            ids |= dict.fromkeys((record.id, *kb.graph.neighbours(record.id)[1]))
    return tuple(text_of(kb, id) for id in ids)


def text_of(kb: KnowledgeBase, id: str) -> str:
    record = kb.catalog.records.get(id)
    return record.document.text if record else ""
