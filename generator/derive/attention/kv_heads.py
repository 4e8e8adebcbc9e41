"""The KV heads of attention with keys per head, under every spelling whose meaning the config itself proves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from generator.derive.config.fields import Fields, Refused, is_size

HEADS = ("num_attention_heads", "n_head", "n_heads")
NAMED = ("num_key_value_heads", "num_kv_heads", "n_head_kv")

# Model types whose config class has no KV-head key at all: their heads are all KV heads. Read in transformers 5.24.0,
# models/*/configuration_*.py; `qwen` (Qwen 1) in its own configuration_qwen.py.
NO_SUCH_KEY = frozenset({"bloom", "codegen", "gpt2", "gpt_neox", "gptj", "opt", "qwen"})

SPELLINGS = (
    *NAMED,
    "multi_query",
    "new_decoder_architecture",
    "multi_query_attention",
    "multi_query_group_num",
    "num_attention_groups",
    "attn_config",
    "attn_config.attn_type",
    "attn_config.kv_n_heads",
)


def attention_heads(fields: Fields) -> int:
    """Query heads."""
    return fields.first_of(*HEADS)


def query_heads(config: Mapping[str, Any]) -> tuple[int, ...]:
    """The numbers of query heads that layers have, each once; none where the config names no such number."""
    stated = [config.get(key) for key in (*HEADS, "decoder_attention_heads", "num_heads", "swa_num_attention_heads")]
    for key in ("num_attention_heads_per_layer", "attention_other_setting"):
        value = config.get(key)
        stated += value if isinstance(value, list) else []
        stated += [value.get("num_attention_heads")] if isinstance(value, Mapping) else []
    return tuple(dict.fromkeys(heads for heads in stated if is_size(heads)))


def kv_heads(fields: Fields, model_type: object) -> int:
    """KV heads of every layer; raises Refused where the config does not say, or says more than there are heads.

    Query heads may be missing where the KV heads have a name of their own.
    """
    count_of = BY_TYPE.get(model_type) if isinstance(model_type, str) else None
    heads = fields.any_of(*HEADS) if count_of is None else attention_heads(fields)
    count = count_of(fields, heads or 0) if count_of else fields.first_of(*NAMED)
    if heads is not None and (count > heads or heads % count):
        reason = f"`num_key_value_heads` ({count}) does not divide `num_attention_heads` ({heads})"
        raise Refused(reason, NAMED[0], HEADS[0])
    return count


def _all(fields: Fields, heads: int) -> int:
    return heads


def _falcon(fields: Fields, heads: int) -> int:
    """``num_kv_heads`` holds only in the new decoder: falcon-7b says 71 and keeps one (vllm 0.33.0 config/model.py)."""
    if fields.switch("new_decoder_architecture"):
        fields.get("multi_query")
        return fields.first_of("num_kv_heads")
    fields.get("num_kv_heads")
    return 1 if fields.switch("multi_query") else heads


def _bigcode(fields: Fields, heads: int) -> int:
    return 1 if fields.switch("multi_query") else heads


def _chatglm(fields: Fields, heads: int) -> int:
    if fields.switch("multi_query_attention"):
        return fields.first_of("multi_query_group_num")
    fields.get("multi_query_group_num")
    return heads


def _mpt(fields: Fields, heads: int) -> int:
    """llm-foundry names the kind of attention; only grouped queries carry a count."""
    kind = fields.get("attn_config.attn_type")
    if kind == "multihead_attention":
        return heads
    if kind == "multiquery_attention":
        return 1
    if kind == "grouped_query_attention":
        return fields.first_of("attn_config.kv_n_heads")
    raise Refused("`attn_config.attn_type` does not say which attention this is", "attn_config.attn_type")


def _dbrx(fields: Fields, heads: int) -> int:
    return fields.first_of("attn_config.kv_n_heads")


def _phi_msft(fields: Fields, heads: int) -> int:
    """phi-2's own modeling_phi.py reads ``n_head_kv`` null as all heads."""
    return fields.optional_size("n_head_kv") or heads


def _step(fields: Fields, heads: int) -> int:
    """Step calls KV heads groups (transformers 5.24.0 configuration_step3p7.py:136, attribute_map)."""
    return fields.first_of("num_key_value_heads", "num_attention_groups")


BY_TYPE: dict[str, Callable[[Fields, int], int]] = {
    **dict.fromkeys(NO_SUCH_KEY, _all),
    "chatglm": _chatglm,
    "dbrx": _dbrx,
    "falcon": _falcon,
    "gpt_bigcode": _bigcode,
    "mpt": _mpt,
    "phi-msft": _phi_msft,
    "step3p5": _step,
    "step3p7": _step,
}
