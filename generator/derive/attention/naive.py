"""What calculators print for a model: no part of any derivation, kept to show by how much it is wrong."""

from __future__ import annotations

from generator.derive.config.fields import Fields


def naive_gqa(fields: Fields, layers: int) -> int | None:
    """In bytes per token at 2 bytes: 2 x layers x KV heads x head_dim, else hidden / heads.

    None where a field is missing or the quotient is not whole.
    """
    kv, heads = fields.optional_size("num_key_value_heads"), fields.optional_size("num_attention_heads")
    width, hidden = fields.optional_size("head_dim"), fields.optional_size("hidden_size")
    if width is None and hidden and heads and hidden % heads == 0:
        width = hidden // heads
    return 2 * layers * kv * width * 2 if kv and width else None
