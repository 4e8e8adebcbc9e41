"""Which layers of a model slide or attend to chunks, from every spelling whose meaning is known.

Sources: transformers 5.24.0 ``models/*/configuration_*.py`` for the patterns, ``cache_utils.py:1959``
get_layer_types_and_kwargs for the window without a list. A pattern that only a class knows is not filled in.

The closed form: docs/kv-geometry.md#windows-and-chunks
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from generator.derive.attention.blocks import CHUNKED, FULL, SLIDING, agreed, flagged_layers, named_layers
from generator.derive.config.entries import check_entries, refuse_length
from generator.derive.config.fields import MOST, Fields, Refused, is_size, refuse_value

LAYER_NAMES = {
    "full_attention": FULL,
    "attention": FULL,
    "sliding_attention": SLIDING,
    "chunked_attention": CHUNKED,
}
WINDOW = ("sliding_window", "sliding_window_size")
# Every p-th layer attends to everything. Cohere2 has had three names for it.
PATTERNS = ("sliding_window_pattern", "_sliding_window_pattern", "layer_switch")
# The modelling code hands `sliding_window` to the attention of every layer, without a switch or a list: transformers
# 5.24.0 models/mistral/modeling_mistral.py:173,355, mixtral:322,444, phi3:247,386, phimoe:636, starcoder2:193,358.
# `phi4` is a copy of Phi-4-mini, whose class is Phi3ForCausalLM.
EVERY_LAYER = frozenset({"mistral", "mixtral", "phi3", "phi4", "phimoe", "starcoder2"})
# Layers from `max_window_layers` on slide, where the switch is on (configuration_qwen2.py:83-92 and its kin; Qwen2-MoE
# reads the same key otherwise and is left out).
UPPER_LAYERS = frozenset(
    {"qwen2", "qwen3", "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text", "qwen2_5_omni_text"}
)
READS = frozenset(
    {
        *WINDOW,
        *PATTERNS,
        "layer_types",
        "hybrid_layer_pattern",
        "order_of_interleaved_layers",
        "use_sliding_window",
        "max_window_layers",
        "attention_chunk_size",
        "no_rope_layers",
        "no_rope_layer_interval",
        "num_nextn_predict_layers",
        "max_position_embeddings",
    }
)
# What says how long a sequence may be.
LENGTHS = ("max_position_embeddings", "rope_scaling")
MOST_STRETCHED = 1_000_000
LONGEST_UNCHECKED = 32_768
SPEAKS = (*WINDOW, *PATTERNS, "hybrid_layer_pattern", "attention_chunk_size")


def window_is_idle(config: Mapping[str, Any]) -> str | None:
    """Why a stated window shapes nothing, or None where it may."""
    window, layers = config.get("sliding_window"), config.get("num_hidden_layers")
    if config.get("use_sliding_window") is False:
        return "no effect: use_sliding_window is false"
    if "sliding_window" in config and window is None:
        return "no effect: sliding_window is null"
    upper = config.get("max_window_layers")
    if config.get("use_sliding_window") is True and is_size(upper) and is_size(layers) and upper >= layers:
        return f"no effect: no layer has an index of max_window_layers ({upper}) or above"
    late, longest = late_window(config), _longest(config)
    if late is not None:
        return f"no effect up to {late} tokens, max_position_embeddings allows {longest}: beyond, layers keep no more"
    return None


def late_window(config: Mapping[str, Any]) -> int | None:
    """A window that no sequence of a stated length fills; None where there is no such window. Total."""
    window, longest = config.get("sliding_window"), _longest(config)
    if config.get("use_sliding_window") is False or config.get("layer_types") is not None:
        return None
    upper, layers = config.get("max_window_layers"), config.get("num_hidden_layers")
    if config.get("use_sliding_window") is True and is_size(upper) and is_size(layers) and upper >= layers:
        return None
    return window if is_size(window) and window <= MOST and longest is not None and window >= longest else None


def _longest(config: Mapping[str, Any]) -> int | None:
    """The longest sequence, stretched by rope scaling where that has a factor."""
    longest, scaling = config.get("max_position_embeddings"), config.get("rope_scaling")
    factor = scaling.get("factor") if isinstance(scaling, Mapping) else None
    if not is_size(longest):
        return None
    stretched = isinstance(factor, (int, float)) and 1 < factor < MOST_STRETCHED
    return ceil(longest * factor) if stretched and factor is not None else longest


def has_windows(config: Mapping[str, Any]) -> bool:
    """Whether some layer slides, or a key speaks of windows without telling which; total."""
    types = config.get("layer_types")
    if isinstance(types, list) and types:
        return any(name not in ("full_attention", "attention") for name in types)
    if config.get("attention_chunk_size") is None and window_is_idle(config):
        return False
    return any(config.get(key) is not None for key in SPEAKS)


def layer_kinds(fields: Fields, layers: int) -> tuple[str, ...]:
    """The kind of attention of each layer; raises Refused where the config does not say."""
    model_type = fields.model_type()
    chunked = fields.get("attention_chunk_size") is not None
    upper = fields.optional_size("max_window_layers") if fields.get("max_window_layers") != 0 else 0
    fields.get("use_sliding_window")
    kinds = agreed(
        {
            "layer_types": named_layers(fields, "layer_types", LAYER_NAMES, layers),
            "sliding_window_pattern": None if chunked else _every_nth(fields, layers),
            "hybrid_layer_pattern": flagged_layers(fields, "hybrid_layer_pattern", FULL, SLIDING, layers),
            "no_rope_layers": _without_rope(fields, layers) if chunked else None,
        }
    )
    if kinds is not None:
        return kinds
    if chunked:
        _unsaid("attention_chunk_size", "layer_types", "no_rope_layers", "no_rope_layer_interval")
    if model_type in EVERY_LAYER and fields.get("use_sliding_window") is None and upper is None:
        _check_closes(fields)
        return (SLIDING,) * layers
    if model_type in UPPER_LAYERS and fields.switch("use_sliding_window") and upper is not None:
        return tuple(SLIDING if layer >= upper else FULL for layer in range(layers))
    _unsaid("sliding_window", "layer_types", "sliding_window_pattern", "use_sliding_window")
    raise AssertionError


def _check_closes(fields: Fields) -> None:
    """A window longer than any sequence is none; where it could be (Phi-3.5, Phi-4), their length has to be known."""
    window, key = fields.any_of(*WINDOW) or 0, "max_position_embeddings"
    if fields.optional_size(key) is None and window > LONGEST_UNCHECKED:
        raise Refused(f"`{key}` is missing: a window of {window:,} may be longer than any sequence", key)


def _unsaid(what: str, *wanted: str) -> None:
    keys = " or ".join(f"`{key}`" for key in wanted)
    raise Refused(f"nothing says which layers `{what}` is for; {keys} is missing", what, *wanted)


def _every_nth(fields: Fields, layers: int) -> tuple[str, ...] | None:
    """``sliding_window_pattern``: every p-th layer is full; or a cycle of L and G, whose last layer is always G."""
    order = fields.get("order_of_interleaved_layers")
    stated = {key: fields.get(key) for key in PATTERNS if fields.get(key) is not None}
    if order not in (None, "local_attn_first"):
        refuse_value("order_of_interleaved_layers", order, "local_attn_first")
    if not stated:
        return None
    key, pattern = next(iter(stated.items()))
    if any(type(other) is not type(pattern) or other != pattern for other in stated.values()):
        raise Refused(" and ".join(f"`{name}`" for name in stated) + " disagree", *stated)
    if isinstance(pattern, str):
        if not pattern:
            refuse_value(key, pattern, "a cycle of L and G")
        check_entries(key, pattern, "LG", layers)
        if len(pattern) > layers:
            refuse_length(key, pattern, layers)
        cycle = (pattern * (layers // len(pattern) + 1))[: layers - 1] + "G"
        return tuple(FULL if letter == "G" else SLIDING for letter in cycle)
    every = fields.size(key)
    return tuple(SLIDING if (layer + 1) % every else FULL for layer in range(layers))


def _without_rope(fields: Fields, layers: int) -> tuple[str, ...] | None:
    """Llama 4: layers without rope (0) are full; an empty list states nothing (configuration_llama4.py:169-191)."""
    interval = fields.optional_size("no_rope_layer_interval")
    if fields.get("no_rope_layers") not in (None, []):
        return flagged_layers(fields, "no_rope_layers", FULL, CHUNKED, layers)
    if interval is None:
        return None
    return tuple(CHUNKED if (layer + 1) % interval else FULL for layer in range(layers))
