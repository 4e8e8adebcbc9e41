"""State-space decoders: Mamba-1 and Mamba-2 alone, and Mamba-2 with attention, MLPs and experts.

Sources as in ``recurrent``; Hub spellings as transformers 5.24.0 ``models/*/configuration_*.py`` read them.
"""

from __future__ import annotations

import math

from generator.derive.config.fields import MOST_LAYERS, Refused, refuse_value
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
from generator.derive.parameters.hybrids import attending
from generator.derive.parameters.reading import Reading
from generator.derive.parameters.recurrent import Mamba2, mamba1, mamba2

LETTERS = "M-*E"
NEMOTRON_EXPERTS = (
    "n_routed_experts",
    "n_shared_experts",
    "moe_intermediate_size",
    "moe_shared_expert_intermediate_size",
    "moe_latent_size",
)
LETTER_OF = {"mamba": "M", "linear_attention": "M", "mlp": "-", "attention": "*", "full_attention": "*", "moe": "E"}


def read_nemotron_h(fields: Reading) -> None:
    """One mixer per layer: Mamba-2, attention, an MLP of two matrices, or experts of two, maybe in a latent space."""
    hidden = fields.size("hidden_size")
    pattern = _pattern(fields)
    counts = {letter: pattern.count(letter) for letter in LETTERS}
    embeddings(fields, hidden)
    norms(fields, Stack(hidden, len(pattern)), 1)
    if fields.flag("attention_bias"):
        raise Refused("`attention_bias` is on, which the class ignores", "attention_bias")
    attention(fields, hidden, counts["*"], heads(fields, hidden, quotient=False, width="attention_head_dim"))
    of = Mamba2(
        fields.size("mamba_num_heads"),
        fields.size("mamba_head_dim"),
        fields.size("n_groups"),
        fields.size("ssm_state_size"),
        fields.size("conv_kernel"),
    )
    for key in ("mamba_proj_bias", "expand"):
        fields.get(key)
    mamba2(fields, hidden, counts["M"], of, conv_bias=fields.switch("use_conv_bias"), bias=fields.flag("use_bias"))
    bias = fields.flag("mlp_bias")
    if counts["-"]:
        mlp(fields, hidden, fields.size("intermediate_size"), counts["-"], gated=False, bias=bias)
    if counts["E"]:
        _nemotron_experts(fields, hidden, counts["E"], bias)
    for key in ("intermediate_size", *NEMOTRON_EXPERTS):
        fields.get(key)  # stated by models that have no such layer, too


def _pattern(fields: Reading) -> str:
    """The layers as letters, from ``layers_block_type`` or ``hybrid_override_pattern``."""
    names = fields.get("layers_block_type")
    key, pattern = "hybrid_override_pattern", fields.get("hybrid_override_pattern")
    if names is not None:
        whole = isinstance(names, list) and all(isinstance(name, str) for name in names)
        key, pattern = "layers_block_type", "".join(LETTER_OF.get(name, "?") for name in names) if whole else None
    if not isinstance(pattern, str) or not pattern or set(pattern) - set(LETTERS) or len(pattern) > MOST_LAYERS:
        refuse_value(key, fields.get(key), "a list of known layers, or a text of M, -, * and E")
    stated = fields.optional_size("num_hidden_layers")
    if stated is not None and stated != len(pattern):
        raise Refused(f"`{key}` has {len(pattern)} layers, `num_hidden_layers` says {stated}", key)
    return pattern


def _nemotron_experts(fields: Reading, hidden: int, layers: int, bias: bool) -> None:
    if bias:
        raise Refused("`mlp_bias` is on, and what it does to the experts is not known here", "mlp_bias")
    of, latent = experts(fields, "n_routed_experts", "moe_intermediate_size"), fields.optional_size("moe_latent_size")
    routed(fields, hidden, layers, of, gated=False, inner=latent or 0)
    shared(fields, hidden, layers, fields.size("moe_shared_expert_intermediate_size"), gated=False)
    if latent:
        fields.matrix("experts_routed", "fc1_latent_proj", latent, hidden, layers)
        fields.matrix("experts_routed", "fc2_latent_proj", hidden, latent, layers)


def _mamba2(fields: Reading, hidden: int, width: int) -> Mamba2:
    """Mamba-2 under the names of Bamba, Granite and Falcon-H1; ``width`` is what all heads fill."""
    count, head = fields.size("mamba_n_heads"), fields.get("mamba_d_head")
    if head == "auto" and width % count == 0:
        head = width // count
    if not isinstance(head, int) or isinstance(head, bool) or head * count != width:
        raise Refused(f"`mamba_n_heads` x `mamba_d_head` is not {width}", "mamba_d_head", "mamba_n_heads")
    groups, state = fields.size("mamba_n_groups"), fields.size("mamba_d_state")
    return Mamba2(count, head, groups, state, fields.size("mamba_d_conv"))


def read_granite_hybrid(fields: Reading) -> None:
    """Mamba-2 or attention, a shared MLP in every layer, experts where there are any."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    full = attending(fields, at.layers)
    bias, shape = fields.flag("attention_bias"), heads(fields, at.hidden, quotient=True)
    attention(fields, at.hidden, full, shape, qkv_bias=bias, o_bias=bias)
    of = _mamba2(fields, at.hidden, fields.size("mamba_expand") * at.hidden)
    conv, proj = fields.switch("mamba_conv_bias"), fields.flag("mamba_proj_bias")
    mamba2(fields, at.hidden, at.layers - full, of, conv_bias=conv, bias=proj)
    shared(fields, at.hidden, at.layers, fields.size("shared_intermediate_size"))
    if fields.number("num_local_experts"):
        routed(fields, at.hidden, at.layers, experts(fields, "num_local_experts", "intermediate_size"))
    fields.get("intermediate_size")


def read_falcon_h1(fields: Reading) -> None:
    """Mamba-2 and attention side by side in every layer."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    bias, shape = fields.flag("attention_bias"), heads(fields, at.hidden, quotient=True)
    attention(fields, at.hidden, at.layers, shape, qkv_bias=bias, o_bias=bias)
    width = fields.optional_size("mamba_d_ssm") or fields.size("mamba_expand") * at.hidden
    fields.get("mamba_expand")
    of, conv = _mamba2(fields, at.hidden, width), fields.switch("mamba_conv_bias")
    proj, out, norm = fields.flag("mamba_proj_bias"), fields.flag("projectors_bias"), fields.switch("mamba_rms_norm")
    mamba2(fields, at.hidden, at.layers, of, conv_bias=conv, bias=proj, out_bias=out, norm=norm)
    mlp(fields, at.hidden, fields.size("intermediate_size"), at.layers, bias=fields.flag("mlp_bias"))


def read_mamba(fields: Reading) -> None:
    """Mamba-1 alone: no attention, no MLP, one norm per layer. Falcon-Mamba's inner norms have no weights."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 1)
    rank = fields.get("time_step_rank")
    mamba1(
        fields,
        at.hidden,
        at.layers,
        inner=fields.size("intermediate_size"),
        state=fields.size("state_size"),
        kernel=fields.size("conv_kernel"),
        rank=math.ceil(at.hidden / 16) if rank == "auto" else fields.size("time_step_rank"),
        conv_bias=fields.switch("use_conv_bias"),
        bias=fields.flag("use_bias"),
    )


def read_mamba2(fields: Reading) -> None:
    """Mamba-2 alone."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 1)
    of = Mamba2(
        fields.size("num_heads"),
        fields.size("head_dim"),
        fields.size("n_groups"),
        fields.size("state_size"),
        fields.size("conv_kernel"),
    )
    if of.inner != fields.size("expand") * at.hidden:
        raise Refused("`num_heads` x `head_dim` is not `expand` x `hidden_size`", "num_heads", "expand")
    mamba2(fields, at.hidden, at.layers, of, conv_bias=fields.switch("use_conv_bias"), bias=fields.flag("use_bias"))
