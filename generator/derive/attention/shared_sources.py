"""DeepSeek-V4.1's CSA2: pooled entries that many layers share.

Only the layers of ``kv_source_layer_ids`` own global entries, and only they own index keys; every other compressed
layer reads the nearest source at or below it. All layers keep a window. The further ``index_source_layer_ids``
recompute their choice from a source's keys and store nothing. Source: vllm 0.33.0
``models/deepseek_v41/attention.py:343,353,481,1206-1211`` and ``compressor.py:206-223``.

The closed form: docs/kv-geometry.md#shared-sources-csa2
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NoReturn

from generator.derive.attention.compressed import COMMON_READS, SLIDING, backbone_ratios, shared_row, windows
from generator.derive.attention.geometry import CacheStream, Entries, Geometry, StateSlot, layer_counts
from generator.derive.attention.naive import naive_gqa
from generator.derive.config.fields import Fields, Refused, layer_count

RATIOS = frozenset({0, 1, 2})
SOURCE, CONSUMER = "kv_source", "kv_consumer"
# Search over candidate blocks and the n-gram memory: the engines give neither a cache of its own (spec classes
# executed for docs/kv-geometry.md add up to 890 B/token without one).
NO_CACHE = (
    "candidate_block_size",
    "candidate_source_layer_id",
    "candidate_topk_blocks",
    "engram_compressed_vocab_size",
    "engram_head_dim",
    "engram_layer_ids",
    "engram_max_ngram_size",
    "engram_n_heads",
    "engram_num_embeddings",
    "engram_vocab_size",
)
TAIL = ("num_nextn_predict_layers", "dspark_target_layer_ids")
READS = COMMON_READS | {"kv_source_layer_ids", "index_source_layer_ids", *TAIL, *NO_CACHE}


def read_csa2(config: Mapping[str, Any]) -> Geometry:
    """V4.1's geometry; raises Refused naming what is missing or wrong."""
    fields = Fields(config)
    layers = layer_count(fields)
    ratios, notes = backbone_ratios(fields, layers, RATIOS)
    sources = _sources(fields, ratios)
    row, window, index = shared_row(fields), fields.size("sliding_window"), fields.size("index_head_dim")
    for key in (*NO_CACHE, *TAIL):
        fields.get(key)
    types = tuple(SLIDING if not r else SOURCE if i in sources else CONSUMER for i, r in enumerate(ratios))
    counts = layer_counts(types, (SLIDING, SOURCE, CONSUMER))
    owners = Counter(ratios[i] for i in sources)
    return Geometry(
        "csa2",
        counts,
        types,
        (*_global(owners, row, index), *windows(counts, row, window)),
        # Ratio 1 pools nothing, so only ratio 2 has open groups: value and score rows.
        (StateSlot("ring_c2_main", owners[2], 2 * row),) if owners[2] else (),
        naive_gqa(fields, layers),
        None,
        frozenset(fields.used),
        notes,
    )


def _global(owners: Counter[int], row: int, index: int) -> tuple[CacheStream, ...]:
    streams = []
    for ratio in (2, 1):
        if owners[ratio]:
            entries = Entries("full") if ratio == 1 else Entries("pooled", ratio)
            streams.append(CacheStream("kv", SOURCE, owners[ratio], entries, row, 0, str(row)))
            streams.append(CacheStream("index", SOURCE, owners[ratio], entries, index, 0, str(index)))
    return tuple(streams)


def _sources(fields: Fields, ratios: list[int]) -> frozenset[int]:
    """The layers that own global entries, once every compressed layer is known to read one of its own ratio."""
    ids = _layer_ids(fields, "kv_source_layer_ids", len(ratios))
    source = None
    for layer, ratio in enumerate(ratios):
        source = layer if layer in ids else source
        if not ratio and layer != source:
            continue
        if source is None:
            _refuse(f"has no source at or below layer {layer}")
        if not ratio or ratios[source] != ratio:
            _refuse(f"gives layer {layer} of ratio {ratio} the source {source} of ratio {ratios[source]}")
    key = "index_source_layer_ids"
    if fields.get(key) is not None and not ids <= _layer_ids(fields, key, len(ratios)):
        raise Refused(f"`{key}` leaves a KV source out; who owns its index keys?", key)
    return ids


def _refuse(what: str) -> NoReturn:
    raise Refused(f"`kv_source_layer_ids` {what}", "kv_source_layer_ids")


def _layer_ids(fields: Fields, key: str, layers: int) -> frozenset[int]:
    ids = fields.numbers(key)
    if not ids or len(set(ids)) != len(ids) or max(ids) >= layers:
        raise Refused(f"`{key}` does not name distinct layers below {layers}", key)
    return frozenset(ids)
