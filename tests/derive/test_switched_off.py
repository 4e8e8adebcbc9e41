"""A mechanism that a config names and switches off is off: what is left is derived, and what is on is still refused."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import ROOT

from generator.catalog.yaml.loader import load
from generator.derive.attention import ConfigKeys, Geometry, NotDerivable, derive

KEYS = ConfigKeys.from_table(load((ROOT / "schema/config_keys.yaml").read_text("utf-8")).data)

# 32 layers, 8 KV heads of 128: 131,072 B per token in bf16, as published for Llama-3.1-8B.
LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "max_position_embeddings": 131072,
}

# deepseek-ai/DeepSeek-OCR, config.json. Its checkpoint has k_proj and v_proj of [1280, 1280] in each of 12 layers, so a
# token leaves 2 x 1280 scalars in each: 61,440 B in bf16.
OCR = {
    "architectures": ["DeepseekOCRForCausalLM"],
    "model_type": "deepseek_vl_v2",
    "language_config": {
        "architectures": ["DeepseekV2ForCausalLM"],
        "first_k_dense_replace": 1,
        "hidden_size": 1280,
        "kv_lora_rank": None,
        "max_position_embeddings": 8192,
        "n_routed_experts": 64,
        "num_attention_heads": 10,
        "num_hidden_layers": 12,
        "num_key_value_heads": 10,
        "q_lora_rank": None,
        "qk_nope_head_dim": 0,
        "qk_rope_head_dim": 0,
        "use_mla": False,
        "v_head_dim": 0,
    },
    "qk_nope_head_dim": 0,
    "use_mla": False,
    "v_head_dim": 0,
}


def scalars(config: dict[str, Any]) -> int:
    """Scalars that a token leaves in all layers."""
    found = derive(config, KEYS)
    assert isinstance(found, Geometry), found
    assert not found.states
    return sum(stream.layers * stream.scalars for stream in found.streams)


def refused(config: dict[str, Any]) -> NotDerivable:
    found = derive(config, KEYS)
    assert isinstance(found, NotDerivable), found
    return found


def test_a_published_config_with_latent_attention_switched_off() -> None:
    assert scalars(OCR) * 2 == 61_440


OFF: dict[str, dict[str, Any]] = {
    "MLA by its switch, in null and in zeros": {
        "use_mla": False, "kv_lora_rank": None, "qk_rope_head_dim": 0, "qk_nope_head_dim": 0, "v_head_dim": 0
    },
    "MLA by a rank of 0": {"kv_lora_rank": 0},
    "MLA by false in place of a rank": {"kv_lora_rank": False, "qk_rope_head_dim": False},
    "an indexer of no width": {"index_head_dim": 0, "index_topk": 0, "index_n_heads": 0},
    "windows of 0": {"sliding_window": 0},
    "windows of false": {"sliding_window": False, "use_sliding_window": False},
    "windows by null": {"sliding_window": None, "sliding_window_pattern": None},
    "no layers that slide": {"layer_types": [], "local_layer_ids": []},
    "chunks of 0": {"attention_chunk_size": 0, "no_rope_layers": []},
    "no layer shares": {"num_kv_shared_layers": 0, "use_cla": False, "cla_share_factor": 2},
    "no compression": {"compress_ratios": [], "kv_source_layer_ids": []},
    "block-sparse attention by its switch": {"use_moba": False, "moba_block_size": 4096},
    "block-sparse attention inside its object": {"sparse_attention_config": {"use_sparse_attention": False, "x": 1}},
    "an empty object": {"sparse_attention_config": {}, "linear_attn_config": {}},
    "no linear layers": {"full_attention_interval": 0, "linear_num_key_heads": 0, "attn_type_list": []},
    "no recurrent layers": {"mamba_d_state": 0, "ssm_state_size": 0, "hybrid_override_pattern": ""},
    "no cross-attention": {"cross_attention_layers": [], "add_cross_attention": False, "encoder_layers": 0},
    "causal, as it is anyway": {"is_causal": True, "use_bidirectional_attention": False, "bidirectional": False},
    "a key known by its pattern alone": {"swa_anything": 0, "mamba_whatever": False, "gdn_layers": []},
}  # fmt: skip


@pytest.mark.parametrize("more", OFF.values(), ids=OFF)
def test_what_is_off_leaves_the_figure_of_what_is_left(more: dict[str, Any]) -> None:
    assert scalars({**LLAMA, **more}) * 2 == 131_072


@pytest.mark.parametrize("key", sorted(key for key in KEYS.off if "*" not in key and "." not in key))
def test_every_mechanism_of_the_table_can_be_off(key: str) -> None:
    for value in KEYS.off[key]:
        assert scalars({**LLAMA, key: value}) * 2 == 131_072


ON: dict[str, tuple[dict[str, Any], str]] = {
    "a switch at true": ({"use_mla": True}, "use_mla"),
    "a rank beside a switch at false": ({"use_mla": False, "kv_lora_rank": 512, "qk_rope_head_dim": 64}, "use_mla"),
    "one width of two": ({"kv_lora_rank": None, "qk_rope_head_dim": 64}, "qk_rope_head_dim"),
    "no causal attention": ({"is_causal": False}, "is_causal"),
    "a switch of which nothing is known": ({"use_moba": True}, "use_moba"),
    "a number where 0 is no rank": ({"kv_lora_rank": 0.5}, "kv_lora_rank"),
    "zero layers are no mechanism": ({"num_hidden_layers": 0}, "num_hidden_layers"),
    "zero heads are none either": ({"num_key_value_heads": 0}, "num_key_value_heads"),
}


@pytest.mark.parametrize(("more", "key"), ON.values(), ids=ON)
def test_what_is_on_is_still_refused(more: dict[str, Any], key: str) -> None:
    assert key in refused({**LLAMA, **more}).fields


def test_a_class_that_has_the_mechanism_has_to_be_told() -> None:
    v2 = {**LLAMA, "model_type": "deepseek_v2"}
    assert "the class has latent attention" in refused(v2).reason
    assert "the class has latent attention" in refused({**v2, "kv_lora_rank": None}).reason
    assert scalars({**v2, "kv_lora_rank": None, "use_mla": False}) * 2 == 131_072
    assert scalars({**v2, "kv_lora_rank": None, "qk_rope_head_dim": 0, "qk_nope_head_dim": 0}) * 2 == 131_072
    mistral = {**LLAMA, "model_type": "mistral"}
    assert "window" in refused(mistral).reason
    assert scalars({**mistral, "sliding_window": 0}) * 2 == 131_072
    qwen = {**LLAMA, "model_type": "qwen3_next"}
    assert "linear attention" in refused({**qwen, "layer_types": []}).reason, "an empty list tells nothing"


def test_zero_where_it_is_a_place_is_not_off() -> None:
    jamba = {
        "model_type": "jamba", "num_hidden_layers": 8, "hidden_size": 64, "num_attention_heads": 4,
        "num_key_value_heads": 2, "head_dim": 16, "attn_layer_period": 4, "attn_layer_offset": 0, "mamba_d_state": 4,
        "mamba_d_conv": 4, "mamba_expand": 2,
    }  # fmt: skip
    found = derive(jamba, KEYS)
    assert isinstance(found, Geometry)
    assert [index for index, kind in enumerate(found.layer_types) if kind == "full_attention"] == [0, 4]
    qwen = {**LLAMA, "model_type": "qwen2", "use_sliding_window": True, "sliding_window": 512, "max_window_layers": 0}
    every = derive(qwen, KEYS)
    assert isinstance(every, Geometry)
    assert every.family == "swa_all"
