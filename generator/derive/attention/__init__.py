"""What each attention family keeps per token: numbers in, numbers out. This package never sees a record or a file.

``derive`` turns a Hugging Face config into a ``Geometry`` or says why it cannot; ``formats`` turns a geometry and the
formats an engine stores into bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from generator.derive.attention.closed_world import (
    check_known,
    check_mechanisms,
    check_types,
    check_used,
    check_wrappers,
)
from generator.derive.attention.costs import (
    check_ranks,
    copies,
    entry_bytes,
    exact,
    growth,
    growth_at,
    sharded,
    sharded_growth,
    state_parts,
    stream_bytes,
)
from generator.derive.attention.encoders import without_cache
from generator.derive.attention.families import FAMILIES, Family
from generator.derive.attention.formats import CacheFormat, CacheLayout, FormatMismatch
from generator.derive.attention.formula import formula, window_formula
from generator.derive.attention.geometry import CacheStream, Entries, Geometry, StateSlot
from generator.derive.attention.heterogeneous import heterogeneous
from generator.derive.attention.kv_heads import query_heads
from generator.derive.attention.signs import family_name
from generator.derive.attention.windows import bounded
from generator.derive.config.fields import NotDerivable, Refused, check_shape, shown
from generator.derive.config.keys import ConfigKeys
from generator.derive.config.switched_off import without_switched_off
from generator.derive.config.wrappers import unwrap, with_defaults, wrapped

__all__ = [
    "FAMILIES",
    "CacheFormat",
    "CacheLayout",
    "CacheStream",
    "ConfigKeys",
    "Entries",
    "Family",
    "FormatMismatch",
    "Geometry",
    "NotDerivable",
    "StateSlot",
    "check_ranks",
    "copies",
    "derive",
    "entry_bytes",
    "exact",
    "formula",
    "growth",
    "growth_at",
    "sharded",
    "sharded_growth",
    "state_parts",
    "stream_bytes",
    "unwrap",
    "window_formula",
]


def derive(
    config: Mapping[str, Any],
    keys: ConfigKeys,
    assume_neutral: Collection[str] = (),
    class_defaults: Mapping[str, Any] | None = None,
) -> Geometry | NotDerivable:
    """The cache geometry of a Hugging Face config, or the reason why there is none; never raises.

    ``assume_neutral`` names unknown keys that the caller vouches for; each one that mattered is named in the notes. A
    key that is known to shape caches cannot be waved through. ``class_defaults`` are what the config's own class sets
    where the config is silent: they fill absent keys (a dotted one inside its object), and the notes say so.
    """
    try:
        return _derive(config, keys, assume_neutral, class_defaults or {})
    except Refused as refused:
        return refused.verdict


def _derive(
    config: Mapping[str, Any], keys: ConfigKeys, assumed: Collection[str], defaults: Mapping[str, Any]
) -> Geometry:
    check_shape(config)
    outers, stated = wrapped(config)
    check_shape(stated)
    whole, filled = with_defaults(stated, defaults)
    nothing = without_cache(_classes(*outers, whole), whole, keys.without_cache)
    if nothing is not None:
        return nothing
    layers = heterogeneous(whole)
    if layers is None:
        return _homogeneous(whole, whole, outers, filled, keys, assumed)
    return layers.geometry(
        lambda part: _homogeneous(part, whole, outers if part is layers.plain else [], filled, keys, assumed)
    )


def _homogeneous(
    config: Mapping[str, Any],
    whole: Mapping[str, Any],
    outers: list[dict[str, Any]],
    filled: Mapping[str, Any],
    keys: ConfigKeys,
    assumed: Collection[str],
) -> Geometry:
    """Layers that all follow one config: the whole of what is stated, or what holds for some of its layers."""
    inner, off = without_switched_off(config, keys)
    family = _family(inner)
    inert = {**off, **family.inert(inner)}
    check_mechanisms(inner, keys, family, inert, _names(whole, *outers), whole)
    check_wrappers(outers, inner, keys, assumed)
    check_known(inner, keys, family, assumed)
    named = inner.get("model_type") is not None
    if named:
        check_types(inner, keys, family)
    geometry = bounded(family.reader(inner), inner)
    if not named:  # what else it lacks is the better reason
        check_types(inner, keys, family)
    check_used(inner, keys, geometry.reads, inert, family)
    notes = [
        *_notes(config, outers, keys, inert, assumed),
        *(f"class default: {key} {shown(filled[key])}" for key in filled if key in geometry.reads),
    ]
    return replace(geometry, notes=(*geometry.notes, *notes), query_heads=query_heads(inner))


def _family(config: Mapping[str, Any]) -> Family:
    name = family_name(config)
    return next(family for family in FAMILIES if family.name == name)


def _classes(*configs: Mapping[str, Any]) -> list[str]:
    """The classes that load the checkpoint: those that the outermost config names."""
    lists = (config.get("architectures") for config in configs)
    named = next((names for names in lists if isinstance(names, list) and names), [])
    return [name for name in named if isinstance(name, str)]


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
    stated = [(k, config) for config in (inner, *outers) for k, value in config.items() if value is not None]
    unread = {k for k, config in stated if keys.proved_inert(k, config)}
    if unread and keys.reads:
        notes.append(f"not read by the class ({keys.reads.source}): {', '.join(sorted(unread))}")
    assumed_here = {k for k, _ in stated} & set(assumed) - unread
    return notes + [f"assumed neutral: {k}" for k in sorted(assumed_here) if keys.role(k) is None]
