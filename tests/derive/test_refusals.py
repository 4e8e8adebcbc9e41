"""What a refusal says: who may vouch for a key, whose reason it is, and which entry of which list is wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from conftest import ROOT

from generator.catalog.yaml.loader import load
from generator.derive.attention import ConfigKeys, Geometry, NotDerivable, derive
from generator.derive.config.class_reads import ClassReads

KEYS = ConfigKeys.from_table(load((ROOT / "schema/config_keys.yaml").read_text("utf-8")).data)
LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
}
NEMOTRON: dict[str, Any] = {
    "model_type": "nemotron_h",
    "hidden_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "mamba_num_heads": 8,
    "mamba_head_dim": 8,
    "n_groups": 2,
    "ssm_state_size": 16,
    "conv_kernel": 4,
}
LAGUNA = LLAMA | {"layer_types": ["sliding_attention", "full_attention"] * 16, "sliding_window": 512}
V32: dict[str, Any] = {
    "model_type": "deepseek_v32",
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "kv_lora_rank": 32,
    "qk_rope_head_dim": 8,
    "index_head_dim": 16,
    "index_topk": 4,
    "index_n_heads": 2,
}


def refusal(config: dict[str, Any], *assumed: str) -> str:
    found = derive(config, KEYS, assumed)
    assert isinstance(found, NotDerivable), found
    return found.reason


# --- who may vouch for a key (F14) ----------------------------------------------------------------------------------

OFFERED = ["novel_memory", "expert_balance", "logit_colour", "rope_flavour", "vocab_shards", "post_layer_norm_eps"]


@pytest.mark.parametrize("key", OFFERED)
def test_a_key_whose_name_says_nothing_can_be_vouched_for(key: str) -> None:
    assert f"--assume-neutral {key}" in refusal(LLAMA | {key: 3})
    assert isinstance(derive(LLAMA | {key: 3}, KEYS, [key]), Geometry)


NEVER = {
    "n_kv_heads": "resembles `num_key_value_heads`",  # Mistral's params.json and llama.cpp
    "kv_heads_num": "resembles `num_key_value_heads`",
    "numKeyValueHeads": "resembles `num_key_value_heads`",
    "num_key_value_head": "resembles `num_key_value_heads`",
    "num_hiden_layers": "resembles `num_hidden_layers`",
    "dim_head": "resembles `head_dim`",
    "size_window": "resembles `window_size`",
    "total_ut_steps": "speaks of loops",  # Ouro runs all layers four times and keeps a cache for each
    "loop_count": "speaks of loops",
    "recurrent_depth": "speaks of loops",
    "blocks_per_window": "speaks of windows",
    "memory_heads": "speaks of heads",
    "latent_rank": "speaks of ranks",
    "extra_layers": "speaks of layers",
    "indexer_budget": "speaks of indexers",
    "short_conv_size": "speaks of convolutions",
}


@pytest.mark.parametrize(("key", "why"), NEVER.items())
def test_a_key_that_speaks_of_the_cache_is_never_offered(key: str, why: str) -> None:
    reason = refusal(LLAMA | {key: 4})
    assert f"`{key}` {why}" in reason
    assert "--assume-neutral" not in reason
    assert "--assume-neutral" not in refusal(LLAMA | {key: 4}, key), "nor does it help to insist"
    outside = refusal({"text_config": LLAMA, key: 4}, key)
    assert f"`{key}` {why}" in outside


def test_of_two_keys_the_harmless_one_is_offered() -> None:
    reason = refusal(LLAMA | {"n_kv_heads": 4, "novel_memory": 2})
    assert "`n_kv_heads` resembles `num_key_value_heads`" in reason
    assert reason.endswith("takes --assume-neutral novel_memory")


# --- figures under a condition --------------------------------------------------------------------------------------


def test_keys_that_alone_are_in_the_way_are_named_as_such() -> None:
    found = derive(LLAMA | {"novel_memory": 2, "expert_balance": 1}, KEYS)
    assert isinstance(found, NotDerivable)
    assert found.open_keys == ("novel_memory", "expert_balance")


@pytest.mark.parametrize("more", [{"n_kv_heads": 4}, {"moba_block_size": 64}, {"num_hidden_layers": None}])
def test_no_condition_where_anything_else_is_in_the_way(more: dict[str, Any]) -> None:
    found = derive(LLAMA | {"novel_memory": 2} | more, KEYS)
    assert isinstance(found, NotDerivable)
    assert not found.open_keys or isinstance(derive(LLAMA | more, KEYS, ["novel_memory"]), NotDerivable)


def test_no_condition_for_a_key_that_the_class_reads() -> None:
    facts = {"every": "", "folders": {"llama": {"model_types": ["llama"], "reads": "novel_memory"}}}
    read = replace(KEYS, reads=ClassReads("the library", facts))
    found = derive(LLAMA | {"novel_memory": 2}, read)
    assert isinstance(found, NotDerivable)
    assert "the code of `llama` (llama; the library) reads it" in found.reason
    assert found.open_keys == ()
    assert isinstance(derive(LLAMA | {"expert_balance": 2}, read), Geometry), "a key that it does not read"


# --- needless refusals (F15) ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more",
    [
        {"draft_vocab_size": 32000},
        {"unpadded_vocab_size": 31999, "additional_vocab_size": 128, "output_vocab_size": 32000},
        {"image_placeholder": "<|image|>", "out_hidden_size": 4096, "projector_bias": True, "downsample_factor": 2},
        {"capacity_factor": 1.25, "expert_capacity": 64, "router_bias": False, "route_scale": 2.5},
        {"label_smoothing": 0.1, "w_init_variance_scale": 0.01},
        {"attn_temperature_tuning": True, "floor_scale": 8192, "attn_scale": 0.1},
    ],
    ids=lambda more: ", ".join(more),
)
def test_keys_of_vocabulary_images_training_and_drafts_are_in_nobodys_way(more: dict[str, Any]) -> None:
    found = derive(LLAMA | more, KEYS)
    assert isinstance(found, Geometry), found
    assert sum(stream.layers * stream.scalars for stream in found.streams) * 2 == 131_072


def test_the_kind_of_attention_in_words() -> None:
    """meituan-longcat/LongCat-Flash-Chat: 28 layers of two blocks, 512 + 64 each, `attention_method` MLA."""
    longcat = {
        "model_type": "longcat_flash", "num_layers": 28, "hidden_size": 6144, "num_attention_heads": 64,
        "kv_lora_rank": 512, "qk_rope_head_dim": 64, "attention_method": "MLA",
    }  # fmt: skip
    found = derive(longcat, KEYS)
    assert isinstance(found, Geometry), found
    assert sum(stream.layers * stream.scalars for stream in found.streams) * 2 == 64_512
    assert "`attention_method` is 'linear'" in refusal(longcat | {"attention_method": "linear"})
    assert "attention_method" in refusal(LLAMA | {"attention_method": "MLA"})


# --- whose reason it is (F16) ---------------------------------------------------------------------------------------

CONVOLUTIONS = {
    "LFM2": {"model_type": "lfm2", "conv_L_cache": 3, "conv_dim": 64, "layer_types": ["conv", "full_attention"] * 16},
    "one that nobody knows": {"model_type": "hyena", "conv_kernel": 4, "state_size": 16, "expand": 2, "chunk_size": 64},
    "heads under other names": {"model_type": "striped", "head_size": 64, "num_heads": 8, "conv_bias": True},
    "by its class alone": {"model_type": None, "architectures": ["ConvNetForCausalLM"], "conv1d_width": 4, "d_head": 4},
}


@pytest.mark.parametrize("more", CONVOLUTIONS.values(), ids=CONVOLUTIONS)
def test_no_reason_of_another_design_is_given(more: dict[str, Any]) -> None:
    reason = refusal(LLAMA | more)
    assert "mamba" not in reason.lower()
    assert "attention head" not in reason
    assert "RecurrentGemma" not in reason
    assert "nobody has judged" in reason or "short convolutions" in reason


def test_a_reason_of_the_class_at_hand_is_given() -> None:
    assert "short convolutions" in refusal(LLAMA | {"model_type": "lfm2", "conv_L_cache": 3})
    assert "mamba layers" in refusal(LLAMA | {"model_type": "plamo2", "chunk_size": 256})
    assert "RWKV" in refusal(LLAMA | {"model_type": "rwkv", "rescale_every": 6})
    assert "sliding-window attention" in refusal(LLAMA | {"local_window_size": 128}), "that holds for any class"


# --- which entry of which list (F22) --------------------------------------------------------------------------------


def layers(pattern: str, count: int) -> dict[str, Any]:
    return NEMOTRON | {"hybrid_override_pattern": pattern, "num_hidden_layers": count}


STRANGE: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "a letter at place 65": (
        layers("M-M*" * 16 + "MX" + "M-" * 26, 118),
        ("`hybrid_override_pattern` has `X` at index 65", "has 118 letters", "`num_hidden_layers` is 118"),
    ),
    "a letter, and a length beside it": (
        layers("MM?M*", 7),
        ("has `?` at index 2", "`hybrid_override_pattern` has 5 letters", "`num_hidden_layers` is 7"),
    ),
    "two letters": (layers("MxMy", 4), ("`x` at index 1, and 1 more such", "4 letters")),
    "a list of names": (
        NEMOTRON | {"layers_block_type": ["mamba", "attention", "conv"], "num_hidden_layers": 3},
        ("`layers_block_type` has `conv` at index 2", "3 entries"),
    ),
    "layer types of a windowed model": (
        LAGUNA | {"layer_types": ["sliding_attention"] * 31 + ["slidng_attention"]},
        ("`layer_types` has `slidng_attention` at index 31", "32 entries", "`num_hidden_layers` is 32"),
    ),
    "indexers": (
        V32 | {"indexer_types": ["full", "shard", "full"]},
        ("`indexer_types` has `shard` at index 1", "3 entries"),
    ),
    "a letter of a cycle": (
        LLAMA | {"model_type": "exaone4", "sliding_window": 64, "sliding_window_pattern": "LLxG"},
        ("`sliding_window_pattern` has `x` at index 2", "4 letters"),
    ),
    "a flag": (
        LLAMA
        | {
            "model_type": "mimo_v2",
            "sliding_window": 8,
            "v_head_dim": 128,
            "swa_num_key_value_heads": 8,
            "swa_head_dim": 128,
            "swa_v_head_dim": 128,
            "hybrid_layer_pattern": [0, 1, 2] + [1] * 29,
        },
        ("`hybrid_layer_pattern` has 2 at index 2",),
    ),
}


@pytest.mark.parametrize(("config", "said"), STRANGE.values(), ids=STRANGE)
def test_the_entry_is_named_with_its_index(config: dict[str, Any], said: tuple[str, ...]) -> None:
    reason = refusal(config)
    assert all(each in reason for each in said), reason


LENGTHS: dict[str, tuple[dict[str, Any], str]] = {
    "letters": (layers("M-M*", 5), "`hybrid_override_pattern` has 4 letters, `num_hidden_layers` is 5"),
    "names": (
        NEMOTRON | {"layers_block_type": ["mamba", "attention"], "num_hidden_layers": 4},
        "`layers_block_type` has 2 entries, `num_hidden_layers` is 4",
    ),
    "layer types": (
        LAGUNA | {"layer_types": ["sliding_attention"] * 30},
        "`layer_types` has 30 entries, `num_hidden_layers` is 32",
    ),
    "indexers": (V32 | {"indexer_types": ["full"]}, "`indexer_types` has 1 entry, `num_hidden_layers` is 3"),
    "query heads": (
        LAGUNA | {"num_attention_heads_per_layer": [32] * 31},
        "`num_attention_heads_per_layer` has 31 entries, `num_hidden_layers` is 32",
    ),
    "layer types of DSA": (
        V32 | {"layer_types": ["full_attention"] * 2},
        "`layer_types` has 2 entries, `num_hidden_layers` is 3",
    ),
}


@pytest.mark.parametrize(("config", "said"), LENGTHS.values(), ids=LENGTHS)
def test_a_list_of_another_length_is_named_with_both(config: dict[str, Any], said: str) -> None:
    assert said in refusal(config)


def test_two_lists_that_disagree_say_where() -> None:
    both = layers("M-M*", 4) | {"layers_block_type": ["mamba", "mlp", "attention", "attention"]}
    assert "first at index 2: mamba in `hybrid_override_pattern`, full_attention in `layers_block_type`" in refusal(
        both
    )
