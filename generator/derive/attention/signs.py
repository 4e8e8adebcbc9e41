"""Which family a config belongs to, by the keys that its mechanism cannot do without; total: any object is answered.

The tests are in order of how much they change: what decides what a layer keeps comes before what decides how many
layers keep it. A config that has the signs of two mechanisms goes to the first, whose family then refuses the keys
of the second, because it does not read them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from generator.derive.attention import (
    block_sparse,
    encoder_decoder,
    encoders,
    linear,
    mamba,
    mamba_ssm,
    mla,
    plain,
    recurrent,
    sliding,
    windows,
)

Config = Mapping[str, Any]


def family_name(config: Config) -> str:
    """The name of the one family whose signs the config has; plain attention where it has none."""
    return next((name for sign in SIGNS if (name := sign(config)) is not None), None) or plain.kind(config)


def has(config: Config, *keys: str) -> bool:
    """Whether one of the keys has a value."""
    return any(config.get(key) is not None for key in keys)


def lists(config: Config, key: str, *names: object) -> bool:
    """Whether a list under this key holds one of these entries; a bool is not a number here."""
    values = config.get(key)
    return isinstance(values, list) and any(type(v) is type(n) and v == n for v in values for n in names)


def _type(config: Config) -> str:
    model_type = config.get("model_type")
    return model_type if isinstance(model_type, str) else ""


def _encoders(config: Config) -> str | None:
    if _type(config) in encoders.MODEL_TYPES:
        return "encoder_only"
    return "encoder_decoder" if encoder_decoder.is_encoder_decoder(config) else None


def _compressed(config: Config) -> str | None:
    if has(config, "kv_lora_rank") or not has(config, "compress_ratios"):
        return None
    return "csa2" if has(config, "kv_source_layer_ids") else "csa_hca"


def _linear(config: Config) -> str | None:
    if has(config, linear.KDA):
        return "kda_mla_hybrid"
    mixed = lists(config, "layer_types", "linear_attention")
    if lists(config, "attn_type_list", 0) or (mixed and _type(config) in linear.MINIMAX):
        return "lightning_hybrid"
    if has(config, *recurrent.GDN, "full_attention_interval"):
        return "gdn_hybrid"
    return "gdn_hybrid" if mixed and _type(config) not in mamba.KINDS else None


def _state_space(config: Config) -> str | None:
    if mamba_ssm.is_mamba_ssm(config):
        return mamba_ssm.family_of(config)
    if (pure := mamba.NO_ATTENTION.get(_type(config))) is not None:
        return pure
    if has(config, "hybrid_override_pattern", *recurrent.MAMBA2_HEADS, *recurrent.MAMBA2_WIDTH):
        return None if mamba.all_attention(config) else "mamba2_hybrid"
    return "mamba1_hybrid" if has(config, "mamba_d_state", "mamba_d_conv", *mamba.JAMBA) else None


def _latent(config: Config) -> str | None:
    if not has(config, "kv_lora_rank"):
        return None
    return "mla_dsa" if mla.has_indexer(config) else "mla"


def _fewer_entries(config: Config) -> str | None:
    if block_sparse.is_sparse(config):
        return "gqa_block_sparse"
    shared, pairs = config.get("num_kv_shared_layers"), config.get("use_cla")
    if shared not in (None, 0) or pairs not in (None, False) or (pairs is None and has(config, "cla_share_factor")):
        return "cross_layer_shared"
    return windows.family_of(config) if sliding.has_windows(config) else None


SIGNS: tuple[Callable[[Config], str | None], ...] = (
    _encoders,
    _compressed,
    _linear,
    _state_space,
    _latent,
    _fewer_entries,
)
