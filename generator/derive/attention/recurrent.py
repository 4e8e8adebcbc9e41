"""State that recurrent layers hold instead of entries, in scalars per layer.

A convolution keeps the k - 1 latest inputs of a kernel of k, as engines do; transformers keeps k. The number format of
a state is the engine's choice. Sources: vllm 0.33.0 ``model_executor/layers/mamba/mamba_utils.py:133-296``.

The closed form: docs/kv-geometry.md#state
"""

from __future__ import annotations

from generator.derive.attention.geometry import StateSlot
from generator.derive.config.fields import Fields, Refused

GDN = (
    "linear_num_key_heads",
    "linear_key_head_dim",
    "linear_num_value_heads",
    "linear_value_head_dim",
    "linear_conv_kernel_dim",
)
# The same five sizes under the names of Nemotron-H, of Falcon-H1, Granite and Bamba, and of Zamba2.
MAMBA2_HEADS = ("mamba_num_heads", "mamba_n_heads", "n_mamba_heads")
MAMBA2_WIDTH = ("mamba_head_dim", "mamba_d_head", "mamba_headdim")
MAMBA2_GROUPS = ("n_groups", "mamba_n_groups", "mamba_ngroups")
MAMBA2_STATE = ("ssm_state_size", "mamba_d_state")
MAMBA_KERNEL = ("conv_kernel", "mamba_d_conv")
MAMBA2 = (*MAMBA2_HEADS, *MAMBA2_WIDTH, *MAMBA2_GROUPS, *MAMBA2_STATE, *MAMBA_KERNEL)
# Weights, kernels and number formats of mamba layers; nothing here has a part in the size of a state.
WITHOUT_EFFECT = (
    "chunk_size",
    "expand",
    "mamba_chunk_size",
    "mamba_conv_bias",
    "mamba_dt_rank",
    "mamba_expand",
    "mamba_hidden_act",
    "mamba_proj_bias",
    "mamba_norm_before_gate",
    "mamba_rms_norm",
    "mamba_ssm_cache_dtype",
    "mamba_ssm_dtype",
    "ssm_multipliers",
    "ssm_in_multiplier",
    "ssm_out_multiplier",
    "time_step_floor",
    "time_step_limit",
    "time_step_max",
    "time_step_min",
    "time_step_rank",
    "use_conv_bias",
    "use_mamba_kernels",
)


def read_over(fields: Fields, *keys: str) -> None:
    """Count keys as read that play no part in the result."""
    for key in keys:
        fields.get(key)


def conv(slot: str, layers: int, channels: int, kernel: int) -> StateSlot:
    """The inputs that a convolution over so many channels keeps."""
    return StateSlot(slot, layers, channels * (kernel - 1))


def gdn(fields: Fields, layers: int) -> tuple[StateSlot, ...]:
    """Gated delta rule: one matrix per value head."""
    key_heads, k, value_heads, v, kernel = (fields.size(key) for key in GDN)
    channels = 2 * key_heads * k + value_heads * v
    return conv("gdn_conv", layers, channels, kernel), StateSlot("gdn_ssm", layers, value_heads * v * k)


def kda(heads: int, width: int, kernel: int, layers: int) -> tuple[StateSlot, ...]:
    """Kimi delta attention: a square matrix per head, and a convolution each for query, key and value."""
    return (
        conv("kda_conv", layers, 3 * heads * width, kernel),
        StateSlot("kda_recurrent", layers, heads * width * width),
    )


def lightning(heads: int, width: int, layers: int) -> tuple[StateSlot, ...]:
    """Lightning attention: a square matrix per head, no convolution."""
    return (StateSlot("lightning_recurrent", layers, heads * width * width),)


def mamba2(fields: Fields, layers: int) -> tuple[StateSlot, ...]:
    """Mamba 2 in a hybrid, under any of the three sets of names."""
    heads, state = fields.first_of(*MAMBA2_HEADS), fields.first_of(*MAMBA2_STATE)
    width, groups = _width(fields, heads), fields.first_of(*MAMBA2_GROUPS)
    read_over(fields, *WITHOUT_EFFECT)
    return mamba2_state(heads, width, groups, state, fields.first_of(*MAMBA_KERNEL), layers)


def mamba2_state(heads: int, width: int, groups: int, state: int, kernel: int, layers: int) -> tuple[StateSlot, ...]:
    """Mamba 2: the convolution runs over the heads and both state projections of each group."""
    return (
        conv("mamba2_conv", layers, heads * width + 2 * groups * state, kernel),
        StateSlot("mamba2_ssm", layers, heads * width * state),
    )


def mamba1_state(inner: int, state: int, kernel: int, layers: int) -> tuple[StateSlot, ...]:
    """Mamba 1, whose inner width is given whole."""
    return conv("mamba1_conv", layers, inner, kernel), StateSlot("mamba1_ssm", layers, inner * state)


def _width(fields: Fields, heads: int) -> int:
    """Width of a mamba head; ``auto`` means the inner width over the heads (configuration_falcon_h1.py:108)."""
    inner = fields.optional_size("mamba_d_ssm")
    if fields.get("mamba_d_head") == "auto":
        whole = inner or fields.size("mamba_expand") * fields.size("hidden_size")
        if whole % heads:
            raise Refused(f"`mamba_d_head` is auto, and {heads} heads do not divide {whole}", "mamba_d_head")
        return whole // heads
    width = fields.first_of(*MAMBA2_WIDTH)
    if inner is not None and inner != heads * width:
        raise Refused(f"`mamba_d_ssm` is {inner}, but {heads} heads of {width} are not", "mamba_d_ssm")
    return width
