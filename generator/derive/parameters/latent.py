"""Multi-head latent attention: DeepSeek V2, V3, V3.2, Kimi K2, GLM-4.7-Flash, GLM-5, and their draft layers.

Sources: transformers 5.24.0 ``models/{deepseek_v2,deepseek_v3,deepseek_v32,glm4_moe_lite,glm_moe_dsa}/modeling_*.py``;
draft layers DeepSeek-V3 ``README_WEIGHTS.md``: embedding and output head of a draft layer are copies, not counted.
"""

from __future__ import annotations

from generator.derive.config.fields import MOST_LAYERS, Refused, is_size, refuse_value
from generator.derive.parameters.blocks import Stack, embeddings, norms, stack
from generator.derive.parameters.parts import Apart, Part
from generator.derive.parameters.reading import Reading
from generator.derive.parameters.sparse import DENSE_OR_SPARSE, deepseek_mlps, leading

INDEXER_TYPES = frozenset({"full", "shared"})


def latent_attention(fields: Reading, hidden: int, layers: int, *, bias: bool) -> int | None:
    """The latent projections; returns ``q_lora_rank``, None where queries are not compressed."""
    heads, rank, rope = fields.size("num_attention_heads"), fields.size("kv_lora_rank"), fields.size("qk_rope_head_dim")
    nope, v = fields.size("qk_nope_head_dim"), fields.size("v_head_dim")
    if not fields.stated("q_lora_rank"):
        raise Refused("`q_lora_rank` is missing; null would say that queries are not compressed", "q_lora_rank")
    query = fields.optional_size("q_lora_rank")
    if query is None:
        fields.matrix("attention", "q_proj", heads * (nope + rope), hidden, layers)
    else:
        fields.matrix("attention", "q_a_proj", query, hidden, layers, bias=bias)
        fields.vector("norms", "q_a_layernorm", query, layers)
        fields.matrix("attention", "q_b_proj", heads * (nope + rope), query, layers)
    fields.matrix("attention", "kv_a_proj_with_mqa", rank + rope, hidden, layers, bias=bias)
    fields.vector("norms", "kv_a_layernorm", rank, layers)
    fields.matrix("attention", "kv_b_proj", heads * (nope + v), rank, layers)
    fields.matrix("attention", "o_proj", hidden, heads * v, layers, bias=bias)
    return query


def indexer(fields: Reading, hidden: int, layers: int, query: int) -> None:
    """The lightning indexer: its key norm is a layer norm with a bias, its head weights stay unquantised."""
    count, width = fields.size("index_n_heads"), fields.size("index_head_dim")
    fields.matrix("indexer", "wq_b", count * width, query, layers)
    fields.matrix("indexer", "wk", width, hidden, layers)
    fields.vector("indexer", "k_norm", 2 * width, layers)
    fields.matrix("indexer", "weights_proj", count, hidden, layers, linear=False)


def read_deepseek(fields: Reading) -> tuple[Apart, ...]:
    """DeepSeek V2 and V3, Kimi K2, GLM-4.7-Flash."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    bias = fields.flag("attention_bias")
    if fields.flag("mlp_bias"):
        raise Refused("`mlp_bias` is on, which no released class of this kind has", "mlp_bias")
    latent_attention(fields, at.hidden, at.layers, bias=bias)
    deepseek_mlps(fields, at, _sparse(fields, at.layers))
    return _drafts(fields, at, indexed=False)


def read_deepseek_dsa(fields: Reading) -> tuple[Apart, ...]:
    """V3.2 and GLM-5: in addition an indexer in every layer, or in those that own one."""
    at = stack(fields)
    embeddings(fields, at.hidden)
    norms(fields, at, 2)
    bias = fields.flag("attention_bias")
    query = latent_attention(fields, at.hidden, at.layers, bias=bias)
    if query is None:
        raise Refused("`q_lora_rank` is null, and the indexer reads the compressed query", "q_lora_rank")
    indexer(fields, at.hidden, _owners(fields, at.layers), query)
    deepseek_mlps(fields, at, _sparse(fields, at.layers))
    return _drafts(fields, at, indexed=True)


def _sparse(fields: Reading, layers: int) -> int:
    """Sparse layers; two statements of the same thing have to agree."""
    if fields.get("mlp_layer_types") is None:
        return leading(fields, layers)
    sparse = fields.names("mlp_layer_types", layers, DENSE_OR_SPARSE).count("sparse")
    if fields.get("first_k_dense_replace") is not None and leading(fields, layers) != sparse:
        raise Refused("`mlp_layer_types` and `first_k_dense_replace` disagree", "mlp_layer_types")
    fields.get("moe_layer_freq")
    return sparse


def _owners(fields: Reading, layers: int) -> int:
    """Layers with an indexer of their own."""
    types = fields.get("indexer_types")
    if types is None:
        thinned = [key for key in ("index_topk_pattern", "index_topk_freq") if fields.get(key) not in (None, 1)]
        if thinned:
            raise Refused(f"`{thinned[0]}` thins indexers out; `indexer_types` does not say which stay", *thinned)
        return layers
    if not isinstance(types, list) or len(types) != layers:
        refuse_value("indexer_types", types, f"a list of {layers} names")
    return fields.names("indexer_types", layers, INDEXER_TYPES).count("full")


def _drafts(fields: Reading, at: Stack, *, indexed: bool) -> tuple[Apart, ...]:
    """Draft layers: each a whole sparse layer, three norms, and a projection of two rows into one."""
    if not fields.get("num_nextn_predict_layers"):
        return ()
    count = fields.size("num_nextn_predict_layers", MOST_LAYERS)
    one = fields.again()
    one.matrix("attention", "eh_proj", at.hidden, 2 * at.hidden, 1, linear=False)
    one.vector("norms", "enorm, hnorm, shared_head.norm", at.hidden, 3)
    norms(one, Stack(at.hidden, 1), 2, final=False)
    query = latent_attention(one, at.hidden, 1, bias=fields.flag("attention_bias"))
    if indexed and query:
        indexer(one, at.hidden, 1, query)
    deepseek_mlps(one, Stack(at.hidden, 1), 1)
    size = sum(part.size * part.copies for part in one.parts)
    note = f"{count} draft layer{'s' if count > 1 else ''} without the copies of embedding and output head"
    return (Apart("mtp", size * count, note, _stored(fields, one.parts * count)),)


def _stored(fields: Reading, drafts: list[Part]) -> dict[str, int]:
    """What DeepSeek's checkpoints hold beyond their parameters.

    Each draft layer brings embedding and head again, each router of `noaux_tc` a bias for each expert, and each weight
    in fp8 a scale for each block, those at the edges included.
    """
    ends = [part for part in fields.parts if part.name in ("embed_tokens", "lm_head")]
    layers = sum(part.name == "eh_proj" for part in drafts)
    found = {"its copies of embedding and head": sum(part.size for part in ends) * layers}
    everywhere = [*fields.parts, *drafts]
    if fields.get("topk_method") == "noaux_tc":
        routers = (part for part in everywhere if part.component == "router")
        found["the routers' biases"] = sum(part.rows * part.copies for part in routers)
    quantised = fields.get("quantization_config")
    block = quantised.get("weight_block_size") if isinstance(quantised, dict) else None
    if isinstance(block, list) and len(block) == 2 and all(is_size(each) for each in block):
        found["scales"] = sum(_blocks(part, *block) * part.copies for part in everywhere if part.linear)
    return found


def _blocks(part: Part, rows: int, columns: int) -> int:
    """How many blocks of a size cover a weight."""
    return -(-part.rows // rows) * -(-part.columns // columns)
