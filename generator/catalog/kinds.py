"""The registry of record kinds, read from ``schema/kinds.yaml``: a new kind is data, not code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of record. `folder` is where its files lie, `path` where its pages are published.

    `first` names the records that lists on pages begin with; the others follow in the order of their ids.
    """

    name: str
    title: str
    plural: str
    folder: str
    path: str
    about: str
    template: str | None = None
    first: tuple[str, ...] = ()

    def order(self, id: str) -> tuple[int, str]:
        """What lists on pages are sorted by."""
        return (self.first.index(id) if id in self.first else len(self.first), id)


@dataclass(frozen=True)
class Kinds:
    """All kinds, in the order of the registry."""

    by_name: Mapping[str, Kind]

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Kinds:
        """Build the registry from the table ``{kind: {title, plural, folder, path, about, template?, first?}}``."""
        return cls({name: _kind(name, row) for name, row in table.items()})

    def __iter__(self) -> Iterator[Kind]:
        return iter(self.by_name.values())

    def __getitem__(self, name: str) -> Kind:
        return self.by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self.by_name


def _kind(name: str, row: Mapping[str, Any]) -> Kind:
    return Kind(name=name, template=row.get("template"), first=tuple(row.get("first") or ()), **_texts(row))


def _texts(row: Mapping[str, Any]) -> dict[str, str]:
    return {key: str(row[key]) for key in ("title", "plural", "folder", "path", "about")}
