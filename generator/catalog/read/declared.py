"""What the folder ``schema/`` declares: the kinds of records, their schemas, and tables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from generator.catalog.disk.authored import contents, tree
from generator.catalog.kinds import Kinds
from generator.catalog.read.files import BrokenSchema, decoded, unread
from generator.catalog.read.wellformed import SCHEMA, TABLE, SchemaFile, mistakes, parsed
from generator.catalog.records import Catalog, Record
from generator.catalog.schemas import Schemas
from generator.catalog.shipped import shipped
from generator.catalog.yaml.document import Unreadable
from generator.catalog.yaml.loader import load
from generator.findings import Fault, Location

Declared = tuple[Kinds, Schemas, dict[str, dict[str, Any]]]
"""The kinds, their schemas, and the tables by name."""


def read_schema(root: Path) -> Declared:
    """What a base declares: its own ``schema/``, or that which comes with the generator.

    Raises `BrokenSchema` with the places: what is wrong there is not a mistake in a record.
    """
    if not os.path.lexists(root / "schema"):
        return _shipped()
    found = tree(root, "schema")
    wrong = [Fault("YML001", Location(barred.path), barred.why) for barred in found.barred]
    files = {}
    for path in found.files:
        if path.count("/") == 1 and path.endswith((TABLE, SCHEMA)):
            try:
                file = parsed(path, decoded(contents(root, path)))
                files[file.name] = file
            except (OSError, Unreadable) as error:
                wrong.append(unread(error, path))
    if wrong := wrong or mistakes(files):
        raise BrokenSchema(wrong)
    return _declared(files)


def _declared(files: Mapping[str, SchemaFile]) -> Declared:
    tables = {name.removesuffix(TABLE): file.data for name, file in files.items() if name.endswith(TABLE)}
    documents = {name.removesuffix(SCHEMA): file.data for name, file in files.items() if name.endswith(SCHEMA)}
    return Kinds.from_table(tables["kinds"]), Schemas(documents), tables


@cache
def _shipped() -> Declared:
    """What comes with the generator: it stays the same as long as a process lives."""
    paths = [path for path in sorted(shipped("schema").iterdir()) if path.name.endswith((TABLE, SCHEMA))]
    return _declared({path.name: parsed(f"schema/{path.name}", path.read_text("utf-8")) for path in paths})


def shipped_reads() -> Record:
    """The source of the keys that each class reads, for a command that runs outside a knowledge base."""
    path = shipped("sources/transformers-5-24-0-class-reads.yaml")
    return Record(path.stem, "source", path.name, load(decoded(path.read_bytes())))


def shipped_catalog() -> Catalog:
    """The plain dtypes alone, for a command that runs outside a knowledge base."""
    kinds, schemas, tables = _shipped()
    path = shipped("records/kernels/uniform.yaml")
    record = Record("uniform", "kernel", path.name, load(decoded(path.read_bytes())))
    return Catalog(kinds, schemas, {"uniform": record}, tables=tables, files=1)
