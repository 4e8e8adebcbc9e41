"""``schema/*.schema.json``: what a record may hold, in a contributor's words, and the annotations that checks read.

Annotations are our own keywords inside the JSON Schema: ``x-cites`` (kinds and source types a citation may name),
``x-subject`` (what the cited source must declare to be about), ``x-evidence`` (whether a value rests on the citation)
and ``x-needs-cite`` (an object that says nothing without a source). The one module that imports jsonschema.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

from generator.catalog.bounds import too_large

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, ValidationError

Path = tuple[str | int, ...]
ITEM, ANY = "[]", "*"


@dataclass(frozen=True, slots=True)
class Violation:
    """A value that the schema does not allow. `at_key` marks the key itself; `text` says how to put it right.

    `unfit` says that the value itself is not allowed there, rather than that it lacks a field or has one too many.
    `lacks` is the place of a missing field, `meant` the field that an unknown one was surely meant for: where the two
    meet, one was misspelt, and only that is said.
    """

    path: Path
    message: str
    at_key: bool = False
    text: str | None = None
    lacks: Path | None = None
    meant: str | None = None
    unfit: bool = False


@dataclass(frozen=True)
class Field:
    """One place in a record: its schema, and the fields below it (``[]`` for list items, ``*`` for free keys)."""

    name: str
    schema: Mapping[str, Any]
    required: bool = False
    children: Mapping[str, Field] = field(default_factory=dict)

    @property
    def cites(self) -> Mapping[str, Any] | None:
        """Which kinds (and source types) the citation in this field may name; None where it is not a citation."""
        return self.schema.get("x-cites")

    @property
    def opaque(self) -> bool:
        """Facts, configs and the like: values of another document, in which brackets are not citations."""
        return not self.children and self.schema.get("type") == "object"

    def child(self, key: str | int) -> Field | None:
        """The field below this one at a key or an index."""
        return self.children.get(ITEM) if isinstance(key, int) else self.children.get(key, self.children.get(ANY))


SHARED = {"$schema", "title", "description", "$defs"}
"""What a document of definitions alone holds."""


@dataclass(frozen=True)
class Schemas:
    """All schemas of a knowledge base, by kind."""

    documents: Mapping[str, Mapping[str, Any]]

    def field(self, kind: str) -> Field:
        """The root field of a kind's records."""
        return self._fields[kind]

    @cached_property
    def _fields(self) -> dict[str, Field]:
        return {name: self._tree(name, document, True) for name, document in self._kinds}

    @property
    def _kinds(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The schemas of kinds; a document of definitions alone is shared by them."""
        return ((name, document) for name, document in self.documents.items() if document.keys() - SHARED)

    def _tree(self, name: str, schema: Mapping[str, Any], required: bool) -> Field:
        schema = self._resolved(schema)
        if schema.get("x-verbatim"):  # another document's keys: they are judged, but are not fields of ours
            return Field(name, schema, required)
        needed = set(schema.get("required", ()))
        children = {key: self._tree(key, sub, key in needed) for key, sub in schema.get("properties", {}).items()}
        if isinstance(schema.get("items"), Mapping):
            children[ITEM] = self._tree(ITEM, schema["items"], True)
        if isinstance(schema.get("additionalProperties"), Mapping):
            children[ANY] = self._tree(ANY, schema["additionalProperties"], False)
        return Field(name, schema, required, children)

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """The schema with its reference put in; keys next to the reference win (descriptions, annotations)."""
        if "$ref" not in schema:
            return schema
        return {**self._resolved(self._meant(schema["$ref"])), **_beside(schema)}

    def _meant(self, reference: str) -> Mapping[str, Any]:
        """The definition to which a reference leads."""
        document, _, name = reference.partition("#/$defs/")
        return dict(self.documents[document.removesuffix(".schema.json") or "common"]["$defs"][name])

    def _inlined(self, schema: Any, shared: bool = False) -> Any:
        """The schema with the definitions of other documents in their places, so that judging a value looks nothing up.

        In a `shared` one every reference leads there; elsewhere a reference within the document stays.
        """
        if isinstance(schema, list):
            return [self._inlined(each, shared) for each in schema]
        if not isinstance(schema, Mapping):
            return schema
        if isinstance(reference := schema.get("$ref"), str) and (shared or not reference.startswith("#")):
            return {**_beside(schema), **self._inlined(self._meant(reference), True)}
        return {key: self._inlined(value, shared) for key, value in schema.items()}

    def violations(self, kind: str, data: Any) -> list[Violation]:
        """All violations of a record, in the order of their places. Raises KeyError for a kind without a schema.

        A record that is too large gets that one finding; nothing else of it is checked.
        """
        if large := [Violation(path, f"{_name(path)} is {what}", unfit=True) for path, what in too_large(data)]:
            return large
        found = [violation for error in self._validators[kind].iter_errors(data) for violation in _violations(error)]
        misspelt = {(*violation.path[:-1], violation.meant) for violation in found if violation.meant}
        found = [violation for violation in found if violation.lacks not in misspelt]
        unique = {(violation.path, violation.message): violation for violation in found}
        return sorted(unique.values(), key=lambda violation: [str(part) for part in violation.path])

    @cached_property
    def _validators(self) -> dict[str, Draft202012Validator]:
        from jsonschema import Draft202012Validator, FormatChecker

        days = FormatChecker(())
        for name in ("date", "day-month-or-year"):
            days.checks(name, ValueError)(_is_day)
        days.checks("regex", re.error)(_is_pattern)
        return {
            name: Draft202012Validator(self._inlined(document), format_checker=days) for name, document in self._kinds
        }


def _beside(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """What stands next to a reference."""
    return {key: value for key, value in schema.items() if key != "$ref"}


# --- a violation in a contributor's words ---------------------------------------------------------------------------


def _violations(error: ValidationError) -> Iterable[Violation]:
    path: Path = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        return _unknown_keys(path, error)
    say = _WORDS.get(str(error.validator), _any_other)
    return [replace(say(path, error), unfit=error.validator not in _OF_FIELDS)]


def _about(error: ValidationError) -> Mapping[str, Any]:
    """The schema that was broken."""
    return error.schema if isinstance(error.schema, Mapping) else {}


def _allowed(error: ValidationError) -> list[Any]:
    """What the broken keyword lists."""
    value: Any = error.validator_value
    return value if isinstance(value, list) else [value]


def _is_day(text: object) -> bool:
    """Whether a date exists; 2026-02 and 2026 are days of which no more is known."""
    if isinstance(text, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.A):
        date.fromisoformat(text)
    return not (isinstance(text, str) and text.endswith("\n"))


def _is_pattern(text: object) -> bool:
    """Whether a text is a regular expression; re.error says why not."""
    return not isinstance(text, str) or bool(re.compile(text))


def _required(path: Path, error: ValidationError) -> Violation:
    missing = next(name for name in _allowed(error) if f"'{name}'" in error.message)
    if path and path[-1] == "why_null":
        return _null_without_reason(path[:-1], missing)
    reasons = _about(error).get("properties", {}).get("why_null", {}).get("required")
    if missing == "why_null" and reasons:
        return _null_without_reason(path, reasons[0])
    return Violation(path, f"{_name(path)} lacks the field `{missing}`", lacks=(*path, missing))


def _null_without_reason(path: Path, name: str) -> Violation:
    return Violation((*path, name), f"`{name}` is null: say why in `why_null.{name}`")


_GUESSED, _LONGEST_KEY = 20, 100
"""What so many unknown fields of this length may have been meant for is guessed; of more it is not."""


def _unknown_keys(path: Path, error: ValidationError) -> Iterator[Violation]:
    known, free = sorted(_about(error).get("properties", {})), _about(error).get("patternProperties", {})
    found: Any = error.instance
    strange = [each for each in found if each not in known and not any(re.search(one, str(each)) for one in free)]
    for number, extra in enumerate(strange):
        guessed = number < _GUESSED and len(str(extra)) <= _LONGEST_KEY
        near = difflib.get_close_matches(str(extra), known, n=1) if guessed else []
        hint = f"did you mean `{near[0]}`?" if near else f"known here: {', '.join(known)}"
        meant = near[0] if near else None
        yield Violation((*path, extra), f"unknown field `{extra}`; {hint}", at_key=True, meant=meant)


def _wrong_type(path: Path, error: ValidationError) -> Violation:
    allowed = _allowed(error)
    words = " or ".join(_TYPES[name] for name in allowed)
    message = f"{_name(path)} is {_describe(error.instance)}; {words} is expected"
    if "string" in allowed and isinstance(error.instance, int | float) and not isinstance(error.instance, bool):
        return Violation(path, f"{message}: quote it", text="quoted")
    return Violation(path, message)


def _not_in_list(path: Path, error: ValidationError) -> Violation:
    allowed = ["null" if value is None else str(value) for value in _allowed(error)]
    near = difflib.get_close_matches(str(error.instance), allowed, n=1)
    hint = f"; did you mean `{near[0]}`?" if near else ""
    return Violation(path, f"{_name(path)} is {_describe(error.instance)}; allowed: {', '.join(allowed)}{hint}")


def _wrong_form(path: Path, error: ValidationError) -> Violation:
    about = _about(error).get("description", f"it must match {error.validator_value}")
    return Violation(
        path, f"{_name(path)} is {_describe(error.instance)}, which does not have the expected form. {about}"
    )


def _too_short(path: Path, error: ValidationError) -> Violation:
    return Violation(path, f"{_name(path)} is empty or too short. {_about(error).get('description', '')}".strip())


def _not_one_of(path: Path, error: ValidationError) -> Violation:
    ways = [" with ".join(f"`{name}`" for name in way.get("required", [])) for way in _allowed(error)]
    return Violation(path, f"{_name(path)} needs exactly one of: {'; '.join(ways)}")


def _any_other(path: Path, error: ValidationError) -> Violation:
    return Violation(path, f"{_name(path)}: {error.message[:200]}")


_WORDS = {
    "required": _required,
    "type": _wrong_type,
    "enum": _not_in_list,
    "pattern": _wrong_form,
    "format": _wrong_form,
    "minLength": _too_short,
    "minItems": _too_short,
    "oneOf": _not_one_of,
}
_OF_FIELDS = ("required", "additionalProperties", "oneOf", "minProperties")
"""Keywords that speak of the fields of a mapping, which is none the less one."""

_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "object": "a mapping",
    "array": "a list",
    "boolean": "true or false",
    "null": "null",
}


def _name(path: Path) -> str:
    if not path:
        return "the record"
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
    return f"`{text}`"


def _describe(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = str(value)
    text = text if len(text) <= 60 else text[:57] + "..."
    return f"the text `{text}`" if isinstance(value, str) else f"the number {text}"
