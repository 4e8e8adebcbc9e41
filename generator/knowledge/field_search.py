"""Records by the values of their fields: ``architecture.model_type=gemma3_text``, ``memory.bytes>=80000000000``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from generator.catalog.records import Record

_CONDITION = re.compile(r"([A-Za-z0-9_.]+?)(!=|>=|<=|=|>|<)(.*)", re.S)


class BadCondition(Exception):
    """A condition that cannot be read, or a field that no record of the kind has; `known` are those that they have."""

    def __init__(self, message: str, word: str = "", known: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.word, self.known = word, known


@dataclass(frozen=True, slots=True)
class FieldCondition:
    """A field's path, a comparison, and the value as it was typed."""

    path: tuple[str, ...]
    sign: str
    value: str

    def holds(self, values: Iterable[Any]) -> bool:
        """Whether one of a field's values is as it is asked; of `!=` whether none is equal."""
        if self.sign == "!=":
            return not any(_same(value, self.value) for value in values)
        if self.sign == "=":
            return any(_same(value, self.value) for value in values)
        return any(_compares(value, self.sign, self.value) for value in values)


def parsed(text: str) -> FieldCondition:
    """A condition as it is typed. Raises BadCondition."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise BadCondition(f"`{text}` is not a condition; write FIELD=VALUE, as in vendor=Google")
    if match[2] not in ("=", "!=") and _number(match[3]) is None:
        raise BadCondition(f"`{match[2]}` compares numbers, and `{match[3]}` is none")
    return FieldCondition(tuple(match[1].split(".")), match[2], match[3])


def matching(records: list[Record], conditions: list[FieldCondition]) -> list[tuple[Record, tuple[str, ...]]]:
    """The records for which all conditions hold, each with the values that were asked for.

    Raises BadCondition for a field that none of them has.
    """
    for each in conditions:
        _check_field(records, each.path)
    found = []
    for record in records:
        values = [list(_values(record.data, each.path)) for each in conditions]
        if all(each.holds(own) for each, own in zip(conditions, values, strict=True)):
            shown = (f"{'.'.join(each.path)}={_shown(own)}" for each, own in zip(conditions, values, strict=True))
            found.append((record, tuple(shown)))
    return found


def _check_field(records: list[Record], path: tuple[str, ...]) -> None:
    """Raise BadCondition, with the names that are there, where no record has the field."""
    for depth in range(len(path)):
        above, here = path[:depth], path[: depth + 1]
        inside = [at for record in records for at in _values(record.data, above) if isinstance(at, dict)]
        names = {str(name) for at in inside for name in at}
        if path[depth] not in names:
            known = tuple(".".join((*above, name)) for name in sorted(names))
            raise BadCondition(f"no record of the kind has a field `{'.'.join(here)}`", ".".join(here), known)


def _values(value: Any, path: tuple[str, ...]) -> Iterator[Any]:
    """The value at a path; of lists, each entry."""
    if isinstance(value, list):
        for item in value:
            yield from _values(item, path)
    elif not path:
        yield value
    elif isinstance(value, dict) and path[0] in value:
        yield from _values(value[path[0]], path[1:])


def _same(value: Any, text: str) -> bool:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value] == text.lower()
    number = _number(text)
    if isinstance(value, int | float):
        return number is not None and value == number
    return str(value) == text


def _compares(value: Any, sign: str, text: str) -> bool:
    number = _number(text)
    if isinstance(value, bool) or not isinstance(value, int | float) or number is None:
        return False
    return {">=": value >= number, "<=": value <= number, ">": value > number, "<": value < number}[sign]


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "").replace("_", ""))
    except ValueError:
        return None


def _shown(values: list[Any]) -> str:
    words = ["null" if value is None else str(value) for value in values[:3]]
    return ", ".join(words) + (" ..." if len(values) > 3 else "")
