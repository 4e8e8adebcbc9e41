"""DeepSeek-V4 and V4.1: one shared key-value row, grouped output projection, compressors, hyper-connections.

V4 as transformers 5.24.0 ``models/deepseek_v4/modeling_deepseek_v4.py`` builds it. V4.1 has no class there: its tensors
are those that nemo-automodel 0.7.0 ``components/models/deepseek_v41`` builds and its ``state_dict_adapter.py`` finds in
the release's shard headers; they give the vendor's 552 B backbone and 196 B of Engram tables.
"""

from __future__ import annotations

from generator.derive.config.fields import MOST_LAYERS, Refused
from generator.derive.parameters.blocks import Stack, embeddings, experts, norms, routed, shared, stack
from generator.derive.parameters.parts import Apart
from generator.derive.parameters.reading import Reading

RATIOS_V4 = (0, 4, 128)
RATIOS_V41 = (0, 1, 2)


def read_v4(fields: Reading) -> tuple[Apart, ...]:
    """V4 Flash and Pro."""
    at = stack(fields)
    ratios = _ratios(fields, at.layers, RATIOS_V4)
    _common(fields, at)
    width, index = fields.size("head_dim"), fields.size("index_head_dim")
    for ratio in (4, 128):
        layers = ratios.count(ratio)
        _compressor(fields, "compressor", at.hidden, width, ratio, layers)
    csa, count = ratios.count(4), fields.size("index_n_heads")
    _compressor(fields, "indexer", at.hidden, index, 4, csa)
    fields.matrix("indexer", "q_b_proj", count * index, fields.size("q_lora_rank"), csa)
    fields.matrix("indexer", "weights_proj", count, at.hidden, csa, linear=False)
    _head_connections(fields, at.hidden)
    return (*_hash_tables(fields), *_drafts(fields, at.hidden))


def _head_connections(fields: Reading, hidden: int) -> None:
    hc = fields.size("hc_mult")
    fields.matrix("hyper_connections", "hc_head.fn", hc, hc * hidden, 1, linear=False)
    fields.vector("hyper_connections", "hc_head.base, scale", hc + 1, 1)


def _drafts(fields: Reading, hidden: int) -> tuple[Apart, ...]:
    """V4's draft layer: a whole layer without compressor, two projections, three norms, and a head's connections."""
    if not fields.get("num_nextn_predict_layers"):
        return ()
    count, one = fields.size("num_nextn_predict_layers", MOST_LAYERS), fields.again()
    _layers(one, Stack(hidden, 1))
    norms(one, Stack(hidden, 1), 5, final=False)
    for name in ("e_proj", "h_proj"):
        one.matrix("attention", name, hidden, hidden, 1)
    _head_connections(one, hidden)
    size = sum(part.size * part.copies for part in one.parts)
    return (Apart("mtp", size * count, f"{count} draft layer{'s' if count > 1 else ''}, embedding and head shared"),)


def _compressor(fields: Reading, component: str, hidden: int, width: int, ratio: int, layers: int) -> None:
    """Value and gate projections with a position bias; groups of 4 overlap, so theirs are twice as wide."""
    wide = 2 * width if ratio == 4 else width
    fields.matrix(component, "kv_proj", wide, hidden, layers, linear=False)
    fields.matrix(component, "gate_proj", wide, hidden, layers, linear=False)
    fields.matrix(component, "position_bias", ratio, wide, layers, linear=False)
    fields.vector(component, "kv_norm", width, layers)


def read_v41(fields: Reading) -> tuple[Apart, ...]:
    """V4.1: only KV sources compress and hold index keys; every index source has queries of its own."""
    at = stack(fields)
    ratios = _ratios(fields, at.layers, RATIOS_V41)
    _common(fields, at)
    sources, owners = _layer_ids(fields, "kv_source_layer_ids", at), _layer_ids(fields, "index_source_layer_ids", at)
    width, index, count = fields.size("head_dim"), fields.size("index_head_dim"), fields.size("index_n_heads")
    pooling = sum(ratios[layer] > 1 for layer in sources)
    fields.matrix("compressor", "wkv", width, at.hidden, len(sources), linear=False)
    fields.matrix("compressor", "wgate", width, at.hidden, pooling, linear=False)
    fields.vector("compressor", "norm", width, len(sources))
    fields.matrix("indexer", "wk", index, width, len(sources), linear=False)
    fields.vector("indexer", "k_norm", index, len(sources))
    fields.matrix("indexer", "wq_b", count * index, fields.size("q_lora_rank"), len(owners))
    fields.matrix("indexer", "weights_proj", count, at.hidden, len(owners), linear=False)
    return (*_engram(fields, at), *_draft_block(fields))


def _common(fields: Reading, at: Stack) -> None:
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    for key in ("attention_bias", "mlp_bias"):
        if fields.flag(key):
            raise Refused(f"`{key}` is on, which no released class of this kind has", key)
    _layers(fields, at)


def _layers(fields: Reading, at: Stack) -> None:
    """What every layer has: attention over one shared row, hyper-connections around both blocks, experts."""
    if (kv := fields.size("num_key_value_heads")) != 1:
        raise Refused(f"`num_key_value_heads` is {kv}; one shared row per token is one head", "num_key_value_heads")
    heads, width, rank = fields.size("num_attention_heads"), fields.size("head_dim"), fields.size("q_lora_rank")
    groups, inner = fields.size("o_groups"), fields.size("o_lora_rank")
    if (heads * width) % groups:
        raise Refused(f"`o_groups` ({groups}) does not divide the width of all heads", "o_groups")
    fields.matrix("attention", "q_a_proj", rank, at.hidden, at.layers)
    fields.matrix("attention", "q_b_proj", heads * width, rank, at.layers)
    fields.matrix("attention", "kv_proj", width, at.hidden, at.layers)
    fields.matrix("attention", "o_a_proj", groups * inner, heads * width // groups, at.layers)
    fields.matrix("attention", "o_b_proj", at.hidden, groups * inner, at.layers)
    fields.vector("attention", "sinks", heads, at.layers)
    fields.vector("norms", "q_a_norm", rank, at.layers)
    fields.vector("norms", "kv_norm", width, at.layers)
    hc = fields.size("hc_mult")
    fields.matrix("hyper_connections", "hc.fn", hc * (2 + hc), hc * at.hidden, 2 * at.layers, linear=False)
    fields.vector("hyper_connections", "hc.base, scale", hc * (2 + hc) + 3, 2 * at.layers)
    of = experts(fields, "n_routed_experts", "moe_intermediate_size")
    routed(fields, at.hidden, at.layers, of)
    shared(fields, at.hidden, at.layers, of.width * fields.size("n_shared_experts"))


def _engram(fields: Reading, at: Stack) -> tuple[Apart, ...]:
    """N-gram tables: rows of ``engram_head_dim``; a token reads (orders) x (heads) of them and projects them."""
    if fields.get("engram_layer_ids") is None:
        return ()
    layers = _layer_ids(fields, "engram_layer_ids", at)
    rows, width = fields.numbers("engram_num_embeddings"), fields.size("engram_head_dim")
    if len(rows) != len(layers):
        raise Refused("`engram_num_embeddings` has not one entry for each engram layer", "engram_num_embeddings")
    read = (fields.size("engram_max_ngram_size") - 1) * fields.size("engram_n_heads") * width
    for key in ("engram_vocab_size", "engram_compressed_vocab_size"):
        fields.get(key)
    hc = fields.size("hc_mult")
    projections = len(layers) * ((hc + 1) * at.hidden * read + 2 * hc * at.hidden)
    tables = f"{' + '.join(f'{count:,}' for count in rows)} rows of {width}, looked up"
    return (
        Apart("engram tables", sum(rows) * width, tables),
        Apart("engram projections", projections, f"in the layers {', '.join(map(str, layers))}"),
    )


def _hash_tables(fields: Reading) -> tuple[Apart, ...]:
    note = "the first layers choose experts by a table of token ids, which holds whole numbers, not parameters"
    return (Apart("hash tables", 0, note),) if fields.get("num_hash_layers") else ()


def _draft_block(fields: Reading) -> tuple[Apart, ...]:
    """V4.1's draft layers are one block with experts of their own number."""
    for key in ("dspark_n_routed_experts", "dspark_num_experts_per_tok"):
        fields.get(key)
    note = "draft layers of another build than the backbone's: not counted"
    return (Apart("mtp", None, note),) if fields.get("num_nextn_predict_layers") else ()


def _ratios(fields: Reading, layers: int, known: tuple[int, ...]) -> list[int]:
    """``compress_ratios`` of the backbone; what is behind belongs to draft layers."""
    ratios = fields.numbers("compress_ratios")
    if len(ratios) < layers or set(ratios) - set(known):
        raise Refused(f"`compress_ratios` is shorter than {layers} layers, or not of {known}", "compress_ratios")
    return ratios[:layers]


def _layer_ids(fields: Reading, key: str, at: Stack) -> list[int]:
    ids = fields.numbers(key)
    if len(set(ids)) != len(ids) or (ids and max(ids) >= at.layers):
        raise Refused(f"`{key}` does not name distinct layers below {at.layers}", key)
    return ids
