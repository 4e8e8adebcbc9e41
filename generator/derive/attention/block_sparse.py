"""Block-sparse attention with index keys, MiniMax-M3.

Every layer keeps its keys and values; a sparse one also an index key per token, by which it picks blocks. Block size,
number of blocks and index heads shape compute. Sources: transformers 5.24.0
``models/minimax_m3_vl/configuration_minimax_m3_vl.py:118-146``, ``modeling_minimax_m3_vl.py:62``; vllm 0.33.0
``v1/attention/backends/minimax_m3_sparse.py``.

The closed form: docs/kv-geometry.md#block-sparse-attention
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.derive.attention import plain
from generator.derive.attention.blocks import FULL, assembled, flagged_layers, per_head
from generator.derive.attention.geometry import CacheStream, Entries, Geometry
from generator.derive.attention.kv_heads import kv_heads
from generator.derive.attention.naive import naive_gqa
from generator.derive.config.fields import Fields, Refused, layer_count

CFG = "sparse_attention_config"
ON, WHICH, WIDTH, BARE = (
    f"{CFG}.{part}"
    for part in ("use_sparse_attention", "sparse_attention_freq", "sparse_index_dim", "sparse_disable_index_value")
)
WITHOUT_EFFECT = tuple(
    f"{CFG}.sparse_{part}"
    for part in ("num_index_heads", "topk_blocks", "block_size", "score_type", "init_block", "local_block")
)
READS = plain.READS | {CFG, ON, WHICH, WIDTH, BARE, *WITHOUT_EFFECT, "num_nextn_predict_layers"}


def is_sparse(config: Mapping[str, Any]) -> bool:
    """Whether the config speaks of block-sparse layers and does not switch them off."""
    stated = config.get(CFG)
    return stated is not None and not (isinstance(stated, Mapping) and stated.get("use_sparse_attention") is False)


def read_block_sparse(config: Mapping[str, Any]) -> Geometry:
    """Keys and values in every layer, index keys in the sparse ones; raises Refused naming what is missing or wrong."""
    fields = Fields(config)
    layers = layer_count(fields)
    if not isinstance(fields.get(CFG), Mapping):
        raise Refused(f"`{CFG}` is not an object", CFG)
    fields.switch(ON)
    which = flagged_layers(fields, WHICH, "dense", "sparse", layers)
    if which is None:
        raise Refused(f"`{WHICH}` is missing; it says which layers keep index keys", WHICH)
    bare = flagged_layers(fields, BARE, "dense", "sparse", layers)
    if bare is not None and any(one == "sparse" != other for one, other in zip(which, bare, strict=True)):
        raise Refused(f"`{BARE}` leaves index values to sparse layers; nobody has seen how they are kept", BARE)
    for key in WITHOUT_EFFECT:
        fields.get(key)
    sparse, index = which.count("sparse"), fields.size(WIDTH)
    model_type = fields.model_type()
    width = plain.head_width(fields, model_type)
    values = fields.optional_size("v_head_dim") or width
    main = per_head(FULL, layers, Entries("full"), kv_heads(fields, model_type), width, values)
    keys = CacheStream("index", FULL, sparse, Entries("full"), index, 0, str(index))
    notes = [] if sparse == layers else [f"{sparse} of {layers} layers keep index keys"]
    return assembled("gqa_block_sparse", (FULL,) * layers, [main, keys], (), naive_gqa(fields, layers), fields, notes)
