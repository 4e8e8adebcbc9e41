"""The families beside plain, latent and compressed attention: windows, shared caches, state, encoders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import HERE, ROOT

from generator.derive.attention import FAMILIES, ConfigKeys, Entries, Geometry, NotDerivable, derive


def load(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


SCHEMA = ROOT / "schema"
KEYS = ConfigKeys.from_table(load(SCHEMA / "config_keys.yaml"))
REAL: dict[str, dict[str, Any]] = {row["id"]: row["config"] for row in load(HERE / "data" / "attention_configs.yaml")}
PUBLISHED: dict[str, dict[str, Any]] = {row["id"]: row["config"] for row in load(HERE / "data" / "kv_published.yaml")}
HEADS = {"hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128}
GPT_OSS, GEMMA4 = REAL["openai/gpt-oss-20b"], REAL["google/gemma-4-26B-A4B"]["text_config"]
GEMMA4E, NEXT = REAL["google/gemma-4-E2B-it"]["text_config"], REAL["Qwen/Qwen3-Next-80B-A3B-Instruct"]
MISTRAL, JAMBA = REAL["mistralai/Mistral-7B-v0.1"], REAL["ai21labs/Jamba-v0.1"]
NANO = REAL["nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"]
ULTRA = REAL["nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16"]
M3, KIMI = REAL["nvidia/MiniMax-M3-NVFP4"]["text_config"], REAL["moonshotai/Kimi-Linear-48B-A3B-Instruct"]
LONGCAT, LAGUNA = REAL["meituan-longcat/LongCat-Flash-Lite"], REAL["poolside/Laguna-XS.2-FP8"]
MIMO, TEXT_01 = PUBLISHED["mimo-v2-flash"], PUBLISHED["minimax-text-01"]
SCOUT, WHISPER, T5 = (PUBLISHED[name] for name in ("llama-4-scout", "whisper-large-v3", "t5-base"))
SLIDING = ["sliding_attention"] * 3 + ["full_attention"]
STEP = HEADS | {
    "model_type": "step3p5",
    "num_hidden_layers": 4,
    "num_key_value_heads": None,
    "num_attention_groups": 8,
    "sliding_window": 512,
    "layer_types": [*SLIDING, "full_attention"],
    "num_nextn_predict_layers": 1,
    "attention_other_setting": {
        "attention_type": "sliding_attention",
        "num_attention_heads": 48,
        "num_attention_groups": 4,
        "head_dim": 64,
    },
}
ATTENDS, SKIPS = {"attention": {"n_heads_in_group": 8}}, {"attention": {"no_op": True, "n_heads_in_group": None}}
NAS = {
    "model_type": "nemotron-nas",
    "hidden_size": 8192,
    "num_attention_heads": 64,
    "num_key_value_heads": None,
    "num_hidden_layers": 4,
    "block_configs": [ATTENDS, SKIPS, ATTENDS, {"attention": {"n_heads_in_group": 16, "window_length": None}}],
}
HUNYUAN = HEADS | {"model_type": "hunyuan", "num_hidden_layers": 5, "use_cla": True, "cla_share_factor": 2}
MAMBA2 = {"mamba_n_heads": 64, "mamba_d_head": 64, "mamba_n_groups": 1, "mamba_d_state": 128, "mamba_d_conv": 4}
FALCON_H1 = HEADS | MAMBA2 | {"model_type": "falcon_h1", "num_hidden_layers": 3, "mamba_d_ssm": 4096}
GRANITE = (
    HEADS
    | MAMBA2
    | {
        "model_type": "granitemoehybrid",
        "num_hidden_layers": 4,
        "layer_types": ["mamba", "mamba", "attention", "mamba"],
    }
)
ZAMBA2 = {
    "model_type": "zamba2",
    "hidden_size": 2560,
    "num_attention_heads": 32,
    "num_key_value_heads": 32,
    "attention_head_dim": 160,
    "attention_hidden_size": 5120,
    "num_hidden_layers": 3,
    "layers_block_type": ["mamba", "hybrid", "mamba"],
    "hybrid_layer_ids": [1],
    "n_mamba_heads": 80,
    "mamba_headdim": 64,
    "mamba_ngroups": 1,
    "mamba_d_state": 64,
    "mamba_d_conv": 4,
}
PURE1 = {"model_type": "falcon_mamba", "hidden_size": 4096, "intermediate_size": 8192, "expand": 16}
PURE1 |= {"num_hidden_layers": 64, "state_size": 16, "conv_kernel": 4}
PURE2 = {"model_type": "mamba2", "num_hidden_layers": 64, "num_heads": 128, "head_dim": 64, "n_groups": 8}
PURE2 |= {"state_size": 128, "conv_kernel": 4, "hidden_size": 4096, "expand": 2}
CODESTRAL = PURE2 | {
    "architectures": ["Mamba2ForCausalLM"],
    "chunk_size": 256,
    "intermediate_size": 8192,
    "norm_before_gate": True,
    "time_step_init_scheme": "random",
    "time_step_limit": [0.0, "Infinity"],
    "time_step_rank": 256,
    "time_step_scale": 1.0,
    "use_conv_bias": True,
}
K3 = PUBLISHED["kimi-k3"] | {"mla_use_output_gate": True, "attn_res_block_size": 12}
K3["linear_attn_config"] = K3["linear_attn_config"] | {"gate_lower_bound": -5.0, "use_full_rank_gate": True}
BERT = {"model_type": "bert", "num_hidden_layers": 12, "num_attention_heads": 12, "hidden_size": 768}
QWEN2 = HEADS | {"model_type": "qwen2", "num_hidden_layers": 4, "use_sliding_window": True, "sliding_window": 64}


def without(config: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key not in keys}


def geometry(config: dict[str, Any], **defaults: Any) -> Geometry:
    found = derive(config, KEYS, class_defaults=defaults)
    assert isinstance(found, Geometry), found
    return found


def refusal(config: dict[str, Any]) -> NotDerivable:
    found = derive(config, KEYS)
    assert isinstance(found, NotDerivable), found
    return found


# config, family, blocks that keep something, and (layers, scalars, entry rule, n) of each stream; all by hand.
READ: list[tuple[str, dict[str, Any], str, dict[str, int], list[tuple[int, int, str, int]]]] = [
    ("each window its own width", STEP, "swa_hybrid", {"full_attention": 1, "sliding_attention": 3},
     [(1, 2048, "full", 1), (3, 512, "window", 512)]),
    ("layers above max_window_layers", QWEN2 | {"max_window_layers": 3}, "swa_hybrid",
     {"full_attention": 3, "sliding_attention": 1}, [(3, 2048, "full", 1), (1, 2048, "window", 64)]),
    ("no layer above it", QWEN2 | {"max_window_layers": 4}, "gqa", {"full_attention": 4}, [(4, 2048, "full", 1)]),
    ("a window that never closes", MISTRAL | {"max_position_embeddings": 4096}, "gqa", {"full_attention": 32},
     [(32, 2048, "full", 1)]),
    ("but does when rope is stretched",
     MISTRAL | {"max_position_embeddings": 4096, "rope_scaling": {"factor": 2.0}}, "swa_all",
     {"sliding_attention": 32}, [(32, 2048, "window", 4096)]),
    ("a cycle of letters", HEADS | {"model_type": "exaone4", "num_hidden_layers": 6, "sliding_window": 9,
     "sliding_window_pattern": "LLLG"}, "swa_hybrid", {"full_attention": 2, "sliding_attention": 4},
     [(2, 2048, "full", 1), (4, 2048, "window", 9)]),
    ("Cohere's three names", HEADS | {"model_type": "cohere2", "num_hidden_layers": 8, "sliding_window": 9,
     "sliding_window_pattern": 4, "_sliding_window_pattern": 4, "layer_switch": 4}, "swa_hybrid",
     {"full_attention": 2, "sliding_attention": 6}, [(2, 2048, "full", 1), (6, 2048, "window", 9)]),
    ("blocks searched layer by layer", NAS, "gqa", {"full_attention": 3, "feed_forward": 1},
     [(1, 1024, "full", 1), (2, 2048, "full", 1)]),
    ("every other layer reads the one before", HUNYUAN, "cross_layer_shared", {"full_attention": 3, "shared_kv": 2},
     [(3, 2048, "full", 1)]),
    ("attention beside mamba", FALCON_H1, "mamba2_hybrid", {"full_attention": 3, "mamba": 3}, [(3, 2048, "full", 1)]),
    ("mamba but for one layer", GRANITE, "mamba2_hybrid", {"full_attention": 1, "mamba": 3}, [(1, 2048, "full", 1)]),
    ("none of them", GRANITE | {"layer_types": ["attention"] * 4}, "gqa", {"full_attention": 4},
     [(4, 2048, "full", 1)]),
    ("a shared block twice as wide", ZAMBA2, "mamba2_hybrid", {"full_attention": 1, "mamba": 3},
     [(1, 32 * 320, "full", 1)]),
    ("mamba alone", PURE1, "mamba1", {"mamba": 64}, []),
    ("mamba 2 alone", PURE2, "mamba2", {"mamba": 64}, []),
    ("a whole config", CODESTRAL, "mamba2", {"mamba": 64}, []),
    ("gates that keep nothing", K3, "kda_mla_hybrid", {"full_attention": 24, "linear_attention": 69},
     [(24, 576, "full", 1)]),
    ("an encoder", BERT, "encoder_only", {}, []),
    ("frames of a fixed number", WHISPER, "encoder_decoder", {"full_attention": 32, "cross_attention": 32},
     [(32, 2560, "full", 1), (32, 2560, "encoder", 1500)]),
    ("two blocks in each layer", LONGCAT, "mla", {"full_attention": 28}, [(28, 576, "full", 1)]),
]  # fmt: skip


@pytest.mark.parametrize(("config", "family", "layers", "streams"), [pytest.param(*r[1:], id=r[0]) for r in READ])
def test_read(
    config: dict[str, Any], family: str, layers: dict[str, int], streams: list[tuple[int, int, str, int]]
) -> None:
    found = geometry(config)
    assert (found.family, found.layers) == (family, layers)
    assert [(s.layers, s.scalars, s.entries.rule, s.entries.n) for s in found.streams] == streams


# What has to be refused, and the key that the reason has to name.
BAD: list[tuple[str, dict[str, Any], str]] = [
    ("a list of another length", GPT_OSS | {"layer_types": SLIDING}, "layer_types"),
    ("an unknown kind of layer", GPT_OSS | {"layer_types": ["moba_attention"] * 24}, "layer_types"),
    ("an entry that is no name", GPT_OSS | {"layer_types": [["full_attention"]] * 24}, "layer_types"),
    ("a window of nothing", GPT_OSS | {"sliding_window": 0}, "sliding_window"),
    ("a window that is missing", without(GPT_OSS, "sliding_window"), "sliding_window"),
    ("an absurd window", MISTRAL | {"sliding_window": 10**30}, "sliding_window"),
    ("two windows", MISTRAL | {"sliding_window_size": 128}, "sliding_window"),
    ("two patterns", HEADS | {"model_type": "cohere2", "num_hidden_layers": 8, "sliding_window": 9,
     "sliding_window_pattern": 4, "layer_switch": 2}, "layer_switch"),
    ("a pattern against a list", GPT_OSS | {"model_type": "gemma2", "sliding_window_pattern": 3}, "layer_types"),
    ("a pattern of a model type nobody knows", HEADS | {"model_type": "novel", "num_hidden_layers": 8,
     "sliding_window": 9, "sliding_window_pattern": 4}, "sliding_window_pattern"),
    ("how long sequences get", MISTRAL | {"sliding_window": 262144, "max_position_embeddings": None},
     "max_position_embeddings"),
    ("the upper layers of another class", QWEN2 | {"model_type": "qwen2_moe", "max_window_layers": 2},
     "sliding_window"),
    ("two-way attention", GEMMA4 | {"use_bidirectional_attention": "all"}, "use_bidirectional_attention"),
    ("two-way attention between images elsewhere", GPT_OSS | {"use_bidirectional_attention": "vision"},
     "use_bidirectional_attention"),
    ("whether keys double as values", without(GEMMA4, "attention_k_eq_v"), "attention_k_eq_v"),
    ("the heads of the full layers", without(GEMMA4, "num_global_key_value_heads"), "num_global_key_value_heads"),
    ("the width of the full layers", without(GEMMA4, "global_head_dim"), "global_head_dim"),
    ("keys as values elsewhere", GPT_OSS | {"attention_k_eq_v": True}, "attention_k_eq_v"),
    ("how many layers share", without(GEMMA4E, "num_kv_shared_layers"), "num_kv_shared_layers"),
    ("all layers share", GEMMA4E | {"num_kv_shared_layers": 35}, "num_kv_shared_layers"),
    ("a layer has nobody to share with", GEMMA4E | {"num_kv_shared_layers": 32}, "num_kv_shared_layers"),
    ("query heads that do not fit", LAGUNA | {"num_attention_heads_per_layer": [12] * 40},
     "num_attention_heads_per_layer"),
    ("the sliding layers' heads", without(MIMO, "swa_num_key_value_heads"), "swa_num_key_value_heads"),
    ("the width of values", without(MIMO, "v_head_dim"), "v_head_dim"),
    ("heads of sliding layers elsewhere", GPT_OSS | {"swa_num_key_value_heads": 4, "swa_head_dim": 64,
     "swa_v_head_dim": 64}, "swa_num_key_value_heads"),
    ("flags that are none", MIMO | {"hybrid_layer_pattern": [2] * 48}, "hybrid_layer_pattern"),
    ("which layers chunk", without(SCOUT, "no_rope_layer_interval"), "no_rope_layer_interval"),
    ("an empty list is no statement", without(SCOUT, "no_rope_layer_interval") | {"no_rope_layers": []},
     "no_rope_layer_interval"),
    ("two layer counts", LONGCAT | {"num_hidden_layers": 14}, "num_hidden_layers"),
    ("the pairs are lost", without(LONGCAT, "num_layers"), "num_layers"),
    ("a layer list against the interval", NEXT | {"layer_types": ["full_attention"] * 48}, "full_attention_interval"),
    ("neither list nor interval", without(NEXT, "full_attention_interval"), "full_attention_interval"),
    ("half a state", without(NEXT, "linear_value_head_dim"), "linear_value_head_dim"),
    ("layers counted from 0", KIMI | {"linear_attn_config": {**KIMI["linear_attn_config"],
     "full_attn_layers": [0, 4]}}, "linear_attn_config.full_attn_layers"),
    ("a layer of no kind", KIMI | {"linear_attn_config": {**KIMI["linear_attn_config"], "kda_layers": [1, 2]}},
     "linear_attn_config.kda_layers"),
    ("an object that shapes is closed inside", KIMI | {"linear_attn_config": {**KIMI["linear_attn_config"],
     "novel": 1}}, "linear_attn_config.novel"),
    ("a letter nobody knows", NANO | {"hybrid_override_pattern": "MX*"}, "hybrid_override_pattern"),
    ("a pattern of another length", NANO | {"hybrid_override_pattern": "MEM*"}, "hybrid_override_pattern"),
    ("an unknown block", ULTRA | {"layers_block_type": ["mamba", "rwkv"]}, "layers_block_type"),
    ("mamba layers of nobody knows where", NANO | {"model_type": "novel"}, "model_type"),
    ("head_dim of the class", without(NANO, "head_dim"), "head_dim"),
    ("an offset beyond the period", JAMBA | {"attn_layer_offset": 8}, "attn_layer_offset"),
    ("a mamba width that does not add up", FALCON_H1 | {"mamba_d_ssm": 4095}, "mamba_d_ssm"),
    ("softmax layers of another length", TEXT_01 | {"attn_type_list": [0, 1]}, "attn_type_list"),
    ("an index of unknown width", M3 | {"sparse_attention_config": without(M3["sparse_attention_config"],
     "sparse_index_dim")}, "sparse_attention_config.sparse_index_dim"),
    ("index values, too", M3 | {"sparse_attention_config": M3["sparse_attention_config"]
     | {"sparse_disable_index_value": [0] * 60}}, "sparse_attention_config.sparse_disable_index_value"),
    ("a part nobody has judged", M3 | {"sparse_attention_config": M3["sparse_attention_config"]
     | {"sparse_memory": 1}}, "sparse_attention_config.sparse_memory"),
    ("blocks of another number", NAS | {"num_hidden_layers": 5}, "block_configs"),
    ("a block with a window", NAS | {"block_configs": [{"attention": {"window_length": 9}}] * 4}, "block_configs"),
    ("whether layers share", without(HUNYUAN, "use_cla"), "use_cla"),
    ("an encoder made a decoder", BERT | {"is_decoder": True}, "is_decoder"),
    ("a decoder nobody has judged", WHISPER | {"model_type": "moonshine"}, "is_encoder_decoder"),
    ("T5 does not divide", without(T5, "d_kv") | {"d_model": 768}, "d_kv"),
    ("RWKV", {"model_type": "rwkv6", "hidden_size": 2048, "num_hidden_layers": 24}, "model_type"),
    ("two designs at once", NEXT | {"kv_lora_rank": 512}, "kv_lora_rank"),
    ("windows on linear layers", NEXT | {"sliding_window": 128, "use_sliding_window": True}, "sliding_window"),
]  # fmt: skip


@pytest.mark.parametrize(("config", "key"), [pytest.param(*row[1:], id=row[0]) for row in BAD])
def test_refused_naming_the_field(config: dict[str, Any], key: str) -> None:
    found = refusal(config)
    assert key in found.fields


# What a config leaves to its class is computed with only when somebody vouches for it, and then it is named.
DEFAULTS: list[tuple[str, dict[str, Any], int]] = [
    ("google/gemma-2-2b-it", {"sliding_window_pattern": 2}, 13 * 4 * 512 * 2),
    ("allenai/Olmo-3-7B-Instruct", {"sliding_window_pattern": 4}, 8 * 32 * 256 * 2),
    ("google/gemma-3-27b-it", {"sliding_window_pattern": 6}, 81_920),
    ("meta-llama/Llama-4-Scout-17B-16E-Instruct", {"no_rope_layer_interval": 4}, 49_152),
    ("nvidia/Nemotron-H-8B-Base-8K", {"head_dim": 128}, 4 * 8 * 256 * 2),
]


@pytest.mark.parametrize(("model", "defaults", "growth"), DEFAULTS)
def test_class_defaults_are_named(model: str, defaults: dict[str, Any], growth: int) -> None:
    assert isinstance(derive(REAL[model], KEYS), NotDerivable)
    found = geometry(REAL[model], **defaults)
    assert sum(s.layers * s.entries.slope() * s.scalars * 2 for s in found.streams) == growth
    assert {f"class default: {key} {value}" for key, value in defaults.items()} <= set(found.notes)


def test_class_defaults_fill_only_what_is_absent() -> None:
    found = geometry(GPT_OSS, sliding_window=999, head_dim=None)
    assert found.streams == geometry(GPT_OSS).streams
    assert not any("class default" in note for note in found.notes)
    assert "novel" in refusal_with(GPT_OSS, novel=1).reason
    pure = geometry(REAL["state-spaces/mamba2-130m"], **{"ssm_cfg.d_state": 128, "ssm_cfg.d_conv": 4,
                    "ssm_cfg.expand": 2, "ssm_cfg.headdim": 64, "ssm_cfg.ngroups": 1})  # fmt: skip
    assert [(s.slot, s.layers, s.scalars) for s in pure.states] == [
        ("mamba2_conv", 24, (1536 + 2 * 128) * 3),
        ("mamba2_ssm", 24, 1536 * 128),
    ]


def test_a_convolution_in_attention_layers_keeps_its_inputs() -> None:
    """mha.py of mamba_ssm convolves queries, keys and values together: 30 + 2 x 30 heads of 128, the last 3 inputs."""
    convolved = {"causal": True, "d_conv": 4, "head_dim": 128, "num_heads": 30, "rotary_emb_dim": 64}
    base = {"d_model": 2560, "n_layer": 64, "ssm_cfg": {"layer": "Mamba2"}, "attn_layer_idx": [9, 18, 27, 36, 45, 56]}
    found = geometry({**base, "attn_cfg": convolved})
    assert ("attention_conv", 6, 128 * (30 + 2 * 30) * 3) in [(s.slot, s.layers, s.scalars) for s in found.states]
    shared_out = geometry({**base, "attn_cfg": {"num_heads": 20}})
    assert [(s.heads, s.scalars) for s in shared_out.streams] == [(20, 20 * 2 * 128)]
    assert "attention_conv" not in {slot.slot for slot in shared_out.states}
    refused = derive({**base, "attn_cfg": {"num_heads": 30}}, KEYS)
    assert isinstance(refused, NotDerivable)
    assert refused.fields == ("attn_cfg.head_dim",)


def test_a_switch_for_latent_attention_must_agree_with_the_widths() -> None:
    """DeepSeek-VL2 states ``use_mla`` beside them; with the switch off its smallest has neither (kv_lora_rank null)."""
    widths = {"kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128}
    model = {"num_hidden_layers": 30, "num_attention_heads": 32, "num_key_value_heads": 32, **widths}
    assert [s.scalars for s in geometry({**model, "use_mla": True}).streams] == [576]
    refused = derive({**model, "use_mla": False}, KEYS)
    assert isinstance(refused, NotDerivable)
    assert refused.fields == ("use_mla",)


def test_experts_and_the_other_parts_of_a_multimodal_model_are_neutral() -> None:
    """ERNIE-4.5-21B-A3B and an InternVL wrapper, in the keys of their config.json that have nothing to do with KV."""
    text = {"head_dim": 128, "num_attention_heads": 20, "num_key_value_heads": 4, "num_hidden_layers": 28}
    ernie = {"moe_num_experts": 64, "moe_k": 6, "moe_capacity": [64, 64, 64], "moe_layer_start_index": 1}
    intern = {"downsample_ratio": 0.5, "dynamic_image_size": True, "ps_version": "v2", "template": "internvl2_5"}
    for config in ({**text, **ernie}, {"llm_config": text, **intern, "model_type": "internvl_chat"}):
        assert [(s.layers, s.scalars) for s in geometry(config).streams] == [(28, 4 * (128 + 128))]


def refusal_with(config: dict[str, Any], **defaults: Any) -> NotDerivable:
    found = derive(config, KEYS, class_defaults=defaults)
    assert isinstance(found, NotDerivable), found
    return found


def test_state_in_scalars_per_layer() -> None:
    states = {
        model: {slot.slot: (slot.layers, slot.scalars) for slot in geometry(config).states}
        for model, config in (("next", NEXT), ("falcon", PURE1), ("zamba", ZAMBA2), ("h1", FALCON_H1))
    }
    assert states == {
        "next": {"gdn_conv": (36, (2 * 16 * 128 + 32 * 128) * 3), "gdn_ssm": (36, 32 * 128 * 128)},
        "falcon": {"mamba1_conv": (64, 8192 * 3), "mamba1_ssm": (64, 8192 * 16)},
        "zamba": {"mamba2_conv": (3, (80 * 64 + 2 * 64) * 3), "mamba2_ssm": (3, 80 * 64 * 64)},
        "h1": {"mamba2_conv": (3, (64 * 64 + 2 * 128) * 3), "mamba2_ssm": (3, 64 * 64 * 128)},
    }
    eight = geometry(REAL["nvidia/Nemotron-H-8B-Base-8K"], head_dim=128)
    assert eight.layers == {"full_attention": 4, "mamba": 24, "feed_forward": 24}


def test_entry_rules() -> None:
    assert [Entries("chunk", 8).count(n) for n in (0, 5, 8, 20)] == [0, 5, 8, 8]
    assert [Entries("encoder", 1500).count(n, 7) for n in (0, 5)] == [1500, 1500]
    assert [Entries("encoder", 0).count(n, 7) for n in (0, 5)] == [7, 7]
    assert Entries("chunk", 8).slope() == Entries("encoder", 0).slope() == 0
    for rule in ("window", "chunk"):
        with pytest.raises(ValueError, match="no such entry rule"):
            Entries(rule, 0)


def test_every_family_has_its_name_and_kernel_classes() -> None:
    assert {family.name for family in FAMILIES} == set(load(SCHEMA / "families.yaml"))
    assert len({family.name for family in FAMILIES}) == len(FAMILIES)
