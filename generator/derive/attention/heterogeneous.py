"""Layers that override the config one by one: ``per_layer_config`` of transformers, for any class.

Each key is the number of a layer, each value the keys that differ there (``integrations/heterogeneity`` of transformers
5.24.0; Gemma 4 is saved so, with a ``head_dim`` of its own in each full layer). Each set of overrides is read as if it
held for the whole model, and the layers that have it keep what layers of their type keep there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from generator.derive.attention.geometry import CacheStream, Geometry
from generator.derive.config.fields import Refused, is_size, shown

KEY = "per_layer_config"


@dataclass(frozen=True)
class LayerGroup:
    """Layers with the same overrides, and the config that holds for them."""

    layers: tuple[int, ...]
    config: Mapping[str, Any]


@dataclass(frozen=True)
class Heterogeneous:
    """A config without its overrides, and its layers by what they override."""

    plain: Mapping[str, Any]
    groups: tuple[LayerGroup, ...]

    def geometry(self, derived: Callable[[Mapping[str, Any]], Geometry]) -> Geometry:
        """The whole model: named and ordered as without overrides, kept as its groups keep. Raises Refused."""
        base, count = derived(self.plain), sum(len(group.layers) for group in self.groups)
        found = [(group.layers, derived(group.config)) for group in self.groups]
        if len(base.layer_types) != count or any(each.layer_types != base.layer_types for _, each in found):
            raise Refused(f"`{KEY}` changes what the layers are, which no family here reads", KEY)
        if any(each.states != base.states for _, each in found):
            raise Refused(f"`{KEY}` changes the state that layers keep, which no family here reads", KEY)
        return replace(
            base,
            streams=tuple(chain.from_iterable(_streams(each, layers) for layers, each in found)),
            naive_gqa_bytes_per_token=_sum((each.naive_gqa_bytes_per_token, len(layers)) for layers, each in found),
            materialised_bytes_per_token=_sum(
                (each.materialised_bytes_per_token, len(layers)) for layers, each in found
            ),
            reads=base.reads.union(*(each.reads for _, each in found), {KEY}),
            query_heads=tuple(dict.fromkeys(chain.from_iterable(each.query_heads for _, each in found))),
        )


def heterogeneous(config: Mapping[str, Any]) -> Heterogeneous | None:
    """The groups of a config whose layers differ by ``per_layer_config``; None where none do. Raises Refused."""
    stated = config.get(KEY)
    if not stated:
        return None
    layers = config.get("num_hidden_layers")
    if not is_size(layers) or not isinstance(stated, Mapping):
        raise Refused(
            f"`{KEY}` is {shown(stated)}; an object from numbers of `num_hidden_layers` to keys is needed", KEY
        )
    plain, overrides = {key: value for key, value in config.items() if key != KEY}, _overrides(stated, layers)
    groups: dict[str, list[int]] = {}
    for index in range(layers):
        groups.setdefault(repr(sorted(overrides.get(index, {}).items())), []).append(index)
    return Heterogeneous(
        plain, tuple(LayerGroup(tuple(each), plain | overrides.get(each[0], {})) for each in groups.values())
    )


def _overrides(stated: Mapping[str, Any], layers: int) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for name, values in stated.items():
        index = int(name) if str(name).isascii() and str(name).isdecimal() and len(str(name)) < 6 else layers
        if index >= layers or index in found or not isinstance(values, Mapping):
            raise Refused(f"`{KEY}` has an entry {shown(name)} that is not an override of one of {layers} layers", KEY)
        if "skip" in values:
            raise Refused(f"`{KEY}` leaves out parts of layer {index} (`skip`), which no family here reads", KEY)
        found[index] = dict(values)
    return found


def _streams(geometry: Geometry, layers: tuple[int, ...]) -> Iterator[CacheStream]:
    """What these layers keep of each stream that all layers of a type keep alike."""
    for stream in geometry.streams:
        if stream.layers != geometry.layer_types.count(stream.layer_type):
            raise Refused(f"not every {stream.layer_type} layer keeps the same, so `{KEY}` is not read", KEY)
        kept = sum(geometry.layer_types[index] == stream.layer_type for index in layers)
        if kept:
            yield replace(stream, layers=kept)


def _sum(shares: Iterable[tuple[int | None, int]]) -> int | None:
    """A figure of the whole model from those of its groups: each counts for its share of the layers."""
    found = list(shares)
    total = sum(layers for _, layers in found)
    if any(figure is None for figure, _ in found):
        return None
    return sum((figure or 0) * layers for figure, layers in found) // total
