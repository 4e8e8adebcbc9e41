"""Configs to geometry: what is derived, and above all what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import HERE, ROOT
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from generator.derive.attention import FAMILIES, ConfigKeys, Geometry, NotDerivable, derive, unwrap
from generator.derive.attention.signs import family_name

KEYS_FILE = ROOT / "schema" / "config_keys.yaml"


def load(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


NAMES = {family.name for family in FAMILIES}
KEYS = ConfigKeys.from_table(load(KEYS_FILE))
REAL = load(HERE / "data" / "attention_configs.yaml")
DERIVED = [pytest.param(row, id=row["id"]) for row in REAL if "family" in row]
REFUSED = [pytest.param(row, id=row["id"]) for row in REAL if "refused_for" in row]
CONFIG: dict[str, dict[str, Any]] = {row["id"]: row["config"] for row in REAL}

LLAMA = CONFIG["meta-llama/Llama-3.1-8B"]
QWEN = CONFIG["Qwen/Qwen2.5-7B"]
V3 = CONFIG["deepseek-ai/DeepSeek-V2-Lite"]
V32 = CONFIG["deepseek-ai/DeepSeek-V3.2"]
GLM52 = CONFIG["nvidia/GLM-5.2-NVFP4"]
V4 = CONFIG["deepseek-ai/DeepSeek-V4-Flash"]
V41 = CONFIG["deepseek-ai/DeepSeek-V4.1-Flash"]["text_config"]
MPT = CONFIG["mosaicml/mpt-7b"]
FALCON = {
    "model_type": "falcon",
    "hidden_size": 4544,
    "num_attention_heads": 71,
    "num_hidden_layers": 32,
    "num_kv_heads": 71,
    "multi_query": True,
    "new_decoder_architecture": False,
}


def without(config: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key not in keys}


def geometry(config: dict[str, Any]) -> Geometry:
    found = derive(config, KEYS)
    assert isinstance(found, Geometry), found
    return found


def refusal(config: Any, *assumed: str) -> NotDerivable:
    found = derive(config, KEYS, assumed)
    assert isinstance(found, NotDerivable), found
    return found


def growth_bf16(found: Geometry) -> float:
    return float(sum(s.layers * s.entries.slope() * s.scalars * 2 for s in found.streams))


@pytest.mark.parametrize("row", DERIVED)
def test_real_configs_are_derived(row: dict[str, Any]) -> None:
    found = geometry(row["config"])
    assert (found.family, growth_bf16(found)) == (row["family"], row["growth_bf16"])
    assert sum(found.layers.values()) == len(found.layer_types)
    assert {key.partition(".")[0] for key in found.reads} <= set(unwrap(row["config"]))


@pytest.mark.parametrize("row", REFUSED)
def test_real_configs_that_lack_something_are_refused_by_name(row: dict[str, Any]) -> None:
    found = refusal(row["config"])
    assert row["refused_for"] in found.fields
    assert "`" in found.reason


# What has to be refused although it looks like something known, and the key that the reason has to name.
BAD = [
    (LLAMA | {"num_key_value_heads": True}, "num_key_value_heads", "a bool is no count"),
    (LLAMA | {"num_key_value_heads": "8"}, "num_key_value_heads", "nor is text"),
    (LLAMA | {"num_key_value_heads": 8.0}, "num_key_value_heads", "nor is a float"),
    (LLAMA | {"num_key_value_heads": [8] * 32}, "num_key_value_heads", "nor a list per layer"),
    (LLAMA | {"num_key_value_heads": 0}, "num_key_value_heads", "nor nothing"),
    (LLAMA | {"num_key_value_heads": -8}, "num_key_value_heads", "nor less"),
    (LLAMA | {"num_key_value_heads": 64}, "num_key_value_heads", "more KV heads than heads"),
    (LLAMA | {"num_hidden_layers": 10**9}, "num_hidden_layers", "absurd depth"),
    (LLAMA | {"hidden_size": 10**5000}, "hidden_size", "a number too long to print"),
    (LLAMA | {"hidden_size": 4097}, "head_dim", "the quotient is not whole"),
    (without(LLAMA, "num_key_value_heads"), "num_key_value_heads", "a default of the library"),
    (without(LLAMA, "hidden_size"), "head_dim", "no width at all"),
    (without(LLAMA, "model_type", "architectures"), "head_dim", "nothing says that the quotient holds"),
    (LLAMA | {"n_layer": 12}, "num_hidden_layers", "two spellings that disagree"),
    (LLAMA | {"num_layers": 32}, "num_layers", "a second layer count nobody reads here"),
    (LLAMA | {"multi_query": True}, "multi_query", "a second word about KV heads"),
    (LLAMA | {"index_topk": 2048}, "index_topk", "an indexer on plain attention"),
    (LLAMA | {"qk_nope_head_dim": 128}, "qk_nope_head_dim", "latent attention without its rank"),
    (LLAMA | {"sliding_window": 4096}, "sliding_window", "a window without a switch"),
    # Found by tests/oracle: classes that do otherwise than a plain config of theirs says.
    (LLAMA | {"model_type": "dory", "head_dim": 128, "layer_types": ["full_attention"] * 32}, "model_type", "loops"),
    (LLAMA | {"model_type": "inkling_text", "layer_types": ["full_attention"] * 32}, "model_type", "convolutions"),
    (LLAMA | {"model_type": "qwen4_exp_text", "layer_types": ["full_attention"] * 32}, "model_type", "index keys"),
    (LLAMA | {"model_type": "jetmoe"}, "kv_channels", "a width of the class"),
    (
        LLAMA | {"model_type": "mimo_v2", "head_dim": 128, "layer_types": ["full_attention"] * 32},
        "v_head_dim",
        "values",
    ),
    (LLAMA | {"_sliding_window_pattern": 4}, "_sliding_window_pattern", "a private key that shapes"),
    (LLAMA | {"num_kv_shared_layers": 4}, "num_kv_shared_layers", "sharing"),
    (LLAMA | {"is_encoder_decoder": True}, "is_encoder_decoder", "two caches"),
    (LLAMA | {"layer_types": ["full_attention"] * 31}, "layer_types", "a list of another length"),
    (LLAMA | {"layer_types": ["sliding_attention"] * 32}, "layer_types", "no full layer"),
    (without(QWEN, "use_sliding_window"), "use_sliding_window", "the switch is lost"),
    (LLAMA | {"model_type": "gemma2", "head_dim": 128}, "layer_types", "Gemma-2 whose pattern is lost"),
    (LLAMA | {"architectures": ["Gemma2ForCausalLM"], "head_dim": 128}, "layer_types", "known by its class alone"),
    (LLAMA | {"model_type": "mistral"}, "sliding_window", "Mistral's class has a window by itself"),
    (LLAMA | {"model_type": "qwen3"}, "head_dim", "Qwen3's class has a head_dim by itself"),
    (LLAMA | {"model_type": "deepseek_v3"}, "kv_lora_rank", "DeepSeek-V3 whose rank is lost"),
    (without(V32, "index_head_dim", "index_n_heads", "index_topk"), "index_head_dim", "V3.2 without its indexer"),
    (without(V32, "index_head_dim"), "index_head_dim", "an indexer of unknown width"),
    (without(V3, "qk_rope_head_dim"), "qk_rope_head_dim", "half a latent row"),
    (V3 | {"qk_head_dim": 200}, "qk_head_dim", "parts that do not add up"),
    (V3 | {"compress_ratios": [0] * 27}, "compress_ratios", "two designs at once"),
    (without(GLM52, "indexer_types"), "index_topk_freq", "a schedule without its list"),
    (GLM52 | {"indexer_types": ["full"] * 77}, "indexer_types", "a list of another length"),
    (GLM52 | {"indexer_types": ["shared"] * 78}, "indexer_types", "nobody owns an indexer"),
    (V4 | {"compress_ratios": [0, 4] * 30}, "compress_ratios", "60 ratios for 43 layers"),
    (V4 | {"compress_ratios": [8] * 43}, "compress_ratios", "an unknown ratio"),
    (V4 | {"compress_ratios": [False] * 43}, "compress_ratios", "no ratios at all"),
    (without(V4, "compress_ratios"), "compress_ratios", "the class invents a pattern"),
    (without(V4, "sliding_window"), "sliding_window", "every layer keeps a window"),
    (V4 | {"num_key_value_heads": 2}, "num_key_value_heads", "not one shared row"),
    (without(V41, "num_nextn_predict_layers", "dspark_target_layer_ids"), "compress_ratios", "43 ratios, 40 layers"),
    (V41 | {"kv_source_layer_ids": [8, 14, 20]}, "kv_source_layer_ids", "layer 2 has no source"),
    (V41 | {"kv_source_layer_ids": [2, 8, 14]}, "kv_source_layer_ids", "a source of another ratio"),
    (V41 | {"kv_source_layer_ids": [2, 8, 14, 40]}, "kv_source_layer_ids", "a source beyond the backbone"),
    (V41 | {"kv_source_layer_ids": [0, 2, 8, 14, 20]}, "kv_source_layer_ids", "a source that compresses nothing"),
    (MPT | {"attn_config": {"attn_type": "other"}}, "attn_config.attn_type", "another kind of attention"),
    (
        MPT | {"attn_config": {"attn_type": "multihead_attention", "sliding_window_size": 64}},
        "attn_config.sliding_window_size",
        "an object that shapes is closed inside",
    ),
    (without(FALCON, "new_decoder_architecture"), "new_decoder_architecture", "which Falcon?"),
    ({"text_config": LLAMA, "num_hidden_layers": 40}, "num_hidden_layers", "the wrapper says otherwise"),
    ({"text_config": LLAMA, "novel_key": 1}, "novel_key", "unknown beside the language model"),
    ({"text_config": [LLAMA]}, "text_config", "no object"),
    ({"text_config": LLAMA, "llm_config": LLAMA}, "text_config", "two language models"),
]


@pytest.mark.parametrize(("config", "key", "why"), [pytest.param(*row, id=row[2]) for row in BAD])
def test_refused_naming_the_field(config: dict[str, Any], key: str, why: str) -> None:
    found = refusal(config)
    assert key in found.fields
    assert key.rpartition(".")[2] in found.reason


def test_inert_values_are_no_obstacle() -> None:
    for extra in (
        {"sliding_window": None, "max_window_layers": 28, "use_sliding_window": True},
        {"layer_types": ["full_attention"] * 32, "no_rope_layers": [1] * 32},
        {"attn_type_list": [1] * 32},
        {"num_kv_shared_layers": 0, "use_cla": False, "cla_share_factor": 2, "is_encoder_decoder": False},
        {"kv_lora_rank": None, "v_head_dim": None, "invented_key": None},
        {"head_dim": 128, "v_head_dim": 128, "attention_head_dim": 128},
        {"model_type": "mistral", "sliding_window": None},
    ):
        assert growth_bf16(geometry(LLAMA | extra)) == 131_072


def test_two_widths_are_their_own_family() -> None:
    found = geometry(LLAMA | {"head_dim": 192, "v_head_dim": 128})
    assert (found.family, growth_bf16(found)) == ("gqa_dkv", 32 * 8 * 320 * 2)


def test_falcon_counts_heads_by_its_own_switches() -> None:
    assert geometry(FALCON).family == "mqa"  # num_kv_heads says 71 and means nothing
    forty = FALCON | {"num_attention_heads": 142, "new_decoder_architecture": True, "num_kv_heads": 2}
    assert geometry(forty).streams[0].heads == 2


def test_latent_attention_ignores_heads_and_their_width() -> None:
    odd = V3 | {"head_dim": 999, "num_key_value_heads": 3, "hidden_size": 7}
    assert growth_bf16(geometry(odd)) == 31_104


def test_three_naive_figures_keep_their_names() -> None:
    v2 = geometry(CONFIG["deepseek-ai/DeepSeek-V2"])
    assert (v2.naive_gqa_bytes_per_token, v2.materialised_bytes_per_token) == (1_228_800, 4_915_200)
    assert geometry(V4).naive_gqa_bytes_per_token == 88_064
    assert geometry(V4).materialised_bytes_per_token is None


def test_layers_and_the_tail_behind_them() -> None:
    flash, pro = geometry(V4), geometry(CONFIG["deepseek-ai/DeepSeek-V4-Pro"])
    assert tuple(flash.layers.values()) == (2, 21, 20)
    assert tuple(pro.layers.values()) == (0, 30, 31)
    assert flash.notes == ("compress_ratios has 44 entries: 43 layers + 1 MTP entry",)
    v41 = geometry(V41)
    assert v41.layers == {"sliding_attention": 2, "kv_source": 4, "kv_consumer": 34}
    assert [i for i, name in enumerate(v41.layer_types) if name == "kv_source"] == [2, 8, 14, 20]
    assert "21 of 78 layers own an indexer" in geometry(GLM52).notes


def test_unknown_keys_are_named_and_can_be_vouched_for() -> None:
    strange = LLAMA | {"novel_memory": 7}
    assert "unknown config key `novel_memory`" in refusal(strange).reason
    assert "--assume-neutral novel_memory" in refusal(strange).reason
    misspelt = refusal(LLAMA | {"vocab_sise": 4}).reason
    assert "if `vocab_size` is not what was meant for `vocab_sise`, and it does not" in misspelt
    found = derive(strange, KEYS, ["novel_memory"])
    assert isinstance(found, Geometry)
    assert found.notes == ("assumed neutral: novel_memory",)
    assert refusal(LLAMA | {"moba_block_size": 1024}, "moba_block_size").fields == ("moba_block_size",)


def test_the_table_of_keys_is_sound() -> None:
    assert all(KEYS.why(key) for key in KEYS.explicit)
    shaping = {key for family in FAMILIES for key in family.reads if KEYS.role(key) not in ("kv", "state")}
    assert shaping == {"model_type", "num_nextn_predict_layers", "intermediate_size", "max_position_embeddings"}
    roles = {
        "_sliding_window_pattern": "kv",  # a listed key beats a pattern
        "vision_sliding_thing": "kv",  # of two patterns the one that refuses wins
        "_attn_implementation_autoset": "neutral",
        "pad_token_id": "neutral",
        "model_type": "identity",
        "mamba_anything": "state",
        "novel_memory": None,
    }
    assert {key: KEYS.role(key) for key in roles} == roles


def test_a_bad_table_is_refused() -> None:
    for groups, word in (
        ([{"role": "maybe", "why": "x", "keys": ["a"]}], "role"),
        ([{"role": "kv", "why": "x", "keys": ["a", "a"]}], "twice"),
    ):
        with pytest.raises(ValueError, match=word):
            ConfigKeys.from_table({"groups": groups})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=4,
)
LIKELY = st.sampled_from(sorted({key for config in CONFIG.values() for key in unwrap(config)}))
ODD = JSON | st.sampled_from([0, -1, 1, 2, 10**6, 10**30, True, [], {}, [0], ["full"], "full_attention"])


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    base=st.sampled_from(sorted(CONFIG)),
    changes=st.dictionaries(LIKELY, ODD, max_size=4),
    drop=st.lists(LIKELY, max_size=3),
)
def test_derive_never_raises_on_mutated_configs(base: str, changes: dict[str, Any], drop: list[str]) -> None:
    config = without(CONFIG[base] | changes, *drop)
    assert isinstance(derive(config, KEYS), (Geometry, NotDerivable))
    assert family_name(unwrap(config)) in NAMES


@pytest.mark.parametrize(
    "odd", [0, -1, 7, True, 10**30, 1.5, float("nan"), "auto", [], [[]], [0, 1], {}, {"a": 1}], ids=repr
)
def test_no_odd_value_of_a_real_field_breaks_derive(odd: object) -> None:
    for config in CONFIG.values():
        inner = unwrap(config)
        for key in inner:
            changed = inner | {key: odd}
            assert isinstance(derive(changed, KEYS), (Geometry, NotDerivable)), key
            assert family_name(changed) in NAMES


@given(JSON)
def test_derive_never_raises_on_anything(config: Any) -> None:
    assert isinstance(derive(config, KEYS), (Geometry, NotDerivable))


@given(key=LIKELY, base=st.sampled_from([row["id"] for row in REAL if "family" in row]))
def test_dropping_a_field_never_changes_the_figure(key: str, base: str) -> None:
    # Mistral's class divides where head_dim is absent, and means it: such a config is taken at its word.
    assume(not (key == "head_dim" and base.startswith("mistralai/")))
    config = CONFIG[base]
    less = {"text_config": without(unwrap(config), key)} if "text_config" in config else without(config, key)
    before, after = derive(config, KEYS), derive(less, KEYS)
    if isinstance(after, Geometry):
        assert isinstance(before, Geometry)
        assert after.streams == before.streams
