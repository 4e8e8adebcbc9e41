"""What the folder ``schema/`` declares: the kinds of records, their schemas, and tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from generator.catalog.kinds import Kinds
from generator.catalog.read.files import NoKnowledgeBase, decoded
from generator.catalog.records import Catalog, Record
from generator.catalog.schemas import Schemas
from generator.catalog.shipped import shipped
from generator.catalog.yaml.document import Unreadable
from generator.catalog.yaml.loader import load


def read_schema(folder: Path) -> tuple[Kinds, Schemas, dict[str, dict[str, Any]]]:
    """Kinds, schemas and tables. Raises `NoKnowledgeBase`: what is wrong there is no author's mistake."""
    tables = {path.stem: read_table(path) for path in sorted(folder.glob("*.yaml"))}
    if "kinds" not in tables:
        raise NoKnowledgeBase(f"{folder} has no kinds.yaml: the kinds of records are declared there")
    documents = {}
    for path in sorted(folder.glob("*.schema.json")):
        try:
            documents[path.name.removesuffix(".schema.json")] = json.loads(decoded(path))
        except Unreadable as error:
            raise NoKnowledgeBase(_at(path, error)) from None
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


def read_table(path: Path) -> dict[str, Any]:
    """A YAML table of ours (``schema/*.yaml``) as plain values."""
    try:
        data = load(decoded(path)).data
    except Unreadable as error:
        raise NoKnowledgeBase(_at(path, error)) from None
    except OSError as error:
        raise NoKnowledgeBase(f"{path.parent.name}/{path.name} cannot be read: {error}") from None
    if not isinstance(data, dict):
        raise NoKnowledgeBase(f"{path.parent.name}/{path.name} is no table of keys and values")
    return data


def _at(path: Path, error: Unreadable) -> str:
    line, column = error.span[0] + 1, error.span[1] + 1
    return f"{path.parent.name}/{path.name}:{line}:{column} {error.code} {error.message}"


def shipped_catalog() -> Catalog:
    """The plain dtypes alone, for a command that runs outside a knowledge base."""
    kinds, schemas, tables = read_schema(shipped("schema"))
    path = shipped("records/kernels/uniform.yaml")
    record = Record("uniform", "kernel", path.name, load(decoded(path)))
    return Catalog(kinds, schemas, {"uniform": record}, tables=tables, files=1)
