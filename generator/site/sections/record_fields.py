"""A record as its schema describes it: each field as something that a template can print without asking what it is.

The forms: ``null`` (with its reason), ``prose``, ``cite``, ``address``, ``number``, ``text``, ``verbatim`` (another
document's value), ``quantity`` (a value with its unit and its source), ``list``, ``rows`` (a table), ``cards`` (entries
too wide for a table), ``fields`` and ``facts``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from generator.catalog.records import Record
from generator.catalog.schemas import ANY, ITEM, Field
from generator.notation.citations import whole
from generator.site.html import render
from generator.site.site import Site

WIDEST_TABLE = 6
"""Entries with more fields than this are shown one below the other."""

SHORT = ("null", "cite", "address", "number", "text", "verbatim", "quantity")
INLINE = ("null", "number", "text", "verbatim")
APART = ("why_null", "waivers", "corrections", "notes")
"""Fields that have a place of their own on every page."""


@dataclass(frozen=True)
class Shown:
    """A value in the form in which pages print it."""

    form: str
    name: str = ""
    value: Any = None
    items: tuple[Shown, ...] = ()
    columns: tuple[str, ...] = ()
    anchor: str = ""
    about: str = ""
    free: bool = False

    @property
    def short(self) -> bool:
        """Whether it fits into a fact sheet. A list of citations does not: its names are long."""
        return self.form in SHORT or (self.form == "list" and all(item.form in INLINE for item in self.items))

    @property
    def label(self) -> str:
        """The field's name for readers; a key of the author's own choice is left as it is."""
        return self.name if self.free else render.words(self.name)

    def part(self, column: str) -> Shown | None:
        """The part of an entry with a name."""
        return next((item for item in self.items if item.name == column), None)


@dataclass
class RecordView:
    """The fields of one record, in the order of the schema."""

    site: Site
    record: Record
    _anchors: set[str] = field(default_factory=set)

    def fields(self, *skip: str) -> list[Shown]:
        """All fields that the record has, except those shown elsewhere on the page."""
        tree = self.site.kb.catalog.schemas.field(self.record.kind)
        self._anchors = {str(key) for key in self.record.data}
        reasons = self.record.get("why_null") or {}
        return [
            self._show(self.record.data[name], child, name, reasons.get(name), name)
            for name, child in tree.children.items()
            if name in self.record.data and name not in (*skip, *APART)
        ]

    def one(self, name: str) -> Shown | None:
        """One field, or None where the record does not have it."""
        tree = self.site.kb.catalog.schemas.field(self.record.kind)
        if name not in self.record.data or name not in tree.children:
            return None
        reason = (self.record.get("why_null") or {}).get(name)
        return self._show(self.record.data[name], tree.children[name], name, reason, name)

    def _show(
        self, value: Any, tree: Field | None, name: str, why: str | None = None, anchor: str = "", free: bool = False
    ) -> Shown:
        about = str(tree.schema.get("description", "")) if tree else ""
        more: dict[str, Any] = {"name": name, "anchor": anchor, "about": about, "free": free}
        if value is None:
            return Shown("null", value=self.site.line(why) if why else None, **more)
        if isinstance(value, bool) or not isinstance(value, str | Mapping | list):
            return Shown("verbatim" if isinstance(value, bool) else "number", value=value, **more)
        if isinstance(value, str):
            return self._text(value, tree, more)
        if isinstance(value, Mapping):
            return self._mapping(value, tree, more)
        return self._list(value, tree, more)

    def _text(self, value: str, tree: Field | None, more: dict[str, Any]) -> Shown:
        if tree is not None and tree.schema.get("x-prose"):
            return Shown("prose", value=self.site.prose(value, self.record), **more)
        if whole(value):
            return Shown("cite", value=self.site.cite(value), items=self._marks(value), **more)
        if value.startswith(("https://", "http://")) and " " not in value:
            return Shown("address", value=value, **more)
        return Shown("text", value=self.site.line(value), **more)

    def _marks(self, value: str) -> tuple[Shown, ...]:
        return (Shown("unverified"),) if self.site.unverified(self.site.cited(value)) else ()

    def _mapping(self, value: Mapping[str, Any], tree: Field | None, more: dict[str, Any]) -> Shown:
        if tree is None or tree.opaque:
            return Shown("facts", items=tuple(verbatim(str(key), item) for key, item in value.items()), **more)
        reasons = value.get("why_null") or {}
        free = tree.children.get(ANY)
        names = [
            *(name for name in tree.children if name in value),
            *(key for key in value if key not in tree.children),
        ]
        items = (
            self._show(
                value[name], tree.children.get(name, free), name, reasons.get(name), free=name not in tree.children
            )
            for name in names
            if name != "why_null"
        )
        form = "quantity" if {"value", "cite"} <= set(names) else "fields"
        return Shown(form, items=tuple(items), **more)

    def _list(self, value: list[Any], tree: Field | None, more: dict[str, Any]) -> Shown:
        below = tree.children.get(ITEM) if tree else None
        entries = [item for item in value if isinstance(item, Mapping)]
        if not entries or len(entries) < len(value):
            return Shown("list", items=tuple(self._show(item, below, "") for item in value), **more)
        items = tuple(self._show(item, below, str(item.get("id", "")), None, self._claim(item)) for item in entries)
        columns = tuple(dict.fromkeys(part.name for item in items for part in item.items))
        flat = len(columns) <= WIDEST_TABLE and all(part.short for item in items for part in item.items)
        return Shown("rows" if flat else "cards", items=items, columns=columns, **more)

    def _claim(self, entry: Mapping[str, Any]) -> str:
        """The anchor of an entry with an id, unless something above it has that name."""
        anchor = str(entry.get("id", ""))
        if anchor in self._anchors:
            return ""
        self._anchors.add(anchor)
        return anchor


def verbatim(name: str, value: Any) -> Shown:
    """A value of another document, as it is written there."""
    if isinstance(value, list) and value and not any(isinstance(item, list | Mapping) for item in value):
        return Shown("list", name, items=tuple(Shown("verbatim", value=item) for item in value), anchor=name)
    if isinstance(value, Mapping | list):
        return Shown("nested", name, value=value, anchor=name)
    return Shown("verbatim", name, value=value, anchor=name)


def sheet(shown: list[Shown]) -> tuple[list[Shown], list[Shown]]:
    """Fields that fit into a fact sheet, and those that need a section of their own."""
    return [one for one in shown if one.short], [one for one in shown if not one.short]


def walk(tree: Field, prefix: str = "") -> Iterator[tuple[str, Field]]:
    """Every field of a schema with its path as one writes it: ``claims[].cite``."""
    for name, child in tree.children.items():
        path = f"{prefix}[]" if name == ITEM else f"{prefix}.{'KEY' if name == ANY else name}".lstrip(".")
        if name != ITEM:
            yield path, child
        yield from walk(child, path)
