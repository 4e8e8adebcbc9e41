"""Hybrids of linear attention and attention: gated delta rule, KDA with MLA, lightning.

The linear layers keep a state of fixed size. Sources: transformers 5.24.0 ``models/qwen3_next``, ``kimi_linear`` and
``minimax`` configurations; vllm 0.33.0 ``models/minimax_text_01.py``, ``models/kimi_k3/nvidia/mla.py:160``.

The closed form: docs/kv-geometry.md#state
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.derive.attention import mla, plain, recurrent
from generator.derive.attention.blocks import FULL, LINEAR, agreed, assembled, flagged_layers, named_layers, per_head
from generator.derive.attention.geometry import CacheStream, Entries, Geometry
from generator.derive.attention.kv_heads import attention_heads, kv_heads
from generator.derive.attention.naive import naive_gqa
from generator.derive.config.fields import Fields, Refused, layer_count

LAYER_NAMES = {"full_attention": FULL, "linear_attention": LINEAR}
MINIMAX = frozenset({"minimax", "minimax_text_01", "minimax_m1"})
KDA = "linear_attn_config"
GDN_READS = plain.READS | {*recurrent.GDN, "layer_types", "full_attention_interval", "mamba_ssm_dtype"}
GDN_READS |= {"num_nextn_predict_layers"}
KDA_PARTS = ("full_attn_layers", "kda_layers", "num_heads", "head_dim", "short_conv_kernel_size")
KDA_READS = mla.READS | {KDA, *(f"{KDA}.{part}" for part in KDA_PARTS), "mla_use_nope"}
LIGHTNING_READS = plain.READS | {"attn_type_list", "layer_types", "num_nextn_predict_layers"}


def read_gdn(config: Mapping[str, Any]) -> Geometry:
    """Gated delta rule; every ``full_attention_interval``-th layer, or those that ``layer_types`` names, attend."""
    fields = Fields(config)
    layers = layer_count(fields)
    interval = fields.optional_size("full_attention_interval")
    kinds = agreed(
        {
            "layer_types": named_layers(fields, "layer_types", LAYER_NAMES, layers),
            "full_attention_interval": None if interval is None else _every(interval, layers),
        }
    )
    if kinds is None:
        raise Refused(
            "`layer_types` is missing, and so is `full_attention_interval`", "layer_types", "full_attention_interval"
        )
    states = recurrent.gdn(fields, kinds.count(LINEAR))
    recurrent.read_over(fields, "mamba_ssm_dtype")
    return assembled("gdn_hybrid", kinds, [_attention(fields, kinds)], states, naive_gqa(fields, layers), fields)


def read_lightning(config: Mapping[str, Any]) -> Geometry:
    """Lightning attention; ``attn_type_list`` marks softmax layers 1."""
    fields = Fields(config)
    layers = layer_count(fields)
    kinds = agreed(
        {
            "attn_type_list": flagged_layers(fields, "attn_type_list", LINEAR, FULL, layers),
            "layer_types": named_layers(fields, "layer_types", LAYER_NAMES, layers),
        }
    )
    if kinds is None:
        raise Refused("`attn_type_list` is missing", "attn_type_list")
    width = plain.head_width(fields, fields.model_type())
    states = recurrent.lightning(attention_heads(fields), width, kinds.count(LINEAR))
    return assembled("lightning_hybrid", kinds, [_attention(fields, kinds)], states, naive_gqa(fields, layers), fields)


def read_kda(config: Mapping[str, Any]) -> Geometry:
    """KDA; the layers of ``full_attn_layers``, counted from 1, keep latent rows."""
    fields = Fields(config)
    layers = layer_count(fields)
    full = _one_based(fields, "full_attn_layers", layers)
    if fields.get(f"{KDA}.kda_layers") is not None:
        linear = _one_based(fields, "kda_layers", layers)
        if full | linear != set(range(1, layers + 1)) or full & linear:
            raise Refused(f"`{KDA}` does not give each of {layers} layers one kind", f"{KDA}.kda_layers")
    kinds = tuple(FULL if layer in full else LINEAR for layer in range(1, layers + 1))
    heads, width, kernel = (fields.size(f"{KDA}.{part}") for part in KDA_PARTS[2:])
    fields.get("mla_use_nope")  # the 64 scalars of the rope key are kept without rope, too
    latent = mla.latent_rows(fields, len(full))
    naive, materialised = naive_gqa(fields, layers), mla.materialised(fields, len(full))
    mla.check_head_widths(fields)
    states = recurrent.kda(heads, width, kernel, layers - len(full))
    return assembled("kda_mla_hybrid", kinds, [latent], states, naive, fields, (), materialised)


def _every(interval: int, layers: int) -> tuple[str, ...]:
    return tuple(LINEAR if (layer + 1) % interval else FULL for layer in range(layers))


def _attention(fields: Fields, kinds: tuple[str, ...]) -> CacheStream:
    model_type = fields.model_type()
    width = plain.head_width(fields, model_type)
    values = fields.optional_size("v_head_dim") or width
    return per_head(FULL, kinds.count(FULL), Entries("full"), kv_heads(fields, model_type), width, values)


def _one_based(fields: Fields, part: str, layers: int) -> set[int]:
    key = f"{KDA}.{part}"
    ids = fields.numbers(key)
    if not ids or len(set(ids)) != len(ids) or min(ids) < 1 or max(ids) > layers:
        raise Refused(f"`{key}` does not name distinct layers from 1 to {layers}", key)
    return set(ids)
