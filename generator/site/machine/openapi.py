"""The description of the API, by OpenAPI 3.1. What is published is held against its schemas by a test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ROOT = "api/v1"
KINDS = ("model", "engine", "gpu", "gotcha", "source")
PATHS = {"model": "models", "engine": "engines", "gpu": "gpus", "gotcha": "gotchas", "source": "sources"}

_TEXT: Mapping[str, Any] = {"type": "string"}
_MAYBE: Mapping[str, Any] = {"type": ["string", "null"]}
_EDITION: Mapping[str, Any] = {
    "as_of": {"type": "string", "format": "date", "description": "The day of the commit."},
    "commit": {**_MAYBE, "description": "The commit, with + if files differed from it."},
}
_NUMBER: Mapping[str, Any] = {
    "description": "Bytes, exact: an integer, or a fraction as text.",
    "oneOf": [{"type": "integer"}, {"type": "string", "pattern": "^[0-9]+/[0-9]+$"}],
}


def _object(properties: Mapping[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": dict(properties), "required": required, "additionalProperties": False}


def _array(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(items)}


SCHEMAS: Mapping[str, Any] = {
    "Index": _object(
        {
            **_EDITION,
            "url": _MAYBE,
            "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
            "lists": {"type": "object", "additionalProperties": _TEXT},
        }
    ),
    "List": _object(
        {
            **_EDITION,
            "kind": _TEXT,
            "items": _array(_object({"id": _TEXT, "title": _TEXT, "page": _TEXT, "json": _TEXT}, ("page",))),
        }
    ),
    "Record": _object(
        {
            **_EDITION,
            **dict.fromkeys(("kind", "id", "title", "page", "file"), _TEXT),
            "record": {"type": "object", "description": "The record as it was written; see the field reference."},
            "family": _MAYBE,
            "no_figure": {**_MAYBE, "description": "Why there are no figures, null where there are."},
            "doubts": {**_array(_TEXT), "description": "What a reader of the figures has to know of their evidence."},
            "figures": _array(
                _object(
                    {
                        "layout": _TEXT,
                        "bytes_per_token": _NUMBER,
                        "geometry_only": {"type": "boolean"},
                        "engines": _array(_TEXT),
                    }
                )
            ),
        },
        ("family", "no_figure", "doubts", "figures"),
    ),
    "Verdicts": _object(
        {
            **_EDITION,
            **dict.fromkeys(("kind", "id", "title"), _TEXT),
            "engines": {
                "type": "object",
                "additionalProperties": _array(
                    _object(
                        {
                            "state": _TEXT,
                            "gpus": _array(_TEXT),
                            "reasons": _array({"type": "integer", "minimum": 0}),
                            "modifiers": _array(_TEXT),
                            "would_change_with": _array(_TEXT),
                        }
                    )
                ),
            },
            "reasons": _array(_object({"rule": _TEXT, "effect": _TEXT, "text": _TEXT, "sources": _array(_TEXT)})),
        }
    ),
}


def description(url: str) -> dict[str, Any]:
    """The document. `url` is the address of the site; without one the paths are relative to where the file is."""
    paths = {"/index.json": _get("What there is", "Index")}
    for kind in KINDS:
        paths[f"/{PATHS[kind]}/index.json"] = _get(f"All records of the kind {kind}", "List")
        paths[f"/{PATHS[kind]}/{{id}}.json"] = _get(f"One {kind}", "Record", by_id=True)
    paths["/verdicts/index.json"] = _get("The models that have verdicts", "List")
    paths["/verdicts/{id}.json"] = _get("Which engine serves a model on which GPU, and why", "Verdicts", by_id=True)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Servebook",
            "version": "1",
            "description": "What it takes to serve large language models. Files, made at each build; only GET.",
            "license": {"name": "CC BY 4.0", "identifier": "CC-BY-4.0"},
        },
        "servers": [{"url": f"{url.rstrip('/')}/{ROOT}" if url else "."}],
        "paths": paths,
        "components": {"schemas": dict(SCHEMAS)},
    }


def _get(summary: str, schema: str, by_id: bool = False) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    responses = {"200": {"description": summary, "content": content}}
    if not by_id:
        return {"get": {"summary": summary, "responses": responses}}
    parameters = [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}]
    missing = {"404": {"description": "No such id"}}
    return {"get": {"summary": summary, "parameters": parameters, "responses": {**responses, **missing}}}
