"""Decoders of the first years: fused projections, MLPs of two matrices, layer norms with a bias.

Source: transformers 5.24.0 ``models/{gpt_neox,bloom,opt,falcon,mpt}/modeling_*.py``.
"""

from __future__ import annotations

from generator.derive.config.fields import Refused, layer_count
from generator.derive.parameters.blocks import Heads, Stack, attention, embeddings, mlp, norms, stack
from generator.derive.parameters.reading import Reading


def read_gpt_neox(fields: Reading) -> None:
    """All heads are KV heads; the MLP always has biases, attention where ``attention_bias`` says so."""
    at, bias = stack(fields), fields.switch("attention_bias")
    embeddings(fields, at.hidden)
    norms(fields, at, 2, vectors=2)
    attention(fields, at.hidden, at.layers, _equal(fields, at.hidden), qkv_bias=bias, o_bias=bias)
    mlp(fields, at.hidden, fields.size("intermediate_size"), at.layers, gated=False, bias=True)


def read_bloom(fields: Reading) -> None:
    """Biases everywhere, an MLP four times as wide as the model, and a norm behind the embedding."""
    at = _old_stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2, vectors=2)
    fields.vector("norms", "word_embeddings_layernorm", 2 * at.hidden, 1)
    query = fields.first_of("num_attention_heads", "n_head")
    attention(fields, at.hidden, at.layers, _split(at.hidden, query), qkv_bias=True, o_bias=True)
    mlp(fields, at.hidden, 4 * at.hidden, at.layers, gated=False, bias=True)


def read_opt(fields: Reading) -> None:
    """Learnt positions (two more than there are), biases where ``enable_bias`` says so."""
    at = stack(fields)
    if fields.size("word_embed_proj_dim") != at.hidden:
        raise Refused("`word_embed_proj_dim` differs from `hidden_size`: OPT-350m's projections are not counted here")
    embeddings(fields, at.hidden)
    fields.matrix("embedding_position", "embed_positions", fields.size("max_position_embeddings") + 2, at.hidden, 1)
    if not fields.switch("do_layer_norm_before") or fields.flag("_remove_final_layer_norm"):
        raise Refused("`do_layer_norm_before` false or `_remove_final_layer_norm` leaves norms out: not counted here")
    bias, affine = fields.switch("enable_bias"), fields.switch("layer_norm_elementwise_affine")
    norms(fields, at, 2, vectors=2 if affine else 0)
    attention(fields, at.hidden, at.layers, _equal(fields, at.hidden), qkv_bias=bias, o_bias=bias)
    mlp(fields, at.hidden, fields.size("ffn_dim"), at.layers, gated=False, bias=bias)


def read_falcon(fields: Reading) -> None:
    """``num_kv_heads`` holds in the new decoder only, which has two norms side by side."""
    at = _old_stack(fields)
    query = fields.first_of("num_attention_heads", "n_head")
    new, multi = fields.switch("new_decoder_architecture"), fields.switch("multi_query")
    stated = fields.optional_size("num_kv_heads")
    if new and stated is None:
        raise Refused("`num_kv_heads` is missing in the new decoder", "num_kv_heads")
    kv = stated if new and stated else 1 if multi else query
    parallel, count = fields.switch("parallel_attn"), fields.optional_size("num_ln_in_parallel_attn")
    side_by_side = parallel and (count or (2 if new else 1)) != 2
    bias = fields.switch("bias")
    embeddings(fields, at.hidden)
    norms(fields, at, 1 if side_by_side else 2, vectors=2)
    shape = _split(at.hidden, query)
    attention(fields, at.hidden, at.layers, Heads(query, kv, shape.width), qkv_bias=bias, o_bias=bias)
    mlp(fields, at.hidden, fields.optional_size("ffn_hidden_size") or 4 * at.hidden, at.layers, gated=False, bias=bias)


def read_mpt(fields: Reading) -> None:
    """MPT-7B and 30B: no biases at all; other settings of its many are refused."""
    at = Stack(fields.size("d_model"), layer_count(fields, "n_layers"))
    if not fields.switch("no_bias"):
        raise Refused("`no_bias` is false: MPT's biases are not counted here", "no_bias")
    if fields.get("attn_config.attn_type") not in (None, "multihead_attention"):
        raise Refused("`attn_config.attn_type` is not multihead_attention", "attn_config")
    if fields.get("attn_config.qk_ln") or not fields.get("attn_config.alibi"):
        raise Refused("`attn_config` asks for query norms or learnt positions: not counted here", "attn_config")
    if fields.size("expansion_ratio") != 4:
        raise Refused("`expansion_ratio` is not 4, which the class has built in", "expansion_ratio")
    embeddings(fields, at.hidden, tied=True)
    norms(fields, at, 2)
    attention(fields, at.hidden, at.layers, _split(at.hidden, fields.size("n_heads")))
    mlp(fields, at.hidden, 4 * at.hidden, at.layers, gated=False)


def _old_stack(fields: Reading) -> Stack:
    hidden = fields.first_of("hidden_size", "n_embed", "n_embd")
    return Stack(hidden, layer_count(fields, "num_hidden_layers", "n_layer"))


def _equal(fields: Reading, hidden: int) -> Heads:
    return _split(hidden, fields.size("num_attention_heads"))


def _split(hidden: int, query: int) -> Heads:
    if hidden % query:
        raise Refused(f"{query} heads do not divide the hidden size {hidden}", "num_attention_heads")
    return Heads(query, query, hidden // query)
