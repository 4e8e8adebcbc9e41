"""What the readers have in common: names of blocks, lists with one entry per layer, and streams with keys per head."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from generator.derive.attention.geometry import CacheStream, Entries, Geometry, StateSlot, layer_counts
from generator.derive.config.entries import check_entries, refuse_length
from generator.derive.config.fields import Fields, Refused, refuse_value

FULL, SLIDING, CHUNKED = "full_attention", "sliding_attention", "chunked_attention"
LINEAR, MAMBA, CROSS = "linear_attention", "mamba", "cross_attention"
SHARED, NOTHING = "shared_kv", "feed_forward"
NAMES = (FULL, SLIDING, CHUNKED, LINEAR, MAMBA, CROSS, SHARED, NOTHING)
T = TypeVar("T")


def per_head(layer_type: str, layers: int, entries: Entries, heads: int, k: int, v: int) -> CacheStream:
    """Keys and values of every KV head, in so many layers."""
    role = "window" if entries.rule in ("window", "chunk") else "kv"
    return CacheStream(role, layer_type, layers, entries, heads * (k + v), heads, f"{heads} × ({k} + {v})")


def assembled(
    family: str,
    kinds: tuple[str, ...],
    streams: Iterable[CacheStream],
    states: Iterable[StateSlot],
    naive: int | None,
    fields: Fields,
    notes: Iterable[str] = (),
    materialised: int | None = None,
) -> Geometry:
    """A geometry whose blocks are counted from their names; streams and states without layers are left out."""
    return Geometry(
        family,
        layer_counts(kinds, tuple(name for name in NAMES if name in kinds)),
        kinds,
        tuple(stream for stream in streams if stream.layers),
        tuple(slot for slot in states if slot.layers and slot.scalars != 0),
        naive,
        materialised,
        frozenset(fields.used),
        tuple(notes),
    )


def named_layers(fields: Fields, key: str, names: Mapping[str, str], layers: int | None) -> tuple[str, ...] | None:
    """The blocks that a list of names speaks of, in our names; None where the key is absent.

    The list may end in entries of MTP layers, where ``num_nextn_predict_layers`` says how many there are.
    """
    stated = fields.get(key)
    if stated is None:
        return None
    if not isinstance(stated, list) or not stated:
        refuse_value(key, stated, "a list of layer types")
    check_entries(key, stated, names, layers)
    return tuple(names[name] for name in backbone(fields, key, stated, layers))


def flagged_layers(fields: Fields, key: str, zero: str, one: str, layers: int) -> tuple[str, ...] | None:
    """The blocks that a list of 0 and 1 speaks of; None where the key is absent."""
    if fields.get(key) is None:
        return None
    flags = fields.numbers(key)
    check_entries(key, flags, (0, 1), layers)
    return tuple(one if flag else zero for flag in backbone(fields, key, flags, layers))


def backbone(fields: Fields, key: str, values: list[T], layers: int | None) -> list[T]:
    """The entries of the layers; a list of another length is refused, unless the rest are MTP entries."""
    extra = len(values) - (layers or len(values))
    if extra and fields.optional_size("num_nextn_predict_layers") != extra:
        refuse_length(key, values, layers)
    return values[:layers]


def agreed(found: Mapping[str, tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """The layers that all stated keys speak of; two that disagree are refused. None where none is stated."""
    stated = {key: kinds for key, kinds in found.items() if kinds is not None}
    if len(set(stated.values())) > 1:
        raise Refused(" and ".join(f"`{key}`" for key in stated) + f" name different layers{_first(stated)}", *stated)
    return next(iter(stated.values()), None)


def _first(stated: Mapping[str, tuple[str, ...]]) -> str:
    """Where lists part: in length, or at an index."""
    if len({len(kinds) for kinds in stated.values()}) > 1:
        return ": " + ", ".join(f"`{key}` of {len(kinds)}" for key, kinds in stated.items())
    index = next(i for i, kinds in enumerate(zip(*stated.values(), strict=True)) if len(set(kinds)) > 1)
    return f", first at index {index}: " + ", ".join(f"{kinds[index]} in `{key}`" for key, kinds in stated.items())
