"""What was written: the records that came, went or say something else, and the tables of ``schema/`` that differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from generator.catalog.records import Catalog, Record
from generator.knowledge.changes.fields import FieldChange, field_changes

BESIDE = ("extractor", "waivers", "notes")
"""Fields from which nothing follows: how a machine reads a document again, what is excused, remarks."""

FEW = 3
"""So many fields of a record a cause names."""


class Fate(StrEnum):
    """What became of a record."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class RecordChange:
    """A record that differs; `fields` is empty where it came or went, and where only prose or its layout differs."""

    id: str
    kind: str
    path: str
    title: str
    fate: Fate
    fields: tuple[FieldChange, ...] = ()

    @property
    def says(self) -> bool:
        """Whether it says something else now, and not the same in another layout or with other remarks."""
        return self.fate is not Fate.CHANGED or bool(self.fields)

    def cause(self, wanted: Iterable[str] = ()) -> str:
        """As a cause: the path, and what differs there; fields whose last name is wanted come first."""
        names = frozenset(wanted)
        if self.fate is not Fate.CHANGED:
            return f"{self.path}: {self.fate}"
        ranked = sorted(self.fields, key=lambda each: each.place.rpartition(".")[2].partition("[")[0] not in names)
        told = [each.told for each in ranked[:FEW]]
        more = [f"{len(ranked) - FEW} more fields"] if len(ranked) > FEW else []
        return f"{self.path}: {'; '.join([*told, *more]) or 'its text'}"


def changed_records(before: Catalog, after: Catalog) -> dict[str, RecordChange]:
    """Every record that differs, by id, those that went first."""
    found = {}
    for id in sorted(before.records.keys() - after.records.keys()):
        found[id] = _whole(before.records[id], Fate.REMOVED)
    for id in sorted(after.records.keys()):
        new, old = after.records[id], before.records.get(id)
        if old is None:
            found[id] = _whole(new, Fate.ADDED)
        elif new is not old and (new.document.text != old.document.text or new.kind != old.kind):
            field = after.schemas.field(new.kind)
            fields = tuple(
                each for each in field_changes(old.data, new.data, field) if not each.place.startswith(BESIDE)
            )
            found[id] = RecordChange(id, new.kind, new.path, new.title, Fate.CHANGED, fields)
    return found


def _whole(record: Record, fate: Fate) -> RecordChange:
    return RecordChange(record.id, record.kind, record.path, record.title, fate)


def changed_tables(before: Catalog, after: Catalog) -> tuple[str, ...]:
    """The paths of the tables that say something else."""
    names = sorted(before.tables.keys() | after.tables.keys())
    return tuple(f"schema/{name}.yaml" for name in names if before.tables.get(name) != after.tables.get(name))


def causes_among(
    records: Mapping[str, RecordChange], ids: Iterable[str | None], wanted: Iterable[str] = ()
) -> Iterator[str]:
    """The causes among some records, those that differ, each once."""
    names = tuple(wanted)
    for id in dict.fromkeys(ids):
        if id is not None and id in records and records[id].says:
            yield records[id].cause(names)
