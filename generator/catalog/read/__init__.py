"""The only package that opens authored files: a root folder in, a `Catalog` out, with every author's error in it."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from generator.catalog.disk.authored import MAX_BYTES, contents
from generator.catalog.read.declared import read_schema
from generator.catalog.read.files import BrokenSchema, NoKnowledgeBase, find_root
from generator.catalog.read.folders import TOPS, Reader
from generator.catalog.read.pages import read_docs
from generator.catalog.records import Catalog, Record
from generator.catalog.schemas import Schemas
from generator.catalog.yaml.document import Unreadable

__all__ = ["MAX_BYTES", "BrokenSchema", "NoKnowledgeBase", "find", "find_root", "read"]


def read(root: Path, only: Collection[str] | None = None, before: Catalog | None = None) -> Catalog:
    """Read all records, sources, docs and schemas below `root`. Author errors are collected, never raised.

    `only` names the kinds to read where a part is enough (then nothing is said about the rest, docs included). With the
    catalog `before`, a file whose text has not changed is not parsed and judged again: a live preview need not wait.
    """
    for name in TOPS:
        if not os.path.lexists(root / name):
            raise NoKnowledgeBase(f"{root} has no folder {name}/, so it is not a knowledge base")
    kinds, schemas, tables = read_schema(root)
    reader = Reader(root, kinds, schemas, kept=_sound_files(before, schemas))
    for kind in kinds:
        if only is None or kind.name in only:
            reader.folder(kind)
    reader.orphaned_corrections()
    docs, barred = read_docs(root) if only is None else ((), ())
    if only is None:
        reader.strays()
    if not reader.files:
        raise NoKnowledgeBase(f"{root} holds no YAML file below records/ and sources/: there is nothing to check")
    redirects = reader.redirects()
    stamps = reader.stamps(redirects) if only is None else {}
    return Catalog(
        kinds=kinds,
        schemas=schemas,
        records=reader.records,
        docs=docs,
        redirects=redirects.targets,
        stamps=stamps,
        tables=tables,
        faults=(*reader.faults, *redirects.faults, *barred),
        unreadable=frozenset(reader.unreadable | redirects.broken),
        unsound=frozenset(reader.unsound),
        files=reader.files,
    )


def find(root: Path, catalog: Catalog, kind: str, *texts: str) -> list[Record]:
    """The sound records of one kind whose files hold all of these texts; no other file is parsed."""
    wanted = [text.encode("utf-8") for text in texts]
    reader = Reader(root, catalog.kinds, catalog.schemas)
    for path in reader.paths(catalog.kinds[kind]):
        try:
            found = contents(root, path)
        except (OSError, Unreadable):
            continue  # what cannot be read holds nothing; a reading of the whole base says what is wrong with it
        if all(text in found for text in wanted):
            reader.file(catalog.kinds[kind], path)
    return [record for id, record in reader.records.items() if id not in reader.unsound and record.kind == kind]


def _sound_files(before: Catalog | None, schemas: Schemas) -> dict[str, Record]:
    """The records of an earlier reading that nothing was wrong with, by path; none where a schema has changed."""
    if before is None or before.schemas != schemas:
        return {}
    faulty = {fault.record for fault in before.faults}
    return {record.path: record for id, record in before.records.items() if id not in faulty}
