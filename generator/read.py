"""The only module that opens authored files: a root folder in, a `Catalog` out, with every author's error in it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from generator.citations import ID
from generator.findings import Edit, Fault, Fix, Related
from generator.kinds import Kind, Kinds
from generator.loader import load
from generator.records import Catalog, Prose, Record
from generator.schemas import Schemas
from generator.shipped import shipped
from generator.spans import START, Document, Location, Mapping, Span, Trap, Unreadable

MAX_BYTES = 4 * 1024 * 1024
"""A larger file is refused unread: the longest list on record has 50 kB."""

REDIRECTS = "records/redirects.yaml"


class NoKnowledgeBase(Exception):
    """The folder cannot be read as a knowledge base; the message says what to do."""


def find_root(start: Path) -> Path:
    """The nearest folder at or above `start` that holds ``records/`` and ``sources/``."""
    for folder in (start, *start.parents):
        if (folder / "records").is_dir() and (folder / "sources").is_dir():
            return folder
    raise NoKnowledgeBase(
        f"no knowledge base at or above {start}: a folder with records/ and sources/ is wanted. "
        "Change into one, or name it with --root."
    )


def read(root: Path, only: Collection[str] | None = None, before: Catalog | None = None) -> Catalog:
    """Read all records, sources, docs and schemas below `root`. Author errors are collected, never raised.

    `only` names the kinds to read where a part is enough (then nothing is said about the rest, docs included). With the
    catalog `before`, a file whose text has not changed is not parsed and judged again: a live preview need not wait.
    """
    for name in ("records", "sources"):
        if not (root / name).is_dir():
            raise NoKnowledgeBase(f"{root} has no folder {name}/, so it is no knowledge base")
    schema = root / "schema" if (root / "schema").is_dir() else shipped("schema")
    kinds, schemas, tables = _read_schema(schema)
    reader = _Reader(root, kinds, schemas, kept=_sound_files(before, schemas))
    for kind in kinds:
        if only is None or kind.name in only:
            reader.folder(kind)
    if only is None:
        reader.strays()
    if not reader.files:
        raise NoKnowledgeBase(f"{root} holds no YAML file below records/ and sources/: there is nothing to check")
    redirects = reader.redirects()
    return Catalog(
        kinds=kinds,
        schemas=schemas,
        records=reader.records,
        docs=tuple(_read_docs(root)) if only is None else (),
        redirects=redirects,
        tables=tables,
        faults=tuple(reader.faults),
        unreadable=frozenset(reader.unreadable | reader.broken),
        unsound=frozenset(reader.unsound),
        files=reader.files,
    )


def find(root: Path, catalog: Catalog, kind: str, *texts: str) -> list[Record]:
    """The sound records of one kind whose files hold all of these texts; no other file is parsed."""
    folder, wanted = root / catalog.kinds[kind].folder, [text.encode("utf-8") for text in texts]
    reader = _Reader(root, catalog.kinds, catalog.schemas)
    for path in sorted(folder.glob("*.yaml")):
        try:
            found = not path.is_symlink() and path.stat().st_size <= MAX_BYTES and path.read_bytes()
        except OSError:
            continue  # what cannot be read holds nothing; a reading of the whole base says what is wrong with it
        if found and all(text in found for text in wanted):
            reader.file(catalog.kinds[kind], path)
    return [record for id, record in reader.records.items() if id not in reader.unsound and record.kind == kind]


def shipped_catalog() -> Catalog:
    """The plain dtypes alone, for a command that runs outside a knowledge base."""
    kinds, schemas, tables = _read_schema(shipped("schema"))
    path = shipped("records/kernels/uniform.yaml")
    record = Record("uniform", "kernel", path.name, load(_decoded(path)))
    return Catalog(kinds, schemas, {"uniform": record}, tables=tables, files=1)


def read_table(path: Path) -> dict[str, Any]:
    """A YAML table of ours (``schema/*.yaml``) as plain values."""
    try:
        data = load(_decoded(path)).data
    except (OSError, Unreadable) as error:
        raise NoKnowledgeBase(f"{path.parent.name}/{path.name} cannot be read: {error}") from None
    if not isinstance(data, dict):
        raise NoKnowledgeBase(f"{path.parent.name}/{path.name} is no table of keys and values")
    return data


def _read_schema(folder: Path) -> tuple[Kinds, Schemas, dict[str, dict[str, Any]]]:
    tables = {path.stem: read_table(path) for path in sorted(folder.glob("*.yaml"))}
    if "kinds" not in tables:
        raise NoKnowledgeBase(f"{folder} has no kinds.yaml: the kinds of records are declared there")
    documents = {}
    for path in sorted(folder.glob("*.schema.json")):
        try:
            documents[path.name.removesuffix(".schema.json")] = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise NoKnowledgeBase(f"schema/{path.name} cannot be read: {error}") from None
    try:
        kinds = Kinds.from_table(tables["kinds"])
    except (KeyError, TypeError, AttributeError):
        raise NoKnowledgeBase("schema/kinds.yaml: each kind needs title, plural, folder, path and about") from None
    lacking = [kind.name for kind in kinds if kind.name not in documents]
    if lacking:
        raise NoKnowledgeBase(
            f"schema/kinds.yaml declares {', '.join(lacking)}, but there is no schema file of that name"
        )
    return kinds, Schemas(documents), tables


def _read_docs(root: Path) -> Iterator[Prose]:
    for path in sorted((root / "docs").rglob("*.md")):
        if not path.is_file():
            continue  # a device named .md would be read for ever
        try:
            text = _decoded(path)
        except (OSError, Unreadable):
            continue  # MkDocs reads these files itself and says what is wrong with them
        last = text.count("\n")
        yield Prose(path.relative_to(root).as_posix(), Document(text, None, (0, 0, last + 1, 0)))


def _decoded(path: Path) -> str:
    """The file's text. Raises OSError, or `Unreadable` with the place."""
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise Unreadable(f"the file has {size:,} bytes; more than {MAX_BYTES:,} are not read")
    data = path.read_bytes()
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable("the file is UTF-16; save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:  # it holds the bytes without their mark
        before = error.object[: error.start].decode("utf-8", "replace")
        line, column = before.count("\n"), len(before) - before.rfind("\n") - 1
        where = (line, column, line, column + 1)
        raise Unreadable(
            f"byte 0x{error.object[error.start]:02x} is not UTF-8; save the file as UTF-8", where
        ) from None
    return text


def _sound_files(before: Catalog | None, schemas: Schemas) -> dict[str, Record]:
    """The records of an earlier reading that nothing was wrong with, by path; none where a schema has changed."""
    if before is None or before.schemas != schemas:
        return {}
    faulty = {fault.record for fault in before.faults}
    return {record.path: record for id, record in before.records.items() if id not in faulty}


@dataclass
class _Reader:
    root: Path
    kinds: Kinds
    schemas: Schemas
    records: dict[str, Record] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    unreadable: set[str] = field(default_factory=set)
    unsound: set[str] = field(default_factory=set)
    files: int = 0
    kept: dict[str, Record] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    _seen: set[Path] = field(default_factory=set)

    def folder(self, kind: Kind) -> None:
        folder = self.root / kind.folder
        for path in sorted(folder.glob("*.yaml")):
            if path.name.startswith(".") or path.relative_to(self.root).as_posix() == REDIRECTS:
                continue  # what an editor leaves beside a file is no record
            self._seen.add(path)
            self.files += 1
            self.file(kind, path)

    def file(self, kind: Kind, path: Path) -> None:
        relative, id = path.relative_to(self.root).as_posix(), path.stem
        start = Location(relative)
        if not re.fullmatch(ID, id):
            self.unreadable.add(id.lower())
            self._fault("SCH102", start, f"`{id}` is no id: file names are lower-case words joined by hyphens")
            return
        if id in self.records:
            other = self.records[id].path
            self._fault("SCH102", start, f"the id `{id}` is taken by {other}; one name space holds all kinds", id)
            return
        try:
            if path.is_symlink():
                raise Unreadable("the file is a symbolic link; put the record itself here")
            if not path.is_file():
                raise Unreadable("this is no file but a folder or a device")
            text, kept = _decoded(path), self.kept.get(relative)
            if kept is not None and kept.document.text == text:
                self.records[id] = kept
                return
            document = load(text)
        except (OSError, Unreadable) as error:
            reason = error.message if isinstance(error, Unreadable) else f"cannot be read: {error.strerror}"
            span = error.span if isinstance(error, Unreadable) else START
            self.unreadable.add(id)
            self._fault("YML001", _location(relative, span), reason, id)
            return
        record = self._modeline(Record(id, kind.name, relative, document), kind)
        self.records[id] = record
        self._check(record)

    def _check(self, record: Record) -> None:
        """Traps and schema violations of a record; a trap inside a violation's span is the same mistake, told once."""
        violations = self.schemas.violations(record.kind, record.document.data)
        placed = [(violation, record.span(violation.path, violation.at_key)) for violation in violations]
        for violation, span in placed:
            fix = None
            location = record.location(span)
            if violation.text == "quoted":
                fix = Fix("quote the value", (Edit(location, f'"{record.document.source(span)}"'),))
                message = f'{violation.message}: "{record.document.source(span)}"'
            else:
                message = violation.message
            self._fault("SCH101", location, message, record.id, fix=fix)
        told = {span for _, span in placed}
        self._traps(record.path, [trap for trap in record.document.traps if trap.span not in told], record.id)
        if violations or any(trap.code == "YML002" for trap in record.document.traps):
            self.unsound.add(record.id)

    def _traps(self, path: str, traps: Iterable[Trap], id: str | None = None) -> None:
        for trap in traps:
            location = _location(path, trap.span)
            fix = Fix("quote the text", (Edit(location, trap.replacement),), trap.safe) if trap.replacement else None
            related = (Related(_location(path, trap.related), "first here"),) if trap.related else ()
            self._fault(trap.code, location, trap.message, id, related, fix)

    def _modeline(self, record: Record, kind: Kind) -> Record:
        """The first line tells editors which schema holds; it must be the folder's own.

        A record that lies in the wrong folder is read as what it says it is: one mistake, one finding.
        """
        up = "../" * (record.path.count("/"))
        wanted = f"# yaml-language-server: $schema={up}schema/{kind.name}.schema.json"
        first = record.document.line(0)
        if first.strip() == wanted:
            return record
        named = re.search(r"\$schema=\S*?([a-z]+)\.schema\.json", first)
        if named and named[1] != kind.name:
            location = Location(record.path, 1, 1, 1, len(first) + 1)
            message = (
                f"the first line names the schema of a {named[1]}, but {kind.folder}/ is for {kind.plural.lower()}"
            )
            self._fault("SCH102", location, f"{message}; move the file or correct the line", record.id)
            return self._as_declared(record, named[1])
        insert = Location(record.path, 1, 1, 1, 1)
        line_break = "\r\n" if "\r\n" in record.document.text else "\n"
        fix = Fix("add the line", (Edit(insert, wanted + line_break),))
        if "yaml-language-server" in first:
            whole = Location(record.path, 1, 1, 1, len(first) + 1)
            fix = Fix("correct the line", (Edit(whole, wanted),))
        self._fault("SCH101", insert, f"the first line must tell editors the schema: {wanted}", record.id, fix=fix)
        return record

    def _as_declared(self, record: Record, kind: str) -> Record:
        if kind not in self.kinds:
            return record
        declared = replace(record, kind=kind)
        return min(record, declared, key=lambda each: len(self.schemas.violations(each.kind, each.document.data)))

    def strays(self) -> None:
        """YAML files that no kind's folder holds would be passed over in silence: they are findings."""
        folders = {kind.folder: kind for kind in self.kinds}
        for top in ("records", "sources"):
            for path in sorted((self.root / top).rglob("*")):
                relative = path.relative_to(self.root).as_posix()
                if path in self._seen or path.suffix.lower() not in (".yaml", ".yml") or relative == REDIRECTS:
                    continue
                if any(part.startswith(".") for part in path.relative_to(self.root).parts):
                    continue
                if path.suffix != ".yaml" and path.parent.relative_to(self.root).as_posix() in folders:
                    message = f"records are named .yaml; rename it to {path.stem}.yaml"
                else:
                    message = f"no kind of record lives in this folder; known folders: {', '.join(sorted(folders))}"
                self.files += 1
                self.unreadable.add(path.stem)  # it is there, so its id is not unknown
                self._fault("SCH102", Location(relative), message)

    def redirects(self) -> dict[str, str]:
        path = self.root / REDIRECTS
        if not path.is_file():
            return {}
        try:
            document = load(_decoded(path))
        except (OSError, Unreadable) as error:
            span = error.span if isinstance(error, Unreadable) else START
            self._fault("YML001", _location(REDIRECTS, span), str(error))
            return {}
        table = document.data
        if not isinstance(table, Mapping):
            self._fault("SCH101", Location(REDIRECTS), "the file must map old ids to new ones, `old-id: new-id`")
            return {}
        self._traps(REDIRECTS, document.traps)
        return {old: new for old in table if (new := self._redirected(table, old)) is not None}

    def _redirected(self, table: Mapping, old: str) -> str | None:
        """Where a redirect leads in the end; None, and one fault, where it leads nowhere or has no business."""
        new, key, value = table[old], _location(REDIRECTS, table.key_spans[old]), _location(REDIRECTS, table.spans[old])
        if old in self.records:
            self._fault("SCH102", key, f"the id `{old}` was given up, but {self.records[old].path} has it again")
            return None
        if not re.fullmatch(ID, old):
            self._fault("SCH101", key, f"`{old}` is no id, so nothing was ever cited by it")
            return None
        steps = [old]
        while isinstance(new, str) and new not in self.records and new in table and new not in steps:
            steps.append(new)
            new = table[new]
        fault = None
        if not isinstance(new, str) or not re.fullmatch(ID, new):
            fault = f"an id is expected here, as in `{old}: new-id`" if len(steps) == 1 else None
        elif new in steps:
            fault = f"the redirect of `{old}` leads back to `{new}`, and no record has that id"
            fault = fault if old == min(steps[steps.index(new) :]) else None  # a circle is one mistake
        elif new in self.records and len(steps) > 1:
            fix = Fix("name the record's id", (Edit(value, new),))
            message = f"`{old}` is redirected to `{steps[1]}`, which was renamed to `{new}` in its turn"
            self._fault("SCH101", value, f"{message}; write `{old}: {new}`", fix=fix)
        elif new not in self.records and new not in self.unreadable and len(steps) == 1:
            fault = f"`{old}` is redirected to `{new}`, and no record has that id"
        if fault:
            self._fault("SCH101", value, fault)
        if isinstance(new, str) and new in self.records:
            return new
        self.broken.add(old)  # what cites it is not at fault
        return None

    def _fault(
        self,
        code: str,
        location: Location,
        message: str,
        record: str | None = None,
        related: tuple[Related, ...] = (),
        fix: Fix | None = None,
    ) -> None:
        self.faults.append(Fault(code, location, message, record, related, fix))


def _location(path: str, span: Span) -> Location:
    return Location(path, span[0] + 1, span[1] + 1, span[2] + 1, span[3] + 1)
