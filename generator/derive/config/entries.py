"""What is wrong with a list that has one entry per layer: which entry, at which index, and both lengths."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Any, NoReturn

from generator.derive.config.fields import Refused, shown

LAYERS = "num_hidden_layers"


def check_entries(key: str, values: Sequence[Any], known: Collection[Any], layers: int | None) -> None:
    """Refuse a list, or a text of one letter per layer, that holds an entry which nobody has judged."""
    strange = [index for index, value in enumerate(values) if not isinstance(value, Hashable) or not _in(value, known)]
    if not strange:
        return
    first = strange[0]
    more = f", and {len(strange) - 1} more such" if strange[1:] else ""
    names = ", ".join(f"`{name}`" for name in sorted(map(str, set(known))))
    raise Refused(
        f"`{key}` has {_quoted(values[first])} at index {first}{more}, which is none of {names}; "
        f"{length(key, values, layers)}",
        key,
    )


def length(key: str, values: Sequence[Any], layers: int | None) -> str:
    """How long the list is, and how long it should be."""
    wanted = f", `{LAYERS}` is {layers}" if layers is not None else ""
    one, many = ("letter", "letters") if isinstance(values, str) else ("entry", "entries")
    return f"`{key}` has {len(values)} {one if len(values) == 1 else many}{wanted}"


def refuse_length(key: str, values: Sequence[Any], layers: int | None) -> NoReturn:
    """Refuse a list that speaks of another number of layers."""
    raise Refused(length(key, values, layers), key, LAYERS)


def _in(value: object, known: Collection[Any]) -> bool:
    return any(type(value) is type(each) and value == each for each in known)


def _quoted(value: object) -> str:
    return f"`{value}`" if isinstance(value, str) and len(value) <= 60 else shown(value)
