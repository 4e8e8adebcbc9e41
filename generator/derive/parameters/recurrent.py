"""Recurrent layers: Mamba-1, Mamba-2, gated delta net, Kimi delta attention, lightning attention.

Sources: transformers 5.24.0 ``models/{jamba,mamba,falcon_mamba,nemotron_h,granitemoehybrid,falcon_h1,mamba2}``,
``models/qwen3_next`` (one fused input projection; ``qwen3_5`` has the same rows in four), ``models/kimi_linear``,
``models/minimax`` modeling files. Convolutions are depthwise: one row of ``kernel`` weights per channel.
"""

from __future__ import annotations

from dataclasses import dataclass

from generator.derive.config.fields import Refused
from generator.derive.parameters.reading import Reading

WHERE = "recurrent"


def mamba1(
    fields: Reading,
    hidden: int,
    layers: int,
    inner: int,
    state: int,
    kernel: int,
    rank: int,
    *,
    conv_bias: bool,
    bias: bool,
    inner_norms: bool = False,
) -> None:
    """Selective state space with its own step projection; Jamba norms step, B and C."""
    fields.matrix(WHERE, "in_proj", 2 * inner, hidden, layers, bias=bias)
    fields.matrix(WHERE, "conv1d", inner, kernel, layers, bias=conv_bias, linear=False)
    fields.matrix(WHERE, "x_proj", rank + 2 * state, inner, layers)
    fields.matrix(WHERE, "dt_proj", inner, rank, layers, bias=True)
    fields.matrix(WHERE, "A_log", inner, state, layers, linear=False)
    fields.vector(WHERE, "D", inner, layers)
    fields.matrix(WHERE, "out_proj", hidden, inner, layers, bias=bias)
    if inner_norms:
        fields.vector("norms", "dt, b and c norms", rank + 2 * state, layers)


@dataclass(frozen=True)
class Mamba2:
    """Heads of one width, groups that share B and C, state and convolution width."""

    heads: int
    width: int
    groups: int
    state: int
    kernel: int

    @property
    def inner(self) -> int:
        """Width of all heads."""
        return self.heads * self.width


def mamba2(
    fields: Reading,
    hidden: int,
    layers: int,
    of: Mamba2,
    *,
    conv_bias: bool,
    bias: bool,
    out_bias: bool | None = None,
    norm: bool = True,
) -> None:
    """One input projection for gate, values, B, C and step; per-head A, D and step bias; a gated norm."""
    channels = of.inner + 2 * of.groups * of.state
    fields.matrix(WHERE, "in_proj", of.inner + channels + of.heads, hidden, layers, bias=bias)
    fields.matrix(WHERE, "conv1d", channels, of.kernel, layers, bias=conv_bias, linear=False)
    fields.vector(WHERE, "dt_bias, A_log, D", 3 * of.heads, layers)
    if norm:
        fields.vector("norms", "gated norm", of.inner, layers)
    fields.matrix(WHERE, "out_proj", hidden, of.inner, layers, bias=bias if out_bias is None else out_bias)


def gated_delta(fields: Reading, hidden: int, layers: int) -> None:
    """Gated delta net: queries and keys of key heads, values and gate of value heads, two scalars per value head."""
    keys = fields.size("linear_num_key_heads") * fields.size("linear_key_head_dim")
    count, width = fields.size("linear_num_value_heads"), fields.size("linear_value_head_dim")
    channels = 2 * keys + count * width
    fields.matrix(WHERE, "in_proj_qkvz", channels + count * width, hidden, layers)
    fields.matrix(WHERE, "in_proj_ba", 2 * count, hidden, layers)
    fields.matrix(WHERE, "conv1d", channels, fields.size("linear_conv_kernel_dim"), layers, linear=False)
    fields.vector(WHERE, "dt_bias, A_log", 2 * count, layers)
    fields.vector("norms", "gated norm", width, layers)
    fields.matrix(WHERE, "out_proj", hidden, count * width, layers)


def kimi_delta(fields: Reading, hidden: int, layers: int) -> None:
    """Kimi delta attention: as many channels for queries, keys and values, two gates.

    Gates are of low rank, one head's width; Kimi K3's output gate is whole (``use_full_rank_gate``).
    """
    count, width = (_inside(fields, f"linear_attn_config.{key}") for key in ("num_heads", "head_dim"))
    channels = count * width
    for name in ("q_proj", "k_proj", "v_proj"):
        fields.matrix(WHERE, name, channels, hidden, layers)
    kernel = _inside(fields, "linear_attn_config.short_conv_kernel_size")
    fields.matrix(WHERE, "conv1d", 3 * channels, kernel, layers, linear=False)
    whole = fields.flag("linear_attn_config.use_full_rank_gate")
    if whole:
        fields.matrix(WHERE, "g_proj", channels, hidden, layers)
    for gate in ("f",) if whole else ("f", "g"):
        fields.matrix(WHERE, f"{gate}_a_proj", width, hidden, layers)
        fields.matrix(WHERE, f"{gate}_b_proj", channels, width, layers)
    fields.vector(WHERE, "dt_bias, A_log", channels + count, layers)
    fields.matrix(WHERE, "b_proj", count, hidden, layers)
    fields.vector("norms", "gated norm", width, layers)
    fields.matrix(WHERE, "o_proj", hidden, channels, layers)


def lightning(fields: Reading, hidden: int, layers: int, heads: int, width: int) -> None:
    """Lightning attention: as many KV heads as query heads, an output gate, a norm over all heads."""
    inner = heads * width
    fields.matrix(WHERE, "qkv_proj", 3 * inner, hidden, layers)
    fields.matrix(WHERE, "output_gate", inner, hidden, layers)
    fields.matrix(WHERE, "out_proj", hidden, inner, layers)
    fields.vector("norms", "norm", inner, layers)


def _inside(fields: Reading, key: str) -> int:
    value = fields.optional_size(key)
    if value is None:
        raise Refused(f"`{key}` is missing; it is not guessed from library defaults", key)
    return value
