"""What an include brings: the prose of a concept, a kernel or a gotcha, as a whole field or what is below a heading.

One text serves many records. It belongs to the record that holds it: that one cites its sources and is corrected.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from generator.catalog.records import Catalog, Record, Text
from generator.notation import headings
from generator.notation.braces import Expression, Include, find, includes

HOMES = ("concept", "kernel", "gotcha")
"""The kinds of records whose prose may be included: what a model's record says is about that model."""


class IncludeError(Exception):
    """An include that brings nothing; `near` holds targets that may have been meant."""

    def __init__(self, message: str, near: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.near = tuple(near)


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of a record's prose that has a name: characters `start` to `end` of one of its texts."""

    record: Record
    name: str
    text: Text
    start: int
    end: int

    @property
    def value(self) -> str:
        """The prose itself."""
        return self.text.value[self.start : self.end]

    @property
    def expressions(self) -> list[Expression]:
        """The expressions in it, at their places in the whole text."""
        return [each for each in find(self.text.value) if self.start <= each.start < self.end]


def prose(catalog: Catalog, record: Record) -> Iterator[Text]:
    """The prose texts of a record."""
    return (text for text in catalog.texts(record) if text.field is not None and text.field.schema.get("x-prose"))


def sections(catalog: Catalog, record: Record) -> dict[str, Section]:
    """The sections of a record by name: its prose fields, then the texts below the headings in them."""
    texts = [text for text in prose(catalog, record) if len(text.path) == 1]
    found = {str(text.path[0]): Section(record, str(text.path[0]), text, 0, len(text.value)) for text in texts}
    for text in texts:
        for name, (start, end) in headings.below(text.value).items():
            found.setdefault(name, Section(record, name, text, start, end))
    return found


def resolve(catalog: Catalog, record: Record, include: Include) -> Section:
    """The section that an include in a record brings. Raises `IncludeError`."""
    if include.problem:
        raise IncludeError(include.problem)
    owner = catalog.records.get(catalog.redirects.get(include.id, include.id))
    if owner is None:
        ids = [each.id for kind in HOMES for each in catalog.of(kind)]
        near = [f"{id}#{include.section}" for id in difflib.get_close_matches(include.id, ids, n=3, cutoff=0.7)]
        raise IncludeError(f"no record has the id `{include.id}`{_meant(near)}", near)
    if owner.kind not in HOMES:
        raise IncludeError(
            f"`{owner.id}` is of the kind {owner.kind}; a text that serves many records lives in a concept, a kernel "
            "or a gotcha"
        )
    if owner is record:
        raise IncludeError("a record does not include itself")
    return _section(catalog, owner, include)


def _section(catalog: Catalog, owner: Record, include: Include) -> Section:
    known = sections(catalog, owner)
    section = known.get(include.section)
    if section is None:
        near = [f"{include.id}#{name}" for name in difflib.get_close_matches(include.section, list(known), n=1)]
        hint = _meant(near) or f"; it has {', '.join(known) or 'no prose'}"
        raise IncludeError(f"{owner.id} has no section `{include.section}`{hint}", near)
    if includes(section.value):
        raise IncludeError(
            f"{include.target} includes another text itself; include that one too, includes do not nest",
        )
    return section


def _meant(near: Sequence[str]) -> str:
    return f"; did you mean {' or '.join(near)}?" if near else ""
