"""State-space models: Mamba 2 and Mamba 1, with attention in some layers or next to them, and pure.

Mamba layers keep a state of fixed size, feed-forward layers nothing. Sources: transformers 5.24.0
``models/{nemotron_h,falcon_h1,granitemoehybrid,bamba,zamba2,jamba,mamba,falcon_mamba,mamba2}/configuration_*.py``;
vllm 0.33.0 ``model_executor/layers/mamba/mamba_utils.py``.

The closed form: docs/kv-geometry.md#state
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from generator.derive.attention import plain, recurrent
from generator.derive.attention.blocks import FULL, MAMBA, NOTHING, agreed, assembled, named_layers, per_head
from generator.derive.attention.geometry import CacheStream, Entries, Geometry
from generator.derive.attention.kv_heads import kv_heads
from generator.derive.attention.naive import naive_gqa
from generator.derive.config.entries import check_entries, refuse_length
from generator.derive.config.fields import MOST_LAYERS, Fields, Refused, layer_count, refuse_value

LETTERS = {"M": MAMBA, "*": FULL, "-": NOTHING, "E": NOTHING}
LAYER_NAMES = {
    "mamba": MAMBA,
    "linear_attention": MAMBA,
    "attention": FULL,
    "full_attention": FULL,
    "mlp": NOTHING,
    "moe": NOTHING,
    "hybrid": f"{FULL}+{MAMBA}",
}
BOTH = LAYER_NAMES["hybrid"]
LISTS = ("layers_block_type", "layer_types")
JAMBA = ("attn_layer_period", "attn_layer_offset")
ATTENTION = plain.READS | {"attention_head_dim", "attention_hidden_size", "num_query_groups"}
MAMBA2_READS = ATTENTION | {
    *recurrent.MAMBA2,
    *recurrent.WITHOUT_EFFECT,
    *LISTS,
    "mamba_d_ssm",
    "hybrid_override_pattern",
    "hybrid_layer_ids",
    "attn_layer_indices",
    "num_nextn_predict_layers",
}
MAMBA1_READS = ATTENTION | {"mamba_d_state", "mamba_d_conv", *recurrent.WITHOUT_EFFECT, *JAMBA, "layers_block_type"}
PURE_READS = frozenset(
    {"num_hidden_layers", "hidden_size", "intermediate_size", "state_size", "conv_kernel", "expand", "model_type"}
    | {"num_heads", "head_dim", "n_groups", *recurrent.WITHOUT_EFFECT}
)
NO_ATTENTION = {"mamba": "mamba1", "falcon_mamba": "mamba1", "mamba2": "mamba2"}


def all_attention(config: Mapping[str, Any]) -> bool:
    """Whether a class with mamba layers was made without any, like Granite-4.0-micro; total."""
    types = config.get("layer_types")
    names = ("attention", "full_attention")
    return (
        config.get("model_type") == "granitemoehybrid"
        and isinstance(types, list)
        and bool(types)
        and all(isinstance(name, str) and name in names for name in types)
    )


def read_mamba2_hybrid(config: Mapping[str, Any]) -> Geometry:
    """Mamba 2 and attention; raises Refused naming what is missing or wrong."""
    fields = Fields(config)
    model_type = fields.model_type() or ""
    if (kinds_of := KINDS.get(model_type)) is None:
        raise Refused("nobody has judged which layers of this model type are mamba layers", "model_type")
    kinds = kinds_of(fields)
    stream = _attention(fields, sum(FULL in kind for kind in kinds), model_type)
    states = recurrent.mamba2(fields, sum(MAMBA in kind for kind in kinds))
    return assembled("mamba2_hybrid", _blocks(kinds), [stream], states, naive_gqa(fields, len(kinds)), fields)


def read_mamba1_hybrid(config: Mapping[str, Any]) -> Geometry:
    """Jamba: of every ``attn_layer_period`` layers the one at ``attn_layer_offset`` attends, the others are Mamba 1."""
    fields = Fields(config)
    if fields.model_type() != "jamba":
        raise Refused("nobody has judged which layers of this model type are mamba layers", "model_type")
    layers, period = layer_count(fields), fields.size("attn_layer_period")
    offset = 0 if fields.get("attn_layer_offset") == 0 else fields.size("attn_layer_offset")
    if offset >= period:
        raise Refused(f"`attn_layer_offset` {offset} is not below the period {period}", *reversed(JAMBA))
    computed = tuple(FULL if layer % period == offset else MAMBA for layer in range(layers))
    stated = named_layers(fields, "layers_block_type", LAYER_NAMES, layers)
    kinds = agreed({"attn_layer_period": computed, "layers_block_type": stated}) or computed
    inner = fields.size("mamba_expand") * fields.size("hidden_size")
    recurrent.read_over(fields, *recurrent.WITHOUT_EFFECT)
    state, kernel = fields.size("mamba_d_state"), fields.size("mamba_d_conv")
    states = recurrent.mamba1_state(inner, state, kernel, kinds.count(MAMBA))
    stream = _attention(fields, kinds.count(FULL), "jamba")
    return assembled("mamba1_hybrid", kinds, [stream], states, naive_gqa(fields, layers), fields)


def read_mamba1(config: Mapping[str, Any]) -> Geometry:
    """Mamba 1 alone. A stated ``intermediate_size`` is the inner width: Falcon-Mamba's is not expand x hidden."""
    fields = Fields(config)
    layers, state, kernel = layer_count(fields), fields.size("state_size"), fields.size("conv_kernel")
    recurrent.read_over(fields, *recurrent.WITHOUT_EFFECT)
    inner = fields.optional_size("intermediate_size")
    whole = inner or fields.size("expand") * fields.size("hidden_size")
    fields.optional_size("hidden_size")
    states = recurrent.mamba1_state(whole, state, kernel, layers)
    return assembled("mamba1", (MAMBA,) * layers, (), states, None, fields)


def read_mamba2(config: Mapping[str, Any]) -> Geometry:
    """Mamba 2 alone."""
    fields = Fields(config)
    layers, heads, width = layer_count(fields), fields.size("num_heads"), fields.size("head_dim")
    groups, state, kernel = (fields.size(key) for key in ("n_groups", "state_size", "conv_kernel"))
    recurrent.read_over(fields, *recurrent.WITHOUT_EFFECT, "hidden_size", "intermediate_size")
    states = recurrent.mamba2_state(heads, width, groups, state, kernel, layers)
    return assembled("mamba2", (MAMBA,) * layers, (), states, None, fields)


def _attention(fields: Fields, layers: int, model_type: str) -> CacheStream:
    """Zamba2's shared block is twice as wide as the hidden size, so its ``attention_head_dim`` alone counts."""
    heads = kv_heads(fields, model_type)
    if model_type == "zamba2":
        recurrent.read_over(fields, "attention_hidden_size", "num_query_groups", "kv_channels", "hidden_size")
        width = fields.size("attention_head_dim")
    elif fields.get("attention_head_dim") is not None:
        width = fields.any_of("head_dim", "attention_head_dim") or 0
        fields.optional_size("hidden_size")
    elif model_type == "nemotron_h" and fields.get("head_dim") is None:
        raise Refused("`head_dim` is missing; it is not guessed from library defaults", "head_dim")
    else:
        width = plain.head_width(fields, model_type)
    return per_head(FULL, layers, Entries("full"), heads, width, width)


def _blocks(kinds: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part for kind in kinds for part in kind.split("+"))


def _nemotron(fields: Fields) -> tuple[str, ...]:
    """A letter per layer, or a list of names; their length is the layer count (configuration_nemotron_h.py:238)."""
    key = "hybrid_override_pattern"
    pattern, layers = fields.get(key), fields.optional_size("num_hidden_layers", MOST_LAYERS)
    letters = None
    if pattern is not None:
        if not isinstance(pattern, str):
            refuse_value(key, pattern, "a string of M, *, - and E")
        check_entries(key, pattern, LETTERS, layers)
        letters = tuple(LETTERS[letter] for letter in pattern)
    listed = {name: named_layers(fields, name, LAYER_NAMES, layers) for name in LISTS}
    kinds = agreed({key: letters, **listed})
    if kinds is None:
        raise Refused(f"`{key}` is missing, and so is `layers_block_type`", key, "layers_block_type")
    stated = next(name for name, value in {key: letters, **listed}.items() if value is not None)
    if layers not in (None, len(kinds)) or len(kinds) > MOST_LAYERS:
        refuse_length(stated, str(pattern) if stated == key else list(kinds), layers)
    if BOTH in kinds:
        raise Refused(
            f"`{stated}` has `hybrid` at index {kinds.index(BOTH)}, which no Nemotron-H is known to be", stated
        )
    return kinds


def _listed(fields: Fields) -> tuple[str, ...]:
    """Granite 4 and Zamba2 name each layer; Zamba2's ``hybrid`` is a mamba layer with the shared attention."""
    layers = layer_count(fields)
    kinds = agreed({name: named_layers(fields, name, LAYER_NAMES, layers) for name in LISTS})
    if kinds is None:
        raise Refused("`layer_types` is missing, and so is `layers_block_type`", *reversed(LISTS))
    stated = fields.get("hybrid_layer_ids")
    if stated is not None and stated != [index for index, kind in enumerate(kinds) if kind == BOTH]:
        raise Refused(
            "`hybrid_layer_ids` does not name the layers that the list of all calls hybrid", "hybrid_layer_ids"
        )
    return kinds


def _parallel(fields: Fields) -> tuple[str, ...]:
    """Falcon-H1: attention and mamba side by side in each layer (configuration_falcon_h1.py:132)."""
    return (BOTH,) * layer_count(fields)


def _indexed(fields: Fields) -> tuple[str, ...]:
    """Bamba lists its attention layers, counted from 0."""
    layers, attending = layer_count(fields), fields.numbers("attn_layer_indices")
    if len(set(attending)) != len(attending) or any(index >= layers for index in attending):
        raise Refused(f"`attn_layer_indices` does not name distinct layers below {layers}", "attn_layer_indices")
    return tuple(FULL if layer in set(attending) else MAMBA for layer in range(layers))


KINDS: dict[str, Callable[[Fields], tuple[str, ...]]] = {
    "bamba": _indexed,
    "falcon_h1": _parallel,
    "granitemoehybrid": _listed,
    "nemotron_h": _nemotron,
    "zamba2": _listed,
}
