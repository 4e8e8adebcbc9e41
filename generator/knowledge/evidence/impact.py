"""What falls if a record falls: values and pages that rest on it, figures made from it, cells that name it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from generator.catalog.records import Record
from generator.compatibility import Listing
from generator.derive.cited_config import CitedConfig
from generator.derive.facts import Facts
from generator.derive.figures import Figure
from generator.derive.stored_formats import StoredLayout
from generator.knowledge.graph import Citation
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.citations import whole


@dataclass(frozen=True, slots=True)
class Fall:
    """A figure that rests on a source, and through what: the config, an entry format, or the layout of an engine."""

    model: str
    key: str
    through: str
    format: str = ""


@dataclass
class Impact:
    """Everything that rests on one record."""

    values: list[Citation] = field(default_factory=list)
    figures: list[Fall] = field(default_factory=list)
    cells: list[Listing] = field(default_factory=list)

    def behind(self, kb: KnowledgeBase, citation: Citation) -> list[str]:
        """In words, what is published because of one of the values."""
        record, path = kb.catalog.records[citation.citing], citation.path
        if citation.included:
            return [f"the text of {citation.mention.target} on the page of {record.id}"]
        if record.kind == "model" and path and path[0] in ("config", "evidence"):
            keys = {fall.key for fall in self.figures if fall.model == record.id and fall.through == "config"}
            return [f"{len(keys)} cache figures of {record.id}"] if keys else []
        if record.kind == "engine" and path == ("architectures",):
            return [f"{sum(cell.engine == record.id for cell in self.cells)} matrix cells of {record.id}"]
        if path and path[0] == "cache_formats":
            name = f"{record.id}#{record.get(*path[:2], 'id')}"
            models = {fall.model for fall in self.figures if fall.format == name}
            return [f"the figures of {len(models)} models in {name}"] if models else []
        return []


@dataclass(frozen=True, slots=True)
class Consequence:
    """A value of `record` at `place` that rests on the record in question, and the published things behind it."""

    record: str
    place: str
    citation: Citation
    published: tuple[str, ...] = ()


def consequences(kb: KnowledgeBase, id: str) -> list[Consequence]:
    """All values that rest on a record, in the order of the records that hold them."""
    impact = impacts(kb).get(id) or Impact(kb.graph.rests_on(id))
    found = [Consequence(one.citing, one.place, one, tuple(impact.behind(kb, one))) for one in impact.values]
    return sorted(found, key=lambda each: (each.record, each.place))


def impacts(kb: KnowledgeBase) -> dict[str, Impact]:
    """The impact of every source, by id; a source on which nothing rests has an empty one."""
    found = {source.id: Impact(kb.graph.rests_on(source.id)) for source in kb.catalog.of("source")}
    falls: dict[str, dict[Fall, None]] = {id: {} for id in found}
    for model, facts in kb.facts.items():
        for source, fall in _falls(kb, kb.catalog.records[model], facts):
            if source in falls:
                falls[source][fall] = None
    for source, each in falls.items():
        found[source].figures += each
    for listing in kb.listings.values():
        for source in listing.cites:
            if source in found:
                found[source].cells.append(listing)
    return found


def layout_cite(stored: StoredLayout) -> str | None:
    """The id of the source that shows that an engine stores these formats together."""
    return _id(stored.engine.get("cache_layouts", stored.index, "cite")) if stored.engine else None


def format_cites(kb: KnowledgeBase, figure: Figure) -> Iterator[tuple[str, str]]:
    """The sources that state the bytes of a figure's entries: the id of each, and the format."""
    for stored in figure.layouts:
        layout = stored.layout
        for used in (layout.kv, layout.window, layout.index):
            known = kb.formats.by_id.get(used.id) if used else None
            if known and known.cite:
                yield known.cite, known.format.id


def _falls(kb: KnowledgeBase, model: Record, facts: Facts) -> Iterator[tuple[str, Fall]]:
    if facts.geometry is None:
        return
    configs = [source.id] if (source := CitedConfig.of(kb.catalog, model).source) else []
    configs += [
        id for key, text in (model.get("evidence") or {}).items() if key in facts.geometry.reads and (id := _id(text))
    ]
    for figure in facts.figures:
        for id in dict.fromkeys(configs):
            yield id, Fall(model.id, figure.key, "config")
        for id, name in dict.fromkeys(format_cites(kb, figure)):
            yield id, Fall(model.id, figure.key, "entry format", name)
        for stored in figure.layouts:
            if cite := layout_cite(stored):
                yield cite, Fall(model.id, figure.key, "layout")


@lru_cache(maxsize=4096)
def _id(text: str | None) -> str | None:
    mention = whole(text or "")
    return mention.id if mention and not mention.problem else None
