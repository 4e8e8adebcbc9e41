"""Multi-head latent attention, dense and with the lightning indexer.

One row of ``kv_lora_rank + qk_rope_head_dim`` scalars per token and layer, whatever the head count; values are
recomputed from the latent. DSA adds one index key of ``index_head_dim`` for each layer that owns an indexer. Sources:
transformers 5.24.0 ``models/deepseek_v3/modeling_deepseek_v3.py:445-460``; vllm 0.33.0 ``v1/kv_cache_interface.py:729``
MLAAttentionSpec, ``models/deepseek_v2.py:639`` DeepseekV32IndexerCache and 1142-1168.

The closed form: docs/kv-geometry.md#latent-attention
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.derive.attention.geometry import CacheStream, Entries, Geometry
from generator.derive.attention.naive import naive_gqa
from generator.derive.config.entries import check_entries, refuse_length
from generator.derive.config.fields import Fields, Refused, layer_count, refuse_value

# Read, but no part of the cache's size: the latent replaces heads and their widths.
WITHOUT_EFFECT = ("num_key_value_heads", "head_dim", "hidden_size", "qk_head_dim")
READS = frozenset(
    {
        "num_hidden_layers",
        "kv_lora_rank",
        "qk_rope_head_dim",
        "qk_nope_head_dim",
        "v_head_dim",
        "num_attention_heads",
        "use_mla",
        "attention_method",
        *WITHOUT_EFFECT,
    }
)
# Two attention blocks in each layer (transformers 5.24.0 models/longcat_flash: num_hidden_layers is 2 x num_layers).
# The scales are applied to latents that are stored all the same, or before that; their number and width stay.
LONGCAT = frozenset({"longcat_flash", "longcat_flash_ngram"})
LONGCAT_KEYS = ("mla_scale_kv_lora", "mla_scale_q_lora")
DENSE_READS = READS | {"num_layers", "model_type", *LONGCAT_KEYS}
INDEXER = ("index_head_dim", "index_topk", "index_n_heads")
DSA_READS = READS | {
    *INDEXER,
    "indexer_types",
    "index_topk_freq",
    "index_topk_pattern",
    "index_skip_topk_offset",
    "layer_types",
}
# What transformers calls the DSA layers, before and since 5.2x; every layer keeps its latent.
DSA_LAYER_TYPES = ("deepseek_sparse_attention", "indexed_attention", "full_attention")


def has_indexer(config: Mapping[str, Any]) -> bool:
    """Whether the config speaks of a lightning indexer."""
    return any(config.get(key) is not None for key in INDEXER)


def read_mla(config: Mapping[str, Any]) -> Geometry:
    """Dense MLA; raises Refused naming what is missing or wrong."""
    fields = Fields(config)
    latent = latent_rows(fields, _layers(fields))
    return _geometry("mla", fields, (latent,), materialised(fields, latent.layers))


def read_dsa(config: Mapping[str, Any]) -> Geometry:
    """MLA with indexer keys in all layers, or in those that ``indexer_types`` calls ``full``."""
    fields = Fields(config)
    latent = latent_rows(fields, layer_count(fields))
    _check_layer_types(fields, latent.layers)
    for key in INDEXER:
        fields.optional_size(key)
    width = fields.size("index_head_dim")
    owners = _indexer_layers(fields, latent.layers)
    index = CacheStream("index", "full_attention", owners, Entries("full"), width, 0, str(width))
    notes = () if owners == latent.layers else (f"{owners} of {latent.layers} layers own an indexer",)
    return _geometry("mla_dsa", fields, (latent, index), None, notes)


def _layers(fields: Fields) -> int:
    """Attention blocks; LongCat's ``num_layers`` counts pairs of them, its ``num_hidden_layers`` already doubles."""
    if fields.model_type() not in LONGCAT:
        return layer_count(fields)
    for key in LONGCAT_KEYS:
        fields.get(key)
    blocks, whole = 2 * layer_count(fields, "num_layers"), fields.optional_size("num_hidden_layers")
    if whole not in (None, blocks):
        raise Refused(f"`num_hidden_layers` is {whole}, but `num_layers` makes {blocks} blocks", "num_hidden_layers")
    return blocks


def latent_rows(fields: Fields, layers: int) -> CacheStream:
    """One latent row and its rope key per token, in so many layers."""
    if fields.get("use_mla") not in (None, True):
        raise Refused("`use_mla` is not true, and yet the config has the widths of MLA's latent", "use_mla")
    if fields.get("attention_method") not in (None, "MLA"):
        refuse_value("attention_method", fields.get("attention_method"), "`MLA`, as the latent's widths say,")
    latent, rope = fields.size("kv_lora_rank"), fields.size("qk_rope_head_dim")
    width = f"({latent} + {rope})"
    return CacheStream("kv", "full_attention", layers, Entries("full"), latent + rope, 0, width)


def _geometry(
    family: str,
    fields: Fields,
    streams: tuple[CacheStream, ...],
    expanded: int | None,
    notes: tuple[str, ...] = (),
) -> Geometry:
    layers = streams[0].layers
    naive = naive_gqa(fields, layers)
    check_head_widths(fields)
    return Geometry(
        family,
        {"full_attention": layers},
        ("full_attention",) * layers,
        streams,
        (),
        naive,
        expanded,
        frozenset(fields.used),
        notes,
    )


def materialised(fields: Fields, layers: int) -> int | None:
    """Per-head keys and values at the model's own widths, in bytes per token at 2 bytes; None where one is missing."""
    keys = ("num_attention_heads", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
    heads, nope, rope, v = (fields.optional_size(key) for key in keys)
    return layers * heads * (nope + rope + v) * 2 if heads and nope and rope and v else None


def check_head_widths(fields: Fields) -> None:
    """``qk_head_dim`` repeats the sum of the two key parts; one that differs speaks of another design."""
    whole, nope = fields.optional_size("qk_head_dim"), fields.optional_size("qk_nope_head_dim")
    rope = fields.optional_size("qk_rope_head_dim")
    fields.optional_size("v_head_dim")
    if whole and nope and rope and whole != nope + rope:
        raise Refused(f"`qk_head_dim` is {whole}, but its two parts are {nope} + {rope}", "qk_head_dim")


def _check_layer_types(fields: Fields, layers: int) -> None:
    types = fields.get("layer_types")
    if types is None:
        return
    if not isinstance(types, list):
        refuse_value("layer_types", types, "a list of layer types")
    check_entries("layer_types", types, DSA_LAYER_TYPES, layers)
    if len(types) != layers:
        refuse_length("layer_types", types, layers)


def _indexer_layers(fields: Fields, layers: int) -> int:
    schedule = [key for key in ("index_topk_pattern", "index_topk_freq") if fields.get(key) not in (None, 1)]
    fields.get("index_skip_topk_offset")
    types = fields.get("indexer_types")
    if types is None:
        if schedule:
            raise Refused(f"`{schedule[0]}` thins indexers out; `indexer_types` does not say which stay", *schedule)
        return layers
    if not isinstance(types, list):
        refuse_value("indexer_types", types, 'a list of "full" and "shared"')
    check_entries("indexer_types", types, ("full", "shared"), layers)
    if len(types) != layers:
        refuse_length("indexer_types", types, layers)
    if types[0] != "full":
        raise Refused("`indexer_types` begins with a layer that shares an indexer nobody owns", "indexer_types")
    return types.count("full")
