"""Facts from the tables of a Python file: which names, what of them, in which order.

``facts`` says for each name ``of``, the tables that make it up, or that are kept ``apart`` under their own names;
``take``: the ``value`` as it is, ``keys``, ``values`` or the ``count``; ``join`` writes entries that are lists as
one text; ``sorted`` puts a list in order, each entry once; ``only`` names the keys that are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.authoring.extract.python_values import PythonFile, Unread
from generator.authoring.extract.unparsable import Missing, decoded


def facts(data: bytes, args: Mapping[str, Any]) -> dict[str, Any]:
    """The facts by name; one whose table is not there, or is not worked out, is `Missing`."""
    file = PythonFile(decoded(data))
    return {name: _fact(file, row) for name, row in args["facts"].items()}


def _fact(file: PythonFile, row: Mapping[str, Any]) -> Any:
    parts = [file.value(name) for name in row["of"]]
    for part in parts:
        if isinstance(part, Missing | Unread):
            return part if isinstance(part, Missing) else Missing(f"`{part.text}` is not a plain value")
    if row.get("apart"):
        return {name: _taken(part, row) for name, part in zip(row["of"], parts, strict=True)}
    whole = parts[0]
    for part in parts[1:]:
        whole = {**whole, **part} if isinstance(whole, dict) else [*whole, *part]
    return _taken(whole, row)


def _taken(value: Any, row: Mapping[str, Any]) -> Any:
    take = row.get("take", "value")
    if take == "count":
        return len(value)
    if take in ("keys", "values"):
        items = list(value) if take == "keys" or not isinstance(value, dict) else list(value.values())
        value = [
            inner for each in items for inner in (each if isinstance(each, list) and "join" not in row else [each])
        ]
    if "only" in row and isinstance(value, dict):
        value = {key: value[key] for key in row["only"] if key in value}
    plain = _plain(value, row.get("join"))
    return sorted(dict.fromkeys(plain)) if row.get("sorted") else plain


def _plain(value: Any, join: str | None, inside: bool = False) -> Any:
    """Values as a record holds them; entries that are lists are joined."""
    if isinstance(value, Unread):
        return value.text
    if isinstance(value, dict):
        return {key: _plain(item, join, True) for key, item in value.items()}
    if isinstance(value, list):
        items = [_plain(item, join, True) for item in value]
        return join.join(map(str, items)) if join is not None and inside else items
    return value
