"""Configs of the mamba_ssm library: ``n_layer`` layers, of which ``attn_layer_idx`` attend.

The library keeps the widths of a mamba layer as defaults of its modules, so that ``ssm_cfg`` mostly names the kind
alone: what the cache grows by is known all the same, the size of the state is not. An attention layer with ``d_conv``
convolves queries, keys and values together, and keeps those inputs too. Source: github state-spaces/mamba,
``mamba_ssm/models/config_mamba.py``; ``mamba_ssm/modules/mha.py`` MHA and its allocate_inference_cache at 1f9da4d5.

The closed form: docs/kv-geometry.md#state
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.derive.attention import recurrent
from generator.derive.attention.blocks import FULL, MAMBA, assembled, per_head
from generator.derive.attention.geometry import Entries, Geometry, StateSlot
from generator.derive.config.fields import Fields, Refused, layer_count, refuse_value

CFG, ATTN, WHICH = "ssm_cfg", "attn_cfg", "attn_layer_idx"
SSM_PARTS = ("layer", "d_state", "d_conv", "expand", "headdim", "ngroups")
# Rotary positions, biases, the mask and a feed-forward part next to the attention: nothing of them is kept.
ATTN_WITHOUT_EFFECT = (
    *("causal", "out_proj_bias", "qkv_proj_bias", "softmax_scale", "mlp_dim"),
    *("rotary_emb_dim", "rotary_emb_base", "rotary_emb_interleaved"),
)
ATTN_PARTS = ("num_heads", "num_heads_kv", "head_dim", "d_conv", *ATTN_WITHOUT_EFFECT)
READS = frozenset(
    {CFG, ATTN, WHICH, "n_layer", "d_model"}
    | {f"{CFG}.{part}" for part in SSM_PARTS}
    | {f"{ATTN}.{part}" for part in ATTN_PARTS}
)


def is_mamba_ssm(config: Mapping[str, Any]) -> bool:
    """Whether the config is in the library's own names."""
    return any(config.get(key) is not None for key in (CFG, ATTN, WHICH))


def family_of(config: Mapping[str, Any]) -> str:
    """The family by what the layers are; ``mamba2`` where the config is too broken to tell."""
    fields = Fields(config)
    try:
        layers, attending = layer_count(fields, "n_layer"), _attending(fields)
        kind = _kind(fields)
        if len(attending) == layers:
            heads, shared = _heads(fields)
            return "mha" if heads == shared else "mqa" if shared == 1 else "gqa"
    except Refused:
        return "mamba2"
    return f"{kind}_hybrid" if attending else kind


def read_mamba_ssm(config: Mapping[str, Any]) -> Geometry:
    """Any of them; raises Refused naming what is missing or wrong."""
    fields = Fields(config)
    layers, attending = layer_count(fields, "n_layer"), _attending(fields)
    if attending and max(attending) >= layers:
        raise Refused(f"`{WHICH}` does not name layers below {layers}", WHICH)
    kinds = tuple(FULL if layer in attending else MAMBA for layer in range(layers))
    fields.optional_size("d_model")
    streams, states, notes = [], _states(fields, layers - len(attending)), []
    if attending:
        (heads, shared), width = _heads(fields), _width(fields)
        streams = [per_head(FULL, len(attending), Entries("full"), shared, width, width)]
        states = (*states, *_convolution(fields, len(attending), width * (heads + 2 * shared)))
        recurrent.read_over(fields, *(f"{ATTN}.{part}" for part in ATTN_WITHOUT_EFFECT))
    else:
        fields.get(ATTN)
    if any(slot.layers and slot.scalars is None for slot in states):
        notes = ["the size of the state is not stated: `ssm_cfg` leaves widths to the library's defaults"]
    return assembled(family_of(config), kinds, streams, states, None, fields, notes)


def _attending(fields: Fields) -> frozenset[int]:
    ids = fields.numbers(WHICH)
    if len(set(ids)) != len(ids):
        raise Refused(f"`{WHICH}` names a layer twice", WHICH)
    return frozenset(ids)


def _kind(fields: Fields) -> str:
    """``ssm_cfg.layer``; the library's first version had Mamba 1 only, and means it where the key is absent."""
    if not isinstance(fields.get(CFG), Mapping):
        refuse_value(CFG, fields.get(CFG), "an object")
    layer = fields.get(f"{CFG}.layer")
    if layer not in (None, "Mamba1", "Mamba2"):
        refuse_value(f"{CFG}.layer", layer, "Mamba1 or Mamba2")
    return "mamba2" if layer == "Mamba2" else "mamba1"


def _heads(fields: Fields) -> tuple[int, int]:
    """Query and KV heads; MHA takes all heads where ``num_heads_kv`` is not passed to it."""
    heads = fields.size(f"{ATTN}.num_heads")
    shared = fields.optional_size(f"{ATTN}.num_heads_kv") or heads
    if heads % shared:
        raise Refused(f"`{ATTN}.num_heads_kv` does not divide {heads} heads", f"{ATTN}.num_heads_kv")
    return heads, shared


def _width(fields: Fields) -> int:
    """``head_dim``; where it is not passed, MHA shares ``d_model`` out among the heads."""
    stated, (heads, _) = fields.optional_size(f"{ATTN}.head_dim"), _heads(fields)
    if stated is None and fields.size("d_model") % heads:
        raise Refused(
            f"`d_model` is not a multiple of {heads} heads, and `{ATTN}.head_dim` is absent", f"{ATTN}.head_dim"
        )
    return stated or fields.size("d_model") // heads


def _convolution(fields: Fields, layers: int, channels: int) -> tuple[StateSlot, ...]:
    """What the convolution of attention layers keeps; MHA has none where ``d_conv`` is 0 or not passed to it."""
    kernel = fields.get(f"{ATTN}.d_conv")
    if kernel is None or (kernel == 0 and not isinstance(kernel, bool)):
        return ()
    return (recurrent.conv("attention_conv", layers, channels, fields.size(f"{ATTN}.d_conv")),)


def _states(fields: Fields, layers: int) -> tuple[StateSlot, ...]:
    kind, hidden = _kind(fields), fields.optional_size("d_model")
    state, kernel, expand, width, groups = (fields.optional_size(f"{CFG}.{part}") for part in SSM_PARTS[1:])
    inner = expand * hidden if expand and hidden else None
    if kind == "mamba1" and inner and state and kernel:
        return recurrent.mamba1_state(inner, state, kernel, layers)
    if kind == "mamba2" and inner and state and kernel and width and groups:
        if inner % width:
            raise Refused(f"`{CFG}.headdim` does not divide the inner width {inner}", f"{CFG}.headdim")
        return recurrent.mamba2_state(inner // width, width, groups, state, kernel, layers)
    return StateSlot(f"{kind}_conv", layers, None), StateSlot(f"{kind}_ssm", layers, None)
