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


@dataclass
class Redirects:
    """Old ids with the new ones; `broken` are those that lead nowhere, so that what cites them is not at fault too."""

    records: dict[str, Record]
    unreadable: Collection[str]
    targets: dict[str, str] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)

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
            self.faults.append(Fault("SCH101", key, f"`{old}` is no id, so nothing was ever cited by it"))
            return None
        steps, new = self._steps(table, old)
        if isinstance(new, str) and new in self.records:
            if len(steps) > 1:
                message = f"`{old}` is redirected to `{steps[1]}`, which was renamed to `{new}` in its turn"
                fix = Fix("name the record's id", (Edit(value, new),))
                self.faults.append(Fault("SCH101", value, f"{message}; write `{old}: {new}`", fix=fix))
            return new
        if why := self._why_nowhere(steps, new):
            self.faults.append(Fault("SCH101", value, why))
        self.broken.add(old)
        return None

    def _steps(self, table: Mapping, old: str) -> tuple[list[str], Any]:
        """The ids on the way from an old one, itself first, and what stands at the end of it."""
        steps, new = [old], table[old]
        while isinstance(new, str) and new not in self.records and new in table and new not in steps:
            steps.append(new)
            new = table[new]
        return steps, new

    def _why_nowhere(self, steps: list[str], new: Any) -> str | None:
        """Why no record stands at the end; None where another line of the file, or another finding, says it."""
        old = steps[0]
        if not isinstance(new, str) or not re.fullmatch(ID, new):
            return f"an id is expected here, as in `{old}: new-id`" if len(steps) == 1 else None
        if new in steps:  # a circle is one mistake
            first = old == min(steps[steps.index(new) :])
            return f"the redirect of `{old}` leads back to `{new}`, and no record has that id" if first else None
        if new not in self.unreadable and len(steps) == 1:
            return f"`{old}` is redirected to `{new}`, and no record has that id"
        return None
