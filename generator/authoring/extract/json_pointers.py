"""Facts from JSON by pointers (RFC 6901); the members of the object at a bare pointer are facts by their own names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from generator.authoring.extract.unparsable import Missing, Unparsable, decoded


def facts(data: bytes, args: Mapping[str, Any]) -> dict[str, Any]:
    """``pointers``: a list of pointers to objects, or pointers by the names of facts."""
    try:
        document = json.loads(decoded(data), parse_constant=str)
    except (ValueError, RecursionError) as problem:
        raise Unparsable(f"it is not JSON: {problem}") from None
    pointers = args["pointers"]
    if isinstance(pointers, Mapping):
        return {name: _at(document, pointer) for name, pointer in pointers.items()}
    found: dict[str, Any] = {}
    for pointer in pointers:
        value = _at(document, pointer)
        if not isinstance(value, dict):
            raise Unparsable(f"an object is expected at the pointer `{pointer}`")
        found |= value
    return found


def _at(document: Any, pointer: str) -> Any:
    value = document
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        try:
            value = value[int(key)] if isinstance(value, list) else value[key]
        except (KeyError, IndexError, TypeError, ValueError):
            return Missing(f"there is nothing at the pointer `{pointer}`")
    return value
