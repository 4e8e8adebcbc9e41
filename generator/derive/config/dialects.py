"""Configs that are written in other names than Hugging Face's, such as params.json and the metadata of GGUF files.

The names are data, in ``schema/dialects.yaml``. A key that it does not speak of is taken over as it is, so that the
closed world meets it and a mechanism that has no counterpart is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from generator.derive.config.fields import MOST_LAYERS, Refused, is_size, shown

FULL, SLIDING = "full_attention", "sliding_attention"


@dataclass(frozen=True)
class Dialects:
    """The rows of the table; the first that fits an object translates it."""

    table: Mapping[str, Any]

    def translated(self, value: object) -> tuple[dict[str, Any], str] | None:
        """The config in Hugging Face's names and what the file is; None for another one. Raises Refused."""
        stated = _flat(value)
        for row in self.table.get("dialects") or ():
            if all(key in stated for key in row["all_of"]) and not any(
                key in stated for key in row.get("none_of") or ()
            ):
                return _renamed(row, stated), str(row["is"])
        return None


def _flat(value: object) -> dict[str, Any]:
    """The keys of an object; of a dump of metadata those inside, each with its bare value."""
    if not isinstance(value, Mapping):
        return {}
    inside = value.get("metadata", value)
    keys = inside if isinstance(inside, Mapping) else value
    return {
        str(key): each["value"] if isinstance(each, Mapping) and {"value", "type"} <= each.keys() else each
        for key, each in keys.items()
    }


def _renamed(row: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    keys, inert = row["keys"], row.get("inert") or ()
    found: dict[str, Any] = {"model_type": row["type"]} if "type" in row else {}
    if prefix := row.get("prefix"):
        model = stated[prefix]
        if not isinstance(model, str) or model not in row["types"]:
            known = ", ".join(row["types"])
            raise Refused(f"{row['is']} of architecture {shown(model)} is not read, only of {known}", prefix)
        found["model_type"] = row["types"][model]
        stated = {key.removeprefix(f"{model}."): value for key, value in stated.items()}
    for key, value in stated.items():
        if (other := (row.get("same") or {}).get(key)) is not None:
            if value != stated.get(other):
                raise Refused(f"`{key}` {shown(value)} differs from `{other}` {shown(stated.get(other))}", key, other)
        elif not _any_fits(key, inert):
            found[keys.get(key, key)] = value
    return _layered(found, row.get("repeats"))


def _any_fits(key: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(key, pattern) for pattern in patterns)


def _layered(config: dict[str, Any], key: str | None) -> dict[str, Any]:
    """One window for all layers, or a list of windows that is repeated over them, as a list of layer types."""
    windows, layers = config.get(key or ""), config.get("num_hidden_layers")
    if key is None or not windows:
        return config
    pattern = windows if isinstance(windows, list) else [windows]
    sizes = {each for each in pattern if is_size(each)}
    if not is_size(layers) or layers > MOST_LAYERS or layers % len(pattern) or len(sizes) > 1:
        raise Refused(f"`{key}` {shown(windows)} is not repeated a whole number of times over the layers", key)
    if any(each is not None and not is_size(each) for each in pattern):
        raise Refused(f"`{key}` {shown(windows)} holds more than windows and null", key)
    types = [FULL if each is None else SLIDING for each in pattern] * (layers // len(pattern))
    return {**config, key: next(iter(sizes), None), "layer_types": types}
