"""The only package that opens authored files: a root folder in, a `Catalog` out, with every author's error in it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from generator.catalog.read.conflicts import CONFLICT
from generator.catalog.read.declared import read_schema
from generator.catalog.read.files import MAX_BYTES, NoKnowledgeBase, decoded, find_root
from generator.catalog.read.folders import Reader
from generator.catalog.records import Catalog, Prose, Record
from generator.catalog.schemas import Schemas
from generator.catalog.shipped import shipped
from generator.catalog.yaml.document import Document, Unreadable
from generator.findings import Fault, Location

__all__ = ["MAX_BYTES", "NoKnowledgeBase", "find", "find_root", "read"]


def read(root: Path, only: Collection[str] | None = None, before: Catalog | None = None) -> Catalog:
    """Read all records, sources, docs and schemas below `root`. Author errors are collected, never raised.

    `only` names the kinds to read where a part is enough (then nothing is said about the rest, docs included). With the
    catalog `before`, a file whose text has not changed is not parsed and judged again: a live preview need not wait.
    """
    for name in ("records", "sources"):
        if not (root / name).is_dir():
            raise NoKnowledgeBase(f"{root} has no folder {name}/, so it is no knowledge base")
    schema = root / "schema" if (root / "schema").is_dir() else shipped("schema")
    kinds, schemas, tables = read_schema(schema)
    reader = Reader(root, kinds, schemas, kept=_sound_files(before, schemas))
    for kind in kinds:
        if only is None or kind.name in only:
            reader.folder(kind)
    reader.orphaned_corrections()
    if only is None:
        reader.strays()
    if not reader.files:
        raise NoKnowledgeBase(f"{root} holds no YAML file below records/ and sources/: there is nothing to check")
    redirects = reader.redirects()
    docs, unfinished = _read_docs(root) if only is None else ((), ())
    stamps = reader.stamps(redirects) if only is None else {}
    return Catalog(
        kinds=kinds,
        schemas=schemas,
        records=reader.records,
        docs=docs,
        redirects=redirects.targets,
        stamps=stamps,
        tables=tables,
        faults=(*reader.faults, *redirects.faults, *unfinished),
        unreadable=frozenset(reader.unreadable | redirects.broken),
        unsound=frozenset(reader.unsound),
        files=reader.files,
    )


def find(root: Path, catalog: Catalog, kind: str, *texts: str) -> list[Record]:
    """The sound records of one kind whose files hold all of these texts; no other file is parsed."""
    folder, wanted = root / catalog.kinds[kind].folder, [text.encode("utf-8") for text in texts]
    reader = Reader(root, catalog.kinds, catalog.schemas)
    for path in sorted(folder.glob("*.yaml")):
        try:
            found = not path.is_symlink() and path.stat().st_size <= MAX_BYTES and path.read_bytes()
        except OSError:
            continue  # what cannot be read holds nothing; a reading of the whole base says what is wrong with it
        if found and all(text in found for text in wanted):
            reader.file(catalog.kinds[kind], path)
    return [record for id, record in reader.records.items() if id not in reader.unsound and record.kind == kind]


def _read_docs(root: Path) -> tuple[tuple[Prose, ...], tuple[Fault, ...]]:
    """The Markdown files below ``docs/``, and what an unfinished merge left in them and in other files of the site."""
    docs, faults = [], []
    others = (path for path in ((root / "mkdocs.yml"), *sorted((root / "templates").rglob("*.html"))))
    for path in (*sorted((root / "docs").rglob("*.md")), *others):
        if not path.is_file():
            continue  # a device named .md would be read for ever
        name = path.relative_to(root).as_posix()
        try:
            text = decoded(path)
        except (OSError, Unreadable) as error:  # MkDocs reads these files itself and says what else is wrong with them
            if isinstance(error, Unreadable) and error.code == CONFLICT:
                faults.append(Fault(error.code, Location.of(name, error.span), error.message))
            continue
        if path.suffix == ".md":
            docs.append(Prose(name, Document(text, None, (0, 0, text.count("\n") + 1, 0))))
    return tuple(docs), tuple(faults)


def _sound_files(before: Catalog | None, schemas: Schemas) -> dict[str, Record]:
    """The records of an earlier reading that nothing was wrong with, by path; none where a schema has changed."""
    if before is None or before.schemas != schemas:
        return {}
    faulty = {fault.record for fault in before.faults}
    return {record.path: record for id, record in before.records.items() if id not in faulty}
