"""Mixtures of experts with attention per head: Mixtral, Qwen, GLM and their kin (transformers 5.24.0).

Which layers are sparse is said in four ways: ``decoder_sparse_step`` with ``mlp_only_layers``, ``mlp_layer_types``,
``first_k_dense_replace``, and the intervals of ``interleaved``.
"""

from __future__ import annotations

from generator.derive.config.fields import Refused, refuse_value, shown
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
from generator.derive.parameters.reading import Reading

DENSE_OR_SPARSE = frozenset({"dense", "sparse"})


def stepped(fields: Reading, layers: int) -> int:
    """Sparse layers by ``decoder_sparse_step``, without those of ``mlp_only_layers``."""
    step = fields.size("decoder_sparse_step")
    only = fields.get("mlp_only_layers")
    if only is None:
        only = []
    if not isinstance(only, list) or not all(type(layer) is int for layer in only):
        refuse_value("mlp_only_layers", only, "a list of layers")
    return sum((layer + 1) % step == 0 and layer not in only for layer in range(layers))


def leading(fields: Reading, layers: int) -> int:
    """Sparse layers behind ``first_k_dense_replace`` dense ones."""
    if fields.get("moe_layer_freq") not in (None, 1):
        raise Refused("`moe_layer_freq` is not 1, which no class here implements", "moe_layer_freq")
    return layers - min(layers, fields.number("first_k_dense_replace"))


def read_mixtral(fields: Reading) -> None:
    """All layers are sparse, and ``intermediate_size`` is one expert's."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    attention(fields, at.hidden, at.layers, heads(fields, at.hidden, quotient=True))
    routed(fields, at.hidden, at.layers, experts(fields, "num_local_experts", "intermediate_size"))


def read_minimax_m2(fields: Reading) -> None:
    """As Mixtral, with query and key norms over all heads."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    if fields.get("use_qk_norm") not in (None, True) or fields.get("qk_norm_type") not in (None, "per_layer"):
        raise Refused("`use_qk_norm` or `qk_norm_type` asks for other norms than the class has", "qk_norm_type")
    attention(fields, at.hidden, at.layers, heads(fields, at.hidden, quotient=False), qk_norm="all")
    routed(fields, at.hidden, at.layers, experts(fields, "num_local_experts", "intermediate_size"))
    _without_shared(fields, "shared_intermediate_size")
    for key in ("use_routing_bias", "mlp_intermediate_size"):
        fields.get(key)  # a buffer; a width that no layer has


def read_qwen2_moe(fields: Reading) -> None:
    """One shared expert with a gate of its own; biases on queries, keys and values."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    shape = heads(fields, at.hidden, quotient=True)
    attention(fields, at.hidden, at.layers, shape, qkv_bias=fields.switch("qkv_bias"))
    qwen_mlps(fields, at, gated_shared=True)


def read_qwen3_moe(fields: Reading) -> None:
    """Query and key norms per head, no shared expert."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    bias, shape = fields.flag("attention_bias"), heads(fields, at.hidden, quotient=False)
    attention(fields, at.hidden, at.layers, shape, qkv_bias=bias, o_bias=bias, qk_norm="head")
    qwen_mlps(fields, at, gated_shared=False)
    if fields.get("use_qk_norm") not in (None, True):
        raise Refused("`use_qk_norm` is off, which the class does not know", "use_qk_norm")
    _without_shared(fields, "shared_expert_intermediate_size")


def qwen_mlps(fields: Reading, at: Stack, *, gated_shared: bool) -> None:
    """Qwen's sparse and dense layers."""
    sparse, of = stepped(fields, at.layers), experts(fields, "num_experts", "moe_intermediate_size")
    routed(fields, at.hidden, sparse, of)
    if gated_shared:
        shared(fields, at.hidden, sparse, fields.size("shared_expert_intermediate_size"), gate=True)
    if sparse < at.layers or fields.stated("intermediate_size"):
        mlp(fields, at.hidden, fields.size("intermediate_size"), at.layers - sparse)


def read_glm4_moe(fields: Reading) -> None:
    """GLM-4.5 to 4.7: no bias on the output, query and key norms where ``use_qk_norm`` says so."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    shape, qk_norm = heads(fields, at.hidden, quotient=False), "head" if fields.flag("use_qk_norm") else None
    attention(fields, at.hidden, at.layers, shape, qkv_bias=fields.flag("attention_bias"), qk_norm=qk_norm)
    deepseek_mlps(fields, at, leading(fields, at.layers))


def read_dots1(fields: Reading) -> None:
    """Query and key norms per head; layers as DeepSeek's."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    bias, shape = fields.flag("attention_bias"), heads(fields, at.hidden, quotient=True)
    attention(fields, at.hidden, at.layers, shape, qkv_bias=bias, o_bias=bias, qk_norm="head")
    deepseek_mlps(fields, at, leading(fields, at.layers))


def deepseek_mlps(fields: Reading, at: Stack, sparse: int) -> None:
    """Dense layers first, then routed and shared experts of one width."""
    of = experts(fields, "n_routed_experts", "moe_intermediate_size")
    fields.any_of("n_routed_experts", "num_experts")  # GLM-5.2 says it twice
    routed(fields, at.hidden, sparse, of)
    shared(fields, at.hidden, sparse, fields.size("n_shared_experts") * of.width)
    mlp(fields, at.hidden, fields.size("intermediate_size"), at.layers - sparse)


def _without_shared(fields: Reading, key: str) -> None:
    if fields.get(key):
        raise Refused(f"`{key}` is {shown(fields.get(key))}, and the class has no shared expert", key)
