"""Whether the files of ``schema/`` are such that the generator can work with them; each mistake with its place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generator.catalog.forms import SCHEMA as SCHEMA_FORM
from generator.catalog.forms import TABLES
from generator.catalog.records import Record
from generator.catalog.schemas import Path, Schemas
from generator.catalog.shipped import shipped
from generator.catalog.yaml.document import Document, Unreadable
from generator.catalog.yaml.loader import MAX_DEPTH, load
from generator.findings import Fault, Location

TABLE, SCHEMA = ".yaml", ".schema.json"
_COMMON = f"common{SCHEMA}"


@dataclass(frozen=True)
class SchemaFile:
    """A file of ``schema/``: its values, and, for a table, where each of them is."""

    path: str
    text: str
    data: Any
    document: Document | None = None

    @property
    def name(self) -> str:
        """The name of the file itself."""
        return self.path.rpartition("/")[2]

    def mistake(self, path: Path, message: str, at_key: bool = False) -> Fault:
        """A mistake with the place of the value, or key, at a path."""
        try:  # JSON is YAML, as far as a place is asked for
            document = self.document or load(self.text)
        except Unreadable:
            document = Document(self.text, None)
        return Fault("SCH101", Record(self.name, "schema", self.path, document).at(*path, key=at_key), message)


def parsed(path: str, text: str) -> SchemaFile:
    """A table or a schema from its text. Raises `Unreadable` with the place."""
    if path.endswith(TABLE):
        document = load(text)
        for fault in document.faults:
            line, column = fault.location.line - 1, fault.location.column - 1
            raise Unreadable(fault.message, (line, column, line, column + 1))
        return SchemaFile(path, text, document.data, document)
    try:
        data = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        line, column = error.lineno - 1, error.colno - 1
        raise Unreadable(f"not valid JSON: {error.msg}", (line, column, line, column + 1)) from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not valid JSON: {error}") from None
    if _depth(data) > MAX_DEPTH:
        raise Unreadable(f"nested deeper than {MAX_DEPTH} levels")
    return SchemaFile(path, text, data)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key `{next(name for name in names if names.count(name) > 1)}` appears twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [
            below
            for each in level
            if isinstance(each, dict | list)
            for below in (each.values() if isinstance(each, dict) else each)
        ]
    return depth


def mistakes(files: Mapping[str, SchemaFile]) -> list[Fault]:
    """All mistakes in the files of a ``schema/`` by name: first each by its form, then what one says of another."""
    if "kinds.yaml" not in files:
        missing = "this file does not exist; it declares the kinds of records"
        return [Fault("YML001", Location("schema/kinds.yaml"), missing)]
    if wrong := [each for file in files.values() for each in _of_form(file)]:
        return wrong
    schemas = {name: file for name, file in files.items() if name.endswith(SCHEMA)}
    return [*_of_kinds(files), *_of_classes(files), *_of_keys(files), *_of_references(schemas)]


def _of_form(file: SchemaFile) -> Iterator[Fault]:
    """What breaks the form of a file."""
    form = SCHEMA_FORM if file.name.endswith(SCHEMA) else TABLES.get(file.name.removesuffix(TABLE), {"type": "object"})
    for violation in Schemas({"it": form}).violations("it", file.data):
        yield file.mistake(violation.path, violation.message.replace("the record", "the file"), violation.at_key)


def _of_kinds(files: Mapping[str, SchemaFile]) -> Iterator[Fault]:
    """What breaks the registry of kinds: a kind without a schema or template, or two in one folder."""
    registry, taken = files["kinds.yaml"], set()
    for name, row in registry.data.items():
        if f"{name}{SCHEMA}" not in files:
            yield registry.mistake((name,), f"there is no schema/{name}{SCHEMA} for this kind", at_key=True)
        elif not isinstance(files[f"{name}{SCHEMA}"].data.get("properties"), dict):
            yield files[f"{name}{SCHEMA}"].mistake((), "the schema of a kind lists its fields under `properties`")
        template = row.get("template")
        if template and not (shipped("templates") / template).is_file():
            yield registry.mistake((name, "template"), f"there is no template named `{template}`")
        for field in ("folder", "path"):
            if (field, row[field]) in taken:
                yield registry.mistake((name, field), f"another kind has the {field} `{row[field]}`, too")
            taken.add((field, row[field]))


def _of_classes(files: Mapping[str, SchemaFile]) -> Iterator[Fault]:
    """Classes of kernels that a family names and that no table has."""
    known, families = files.get("kernel_classes.yaml"), files.get("families.yaml")
    if known is None or families is None:
        return
    for name, row in families.data.items():
        named: list[tuple[Path, str]] = [(("adds", what), each) for what, each in (row.get("adds") or {}).items()]
        for number, way in enumerate(row["requires_any_of"]):
            named += [(("requires_any_of", number, index), each) for index, each in enumerate(way)]
        for path, each in named:
            if each not in known.data:
                yield families.mistake((name, *path), f"schema/kernel_classes.yaml has no class `{each}`")


def _of_keys(files: Mapping[str, SchemaFile]) -> Iterator[Fault]:
    """Config keys that are judged twice."""
    file = files.get("config_keys.yaml")
    seen = set()
    for number, group in enumerate(file.data["groups"] if file else ()):
        for index, key in enumerate(group["keys"]):
            if key in seen and file:
                yield file.mistake(("groups", number, "keys", index), f"the config key `{key}` is listed twice")
            seen.add(key)


def _of_references(schemas: Mapping[str, SchemaFile]) -> Iterator[Fault]:
    """References that lead nowhere, or back to themselves: a record's fields are listed one by one."""
    definitions = {
        (name, key): each for name, file in schemas.items() for key, each in (file.data.get("$defs") or {}).items()
    }
    leads = {at: [_meant(ref, at[0]) for _, ref in _references((), each)] for at, each in definitions.items()}
    for file in schemas.values():
        for path, reference in _references((), file.data):
            meant = _meant(reference, file.name)
            if meant not in definitions:
                yield file.mistake(path, f"`{reference}` leads nowhere; `{_COMMON}#/$defs/...` is expected")
            elif path[0] == "$defs" and (file.name, str(path[1])) in _reached(meant, leads):
                yield file.mistake(path, f"`{reference}` leads back to itself")


def _references(path: Path, value: Any) -> Iterator[tuple[Path, str]]:
    """The references in a schema, each with its place."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield (*path, "$ref"), value["$ref"]
        for key, below in value.items():
            yield from _references((*path, key), below)
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from _references((*path, index), below)


def _meant(reference: str, name: str) -> tuple[str, str]:
    """The file and the definition that a reference in a file means."""
    file, _, definition = reference.partition("#/$defs/")
    return file or name, definition


def _reached(start: tuple[str, str], leads: Mapping[tuple[str, str], list[tuple[str, str]]]) -> set[tuple[str, str]]:
    """All definitions that one leads to, itself included."""
    reached, new = {start}, [start]
    while new:
        new = [each for at in new for each in leads.get(at, ()) if each not in reached]
        reached |= set(new)
    return reached
