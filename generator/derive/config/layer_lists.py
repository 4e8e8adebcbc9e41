"""Lists that speak of a model's layers one by one, and whether they speak of as many as there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generator.derive.config.fields import is_size

LAYERS = ("num_hidden_layers", "n_layer", "n_layers")
"""The spellings of the number of layers."""


@dataclass(frozen=True, slots=True)
class LayerList:
    """What one key says. ``length`` is compared with ``accepted``, lengths by what they count.

    A list that names layers by number has no length of its own: there it is the last layer, and ``accepted`` holds how
    far one may count.
    """

    key: str
    length: int
    kinds: Mapping[str, int]
    accepted: Mapping[str, int]
    numbered: bool = False

    @property
    def holds(self) -> bool:
        """Whether the list fits the layers."""
        if self.numbered:
            return self.length <= max(self.accepted.values())
        return self.length in self.accepted.values()

    @property
    def path(self) -> tuple[str, ...]:
        """Where it is in the config."""
        return tuple(self.key.split("."))


def layers_of(config: Mapping[str, Any]) -> tuple[str, int] | None:
    """The key that counts the layers, with its count."""
    return next(((key, config[key]) for key in LAYERS if is_size(config.get(key))), None)


def layer_lists(config: Mapping[str, Any], table: Mapping[str, Any]) -> Iterator[LayerList]:
    """All such lists of a config whose layers are counted; ``table`` is ``schema/layer_lists.yaml``."""
    counted = layers_of(config)
    if counted is None:
        return
    accepted = {counted[0]: counted[1], **_with_tails(config, table, *counted)}
    for group in ("per_layer", "flags", "sizes"):
        for key in table.get(group) or ():
            value = _inside(config, key)
            if isinstance(value, list | str) and value and (group != "flags" or set(map(repr, value)) <= {"0", "1"}):
                yield LayerList(key, len(value), _kinds(value), accepted)
    for row in table.get("numbered") or ():
        value, first = _inside(config, row["key"]), row["from"]
        if isinstance(value, list) and value and all(type(each) is int for each in value):
            last = {f"{counted[0]} {counted[1]}, counted from {first}": counted[1] - 1 + first}
            yield LayerList(row["key"], max(value), {}, last, numbered=True)


def _with_tails(config: Mapping[str, Any], table: Mapping[str, Any], key: str, layers: int) -> dict[str, int]:
    """Lengths with the entries of MTP or draft layers behind those of the backbone."""
    found = {}
    for name, keys in (table.get("tails") or {}).items():
        for tail in keys:
            value = config.get(tail)
            count = len(value) if isinstance(value, list) else value
            if is_size(count):
                found[f"{key} + {count} {name} ({tail})"] = layers + count
    return found


def _inside(config: Mapping[str, Any], key: str) -> Any:
    head, _, rest = key.partition(".")
    value = config.get(head)
    return (value.get(rest) if isinstance(value, Mapping) else None) if rest else value


def _kinds(values: list[Any] | str) -> dict[str, int]:
    """How often each entry occurs, in the order of their first; none for objects, or for many kinds."""
    if any(isinstance(value, Mapping | list) for value in values):
        return {}
    found = Counter(str(value) for value in values)
    return dict(found) if len(found) <= 6 else {}
