"""Full attention with keys and values per head: MHA, GQA, MQA, and GQA with two widths.

Growth is N x H x (d_k + d_v) scalars per token, in every layer the same. Sources: transformers 5.24.0
``cache_utils.py`` DynamicLayer; vllm 0.33.0 ``v1/kv_cache_interface.py`` AttentionSpec, FullAttentionSpec.

The closed form: docs/kv-geometry.md#keys-and-values-per-head
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.derive.attention.geometry import CacheStream, Entries, Geometry
from generator.derive.attention.kv_heads import HEADS, SPELLINGS, attention_heads, kv_heads
from generator.derive.config.fields import Fields, Refused, layer_count
from generator.derive.config.layer_lists import LAYERS

HIDDEN = ("hidden_size", "n_embd", "n_embed", "d_model")
WIDTHS = ("head_dim", "kv_channels")
READS = frozenset(
    {*LAYERS, *HIDDEN, *WIDTHS, *HEADS, *SPELLINGS, "attention_head_dim", "num_layers", "v_head_dim", "model_type"}
)


def kind(config: Mapping[str, Any]) -> str:
    """Which of the four names fits; ``gqa`` where the config is too broken to tell, so that one reader reports it."""
    v = config.get("v_head_dim")
    if v is not None and v != config.get("head_dim"):
        return "gqa_dkv"
    fields = Fields(config)
    try:
        kv, heads = kv_heads(fields, config.get("model_type")), attention_heads(fields)
    except Refused:
        return "gqa"
    return "mha" if kv == heads else "mqa" if kv == 1 else "gqa"


def head_width(fields: Fields, model_type: object) -> int:
    """Width of one head: the field where there is one, else hidden size over heads, where that divides.

    The quotient is the rule of the Llama class and its kin; where neither ``model_type`` nor ``architectures`` names a
    class, nothing says that it holds.
    """
    # Hunyuan's own name (configuration_hunyuan.py); elsewhere attention_head_dim may mean something else.
    names = (*WIDTHS, "attention_head_dim") if model_type == "hunyuan" else WIDTHS
    width, hidden = fields.any_of(*names), fields.any_of(*HIDDEN)
    if width is not None:
        return width
    if not isinstance(model_type, str) and not fields.get("architectures"):
        raise Refused("`head_dim` is missing, and without a `model_type` the quotient is a guess", "head_dim")
    if hidden is None:
        raise Refused("`head_dim` is missing, and so is `hidden_size`", "head_dim", HIDDEN[0])
    heads = attention_heads(fields)
    if hidden % heads:
        raise Refused(f"`head_dim` is missing and {heads} heads do not divide {hidden}", "head_dim", HIDDEN[0])
    return hidden // heads


def read_plain(config: Mapping[str, Any]) -> Geometry:
    """One width for keys and values; raises Refused naming what is missing or wrong."""
    fields = Fields(config)
    width = head_width(fields, config.get("model_type"))
    fields.optional_size("v_head_dim")  # equal to head_dim, or this would be gqa_dkv
    return _geometry(kind(config), fields, config, width, width)


def read_two_widths(config: Mapping[str, Any]) -> Geometry:
    """Keys of ``head_dim`` and values of ``v_head_dim`` scalars; the config must have both."""
    fields = Fields(config)
    return _geometry("gqa_dkv", fields, config, fields.size("head_dim"), fields.size("v_head_dim"))


def _geometry(family: str, fields: Fields, config: Mapping[str, Any], k: int, v: int) -> Geometry:
    model_type = fields.model_type()
    # ChatGLM alone says num_layers and means layers; LongCat's num_layers counts pairs of attention blocks.
    layers = layer_count(fields, *(("num_layers",) if model_type == "chatglm" else LAYERS))
    attention_heads(fields)
    heads = kv_heads(fields, model_type)
    fields.any_of(*HIDDEN)
    width = f"{heads} × ({k} + {v})"
    stream = CacheStream("kv", "full_attention", layers, Entries("full"), heads * (k + v), heads, width)
    return Geometry(
        family,
        {"full_attention": layers},
        ("full_attention",) * layers,
        (stream,),
        (),
        naive_gqa_bytes_per_token=2 * layers * heads * k * 2,
        materialised_bytes_per_token=None,
        reads=frozenset(fields.used),
    )
