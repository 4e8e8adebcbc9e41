"""Decoders that mix recurrent layers with attention; those that know Mamba-2 are in ``state_space``.

Which layers attend is stated by ``layer_types``, ``full_attention_interval``, periods, or lists.
Sources as in ``recurrent``; Hub spellings as transformers 5.24.0 ``models/*/configuration_*.py`` read them.
"""

from __future__ import annotations

import math

from generator.derive.config.fields import Refused, refuse_value
from generator.derive.parameters.blocks import (
    Stack,
    attention,
    embeddings,
    experts,
    heads,
    mlp,
    norms,
    routed,
    shared,
    stack,
)
from generator.derive.parameters.latent import latent_attention
from generator.derive.parameters.reading import Reading
from generator.derive.parameters.recurrent import gated_delta, kimi_delta, lightning, mamba1
from generator.derive.parameters.sparse import leading, qwen_mlps

FULL = ("full_attention", "attention")
RECURRENT = ("linear_attention", "mamba")


def attending(fields: Reading, layers: int, key: str = "layer_types") -> int:
    """Layers that attend, by a list of names; the others are recurrent."""
    names = fields.names(key, layers, frozenset({*FULL, *RECURRENT}))
    return sum(name in FULL for name in names)


def _qwen(fields: Reading) -> Stack:
    """Every attention layer's query brings an output gate with it."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    if fields.get("layer_types") is None:
        full = at.layers // fields.size("full_attention_interval")
    else:
        full = attending(fields, at.layers)
        fields.get("full_attention_interval")
    if fields.get("attn_output_gate") not in (None, True):
        raise Refused("`attn_output_gate` is off, which the class does not know", "attn_output_gate")
    bias, shape = fields.flag("attention_bias"), heads(fields, at.hidden, quotient=False)
    attention(fields, at.hidden, full, shape, qkv_bias=bias, o_bias=bias, qk_norm="head", query_factor=2)
    gated_delta(fields, at.hidden, at.layers - full)
    return at


def read_qwen3_next(fields: Reading) -> None:
    """Gated delta net and sparse layers with a gated shared expert."""
    qwen_mlps(fields, _qwen(fields), gated_shared=True)


def read_qwen3_5_moe(fields: Reading) -> None:
    """As Qwen3-Next; every layer is sparse."""
    at = _qwen(fields)
    of = experts(fields, "num_experts", "moe_intermediate_size")
    routed(fields, at.hidden, at.layers, of)
    shared(fields, at.hidden, at.layers, fields.size("shared_expert_intermediate_size"), gate=True)


def read_qwen3_5(fields: Reading) -> None:
    """The dense one."""
    at = _qwen(fields)
    mlp(fields, at.hidden, fields.size("intermediate_size"), at.layers)


def read_kimi_linear(fields: Reading) -> None:
    """Kimi delta attention with latent attention in the layers that ``full_attn_layers`` names, counted from 1.

    What Kimi K3 adds is switched on by its keys, and built as vllm 0.33.0 ``models/kimi_k3/nvidia/model.py`` builds it.
    """
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    stated = [fields.get(f"linear_attn_config.{key}") for key in ("full_attn_layers", "kda_layers")]
    full, kda = (layers if isinstance(layers, list) else [] for layers in stated)
    whole = all(type(layer) is int for layer in full + kda)
    if not whole or sorted(full + kda) != list(range(1, at.layers + 1)):
        raise Refused("`linear_attn_config` does not name every layer once, from 1", "linear_attn_config")
    latent_attention(fields, at.hidden, len(full), bias=fields.flag("attention_bias"))
    if fields.flag("mla_use_output_gate"):
        gate = fields.size("num_attention_heads") * fields.size("v_head_dim")
        fields.matrix("attention", "g_proj", gate, at.hidden, len(full))
    kimi_delta(fields, at.hidden, len(kda))
    if fields.optional_size("attn_res_block_size"):
        _block_residuals(fields, at)
    sparse = leading(fields, at.layers)
    _kimi_experts(fields, at.hidden, sparse)
    mlp(fields, at.hidden, fields.size("intermediate_size"), at.layers - sparse)


def _kimi_experts(fields: Reading, hidden: int, layers: int) -> None:
    """Kimi K3's routed experts work on a latent, which all experts of a layer share the way into and out of."""
    of = experts(fields, "num_experts", "moe_intermediate_size", "num_experts_per_token")
    latent = fields.optional_size("routed_expert_hidden_size")
    routed(fields, hidden, layers, of, inner=latent or 0)
    shared(fields, hidden, layers, of.width * fields.size("num_shared_experts"))
    if latent:
        fields.matrix("experts_routed", "routed_expert_down_proj", latent, hidden, layers)
        fields.matrix("experts_routed", "routed_expert_up_proj", hidden, latent, layers)
        if fields.flag("latent_moe_use_norm"):
            fields.vector("norms", "routed_expert_norm", latent, layers)


def _block_residuals(fields: Reading, at: Stack) -> None:
    """Attention over the residuals of earlier blocks: one norm and one row before attention, MLP and output."""
    places = 2 * at.layers + 1
    fields.vector("norms", "res_norm", at.hidden, places)
    fields.matrix("hyper_connections", "res_proj", 1, at.hidden, places, linear=False)


def read_jamba(fields: Reading) -> None:
    """Mamba-1 with attention and experts at their own periods; an expert is as wide as a dense MLP."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    full, sparse = _periodic(fields, "attn", at.layers), _periodic(fields, "expert", at.layers)
    attention(fields, at.hidden, full, heads(fields, at.hidden, quotient=True))
    rank = fields.get("mamba_dt_rank")
    mamba1(
        fields,
        at.hidden,
        at.layers - full,
        inner=fields.size("mamba_expand") * at.hidden,
        state=fields.size("mamba_d_state"),
        kernel=fields.size("mamba_d_conv"),
        rank=math.ceil(at.hidden / 16) if rank == "auto" else fields.size("mamba_dt_rank"),
        conv_bias=fields.switch("mamba_conv_bias"),
        bias=fields.flag("mamba_proj_bias"),
        inner_norms=True,
    )
    if fields.get("mamba_inner_layernorms") not in (None, True):
        raise Refused("`mamba_inner_layernorms` is off, which the class does not know", "mamba_inner_layernorms")
    of = experts(fields, "num_experts", "intermediate_size")
    if of.count == 1:
        sparse = 0
    routed(fields, at.hidden, sparse, of)
    mlp(fields, at.hidden, of.width, at.layers - sparse)


def _periodic(fields: Reading, what: str, layers: int) -> int:
    period, offset = fields.size(f"{what}_layer_period"), fields.number(f"{what}_layer_offset")
    if offset >= period:
        raise Refused(f"`{what}_layer_offset` is not below `{what}_layer_period`", f"{what}_layer_offset")
    return sum(layer % period == offset for layer in range(layers))


def read_minimax_text(fields: Reading) -> None:
    """Lightning attention where ``attn_type_list`` has 0, full attention where it has 1; all layers are sparse."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    kinds = fields.numbers("attn_type_list")
    if len(kinds) != at.layers or set(kinds) - {0, 1}:
        refuse_value("attn_type_list", kinds, f"a list of {at.layers} times 0 or 1")
    shape = heads(fields, at.hidden, quotient=False)
    attention(fields, at.hidden, kinds.count(1), shape)
    lightning(fields, at.hidden, kinds.count(0), shape.query, shape.width)
    routed(fields, at.hidden, at.layers, experts(fields, "num_local_experts", "intermediate_size"))
    if fields.get("shared_intermediate_size"):
        raise Refused("`shared_intermediate_size`: the shared expert is not counted here", "shared_intermediate_size")
