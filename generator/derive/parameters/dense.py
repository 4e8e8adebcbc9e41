"""Dense decoders with attention per head (transformers 5.24.0, one class each).

Most classes differ in a few switches only, so they are one table of ``Dense`` and one reader; the older ones, with
fused projections and layer norms, have readers of their own in ``elders``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from generator.derive.parameters.blocks import attention, embeddings, heads, mlp, norms, stack
from generator.derive.parameters.reading import Reading


@dataclass(frozen=True)
class Dense:
    """What distinguishes one class of dense decoders from another.

    A bias is True, False, or the config key that switches it. ``quotient``: hidden size over heads is used for a
    missing ``head_dim``; other classes have a width of their own as default, which is not a proof. ``bias_stated``: the
    class has a bias on by default, so silence proves nothing. ``output_gate``: a projection as wide as that of the
    queries gates what attention gives.
    """

    qkv_bias: bool | str = False
    o_bias: bool | str = False
    mlp_bias: bool | str = False
    qk_norm: str | None = None
    norms: int = 2
    quotient: bool = True
    bias_stated: bool = False
    output_gate: bool = False


LLAMA = Dense(qkv_bias="attention_bias", o_bias="attention_bias", mlp_bias="mlp_bias")
MISTRAL = Dense()
MINISTRAL3 = Dense(quotient=False)
QWEN2 = Dense(qkv_bias=True)
QWEN3 = Dense(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="head", quotient=False)
SEED_OSS = Dense(
    qkv_bias="attention_bias", o_bias="attention_out_bias", mlp_bias="mlp_bias", quotient=False, bias_stated=True
)
OLMO2 = Dense(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="all")
GEMMA = Dense(qkv_bias="attention_bias", o_bias="attention_bias", quotient=False)
GEMMA2 = Dense(qkv_bias="attention_bias", o_bias="attention_bias", norms=4, quotient=False)
GEMMA3 = Dense(qkv_bias="attention_bias", o_bias="attention_bias", norms=4, qk_norm="head", quotient=False)
# Its query and key norms have no weights (transformers MuseGlimmerTextAttention: with_scale=False).
MUSE_GLIMMER = Dense(qkv_bias="attention_bias", o_bias="attention_bias", norms=4, quotient=False, output_gate=True)


def reader(of: Dense) -> Callable[[Reading], None]:
    """The reader of a class that the table describes."""
    return lambda fields: _read(fields, of)


def _read(fields: Reading, of: Dense) -> None:
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, of.norms)
    qkv, o, inner = (_bias(fields, of, which) for which in (of.qkv_bias, of.o_bias, of.mlp_bias))
    shape = heads(fields, at.hidden, quotient=of.quotient)
    attention(fields, at.hidden, at.layers, shape, qkv_bias=qkv, o_bias=o, qk_norm=of.qk_norm)
    if of.output_gate:
        fields.matrix("attention", "gate_proj", shape.query * shape.width, at.hidden, at.layers)
    mlp(fields, at.hidden, fields.size("intermediate_size"), at.layers, bias=inner)


def _bias(fields: Reading, of: Dense, which: bool | str) -> bool:
    """A bias that the class fixes, or that a config key switches."""
    if isinstance(which, bool):
        return which
    return fields.switch(which) if of.bias_stated else fields.flag(which)


def read_cohere(fields: Reading) -> None:
    """One norm for attention and MLP side by side; query and key norms, if any, are as wide as all heads."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 1)
    bias = fields.flag("attention_bias")
    qk_norm = "all" if fields.flag("use_qk_norm") else None
    shape = heads(fields, at.hidden, quotient=True)
    attention(fields, at.hidden, at.layers, shape, qkv_bias=bias, o_bias=bias, qk_norm=qk_norm)
    mlp(fields, at.hidden, fields.size("intermediate_size"), at.layers)


def read_starcoder2(fields: Reading) -> None:
    """MLP of two matrices, layer norms with a bias; ``use_bias`` rules all projections."""
    at, bias = stack(fields), fields.switch("use_bias")
    embeddings(fields, at.hidden)
    norms(fields, at, 2, vectors=2)
    attention(fields, at.hidden, at.layers, heads(fields, at.hidden, quotient=True), qkv_bias=bias, o_bias=bias)
    mlp(fields, at.hidden, fields.size("intermediate_size"), at.layers, gated=False, bias=bias)
