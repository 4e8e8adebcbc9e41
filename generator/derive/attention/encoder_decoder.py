"""Encoder-decoder models: a cache that grows with the decoder, and one that the encoder fills once.

Each decoder layer keeps its own keys and values, and those that cross-attention reads: one entry per encoder position,
whatever the decoder's length. Whisper's encoder always has ``max_source_positions``; for others the input decides.
Sources: transformers 5.24.0 ``cache_utils.py:2248`` EncoderDecoderCache; vllm 0.33.0 ``v1/kv_cache_interface.py:1221``.

The closed form: docs/kv-geometry.md#encoder-and-decoder
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.derive.attention.blocks import CROSS, FULL, assembled, per_head
from generator.derive.attention.geometry import Entries, Geometry
from generator.derive.config.fields import Fields, Refused, layer_count

# The two sets of names: BART and Whisper, T5.
LAYERS = ("decoder_layers", "num_decoder_layers")
HEADS = ("decoder_attention_heads", "num_heads")
# What describes the encoder, repeats the decoder's sizes, or bounds its length.
ENCODER = ("encoder_layers", "encoder_attention_heads", "num_layers", "num_hidden_layers", "max_target_positions")
READS = frozenset(
    {*LAYERS, *HEADS, *ENCODER, "d_model", "d_kv", "max_source_positions", "is_encoder_decoder", "model_type"}
)
# Model types whose decoder is the plain one: no windows, no memory, no compression in any layer.
KNOWN = frozenset(
    {
        "bart",
        "blenderbot",
        "m2m_100",
        "marian",
        "mbart",
        "mt5",
        "pegasus",
        "plbart",
        "switch_transformers",
        "t5",
        "umt5",
    }
    | {"whisper"}
)


def is_encoder_decoder(config: Mapping[str, Any]) -> bool:
    """Whether a decoder of its own is spoken of; total."""
    model_type = config.get("model_type")
    known = isinstance(model_type, str) and model_type in KNOWN
    return known or any(config.get(key) is not None for key in LAYERS)


def read_encoder_decoder(config: Mapping[str, Any]) -> Geometry:
    """Self-attention and cross-attention of every decoder layer; raises Refused naming what is missing or wrong."""
    fields = Fields(config)
    model_type = fields.model_type()
    if fields.get("is_encoder_decoder") not in (None, True) or model_type not in (None, *KNOWN):
        raise Refused("nobody has judged this kind of encoder-decoder; see `is_encoder_decoder`", "is_encoder_decoder")
    layers, heads = layer_count(fields, *LAYERS), fields.first_of(*HEADS)
    width = _width(fields, heads)
    for key in ENCODER:
        fields.get(key)
    positions = _positions(fields, model_type)
    own = per_head(FULL, layers, Entries("full"), heads, width, width)
    cross = per_head(CROSS, layers, Entries("encoder", positions), heads, width, width)
    each = f"cross-attention keeps {layers * cross.scalars * 2:,} B per encoder position in bf16"
    notes = [f"{each}, {positions:,} positions" if positions else f"{each}, on top of the bytes given here"]
    return assembled("encoder_decoder", (FULL, CROSS) * layers, [own, cross], (), None, fields, notes)


def _width(fields: Fields, heads: int) -> int:
    """``d_kv``, which T5 states, else ``d_model`` over the heads."""
    if (width := fields.optional_size("d_kv")) is not None:
        fields.optional_size("d_model")
        return width
    whole = fields.size("d_model")
    if fields.get("num_heads") is not None:
        raise Refused("`d_kv` is missing, and T5 does not divide `d_model`", "d_kv", "d_model")
    if whole % heads:
        raise Refused(f"{heads} heads do not divide `d_model` {whole}", "d_model", "decoder_attention_heads")
    return whole // heads


def _positions(fields: Fields, model_type: object) -> int:
    """Whisper pads every input to 30 seconds; elsewhere the key bounds the input, or counts frames before pooling."""
    stated = fields.optional_size("max_source_positions")
    return stated if stated and model_type in (None, "whisper") else 0
