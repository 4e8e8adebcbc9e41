"""DeepSeek-V4's compressed attention, CSA and HCA.

Every layer keeps a window; ratio 4 adds pooled entries with index keys, ratio 128 pooled entries alone, ratio 0
nothing. An entry is one row of ``head_dim`` scalars, key and value at once, stored once. Sources: vllm 0.33.0
``models/deepseek_v4/attention.py``, ``compressor.py:139-171``; transformers 5.24.0
``models/deepseek_v4/modeling_deepseek_v4.py`` HCACache and CSACache.

The closed form: docs/kv-geometry.md#compressed-attention-csa-hca
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.derive.attention.geometry import CacheStream, Entries, Geometry, StateSlot, layer_counts
from generator.derive.attention.naive import naive_gqa
from generator.derive.config.entries import check_entries, length
from generator.derive.config.fields import Fields, Refused, layer_count

SLIDING = "sliding_attention"
LAYER_OF_RATIO = {0: SLIDING, 4: "compressed_sparse_attention", 128: "heavily_compressed_attention"}
# Shared by both compressed families. The head widths are parts of head_dim; index_topk and index_n_heads are compute.
COMMON_READS = frozenset(
    {
        "num_hidden_layers",
        "compress_ratios",
        "head_dim",
        "sliding_window",
        "index_head_dim",
        "num_key_value_heads",
        "num_attention_heads",
        "hidden_size",
        "qk_rope_head_dim",
        "qk_nope_head_dim",
        "index_topk",
        "index_n_heads",
        "compress_rope_theta",
        "compress_rope_parameters",
    }
)
READS = COMMON_READS | {"layer_types", "num_nextn_predict_layers"}


def read_csa_hca(config: Mapping[str, Any]) -> Geometry:
    """V4's geometry; raises Refused naming what is missing or wrong."""
    fields = Fields(config)
    layers = layer_count(fields)
    ratios, notes = backbone_ratios(fields, layers, frozenset(LAYER_OF_RATIO))
    types = tuple(LAYER_OF_RATIO[ratio] for ratio in ratios)
    _check_layer_types(fields, types)
    row, window = shared_row(fields), fields.size("sliding_window")
    index = fields.size("index_head_dim") if 4 in ratios else fields.optional_size("index_head_dim")
    counts = layer_counts(types, tuple(LAYER_OF_RATIO.values()))
    return Geometry(
        "csa_hca",
        counts,
        types,
        (*_pooled(counts, row, index), *windows(counts, row, window)),
        _states(counts, row, index),
        naive_gqa(fields, layers),
        None,
        frozenset(fields.used),
        notes,
    )


def backbone_ratios(fields: Fields, layers: int, known: frozenset[int]) -> tuple[list[int], tuple[str, ...]]:
    """``compress_ratios`` of the backbone, and a note on the entries behind it, which belong to MTP or draft layers."""
    ratios = fields.numbers("compress_ratios")
    check_entries("compress_ratios", ratios, known, layers)
    extra = len(ratios) - layers
    if extra == 0:
        return ratios, ()
    drafts = fields.get("dspark_target_layer_ids")
    tails = {"MTP": fields.optional_size("num_nextn_predict_layers"), "draft": _length(drafts)}
    for name, count in tails.items():
        if count == extra:
            entries = f"{extra} {name} {'entry' if extra == 1 else 'entries'}"
            return ratios[:layers], (f"compress_ratios has {len(ratios)} entries: {layers} layers + {entries}",)
    stated = ", ".join(f"{count} {name}" for name, count in tails.items() if count)
    reason = f"{length('compress_ratios', ratios, layers)}, and there are {stated or 'no MTP'} layers"
    raise Refused(reason, "compress_ratios", "num_nextn_predict_layers")


def _length(value: object) -> int | None:
    return len(value) if isinstance(value, list) else None


def shared_row(fields: Fields) -> int:
    """Width of one entry: ``head_dim``, since the one KV head is key and value at once. More heads: another design."""
    if (heads := fields.size("num_key_value_heads")) != 1:
        raise Refused(f"`num_key_value_heads` is {heads}; one shared row per token is one head", "num_key_value_heads")
    row, rope = fields.size("head_dim"), fields.optional_size("qk_rope_head_dim")
    nope = fields.optional_size("qk_nope_head_dim")
    if (rope or 0) + (nope or 0) > row:
        raise Refused(f"the key parts are wider than `head_dim` {row}", "head_dim", "qk_rope_head_dim")
    for key in ("index_topk", "index_n_heads"):
        fields.optional_size(key)
    for key in ("compress_rope_theta", "compress_rope_parameters"):
        fields.get(key)
    return row


def windows(counts: Mapping[str, int], row: int, window: int) -> tuple[CacheStream, ...]:
    """The window of every layer: compressed ones keep it too."""
    entries = Entries("window", window)
    return tuple(CacheStream("window", name, n, entries, row, 0, str(row)) for name, n in counts.items() if n)


def _pooled(counts: Mapping[str, int], row: int, index: int | None) -> tuple[CacheStream, ...]:
    streams = []
    for ratio in (4, 128):
        name, entries = LAYER_OF_RATIO[ratio], Entries("pooled", ratio)
        if counts[name]:
            streams.append(CacheStream("kv", name, counts[name], entries, row, 0, str(row)))
            if ratio == 4 and index:
                streams.append(CacheStream("index", name, counts[name], entries, index, 0, str(index)))
    return tuple(streams)


def _states(counts: Mapping[str, int], row: int, index: int | None) -> tuple[StateSlot, ...]:
    """Open groups: value and score rows; ratio 4 holds two groups side by side for their overlap."""
    csa, hca = counts[LAYER_OF_RATIO[4]], counts[LAYER_OF_RATIO[128]]
    slots = (
        StateSlot("ring_c4_main", csa, 2 * 2 * row),
        StateSlot("ring_c4_index", csa, 2 * 2 * (index or 0)),
        StateSlot("ring_c128_main", hca, 2 * row),
    )
    return tuple(slot for slot in slots if slot.layers)


def _check_layer_types(fields: Fields, types: tuple[str, ...]) -> None:
    stated = fields.get("layer_types")
    if stated is not None and (not isinstance(stated, list) or tuple(stated) != types):
        raise Refused("`layer_types` and `compress_ratios` name different layers", "layer_types", "compress_ratios")
