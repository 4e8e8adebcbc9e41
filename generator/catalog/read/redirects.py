"""Ids that were given up, and the records to which they lead now."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from generator.catalog.records import Record
from generator.catalog.yaml.document import Document, Mapping
from generator.findings import Edit, Fault, Fix, Location
from generator.notation.citations import ID

REDIRECTS = "records/redirects.yaml"


@dataclass(frozen=True)
class Circle:
    """A way that leads back to itself, by the first of its ids."""

    first: str


@dataclass
class Redirects:
    """Old ids with the new ones; `broken` are those that lead nowhere, so that what cites them is not at fault too."""

    records: dict[str, Record]
    unreadable: Collection[str]
    targets: dict[str, str] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)
    _ends: dict[str, Any] = field(default_factory=dict)

    def follow(self, document: Document) -> None:
        """Follow each line of the file to its end; one mistake is one fault."""
        table = document.data
        if not isinstance(table, Mapping):
            message = "the file must map old ids to new ones, `old-id: new-id`"
            self.faults.append(Fault("SCH101", Location(REDIRECTS), message))
            return
        self.faults += document.faults
        for old in table:
            new = self._target(table, old)
            if new is not None:
                self.targets[old] = new

    def _target(self, table: Mapping, old: str) -> str | None:
        """Where a redirect leads in the end; None, and one fault, where it leads nowhere or has no business."""
        key, value = Location.of(REDIRECTS, table.key_spans[old]), Location.of(REDIRECTS, table.spans[old])
        if old in self.records:
            message = f"the id `{old}` was given up, but {self.records[old].path} has it again"
            self.faults.append(Fault("SCH102", key, message))
            return None
        if not re.fullmatch(ID, old):
            self.faults.append(Fault("SCH101", key, f"`{old}` is not an id, so nothing was ever cited by it"))
            return None
        new = self._end(table, old)
        if isinstance(new, str) and new in self.records:
            if table[old] != new:
                message = f"`{old}` is redirected to `{table[old]}`, which was renamed to `{new}` in its turn"
                fix = Fix("name the record's id", (Edit(value, new),))
                self.faults.append(Fault("SCH101", value, f"{message}; write `{old}: {new}`", fix=fix))
            return new
        if why := self._why_nowhere(table, old, new):
            self.faults.append(Fault("SCH101", value, why))
        self.broken.add(old)
        return None

    def _end(self, table: Mapping, old: str) -> Any:
        """The record at the end of an old id's redirects; a `Circle` where there is none. Each line is walked once."""
        way: dict[str, None] = {}
        at: Any = old
        while at not in self._ends:
            way[at] = None
            new = table[at]
            if not isinstance(new, str) or new in self.records or new not in table:
                self._ends[at] = new
            elif new in way:
                ids = list(way)
                self._ends[at] = Circle(min(ids[ids.index(new) :]))
            else:
                at = new
        for each in way:
            self._ends[each] = self._ends[at]
        return self._ends[old]

    def _why_nowhere(self, table: Mapping, old: str, new: Any) -> str | None:
        """Why there is no record at the end; None where another line of the file, or another finding, says it."""
        if isinstance(new, Circle):  # it is one mistake
            return (
                f"the redirect of `{old}` leads back to `{old}`, and no record has that id"
                if old == new.first
                else None
            )
        if table[old] != new:
            return None
        if not isinstance(new, str) or not re.fullmatch(ID, new):
            return f"an id is expected here, as in `{old}: new-id`"
        return None if new in self.unreadable else f"`{old}` is redirected to `{new}`, and no record has that id"
