"""Bidirectional encoders: all tokens are read at once, nothing is kept for later ones. "No cache" as a value.

Told by the model type, since only the class says in which direction attention looks (transformers 5.24.0,
``models/*/modeling_*.py``); with ``is_decoder`` the same classes are causal, and are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.derive.attention.blocks import assembled
from generator.derive.attention.geometry import Geometry
from generator.derive.config.fields import Fields, Refused, layer_count

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


def read_encoder(config: Mapping[str, Any]) -> Geometry:
    """No stream at all; raises Refused where the config makes the class causal."""
    fields = Fields(config)
    for key in ("is_decoder", "add_cross_attention", "is_causal"):
        if fields.get(key) not in (None, False):
            raise Refused(f"`{key}` makes a decoder of an encoder class; nobody has judged its cache", key)
    layers = layer_count(fields, *LAYERS)
    for key in READS:
        fields.get(key)
    notes = ["no cache: every token attends to every other, so nothing is kept from one step to the next"]
    return assembled("encoder_only", ("bidirectional_attention",) * layers, (), (), None, fields, notes)
