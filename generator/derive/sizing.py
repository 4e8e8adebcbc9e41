"""Which fields of a model's config size its cache: those whose change would change what is kept.

That a family reads a field is not enough: some only decide the family, and a latent design reads head counts that size
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.derive.attention.geometry import Geometry
from generator.derive.config.fields import is_size
from generator.derive.config.keys import SHAPING, ConfigKeys
from generator.derive.config.layer_lists import LAYERS
from generator.derive.facts import Facts
from generator.derive.model_facts import derived


def sizing_fields(facts: Facts, keys: ConfigKeys) -> tuple[str, ...]:
    """The fields, in the order in which the config states them; none for a model without a geometry."""
    if facts.geometry is None:
        return ()
    given = facts.class_defaults.keys if facts.class_defaults else {}
    stated = {**facts.config, **given}
    read = [key for key in stated if key in facts.geometry.reads and keys.role(key) in SHAPING]
    return tuple(key for key in read if key in LAYERS or _sizes(key, stated, facts.geometry, keys))


def _sizes(key: str, config: Mapping[str, Any], geometry: Geometry, keys: ConfigKeys) -> bool:
    """Whether twice the value, or half of it, leaves another cache; of a list, whether its loss of an entry does not
    leave the same."""
    value = config[key]
    if isinstance(value, list | str):
        other = derived({**config, key: value[1:]}, keys, {})
        return keys.role(key) == "kv" and not (isinstance(other, Geometry) and _kept(other) == _kept(geometry))
    if not is_size(value):
        return isinstance(value, dict)
    others = (derived({**config, key: changed}, keys, {}) for changed in (value * 2, value // 2))
    return any(isinstance(other, Geometry) and _kept(other) != _kept(geometry) for other in others)


def _kept(geometry: Geometry) -> object:
    return geometry.layer_types, geometry.streams, geometry.states
