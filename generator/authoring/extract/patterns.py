"""Facts from text by patterns: the first group of the first match, of all, or pairs of two groups.

A pattern works on lines (``^`` and ``$`` are those of a line). ``within`` is a text that must come before it; the part
that is searched ends at the next closing brace at the head of a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from generator.authoring.extract.unparsable import Missing, decoded

_END = re.compile(r"^\}", re.M)
_CONVERSIONS: Mapping[str, Callable[[str], Any]] = {"int": int, "float": float, "text": str}


def facts(data: bytes, args: Mapping[str, Any]) -> dict[str, Any]:
    """``facts``: a pattern for each name, or a mapping with ``pattern``, ``take``, ``within``, ``only``."""
    text = decoded(data)
    convert = _CONVERSIONS[args.get("convert", "text")]
    return {name: _fact(text, row, convert) for name, row in args["facts"].items()}


def _fact(text: str, row: str | Mapping[str, Any], convert: Callable[[str], Any]) -> Any:
    if isinstance(row, str):
        row = {"pattern": row}
    part = _part(text, row.get("within"))
    if isinstance(part, Missing):
        return part
    found = [match.groups() for match in re.finditer(row["pattern"], part, re.M)]
    if not found:
        return Missing(f"no match for `{row['pattern']}`")
    take = row.get("take", "first")
    if take == "first":
        return _converted(found[0][0], convert)
    if take == "all":
        return [_converted(groups[0], convert) for groups in found]
    pairs = {key: _converted(value, convert) for key, value in found}
    only = row.get("only")
    return {key: pairs[key] for key in only if key in pairs} if only else pairs


def _converted(text: str, convert: Callable[[str], Any]) -> Any:
    try:
        return convert(text)
    except ValueError:
        return text


def _part(text: str, within: str | None) -> str:
    """The part of a text that is searched."""
    if within is None:
        return text
    start = text.find(within)
    if start < 0:
        return Missing(f"`{within}` is not there")
    end = _END.search(text, start)
    return text[start : end.start() if end else len(text)]
