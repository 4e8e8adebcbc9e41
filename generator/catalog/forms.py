"""What the files of ``schema/`` look like: the forms that its tables and schemas have to keep to.

A record that breaks its schema is its author's mistake. A schema that breaks these forms would break the generator.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Form = Mapping[str, Any]

_WORD: Form = {"type": "string", "minLength": 1}
_WORDS: Form = {"type": "array", "items": _WORD}
_FLAG: Form = {"type": "boolean"}
_PATTERN: Form = {"type": "string", "format": "regex", "description": "It must be a regular expression."}
_COUNT: Form = {"type": "integer", "minimum": 0}
_NUMBER: Form = {"type": "number"}


def _table(required: str, **fields: Form) -> Form:
    """A mapping that has these fields; `required` names those that it cannot lack."""
    return {"type": "object", "required": required.split(), "properties": fields}


def _rows(row: Form) -> Form:
    return {"type": "array", "items": row}


def _named(row: Form) -> Form:
    return {"type": "object", "minProperties": 1, "additionalProperties": row}


_FOLDER: Form = {
    "type": "string",
    "pattern": r"^(records(/[a-z0-9][a-z0-9_-]*)+|sources)\Z",
    "description": "Records lie below records/ or in sources/, in folders of lower-case letters, digits, _ and -.",
}
_PUBLISHED: Form = {
    "type": "string",
    "pattern": r"^[a-z0-9][a-z0-9_-]*(/[a-z0-9][a-z0-9_-]*)*\Z",
    "description": "Pages are published in folders of lower-case letters, digits, _ and -.",
}
_TEMPLATE: Form = {
    "type": "string",
    "pattern": r"^[a-z0-9_]+\.html\Z",
    "description": "A template is the name of an HTML file.",
}
_KIND = _table(
    "title plural folder path about",
    **dict.fromkeys(("title", "plural", "about"), _WORD),
    folder=_FOLDER,
    path=_PUBLISHED,
    template=_TEMPLATE,
)
_ROLE: Form = {"enum": ["kv", "state", "neutral", "identity"]}
_KEYS = _table("role why keys", role=_ROLE, why=_WORD, keys=_WORDS, tied=_FLAG, holds_for=_WORDS)
_STATED = _table(
    "keys why model_types", keys=_WORDS, null_counts=_FLAG, off_counts=_WORDS, why=_WORD, model_types=_WORDS
)
_READ_IN = _table("keys model_types", keys=_WORDS, source=_WORD, model_types=_WORDS)
_SPOKEN = _table("keys words", keys={**_WORDS, "minItems": 1}, words=_WORDS, loose=_WORDS)
_SAID = {"is": _WORD, "ask": _WORD}
_RENAMED: Form = {"type": "object", "additionalProperties": _WORD}
_DIALECT = _table(
    "is all_of keys",
    **dict.fromkeys(("is", "type", "prefix", "repeats"), _WORD),
    **dict.fromkeys(("all_of", "none_of", "inert"), _WORDS),
    **dict.fromkeys(("types", "keys", "same"), _RENAMED),
)
_FAMILY = _table(
    "title about requires_any_of",
    title=_WORD,
    about=_WORD,
    called=_WORDS,
    requires_any_of=_rows(_WORDS),
    adds={"type": "object", "additionalProperties": _WORD},
    note=_WORD,
)
_CLASS = _table(
    "title about cache",
    **dict.fromkeys(("title", "about", "cache", "together"), _WORD),
    **dict.fromkeys(("called", "in_kernels", "width"), _WORDS),
    wanted_by=_table("", source=_WORD, keys=_WORDS),
)

TABLES: Mapping[str, Form] = {
    "kinds": _named(_KIND),
    "config_keys": _table(
        "groups", groups=_rows(_KEYS), patterns=_rows(_KEYS), must_state=_rows(_STATED), read_in=_rows(_READ_IN)
    ),
    "dialects": _table("dialects", dialects=_rows(_DIALECT)),
    "families": _named(_FAMILY),
    "file_kinds": _table(
        "",
        only_in_configs=_WORDS,
        bytes=_rows(_table("begins is ask", begins=_PATTERN, **_SAID)),
        json=_rows(_table("is ask", **dict.fromkeys(("all_of", "any_of", "none_of"), _WORDS), weak=_FLAG, **_SAID)),
    ),
    "hosts": _named(
        _table("file default repository", **dict.fromkeys(("file", "default", "repository", "commits"), _WORD))
    ),
    "kernel_classes": _named(_CLASS),
    "layer_lists": _table(
        "",
        **dict.fromkeys(("per_layer", "flags", "sizes"), _WORDS),
        tails={"type": "object", "additionalProperties": _WORDS},
        numbered=_rows(_table("key from", key=_WORD, **{"from": {"type": "integer"}})),
    ),
    "numbers": _table(
        "",
        **dict.fromkeys(("counted", "names", "months", "positions", "measures"), _WORDS),
        constants=_rows(_NUMBER),
        widths=_rows(_NUMBER),
        factors={"type": "object", "additionalProperties": _NUMBER},
    ),
    "rereading": _named(
        _table("days because", days={"type": "integer", "minimum": 1, "maximum": 36500}, because=_WORD)
    ),
    "spoken_fields": _table(
        "",
        groups=_rows(_table("fields", why=_WORD, fields=_rows(_SPOKEN))),
    ),
}
"""The tables by name. Further fields are allowed; any other table is a mapping."""

_SUB: Form = {"$ref": "#/$defs/schema"}
_SUBS: Form = {"type": "object", "additionalProperties": _SUB}
_TYPE: Form = {"enum": ["string", "integer", "number", "object", "array", "boolean", "null"]}
_KEYWORDS: dict[str, Form] = {
    **dict.fromkeys(("$schema", "$id", "$comment", "$ref", "title", "description", "format"), _WORD),
    **dict.fromkeys(("properties", "patternProperties", "$defs", "dependentSchemas"), _SUBS),
    **dict.fromkeys(("items", "if", "then", "else", "not", "contains", "propertyNames"), _SUB),
    **{name: {**_rows(_SUB), "minItems": 1} for name in ("allOf", "anyOf", "oneOf")},
    **dict.fromkeys(("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"), _COUNT),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _NUMBER),
    **{name: {} for name in ("const", "default", "examples", "deprecated")},
    "additionalProperties": {"if": {"type": "boolean"}, "else": _SUB},
    "multipleOf": {"type": "number", "exclusiveMinimum": 0},
    "uniqueItems": _FLAG,
    "type": {"if": {"type": "array"}, "then": {**_rows(_TYPE), "minItems": 1}, "else": _TYPE},
    "enum": {"type": "array", "minItems": 1},
    "pattern": _PATTERN,
    "required": _WORDS,
    "x-cites": _table("kinds", kinds={**_WORDS, "minItems": 1}, types=_WORDS),
    **dict.fromkeys(("x-subject", "x-needs-cite"), _WORD),
    **dict.fromkeys(("x-evidence", "x-prose", "x-verbatim"), _FLAG),
}

SCHEMA: Form = {
    "$defs": {
        "schema": {
            "type": "object",
            "properties": _KEYWORDS,
            "patternProperties": {"^x-": {}},
            "additionalProperties": False,
        }
    },
    "$ref": "#/$defs/schema",
}
"""A schema of a kind: the keywords of JSON Schema that are used, and our own, which begin with x-."""
