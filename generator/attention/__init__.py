"""What each attention family keeps per token: numbers in, numbers out. This package never sees a record or a file.

``derive`` turns a Hugging Face config into a ``Geometry`` or says why it cannot; ``formats`` turns a geometry and the
formats an engine stores into bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from generator.attention.closed_world import check_known, check_mechanisms, check_used, check_wrappers
from generator.attention.config import ConfigKeys, unwrap, wrapped
from generator.attention.families import FAMILIES, Family
from generator.attention.fields import Refused, shown
from generator.attention.geometry import CacheStream, Entries, Geometry, NotDerivable, StateSlot

__all__ = [
    "FAMILIES",
    "CacheStream",
    "ConfigKeys",
    "Entries",
    "Family",
    "Geometry",
    "NotDerivable",
    "StateSlot",
    "derive",
    "unwrap",
]


def derive(
    config: Mapping[str, Any], keys: ConfigKeys, assume_neutral: Collection[str] = ()
) -> Geometry | NotDerivable:
    """The cache geometry of a Hugging Face config, or the reason why there is none; never raises.

    ``assume_neutral`` names unknown keys that the caller vouches for; each one that mattered stands in the notes. A key
    that is known to shape caches cannot be waved through.
    """
    try:
        return _derive(config, keys, assume_neutral)
    except Refused as refused:
        return refused.verdict


def _derive(config: Mapping[str, Any], keys: ConfigKeys, assumed: Collection[str]) -> Geometry:
    _check_shape(config)
    outers, inner = wrapped(config)
    _check_shape(inner)
    family = _family(inner)
    inert = family.inert(inner)
    check_mechanisms(inner, keys, family, inert, _names(inner, *outers))
    check_wrappers(outers, inner, keys, assumed)
    check_known(inner, keys, family, assumed)
    geometry = family.reader(inner)
    check_used(inner, keys, geometry.reads, inert, family)
    return replace(geometry, notes=(*geometry.notes, *_notes(inner, outers, keys, inert, assumed)))


def _check_shape(config: object) -> None:
    if not isinstance(config, Mapping):
        raise Refused(f"the config is {shown(config)}; an object is needed")
    if not all(isinstance(key, str) for key in config):
        raise Refused("the config has keys that are not text")


def _family(config: Mapping[str, Any]) -> Family:
    matching = [family for family in FAMILIES if family.matches(config)]
    if len(matching) != 1:
        names = ", ".join(family.name for family in matching) or "no family"
        raise Refused(f"{names} fits `kv_lora_rank` beside `compress_ratios`", "kv_lora_rank", "compress_ratios")
    return matching[0]


def _names(*configs: Mapping[str, Any]) -> list[str]:
    """Model types and class names, inner and outer: the class behind any of them may have a will of its own."""
    found: list[object] = []
    for config in configs:
        architectures = config.get("architectures")
        found += [config.get("model_type"), *(architectures if isinstance(architectures, list) else ())]
    return [name for name in found if isinstance(name, str)]


def _notes(
    inner: Mapping[str, Any],
    outers: list[dict[str, Any]],
    keys: ConfigKeys,
    inert: Mapping[str, str],
    assumed: Collection[str],
) -> list[str]:
    notes = [f"{k}: {why}" for k, why in inert.items() if why != "switched off" and inner.get(k) is not None]
    stated = {k for config in (inner, *outers) for k, value in config.items() if value is not None}
    return notes + [f"assumed neutral: {k}" for k in sorted(stated & set(assumed)) if keys.role(k) is None]
