"""Attention that a search has thinned out layer by layer: ``block_configs`` of the Nemotron models made from Llama.

A block says how many query heads share a KV head, or that it has no attention at all.
Sources: block_config.py of nvidia/Llama-3_3-Nemotron-Super-49B-v1; vllm 0.33.0 ``models/nemotron_nas.py``.

See docs/kv-geometry.md#fields-that-mislead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from generator.derive.attention import plain
from generator.derive.attention.blocks import FULL, NOTHING, assembled, per_head
from generator.derive.attention.geometry import Entries, Geometry
from generator.derive.attention.kv_heads import attention_heads
from generator.derive.config.entries import refuse_length
from generator.derive.config.fields import Fields, Refused, layer_count, refuse_value

KEY = "block_configs"
READS = frozenset({KEY})
# Other kinds of attention that a block could ask for; all of them have to be null.
UNUSED = ("window_length", "num_sink_tokens", "use_prefill_window_in_sink_attention", "unshifted_sink", "sparsify")
PARTS = frozenset({"n_heads_in_group", "no_op", "replace_with_linear", *UNUSED})


def read_blocks(config: Mapping[str, Any]) -> Geometry:
    """One stream per number of KV heads; raises Refused naming what is missing or wrong."""
    fields = Fields(config)
    layers, heads = layer_count(fields), attention_heads(fields)
    blocks = fields.get(KEY)
    if not isinstance(blocks, list):
        refuse_value(KEY, blocks, "a list of objects")
    if len(blocks) != layers:
        refuse_length(KEY, blocks, layers)
    counts = [_kv_heads(block, heads) for block in blocks]
    width = plain.head_width(fields, fields.model_type())
    kinds = tuple(FULL if count else NOTHING for count in counts)
    streams = [
        per_head(FULL, number, Entries("full"), count, width, width)
        for count, number in sorted(Counter(count for count in counts if count).items())
    ]
    notes = [f"{len(counts) - counts.count(0)} of {layers} layers have attention"]
    return assembled("gqa", kinds, streams, (), None, fields, notes)


def _kv_heads(block: object, heads: int) -> int:
    """KV heads of one block; 0 where it has no attention."""
    attention = block.get("attention") if isinstance(block, Mapping) else None
    if not isinstance(attention, Mapping) or set(attention) - PARTS:
        refuse_value(KEY, block, "a known `attention` in each block")
    if any(attention.get(key) not in (None, False) for key in UNUSED):
        raise Refused(f"`{KEY}` has a block with windows or sinks; nobody has judged it", KEY)
    if attention.get("no_op") is True or attention.get("replace_with_linear") is True:
        return 0
    group = attention.get("n_heads_in_group")
    if not isinstance(group, int) or isinstance(group, bool) or group < 1 or heads % group:
        raise Refused(f"`{KEY}` has a block whose `n_heads_in_group` does not divide {heads} heads", KEY)
    return heads // group
