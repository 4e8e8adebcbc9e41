"""Two states of a value as the fields that differ: which came, which went, and which say something else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generator.catalog.schemas import Field

SHORT, FEW = 48, 4
"""Values of so many characters are shown, and so many entries that a list lost or gained."""

NAMES = ("id", "name", "key", "on", "cite", "engine")
"""By the first of these that it has, an entry of a list is known again where another entry came before it."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field that differs; None means a field that is not there."""

    place: str
    before: Any
    after: Any

    @property
    def told(self) -> str:
        """In words: ``num_hidden_layers 60 -> 61``, ``gpus lost sm_90``."""
        if isinstance(self.before, list) and isinstance(self.after, list):
            lost, gained = _without(self.before, self.after), _without(self.after, self.before)
            said = [f"{word} {_few(each)}" for word, each in (("lost", lost), ("gained", gained)) if each]
            return f"{self.place} {' and '.join(said) or 'in another order'}"
        before, after = value_text(self.before), value_text(self.after)
        return f"{self.place} {before} -> {after}" if before != after else f"{self.place} differs"


def value_text(value: Any) -> str:
    """A value on one line, clipped."""
    if value is None:
        return "none"
    text = " ".join((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).split())
    return text if len(text) <= SHORT else f"{text[: SHORT - 3]}..."


def field_changes(before: Any, after: Any, field: Field | None = None, place: str = "") -> Iterator[FieldChange]:
    """The fields that differ, in the order of the later state; prose is passed over, as `field` tells it."""
    if field is not None and field.schema.get("x-prose"):
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in [*after, *(key for key in before if key not in after)]:
            below = f"{place}.{key}" if place else str(key)
            yield from field_changes(before.get(key), after.get(key), field.child(key) if field else None, below)
    elif isinstance(before, list) and isinstance(after, list) and any(isinstance(each, Mapping) for each in after):
        for name, one, other in _paired(before, after):
            yield from field_changes(one, other, field.child(0) if field else None, f"{place}[{name}]")
    elif not _same(before, after):
        yield FieldChange(place, before, after)


def _same(before: Any, after: Any) -> bool:
    """Whether two values are one; true is not 1."""
    return bool(before == after) and isinstance(before, bool) is isinstance(after, bool)


def _paired(before: list[Any], after: list[Any]) -> Iterator[tuple[str, Any, Any]]:
    """Entries of two lists that belong together: equal ones fall away, the others pair by name, else in order."""
    waiting: dict[Any, list[Any]] = {}
    for each in _without(before, after):
        waiting.setdefault(_name(each), []).append(each)
    for number, each in enumerate(_without(after, before)):
        name = _name(each)
        known = waiting.get(name)
        yield name or str(number), known.pop(0) if known else None, each
    for name, left in waiting.items():
        for each in left:
            yield name or "one", each, None


def _name(entry: Any) -> str:
    if not isinstance(entry, Mapping):
        return ""
    return next((str(entry[name]) for name in NAMES if isinstance(entry.get(name), str)), "")


def _without(these: list[Any], others: list[Any]) -> list[Any]:
    """The entries that another list has not."""
    known = {repr(each) for each in others}
    return [each for each in these if repr(each) not in known]


def _few(entries: list[Any]) -> str:
    shown = ", ".join(value_text(each) for each in entries[:FEW])
    return shown if len(entries) <= FEW else f"{shown} and {len(entries) - FEW} more"
