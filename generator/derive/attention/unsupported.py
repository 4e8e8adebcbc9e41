"""What a model takes where nothing of its design is supported: every layer a full one, with keys and values per head.

A window then keeps every token, a layer that reads another's cache keeps one of its own, a pooled row is kept once per
token as a key and a value, a latent row as the keys and values of all heads (*materialised* in
docs/kv-geometry.md#latent-attention). A layer
with recurrent state in place of a cache counts with the widths of the model's attention layers, since its own are not
keys and values; layers that keep nothing under any design, and index keys, are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generator.derive.attention import mla, sliding
from generator.derive.attention.blocks import FULL, LINEAR, MAMBA, SHARED
from generator.derive.attention.geometry import CacheStream, Geometry
from generator.derive.config.fields import Fields, Refused, layer_count
from generator.derive.config.layer_lists import LAYERS

WINDOWED = frozenset({"swa_all", "swa_hybrid", "chunked_hybrid", "cross_layer_shared"})
LATENT = frozenset({"mla", "mla_dsa", "kda_mla_hybrid"})
ONE_ROW = frozenset({"csa_hca", "csa2"})
RECURRENT = frozenset({"gdn_hybrid", "lightning_hybrid", "mamba1_hybrid", "mamba2_hybrid"})
PER_HEAD, EXPANDED, APART = "per-head", "expanded latents", "key and value apart"


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A growth at 2 bytes per scalar. ``basis`` says which widths it has, ``layers`` counts the layers in it.

    ``recurrent`` of these layers hold state of fixed size where the design is supported.
    """

    basis: str
    layers: int
    recurrent: int
    bytes_per_token: int


def unsupported(geometry: Geometry, config: Mapping[str, Any]) -> Unsupported | None:
    """What is kept without the support of the design; None where it saves nothing, or the config lacks a width of it.

    ``config`` is the language model's own, of which the geometry was derived.
    """
    try:
        return _unsupported(geometry, config)
    except Refused:
        return None


def _unsupported(geometry: Geometry, config: Mapping[str, Any]) -> Unsupported | None:
    attending = geometry.layers.get(FULL, 0)
    recurrent = _recurrent(geometry, config) if geometry.family in RECURRENT | LATENT else 0
    if geometry.family in WINDOWED:
        return Unsupported(PER_HEAD, len(geometry.layer_types), 0, 2 * sum(_widths(geometry, config)))
    if geometry.family in ONE_ROW:
        row, layers = geometry.streams[-1].scalars, len(geometry.layer_types)
        return Unsupported(APART, layers, 0, layers * 2 * row * 2)
    if geometry.family in LATENT:
        each = mla.materialised(Fields(config), 1)
        return Unsupported(EXPANDED, attending + recurrent, recurrent, (attending + recurrent) * each) if each else None
    if geometry.family in RECURRENT and attending and recurrent:
        each = 2 * geometry.streams[0].scalars
        return Unsupported(PER_HEAD, attending + recurrent, recurrent, (attending + recurrent) * each)
    return None


def _recurrent(geometry: Geometry, config: Mapping[str, Any]) -> int:
    """Layers with recurrent state and no cache; one next to attention in the same layer replaces nothing."""
    blocks = geometry.layers.get(MAMBA, 0) + geometry.layers.get(LINEAR, 0)
    try:
        layers = layer_count(Fields(config), *LAYERS)
    except Refused:
        return blocks
    return blocks - max(0, len(geometry.layer_types) - layers)


def _widths(geometry: Geometry, config: Mapping[str, Any]) -> Iterator[int]:
    """Scalars per token, stream by stream, then those of the layers that share."""
    yield from (stream.layers * stream.scalars for stream in geometry.streams)
    shared = geometry.layers.get(SHARED, 0)
    if shared:
        by_kind = {stream.layer_type: stream for stream in geometry.streams}
        yield from (stream.scalars for stream in _of_sharers(by_kind, shared, geometry, config))


def _of_sharers(
    by_kind: Mapping[str, CacheStream], shared: int, geometry: Geometry, config: Mapping[str, Any]
) -> list[CacheStream]:
    """For each layer that shares: a stream of its kind. Where only full layers own caches, all are of that kind."""
    if set(by_kind) == {FULL}:
        return [by_kind[FULL]] * shared
    kinds = sliding.layer_kinds(Fields(config), len(geometry.layer_types))
    return [by_kind[kind] for kind in kinds[-shared:]]
