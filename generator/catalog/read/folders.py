"""The folders of records, read file by file: records that keep to their schema, and the faults of those that do not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from generator.catalog.disk.authored import Tree, contents, tree
from generator.catalog.kinds import Kind, Kinds
from generator.catalog.read.corrections import SUFFIX, joined, strange_field
from generator.catalog.read.files import decoded, unread
from generator.catalog.read.modelines import misplaced, modeline_fault
from generator.catalog.read.redirects import REDIRECTS, Redirects
from generator.catalog.read.stamps import STAMPS, Stamps, stamps_of
from generator.catalog.records import Record
from generator.catalog.schemas import Schemas, Violation
from generator.catalog.yaml.document import Document, Span, Unreadable, without
from generator.catalog.yaml.loader import load
from generator.findings import Edit, Fault, Fix, Location
from generator.notation.citations import ID

TOPS = ("records", "sources")
"""The folders that hold records."""

BESIDE = (REDIRECTS, STAMPS)
"""Files among the records that are none."""


@dataclass
class Reader:
    """What has been read so far; `kept` are records of an earlier reading, taken over where their text is the same."""

    root: Path
    kinds: Kinds
    schemas: Schemas
    kept: dict[str, Record] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    unreadable: set[str] = field(default_factory=set)
    unsound: set[str] = field(default_factory=set)
    files: int = 0
    _seen: set[str] = field(default_factory=set)
    _alone: list[tuple[str, Fault]] = field(default_factory=list)

    @cached_property
    def trees(self) -> Mapping[str, Tree]:
        """What lies below each folder that holds records."""
        return {top: tree(self.root, top) for top in TOPS}

    @cached_property
    def _all(self) -> frozenset[str]:
        return frozenset(path for each in self.trees.values() for path in each.files)

    def folder(self, kind: Kind) -> None:
        """All records of one kind."""
        for path in self.paths(kind):
            self.files += 1
            self.file(kind, path)

    def paths(self, kind: Kind) -> list[str]:
        """The files that are records of one kind; one of corrections is read with the record that it corrects."""
        files = self.trees[kind.folder.split("/")[0]].files
        here = [each for each in files if each.rpartition("/")[0] == kind.folder and each.endswith(".yaml")]
        self._seen |= set(here)
        read_with = {each for each in here if each.endswith(SUFFIX) and each.replace(SUFFIX, ".yaml") in self._all}
        return [each for each in here if each not in read_with and each not in BESIDE]

    def file(self, kind: Kind, relative: str) -> None:
        """One record, under the name of its file."""
        path, second = PurePosixPath(relative), None
        id, corrections = path.stem, path.with_suffix(SUFFIX).as_posix()
        if not re.fullmatch(ID, id):
            self.unreadable.add(id.lower())
            message = f"`{id}` is not an id: file names are lower-case words joined by hyphens"
            if relative.endswith(SUFFIX):
                message = f"there is no {path.name.replace(SUFFIX, '.yaml')} here whose corrections these could be"
                self._alone.append((path.name.removesuffix(SUFFIX), Fault("SCH102", Location(relative), message)))
                return
            self.faults.append(Fault("SCH102", Location(relative), message))
            return
        if id in self.records:
            message = f"the id `{id}` is taken by {self.records[id].path}; one name space holds all kinds"
            self.faults.append(Fault("SCH102", Location(relative), message, id))
            return
        at = relative
        try:
            text, kept = decoded(contents(self.root, relative)), self.kept.get(relative)
            if corrections in self._all:
                at = corrections
                text, second = joined(text, at, decoded(contents(self.root, at)))
                at = relative
            if kept is not None and kept.document.text == text:
                self.records[id] = kept
                return
            document = load(text, relative, second)
        except (OSError, Unreadable) as error:
            self.unreadable.add(id)
            self.faults.append(unread(error, at, id, second))
            return
        self._judge(Record(id, kind.name, relative, document), kind)

    def _judge(self, record: Record, kind: Kind) -> None:
        """The first line, the text and the schema of a record; a fault inside a violation is the same mistake.

        A value that is not allowed where it is, is reported here and then dropped: nothing after this meets one.
        """
        if fault := modeline_fault(record, kind):
            self.faults.append(fault)
        if fault := strange_field(record):
            self.faults.append(fault)
        record = self.records[record.id] = self._as_declared(record, misplaced(record, kind))
        violations = self.schemas.violations(record.kind, record.document.data)
        spans = [record.span(violation.path, violation.at_key) for violation in violations]
        self.faults += [_violated(record, *each) for each in zip(violations, spans, strict=True)]
        places, of_text = {record.location(span) for span in spans}, record.document.faults
        self.faults += [replace(fault, record=record.id) for fault in of_text if fault.location not in places]
        if violations or any(fault.code == "YML002" for fault in of_text):
            self.unsound.add(record.id)
        if unfit := [violation.path for violation in violations if violation.unfit]:
            kept = without(record.document.data, unfit)
            self.records[record.id] = replace(record, document=replace(record.document, data=kept))

    def _as_declared(self, record: Record, kind: str | None) -> Record:
        """A record that lies in the wrong folder is read as what it says it is: one mistake, one finding."""
        if kind is None or kind not in self.kinds:
            return record
        declared = replace(record, kind=kind)
        return min(record, declared, key=lambda each: len(self.schemas.violations(each.kind, each.document.data)))

    def orphaned_corrections(self) -> None:
        """Corrections without their record are reported, unless the record lies in the wrong folder and that is."""
        misplaced = {fault.record for fault in self.faults if fault.code == "SCH102" and fault.record}
        for id, fault in self._alone:
            if id not in misplaced:
                self.faults.append(fault)

    def strays(self) -> None:
        """What would be passed over in silence is a finding: files of no kind's folder, and what cannot be read."""
        for barred in (barred for found in self.trees.values() for barred in found.barred):
            self._unread(PurePosixPath(barred.path), "YML001", barred.why)
        for path in map(PurePosixPath, sorted(self._all - self._seen - set(BESIDE))):
            if path.suffix.lower() in (".yaml", ".yml"):
                self._unread(path, "SCH102", self._astray(path))

    def _unread(self, path: PurePosixPath, code: str, why: str) -> None:
        self.files += 1
        self.unreadable.add(path.stem)  # it is there, so its id is not unknown
        self.faults.append(Fault(code, Location(path.as_posix()), why, path.stem if path.suffix == ".yaml" else None))

    def _astray(self, inside: PurePosixPath) -> str:
        folders = {kind.folder for kind in self.kinds}
        if inside.suffix != ".yaml" and inside.parent.as_posix() in folders:
            return f"records are named .yaml; rename it to {inside.stem}.yaml"
        return f"no kind of record lives in this folder; known folders: {', '.join(sorted(folders))}"

    def redirects(self) -> Redirects:
        """The ids that were given up, followed to the records that have been read."""
        followed = Redirects(self.records, self.unreadable)
        if document := self._optional(REDIRECTS):
            followed.follow(document)
        return followed

    def stamps(self, redirects: Redirects) -> Stamps:
        """The stamps of reviews, of records and sources under the ids that they have now."""

        def known(id: str) -> str | None:
            now = redirects.targets.get(id, id)
            return now if now in self.records or id in self.unreadable or id in redirects.broken else None

        document = self._optional(STAMPS)
        stamps, faults = stamps_of(document, known) if document else ({}, [])
        self.faults += faults
        return stamps

    def _optional(self, name: str) -> Document | None:
        """A file that is not a record; None where it is not there or cannot be read."""
        if name not in self._all:
            return None
        try:
            return load(decoded(contents(self.root, name)), name)
        except (OSError, Unreadable) as error:
            self.faults.append(unread(error, name))
            return None


def _violated(record: Record, violation: Violation, span: Span) -> Fault:
    place = record.location(span)
    if violation.text != "quoted":
        return Fault("SCH101", place, violation.message, record.id)
    quoted = f'"{record.document.source(span)}"'
    fix = Fix("quote the value", (Edit(place, quoted),))
    return Fault("SCH101", place, f"{violation.message}: {quoted}", record.id, fix=fix)
