"""Cross-layer attention of Hunyuan: one layer in ``cla_share_factor`` owns a cache, and those after it read that one.

Source: modeling_hunyuan.py of tencent/Tencent-Hunyuan-Large, HunYuanDecoderLayer: with ``use_cla`` a layer whose index
is not a multiple of the factor is a cross layer, which takes keys and values from the last that is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.derive.attention import plain
from generator.derive.attention.blocks import FULL, SHARED, assembled, per_head
from generator.derive.attention.geometry import Entries, Geometry
from generator.derive.attention.kv_heads import kv_heads
from generator.derive.attention.naive import naive_gqa
from generator.derive.config.fields import Fields, Refused, layer_count

READS = plain.READS | {"use_cla", "cla_share_factor"}


def read_pairs(config: Mapping[str, Any]) -> Geometry:
    """Raises Refused naming what is missing or wrong."""
    fields = Fields(config)
    model_type = fields.model_type()
    if not fields.switch("use_cla"):
        raise Refused("`cla_share_factor` has no effect without `use_cla`", "use_cla")
    layers, factor = layer_count(fields), fields.size("cla_share_factor")
    heads, width = kv_heads(fields, model_type), plain.head_width(fields, model_type)
    kinds = tuple(SHARED if layer % factor else FULL for layer in range(layers))
    stream = per_head(FULL, kinds.count(FULL), Entries("full"), heads, width, width)
    return assembled("cross_layer_shared", kinds, [stream], (), naive_gqa(fields, layers), fields)
