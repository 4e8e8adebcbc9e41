"""Mixtures of experts with shapes of their own: gpt-oss, Ernie 4.5, Phi, Llama 4, Laguna (transformers 5.24.0).

``e_score_correction_bias`` is a buffer in most classes, in Laguna's and Ernie's a parameter; it is counted as the class
has it.
"""

from __future__ import annotations

from generator.derive.config.fields import Refused, refuse_value
from generator.derive.parameters.blocks import (
    Heads,
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
from generator.derive.parameters.sparse import DENSE_OR_SPARSE


def read_gpt_oss(fields: Reading) -> None:
    """Biases everywhere, and one sink per query head and layer."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    bias, shape = fields.switch("attention_bias"), heads(fields, at.hidden, quotient=False)
    attention(fields, at.hidden, at.layers, shape, qkv_bias=bias, o_bias=bias)
    fields.vector("attention", "sinks", shape.query, at.layers)
    of = experts(fields, "num_local_experts", "intermediate_size")
    routed(fields, at.hidden, at.layers, of, bias=True)


def read_ernie(fields: Reading) -> None:
    """Sparse layers by interval between two bounds; ``use_bias`` rules all projections."""
    at, bias = stack(fields), fields.switch("use_bias")
    embeddings(fields, at.hidden, head_bias=bias)
    norms(fields, at, 2)
    attention(fields, at.hidden, at.layers, heads(fields, at.hidden, quotient=True), qkv_bias=bias, o_bias=bias)
    first, interval = fields.number("moe_layer_start_index"), fields.size("moe_layer_interval")
    end = fields.get("moe_layer_end_index")
    last = at.layers - 1 if end == -1 else fields.number("moe_layer_end_index")
    sparse = sum((layer + 1) % interval == 0 and first <= layer <= last for layer in range(at.layers))
    of = experts(fields, "moe_num_experts", "moe_intermediate_size", "moe_k")
    if bias and sparse:
        raise Refused("`use_bias` is on, and what it does to the experts is not known here", "use_bias")
    routed(fields, at.hidden, sparse, of)
    fields.vector("router", "e_score_correction_bias", of.count, sparse)
    shared(fields, at.hidden, sparse, of.width * fields.number("moe_num_shared_experts"))
    mlp(fields, at.hidden, fields.size("intermediate_size"), at.layers - sparse, bias=bias)


def read_phimoe(fields: Reading) -> None:
    """Layer norms with a bias; the output embedding may have one too."""
    at = stack(fields)
    embeddings(fields, at.hidden, head_bias=fields.flag("lm_head_bias"))
    norms(fields, at, 2, vectors=2)
    bias, shape = fields.flag("attention_bias"), heads(fields, at.hidden, quotient=True)
    attention(fields, at.hidden, at.layers, shape, qkv_bias=bias, o_bias=bias)
    routed(fields, at.hidden, at.layers, experts(fields, "num_local_experts", "intermediate_size"))


def read_llama4(fields: Reading) -> None:
    """One shared expert as wide as a routed one; layers without experts have an MLP of ``intermediate_size_mlp``.

    Its query and key norms have no weights.
    """
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    fields.get("use_qk_norm")
    bias, shape = fields.flag("attention_bias"), heads(fields, at.hidden, quotient=False)
    attention(fields, at.hidden, at.layers, shape, qkv_bias=bias, o_bias=bias)
    sparse, of = _llama4_sparse(fields, at.layers), experts(fields, "num_local_experts", "intermediate_size")
    routed(fields, at.hidden, sparse, of)
    shared(fields, at.hidden, sparse, of.width)
    mlp(fields, at.hidden, fields.size("intermediate_size_mlp"), at.layers - sparse)


def _llama4_sparse(fields: Reading, layers: int) -> int:
    stated = fields.get("moe_layers")
    if stated is None:
        step = fields.size("interleave_moe_layer_step")
        return len(range(step - 1, layers, step))
    fields.get("interleave_moe_layer_step")
    numbers = fields.numbers("moe_layers")
    if len(set(numbers)) != len(numbers) or (numbers and max(numbers) >= layers):
        raise Refused(f"`moe_layers` does not name distinct layers below {layers}", "moe_layers")
    return len(numbers)


def read_laguna(fields: Reading) -> None:
    """Query heads of its own in each layer, and an output gate per head or per scalar."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    bias, gating = fields.flag("attention_bias"), fields.get("gating")
    if gating not in (True, "per-head", "per-element"):
        refuse_value("gating", gating, "true, per-head or per-element")
    base = heads(fields, at.hidden, quotient=False)
    for query in _heads_per_layer(fields, at.layers, base.query):
        shape = Heads(query, base.kv, base.width)
        attention(fields, at.hidden, 1, shape, qkv_bias=bias, o_bias=bias, qk_norm="head")
        gate = query * (base.width if gating == "per-element" else 1)
        fields.matrix("attention", "g_proj", gate, at.hidden, 1)
    sparse = fields.names("mlp_layer_types", at.layers, DENSE_OR_SPARSE).count("sparse")
    of = experts(fields, "num_experts", "moe_intermediate_size")
    routed(fields, at.hidden, sparse, of)
    fields.vector("router", "e_score_correction_bias", of.count, sparse)
    shared(fields, at.hidden, sparse, fields.size("shared_expert_intermediate_size"))
    mlp(fields, at.hidden, fields.size("intermediate_size"), at.layers - sparse)


def _heads_per_layer(fields: Reading, layers: int, base: int) -> list[int]:
    if fields.get("num_attention_heads_per_layer") is None:
        return [base] * layers
    found = fields.numbers("num_attention_heads_per_layer")
    if len(found) != layers or not all(found):
        refuse_value("num_attention_heads_per_layer", found, f"a list of {layers} head counts")
    return found
