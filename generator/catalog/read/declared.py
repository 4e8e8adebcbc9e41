"""What the folder ``schema/`` declares: the kinds of records, their schemas, and tables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from generator.catalog.disk.authored import contents, tree
from generator.catalog.kinds import Kinds
from generator.catalog.read.files import NoKnowledgeBase, decoded
from generator.catalog.read.wellformed import SCHEMA, TABLE, SchemaFile, mistakes, parsed
from generator.catalog.records import Catalog, Record
from generator.catalog.schemas import Schemas
from generator.catalog.shipped import shipped
from generator.catalog.yaml.document import Unreadable
from generator.catalog.yaml.loader import load

TOLD = 20
"""So many mistakes are listed where ``schema/`` is broken."""

Declared = tuple[Kinds, Schemas, dict[str, dict[str, Any]]]
"""The kinds, their schemas, and the tables by name."""


def read_schema(root: Path) -> Declared:
    """What a base declares: its own ``schema/``, or that which comes with the generator.

    Raises `NoKnowledgeBase` with the places: what is wrong there is not a mistake in a record.
    """
    if not os.path.lexists(root / "schema"):
        return _declared(_shipped_files())
    found = tree(root, "schema")
    wrong = [f"{barred.path}:1:1: {barred.why}" for barred in found.barred]
    files = {}
    for path in found.files:
        if path.count("/") == 1 and path.endswith((TABLE, SCHEMA)):
            try:
                file = parsed(path, decoded(contents(root, path)))
                files[file.name] = file
            except Unreadable as problem:
                wrong.append(_at(path, problem))
            except OSError as error:
                wrong.append(f"{path}:1:1: cannot be read: {error.strerror}")
    wrong = wrong or mistakes(files)
    if wrong:
        more = [f"and {len(wrong) - TOLD} more"] if len(wrong) > TOLD else []
        raise NoKnowledgeBase("\n".join(wrong[:TOLD] + more))
    return _declared(files)


def _at(path: str, problem: Unreadable) -> str:
    code = "" if problem.code == "YML001" else f" {problem.code}"
    return f"{path}:{problem.span[0] + 1}:{problem.span[1] + 1}:{code} {problem.message}"


def _declared(files: Mapping[str, SchemaFile]) -> Declared:
    tables = {name.removesuffix(TABLE): file.data for name, file in files.items() if name.endswith(TABLE)}
    documents = {name.removesuffix(SCHEMA): file.data for name, file in files.items() if name.endswith(SCHEMA)}
    return Kinds.from_table(tables["kinds"]), Schemas(documents), tables


def _shipped_files() -> dict[str, SchemaFile]:
    paths = [path for path in sorted(shipped("schema").iterdir()) if path.name.endswith((TABLE, SCHEMA))]
    return {path.name: parsed(f"schema/{path.name}", path.read_text("utf-8")) for path in paths}


def shipped_reads() -> Record:
    """The source of the keys that each class reads, for a command that runs outside a knowledge base."""
    path = shipped("sources/transformers-5-24-0-class-reads.yaml")
    return Record(path.stem, "source", path.name, load(decoded(path.read_bytes())))


def shipped_catalog() -> Catalog:
    """The plain dtypes alone, for a command that runs outside a knowledge base."""
    kinds, schemas, tables = _declared(_shipped_files())
    path = shipped("records/kernels/uniform.yaml")
    record = Record("uniform", "kernel", path.name, load(decoded(path.read_bytes())))
    return Catalog(kinds, schemas, {"uniform": record}, tables=tables, files=1)
