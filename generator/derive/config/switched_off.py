"""Mechanisms that a config names and switches off in so many words: what is left is as if they had not been named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.derive.config.keys import ConfigKeys

OFF = "switched off"


def without_switched_off(config: Mapping[str, Any], keys: ConfigKeys) -> tuple[dict[str, Any], dict[str, str]]:
    """The config less what is off, and why, by key.

    A switch that is off stays, since some classes ask for it: it is in the second part only.
    """
    why = {key: OFF for key, value in config.items() if keys.is_off(key, value)}
    for key, switch in keys.governed.items():
        if _at(config, switch) is False and config.get(key) is not None:
            why[key] = f"no effect: {switch} is false"
    kept = {
        key: value
        for key, value in config.items()
        if key not in why or (key in keys.switches and isinstance(value, bool))
    }
    return kept, why


def _at(config: Mapping[str, Any], path: str) -> Any:
    head, _, rest = path.partition(".")
    value = config.get(head)
    return (value.get(rest) if isinstance(value, Mapping) else None) if rest else value
