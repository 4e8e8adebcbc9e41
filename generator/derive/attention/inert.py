"""Config keys that could shape the cache, in configs where they provably do not.

Each rule says why, and the reason goes into the geometry's notes where it is worth telling.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.derive.attention import sliding
from generator.derive.attention.mamba import all_attention
from generator.derive.attention.recurrent import MAMBA2, WITHOUT_EFFECT
from generator.derive.attention.sliding import window_is_idle


def only_what_is_off(config: Mapping[str, Any]) -> dict[str, str]:
    """Nothing but what is switched off: the rule of a family that has no further ones."""
    return {}


def for_full_attention(config: Mapping[str, Any]) -> dict[str, str]:
    """Keys that have no effect on a model whose every layer attends to everything; key -> why."""
    found: dict[str, str] = {}
    for rule in (_no_window, _all_full, _all_softmax, _no_mamba, _head_dim_again):
        found |= rule(config)
    return found


def for_windows(config: Mapping[str, Any]) -> dict[str, str]:
    """Keys that have no effect on a model whose layers keep windows; key -> why."""
    return _head_dim_again(config)


def _is(value: object, wanted: object) -> bool:
    alike = type(value) is type(wanted) or (isinstance(value, Mapping) and isinstance(wanted, Mapping))
    return alike and value == wanted


def _no_window(config: Mapping[str, Any]) -> dict[str, str]:
    """A window that is switched off, null in so many words, for no layer, or longer than any sequence."""
    why = window_is_idle(config)
    keys = ("max_window_layers", "sliding_window", "sliding_window_size", "full_attn_mod")
    switch = () if _is(config.get("use_sliding_window"), False) else ("use_sliding_window",)
    return dict.fromkeys((*switch, *keys), why) if why else {}


def _all_full(config: Mapping[str, Any]) -> dict[str, str]:
    """A layer list that calls every layer full decides, and the keys that a class would compute it from do not."""
    if not (_all_equal(config, "layer_types", "full_attention") or _all_equal(config, "layer_types", "attention")):
        return {}
    keys = (*sorted(sliding.READS - {"num_nextn_predict_layers", "max_position_embeddings"}), "rope_local_base_freq")
    return dict.fromkeys(keys, "layer_types calls every layer full_attention")


def _no_mamba(config: Mapping[str, Any]) -> dict[str, str]:
    """Granite 4 without mamba layers still states their widths (ibm-granite/granite-4.0-micro)."""
    if not all_attention(config):
        return {}
    widths = (*MAMBA2, *WITHOUT_EFFECT)
    return dict.fromkeys(widths, "no effect: layer_types has no mamba layer")


def _all_softmax(config: Mapping[str, Any]) -> dict[str, str]:
    """MiniMax marks softmax layers 1 and lightning layers 0 (vllm 0.33.0, models/minimax_text_01.py)."""
    whole = _all_equal(config, "attn_type_list", 1)
    return {"attn_type_list": "attn_type_list marks every layer as softmax attention"} if whole else {}


def _head_dim_again(config: Mapping[str, Any]) -> dict[str, str]:
    width = config.get("head_dim")
    again = width is not None and _is(config.get("attention_head_dim"), width)
    return {"attention_head_dim": "repeats head_dim"} if again else {}


def _all_equal(config: Mapping[str, Any], key: str, wanted: object) -> bool:
    """A list of one entry per layer, all alike; the layer count itself is checked by who reads it."""
    values, layers = config.get(key), config.get("num_hidden_layers")
    if not isinstance(values, list) or not values or (layers is not None and len(values) != layers):
        return False
    return all(_is(value, wanted) for value in values)
