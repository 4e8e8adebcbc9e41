"""Sliding-window and chunked hybrids, with or without layers that share a cache.

A full layer keeps every token, a sliding one min(L, W), a chunked one at most min(L, C), a sharing one nothing: it
reads the last layer of its kind that has a cache. Sources: transformers 5.24.0 ``cache_utils.py:196,1959``,
``models/gemma4/configuration_gemma4.py:208-222`` and ``modeling_gemma4.py:1154-1224``,
``models/step3p7/configuration_step3p7.py``; vllm 0.33.0 ``v1/kv_cache_interface.py:861-918``.

The closed form: docs/kv-geometry.md#windows-and-chunks
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from generator.derive.attention import plain, sliding
from generator.derive.attention.blocks import CHUNKED, FULL, SHARED, SLIDING, assembled, per_head
from generator.derive.attention.geometry import CacheStream, Entries, Geometry
from generator.derive.attention.kv_heads import kv_heads
from generator.derive.attention.naive import naive_gqa
from generator.derive.config.entries import refuse_length
from generator.derive.config.fields import Fields, Refused, layer_count, refuse_value
from generator.derive.config.layer_lists import LAYERS

GEMMA_4 = frozenset({"gemma4_text", "gemma4_unified_text"})
OTHER = "attention_other_setting"
# Known, and without effect on what is kept: a hint for generate(), and the bases of the rotary positions.
WITHOUT_EFFECT = (
    "cache_implementation",
    "rope_local_base_freq",
    "local_rope_theta",
    "global_rope_theta",
    "swa_rope_theta",
    "add_swa_attention_sink_bias",
    "add_full_attention_sink_bias",
)
READS = (
    plain.READS
    | sliding.READS
    | {
        "global_head_dim",
        "num_global_key_value_heads",
        "attention_k_eq_v",
        "num_kv_shared_layers",
        "num_attention_heads_per_layer",
        "use_bidirectional_attention",
        "swa_num_key_value_heads",
        "swa_num_attention_heads",
        "swa_head_dim",
        "swa_v_head_dim",
        OTHER,
        *(f"{OTHER}.{key}" for key in ("attention_type", "head_dim", "num_attention_groups", "num_attention_heads")),
        f"{OTHER}.true_head_dim",
        *WITHOUT_EFFECT,
    }
)
Widths = tuple[int, int, int]  # KV heads, width of a key, width of a value


def family_of(config: Mapping[str, Any]) -> str:
    """Which of the windowed families fits; ``swa_hybrid`` where the config is too broken to tell."""
    fields = Fields(config)
    try:
        kinds = sliding.layer_kinds(fields, layer_count(fields, *LAYERS))
    except Refused:
        return "chunked_hybrid" if fields.get("attention_chunk_size") is not None else "swa_hybrid"
    if CHUNKED in kinds:
        return "chunked_hybrid"
    return "swa_hybrid" if FULL in kinds else "swa_all"


def read_windows(config: Mapping[str, Any]) -> Geometry:
    """A model with windows and no sharing; raises Refused naming what is missing or wrong."""
    return _read(config, family_of(config))


def read_sharing(config: Mapping[str, Any]) -> Geometry:
    """The last ``num_kv_shared_layers`` layers own no cache."""
    return _read(config, "cross_layer_shared")


def bounded(geometry: Geometry, config: Mapping[str, Any]) -> Geometry:
    """A geometry of full layers whose window is longer than any stated sequence: beyond it they keep no more.

    Within the lengths that the config states the window changes nothing, neither entries nor kernels, so the family
    stays. Raises Refused where nothing says which layers the window is for.
    """
    window = sliding.late_window(config)
    if window is None or not any(stream.entries == Entries("full") for stream in geometry.streams):
        return geometry
    longer = {key: value for key, value in config.items() if key not in sliding.LENGTHS}
    kinds = sliding.layer_kinds(Fields({**longer, sliding.LENGTHS[0]: window + 1}), len(geometry.layer_types))
    return replace(geometry, streams=tuple(_split(geometry.streams, kinds.count(SLIDING), window)))


def _split(streams: tuple[CacheStream, ...], sliding_layers: int, window: int) -> Iterator[CacheStream]:
    """Full layers, of which so many stop at the window."""
    for stream in streams:
        if stream.entries != Entries("full") or not sliding_layers:
            yield stream
            continue
        yield replace(stream, layers=sliding_layers, entries=Entries("full", most=window))
        if stream.layers > sliding_layers:
            yield replace(stream, layers=stream.layers - sliding_layers)


def _read(config: Mapping[str, Any], family: str) -> Geometry:
    fields = Fields(config)
    model_type = fields.model_type()
    layers = layer_count(fields, *LAYERS)
    kinds = sliding.layer_kinds(fields, layers)
    if model_type in GEMMA_4 and kinds[-1] != FULL:
        raise Refused("`layer_types` ends in a layer that is not full; Gemma 4 makes it full", "layer_types")
    owned = kinds[: layers - _shared(fields, kinds)]
    _check_directions(fields)
    base = _base(fields, model_type)
    _check_query_heads(fields, layers, base[0])
    for key in WITHOUT_EFFECT:
        fields.get(key)
    notes = ["keys and values come from one weight, and both are cached"] if fields.get("attention_k_eq_v") else []
    return assembled(
        family,
        (*owned, *(SHARED,) * (layers - len(owned))),
        tuple(_streams(fields, owned, base)),
        (),
        naive_gqa(fields, layers),
        fields,
        notes,
    )


def _shared(fields: Fields, kinds: tuple[str, ...]) -> int:
    """How many layers at the end share; each of them needs a layer of its kind before."""
    key = "num_kv_shared_layers"
    if fields.get(key) in (None, 0):
        return 0
    count = fields.size(key)
    first = len(kinds) - count
    if first < 1 or set(kinds[first:]) - set(kinds[:first]):
        raise Refused(f"`{key}` is {count}: a layer would share a cache that no layer before it owns", key)
    return count


def _check_directions(fields: Fields) -> None:
    """Gemma lets the tokens of one image see each other; what they leave in the cache stays the same."""
    key = "use_bidirectional_attention"
    if (value := fields.get(key)) not in (None, False, "vision"):
        refuse_value(key, value, "false or `vision`")


def _base(fields: Fields, model_type: object) -> Widths:
    heads = kv_heads(fields, model_type)
    width = plain.head_width(fields, model_type)
    return heads, width, fields.optional_size("v_head_dim") or width


def _check_query_heads(fields: Fields, layers: int, heads: int) -> None:
    """Laguna gives each layer its own number of query heads; the KV heads stay the same."""
    key = "num_attention_heads_per_layer"
    if fields.get(key) is None:
        return
    per_layer = fields.numbers(key)
    if len(per_layer) != layers:
        refuse_length(key, per_layer, layers)
    wrong = next((index for index, count in enumerate(per_layer) if count == 0 or count % heads), None)
    if wrong is not None:
        raise Refused(f"`{key}` has {per_layer[wrong]} at index {wrong}, no multiple of {heads} KV heads", key)


def _streams(fields: Fields, owned: tuple[str, ...], base: Widths) -> Iterator[CacheStream]:
    window, chunk = fields.any_of(*sliding.WINDOW), fields.optional_size("attention_chunk_size")
    yield per_head(FULL, owned.count(FULL), Entries("full"), *_full(fields, base))
    for kind, rule, size in ((SLIDING, "window", window), (CHUNKED, "chunk", chunk)):
        if kind in owned:
            if size is None:
                key = "sliding_window" if kind == SLIDING else "attention_chunk_size"
                raise Refused(f"`layer_types` has {kind} layers, but `{key}` is missing", key, "layer_types")
            yield per_head(kind, owned.count(kind), Entries(rule, size), *_narrow(fields, base))


def _full(fields: Fields, base: Widths) -> Widths:
    """Gemma 4's full layers have a width of their own, and other KV heads where keys double as values."""
    keys = ("global_head_dim", "num_global_key_value_heads", "attention_k_eq_v")
    stated = [key for key in keys if (value := fields.get(key)) is not None and value is not False]
    if not stated:
        return base
    width, heads = fields.optional_size("global_head_dim") or base[1], base[0]
    if fields.optional_size("num_global_key_value_heads") is not None or fields.get("attention_k_eq_v"):
        other = fields.switch("attention_k_eq_v")
        heads = fields.size("num_global_key_value_heads") if other else heads
    return heads, width, width


def _narrow(fields: Fields, base: Widths) -> Widths:
    """Sliding layers with heads and widths of their own: MiMo-V2 states all of them, Step-3.5 in an object."""
    if fields.get("swa_num_key_value_heads") is not None:
        fields.optional_size("swa_num_attention_heads")
        return fields.size("swa_num_key_value_heads"), fields.size("swa_head_dim"), fields.size("swa_v_head_dim")
    other = fields.get(OTHER)
    if other is None:
        return base
    if fields.get(f"{OTHER}.attention_type") != SLIDING:
        raise Refused(f"`{OTHER}` is not about sliding layers", OTHER)
    fields.optional_size(f"{OTHER}.num_attention_heads")
    fields.optional_size(f"{OTHER}.true_head_dim")
    width = fields.size(f"{OTHER}.head_dim")
    return fields.size(f"{OTHER}.num_attention_groups"), width, width
