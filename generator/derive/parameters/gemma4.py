"""Gemma 4: two widths of attention, layers without keys of their own, per-layer embeddings, experts next to the MLP.

Source: transformers 5.24.0 ``models/gemma4/modeling_gemma4.py`` and ``configuration_gemma4.py``.
"""

from __future__ import annotations

from generator.derive.config.fields import Refused
from generator.derive.parameters.blocks import Heads, Stack, embeddings, experts, heads, mlp, norms, routed, stack
from generator.derive.parameters.reading import Reading

TYPES = frozenset({"sliding_attention", "full_attention"})


def read_gemma4(fields: Reading) -> None:
    """The language model of any Gemma 4."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 4)
    types = fields.names("layer_types", at.layers, TYPES)
    if types[-1] != "full_attention":
        raise Refused("`layer_types` ends with a sliding layer, which the class turns into a full one", "layer_types")
    shared = fields.number("num_kv_shared_layers")
    if shared >= at.layers:
        raise Refused("`num_kv_shared_layers` leaves no layer with keys of its own", "num_kv_shared_layers")
    _attention(fields, at, types, shared)
    wide = shared if fields.flag("use_double_wide_mlp") else 0
    width = fields.size("intermediate_size")
    mlp(fields, at.hidden, width, at.layers - wide)
    mlp(fields, at.hidden, 2 * width, wide)
    if fields.flag("enable_moe_block"):
        _experts(fields, at)
    for key in ("num_experts", "moe_intermediate_size"):
        fields.get(key)  # stated by dense siblings, too
    _per_layer(fields, at)


def _attention(fields: Reading, at: Stack, types: list[str], shared: int) -> None:
    """Full layers have their own width, maybe fewer KV heads, and values that are the keys; the last layers share."""
    sliding, bias = heads(fields, at.hidden, quotient=False), fields.flag("attention_bias")
    same = fields.flag("attention_k_eq_v")
    kv = fields.optional_size("num_global_key_value_heads") if same else None
    full = Heads(sliding.query, kv or sliding.kv, fields.size("global_head_dim"))
    if not same:
        fields.get("num_global_key_value_heads")
    for kind, shape in (("sliding_attention", sliding), ("full_attention", full)):
        layers, owners = types.count(kind), types[: at.layers - shared].count(kind)
        fields.matrix("attention", "q_proj", shape.query * shape.width, at.hidden, layers, bias=bias)
        fields.matrix("attention", "o_proj", at.hidden, shape.query * shape.width, layers, bias=bias)
        fields.matrix("attention", "k_proj", shape.kv * shape.width, at.hidden, owners, bias=bias)
        values = 0 if same and kind == "full_attention" else owners
        fields.matrix("attention", "v_proj", shape.kv * shape.width, at.hidden, values, bias=bias)
        fields.vector("norms", "q_norm", shape.width, layers)
        fields.vector("norms", "k_norm", shape.width, owners)


def _experts(fields: Reading, at: Stack) -> None:
    of = experts(fields, "num_experts", "moe_intermediate_size", "top_k_experts")
    routed(fields, at.hidden, at.layers, of)
    fields.vector("router", "scale", at.hidden, at.layers)
    fields.vector("router", "per_expert_scale", of.count, at.layers)
    norms(fields, at, 3, final=False)


def _per_layer(fields: Reading, at: Stack) -> None:
    """A second embedding that gives every layer a row of its own (Gemma 3n's and 4's small models)."""
    if not fields.number("hidden_size_per_layer_input", at.hidden):
        fields.get("vocab_size_per_layer_input")
        return
    width = fields.size("hidden_size_per_layer_input")
    rows, where = fields.size("vocab_size_per_layer_input"), "embedding_per_layer"
    fields.matrix(where, "embed_tokens_per_layer", rows, at.layers * width, 1, linear=False)
    fields.matrix("mlp_dense", "per_layer_model_projection", at.layers * width, at.hidden, 1)
    fields.matrix("mlp_dense", "per_layer_input_gate", width, at.hidden, at.layers)
    fields.matrix("mlp_dense", "per_layer_projection", at.hidden, width, at.layers)
    fields.vector("norms", "per_layer_projection_norm", width, 1)
    norms(fields, at, 1, final=False)
