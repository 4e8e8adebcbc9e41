"""A record, and the catalog of all of them: what was written, before anything follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from generator.catalog.kinds import Kinds
from generator.catalog.schemas import Field, Path, Schemas
from generator.catalog.yaml.document import Document, Span, located
from generator.findings import Fault, Location
from generator.notation import headings
from generator.notation.citations import Mention


@dataclass(frozen=True, eq=False)
class Record:
    """One YAML file, and that of its corrections if it has one.

    The id is the file's name, the kind its folder's; `path` is relative to the root, with slashes.
    """

    id: str
    kind: str
    path: str
    document: Document

    @property
    def data(self) -> Mapping[str, Any]:
        """The values as written; an empty mapping where the file holds something else."""
        return self.document.data if isinstance(self.document.data, dict) else {}

    @property
    def title(self) -> str:
        """The name that a reader knows it by, on one line."""
        return " ".join(str(self.data.get("name") or self.data.get("title") or self.id).split())

    def get(self, *path: str | int) -> Any:
        """The value at a path, or None."""
        value: Any = self.data
        for part in path:
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                return None
        return value

    def span(self, path: Path, at_key: bool = False) -> Span:
        """Where the value (or key) at a path is; if it does not exist, the nearest enclosing place that does."""
        value: Any = self.document.data
        span = self.document.span[:2] + self.document.span[:2]
        for number, part in enumerate(path):
            spans = getattr(value, "spans", None)
            try:
                keys = getattr(value, "key_spans", spans) if at_key and number == len(path) - 1 else spans
                span = keys[part]  # type: ignore[index]
                value = value[part]
            except (KeyError, IndexError, TypeError, AttributeError):
                break
        return span

    def at(self, *path: str | int, key: bool = False) -> Location:
        """The location of the value (or key) at a path."""
        return self.location(self.span(path, key))

    def location(self, span: Span) -> Location:
        """A span of this record as a location, which may lie in the file of its corrections."""
        return located(self.path, span, self.document.second)


@dataclass(frozen=True, slots=True)
class Text:
    """A string in a record, where it is, and the field of the schema that describes it."""

    path: Path
    value: str
    span: Span
    field: Field | None


@dataclass(frozen=True, slots=True)
class Prose:
    """A hand-written page of ``docs/``."""

    path: str
    document: Document

    def location(self, span: Span) -> Location:
        """A span of this file as a location."""
        return Location.of(self.path, span)


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a citation names: a record, perhaps through a redirect, or nothing, and then why."""

    record: Record | None
    redirected_to: str | None = None
    why: str = ""


@dataclass(frozen=True, eq=False)
class Catalog:
    """Everything that was written, read once. `unsound` ids break the schema: they are cited, nothing is derived."""

    kinds: Kinds
    schemas: Schemas
    records: Mapping[str, Record]
    docs: tuple[Prose, ...] = ()
    redirects: Mapping[str, str] = field(default_factory=dict)
    stamps: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    """The stamps of reviews, record -> source -> stamp."""
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    unreadable: frozenset[str] = frozenset()
    unsound: frozenset[str] = frozenset()
    files: int = 0

    @cached_property
    def by_kind(self) -> Mapping[str, tuple[Record, ...]]:
        """The records of each kind, by id."""
        groups: dict[str, list[Record]] = {kind.name: [] for kind in self.kinds}
        for id in sorted(self.records):
            groups[self.records[id].kind].append(self.records[id])
        return {kind: tuple(records) for kind, records in groups.items()}

    def of(self, kind: str) -> tuple[Record, ...]:
        """The records of a kind, by id; none for a kind that is not registered."""
        return self.by_kind.get(kind, ())

    def sound(self, kind: str) -> Iterator[Record]:
        """The records of a kind that keep to their schema."""
        return (record for record in self.of(kind) if record.id not in self.unsound)

    def resolve(self, mention: Mention) -> Resolution:
        """The one resolver, for validation and for rendering alike."""
        id = self.redirects.get(mention.id, mention.id)
        record = self.records.get(id)
        if record is None:
            return Resolution(None, why=f"no record has the id `{id}`")
        if mention.kind is not None and mention.kind != record.kind:
            return Resolution(None, why=f"`{id}` is a {record.kind}, not a {mention.kind}")
        return Resolution(record, id if id != mention.id else None)

    def texts(self, record: Record) -> tuple[Text, ...]:
        """All strings of a record but those that are another document's words (facts, configs, quotes)."""
        if record.id not in self._gathered:
            data, span = record.document.data, record.document.span
            self._gathered[record.id] = tuple(_texts((), data, span, self.schemas.field(record.kind)))
        return self._gathered[record.id]

    @cached_property
    def _gathered(self) -> dict[str, tuple[Text, ...]]:
        """What `texts` has gathered so far: every check of prose asks for it."""
        return {}


def _texts(path: Path, value: Any, span: Span, field: Field | None) -> Iterator[Text]:
    if isinstance(value, str):
        yield Text(path, value, span, field)
    elif field is not None and (field.opaque or field.schema.get("x-verbatim")):
        return
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts((*path, key), item, value.spans[key], field.child(key) if field else None)  # type: ignore[attr-defined]
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts((*path, index), item, value.spans[index], field.child(index) if field else None)  # type: ignore[attr-defined]


def fragments(record: Record) -> set[str]:
    """What ``[[id#fragment]]`` may name: a field, a heading in its text, the id of a list's entry, a source's fact."""
    names = {str(key) for key in record.data}
    for value in record.data.values():
        if isinstance(value, str):
            names |= headings.below(value).keys()
        if isinstance(value, list):
            names |= {str(item["id"]) for item in value if isinstance(item, dict) and "id" in item}
    facts = record.get("facts")
    return names | ({str(key) for key in facts} if isinstance(facts, dict) else set())
