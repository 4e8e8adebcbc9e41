"""Bidirectional encoders: all tokens are read at once, nothing is kept for later ones. "No cache" as a value.

Told by the class that ``architectures`` names, whatever family it belongs to, or by the model type: only they say in
which direction attention looks (transformers 5.24.0, ``models/*/modeling_*.py``). With ``is_decoder`` the same classes
are causal, and are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from generator.derive.attention.blocks import assembled
from generator.derive.attention.geometry import Geometry
from generator.derive.config.fields import MOST_LAYERS, Fields, Refused, is_size, layer_count
from generator.derive.config.keys import ClassesWithoutCache

MODEL_TYPES = frozenset(
    {"albert", "bert", "camembert", "deberta", "deberta-v2", "distilbert", "electra", "ernie", "esm", "eurobert"}
    | {"modernbert", "mpnet", "nomic_bert", "roberta", "xlm-roberta", "xlm-roberta-xl"}
)
LAYERS = ("num_hidden_layers", "n_layers")
READS = frozenset(
    {*LAYERS, "n_heads", "hidden_size", "num_attention_heads", "num_key_value_heads", "head_dim", "is_decoder"}
    | {"model_type", "add_cross_attention", "local_attention", "global_attn_every_n_layers", "global_rope_theta"}
    | {"local_rope_theta", "layer_types", "sliding_window", "is_causal"}
)


# Where encoders count their layers, most telling first: T5's `num_layers` are its encoder's.
DEPTHS = ("encoder_layers", "num_layers", "num_hidden_layers", "n_layers")
CAUSAL = ("is_decoder", "add_cross_attention", "is_causal")
NOTHING_KEPT = "no cache: every token attends to every other, so nothing is kept from one step to the next"


def without_cache(classes: Sequence[str], config: Mapping[str, Any], known: ClassesWithoutCache) -> Geometry | None:
    """No stream at all where the class is an encoder; None where it is not, whatever else it is.

    Raises Refused for a class that by its name may be one, and for classes that contradict each other.
    """
    encoders = [name for name in classes if name in known.names]
    for name in classes:
        if known.suspect(name):
            raise Refused(
                f"`{name}` may be an encoder, which keeps nothing; nobody has judged that class", "architectures"
            )
        if name in known.alone:
            raise Refused(f"`{name}` is a decoder without its encoder; nobody has judged its cache", "architectures")
    if not encoders:
        return None
    if others := [name for name in classes if name not in known.names]:
        raise Refused(f"`{encoders[0]}` keeps nothing and `{others[0]}` may; both are named", "architectures")
    fields = Fields(config)
    for key in CAUSAL:
        if fields.get(key) not in (None, False):
            raise Refused(f"`{key}` makes a decoder of `{encoders[0]}`; nobody has judged its cache", key)
    layers = next((value for key in DEPTHS if is_size(value := fields.get(key)) and value <= MOST_LAYERS), 0)
    fields.get("architectures")
    kinds = ("bidirectional_attention",) * layers
    return assembled("encoder_only", kinds, (), (), None, fields, [f"{encoders[0]}: {NOTHING_KEPT}"])


def read_encoder(config: Mapping[str, Any]) -> Geometry:
    """No stream at all; raises Refused where the config makes the class causal."""
    fields = Fields(config)
    for key in CAUSAL:
        if fields.get(key) not in (None, False):
            raise Refused(f"`{key}` makes a decoder of an encoder class; nobody has judged its cache", key)
    layers = layer_count(fields, *LAYERS)
    for key in READS:
        fields.get(key)
    return assembled("encoder_only", ("bidirectional_attention",) * layers, (), (), None, fields, [NOTHING_KEPT])
