"""Configs to parameter counts: real classes of transformers, published figures, and above all what is refused."""

from __future__ import annotations

import copy
from decimal import Decimal
from typing import Any

import pytest
import yaml
from conftest import HERE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from weight_table import weight_table

from generator.derive.parameters import COMPONENTS, NotDerivable, Parameters, WeightBytes, count, weight_bytes
from generator.derive.parameters.model_types import BY_TYPE, MODELS
from generator.derive.parameters.stated_counts import agrees, countings, matching

DATA = HERE / "data"


def load(name: str) -> Any:
    return yaml.load((DATA / name).read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


COUNTED = load("parameters_counted.yaml")
VARIANTS = load("parameters_variants.yaml")
PUBLISHED = load("parameters_published.yaml")
SCHEMES = weight_table()
ROWS = {id: row for row in COUNTED for id in (row["id"], *row.get("also", ()))}

LLAMA = ROWS["meta-llama/Llama-3.1-8B"]["config"]
V2 = ROWS["deepseek-ai/DeepSeek-V2"]
V3 = ROWS["deepseek-ai/DeepSeek-V3"]["config"]
V4 = ROWS["deepseek-ai/DeepSeek-V4-Flash"]["config"]
GEMMA = ROWS["google/gemma-7b-it"]["config"]
V41 = {
    "model_type": "deepseek_v41_text",
    "vocab_size": 129280,
    "hidden_size": 5120,
    "moe_intermediate_size": 2304,
    "num_hidden_layers": 40,
    "num_attention_heads": 64,
    "num_key_value_heads": 1,
    "head_dim": 512,
    "q_lora_rank": 1280,
    "o_lora_rank": 1024,
    "o_groups": 8,
    "tie_word_embeddings": False,
    "n_routed_experts": 384,
    "n_shared_experts": 1,
    "num_experts_per_tok": 6,
    "compress_ratios": [0, 0, *[2] * 18, *[1] * 20, 0, 0, 0],
    "kv_source_layer_ids": [2, 8, 14, 20],
    "index_source_layer_ids": [2, 8, 14, 20, 24, 28, 32, 36],
    "index_n_heads": 32,
    "index_head_dim": 128,
    "hc_mult": 4,
    "engram_layer_ids": [1, 14],
    "engram_num_embeddings": [384006168, 384016682],
    "engram_max_ngram_size": 4,
    "engram_n_heads": 8,
    "engram_head_dim": 256,
    "num_nextn_predict_layers": 3,
}


def counted(config: Any, defaults: Any = None) -> Parameters:
    found = count(config, defaults)
    assert isinstance(found, Parameters), found
    return found


def refusal(config: Any, defaults: Any = None) -> NotDerivable:
    found = count(config, defaults)
    assert isinstance(found, NotDerivable), found
    return found


def of(id: str) -> Parameters:
    return counted(ROWS[id]["config"], ROWS[id].get("class_defaults"))


# --- against real classes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in COUNTED])
def test_real_models_have_exactly_the_parameters_of_their_class(row: dict[str, Any]) -> None:
    found = counted(row["config"], row.get("class_defaults"))
    assert found.total == row["parameters"]
    assert found.assumed == row.get("class_defaults", {})
    assert {key.partition(".")[0] for key in found.reads} <= set(row["config"])


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in VARIANTS])
def test_every_switch_of_every_class_counts_exactly(row: dict[str, Any]) -> None:
    assert counted(row["config"]).total == row["parameters"]


def test_every_listed_model_type_was_compared_with_a_class() -> None:
    compared = {row["config"]["model_type"] for row in (*COUNTED, *VARIANTS)}
    assert set(BY_TYPE) - compared == {"deepseek_v41_text", "minimax_m1", "muse_glimmer_text"}
    assert len(BY_TYPE) == sum(len(model.model_types) for model in MODELS)


# --- against published figures ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=f"{row['id']} {n}") for n, row in enumerate(PUBLISHED["parameters"])]
)
def test_published_figures_hold_to_their_digits(row: dict[str, Any]) -> None:
    found = of(row["id"])
    for field in ("total", "active"):
        if field in row:
            assert matching(row[field], "billion", found, f"parameters_{field}"), row["from"]


def test_v41_has_the_vendors_backbone_and_tables() -> None:
    """Report abstract, arXiv 2609.19969: 552B backbone, 16B active; model card: 196B Engram parameters."""
    found = counted(V41)
    apart = {part.name: part.parameters for part in found.apart}
    assert round(found.total / 10**9) == 552
    assert apart["engram tables"] == 196_613_849_600
    assert apart["mtp"] is None
    assert {round(found.active(with_input_embedding=way) / 10**9) for way in (True, False)} == {16}


def test_v41_without_its_small_parts_is_what_the_audit_counted() -> None:
    """design/claims-audit.md 107: 16.3B and, in the encoder half, 8.15B: attention, experts and embeddings alone."""
    found = counted(V41)
    active = found.active_components(with_input_embedding=True)
    layers = active["attention"] + active["experts_routed"] + active["experts_shared"]
    assert agrees("16.3", "billion", layers + active["embedding_input"] + active["embedding_output"])
    assert agrees("8.15", "billion", layers // 2 + active["embedding_input"])
    whole = found.components
    parts = ("attention", "experts_routed", "experts_shared", "embedding_input", "embedding_output", "router")
    assert agrees("551.5", "billion", sum(whole[name] for name in parts))


def test_v4_flash_has_the_draft_layer_of_its_safetensors_headers() -> None:
    """mtp.*: fp4 experts, fp8 attention, projections and shared expert, bf16 router and norms, fp32 connections."""
    apart = {part.name: part.parameters for part in counted({**V4, "num_nextn_predict_layers": 1}).apart}
    fp4, fp8 = 2 * 3 * 1_073_741_824, 106_954_752 + 33_554_432 + 25_165_824
    router, layer_norms, connections, q_and_kv_norms, sinks = 2_097_152 // 2, 40_960 // 2, 3_408_108 // 4, 1_536, 64
    assert apart["mtp"] == fp4 + fp8 + router + layer_norms + connections + q_and_kv_norms + sinks


def test_v3_has_the_draft_layer_of_its_readme() -> None:
    """DeepSeek-V3 README_WEIGHTS.md: 11.5B unique parameters, embedding and head (0.9B each) shared with the model."""
    config = {**V3, "num_nextn_predict_layers": 1}
    (draft,) = counted(config).apart
    assert (draft.name, draft.parameters) == ("mtp", 11_610_067_968)
    assert counted(config).total == counted(V3).total


def test_v4_flash_weighs_what_its_safetensors_headers_say() -> None:
    config = {
        **V4,
        "torch_dtype": "bfloat16",
        "expert_dtype": "fp4",
        "quantization_config": {
            "activation_scheme": "dynamic",
            "fmt": "e4m3",
            "quant_method": "fp8",
            "scale_fmt": "ue8m0",
            "weight_block_size": [128, 128],
        },
    }
    found = weight_bytes(counted(config), config, SCHEMES)
    assert isinstance(found, WeightBytes)
    assert found.by_type == PUBLISHED["v4_flash_bytes"]
    assert any("float32" in said for said in found.assumptions)


@pytest.mark.parametrize(("id", "gib"), PUBLISHED["gpt_oss_gib"].items())
def test_gpt_oss_weighs_what_its_model_card_says(id: str, gib: str) -> None:
    quantised = {"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn", "lm_head"]}
    config = {**ROWS[id]["config"], "dtype": "bfloat16", "quantization_config": quantised}
    found = weight_bytes(counted(config), config, SCHEMES)
    assert isinstance(found, WeightBytes)
    assert f"{found.total / 2**30:.1f}" == gib


def test_one_type_for_all_is_the_count_times_its_bytes() -> None:
    config = {**LLAMA, "torch_dtype": "bfloat16"}
    found = weight_bytes(counted(config), config, SCHEMES)
    assert isinstance(found, WeightBytes)
    assert found.total == 2 * counted(config).total == 16_060_522_496


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({**LLAMA}, "dtype"),
        ({**LLAMA, "dtype": "int3"}, "dtype"),
        ({**LLAMA, "dtype": "bfloat16", "quantization_config": {"quant_method": "gptq"}}, "gptq"),
        ({**LLAMA, "dtype": "bfloat16", "quantization_config": "<omitted>"}, "object"),
        ({**LLAMA, "dtype": "bfloat16", "quantization_config": {"quant_method": "fp8"}}, "weight_block_size"),
        (
            {
                **LLAMA,
                "dtype": "bfloat16",
                "quantization_config": {
                    "quant_method": "fp8",
                    "weight_block_size": [128, 128],
                    "modules_to_not_convert": ["<283 module names omitted>"],
                },
            },
            "modules_to_not_convert",
        ),
        ({**V41, "dtype": "bfloat16"}, "quantization_config"),
    ],
)
def test_layouts_that_the_config_does_not_determine_have_no_bytes(config: dict[str, Any], named: str) -> None:
    found = weight_bytes(counted(config), config, SCHEMES)
    assert isinstance(found, NotDerivable)
    assert named in found.reason


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "named"),
    [
        pytest.param({}, "model_type", id="nothing"),
        pytest.param({**LLAMA, "model_type": "rwkv5"}, "rwkv5", id="unknown type"),
        pytest.param({**LLAMA, "architectures": ["LlamaForSequenceClassification"]}, "Classification", id="other head"),
        pytest.param({**LLAMA, "architectures": ["LlamaForCausalLMEagle3"]}, "Eagle3", id="draft model"),
        pytest.param({k: v for k, v in LLAMA.items() if k != "vocab_size"}, "vocab_size", id="no vocabulary"),
        pytest.param({**LLAMA, "num_experts": 8}, "num_experts", id="experts in a dense class"),
        pytest.param({**LLAMA, "kv_lora_rank": 512}, "kv_lora_rank", id="latents in a dense class"),
        pytest.param({**LLAMA, "attention_bias": "yes"}, "attention_bias", id="a switch that is none"),
        pytest.param({**LLAMA, "num_key_value_heads": 7}, "num_key_value_heads", id="heads that do not divide"),
        pytest.param({**V3, "first_k_dense_replace": None}, "first_k_dense_replace", id="unknown first layers"),
        pytest.param({k: v for k, v in V3.items() if k != "q_lora_rank"}, "q_lora_rank", id="absent is not null"),
        pytest.param({**V3, "num_experts_per_tok": 257}, "num_experts_per_tok", id="more chosen than there are"),
        pytest.param({**V3, "moe_layer_freq": 2}, "moe_layer_freq", id="a step that no class has"),
        pytest.param({**V4, "compress_ratios": [0, 4]}, "compress_ratios", id="ratios for some layers"),
        pytest.param(GEMMA, "tie_word_embeddings", id="a default that is not evidence"),
        pytest.param({"text_config": LLAMA, "llm_config": LLAMA}, "more than one", id="two models"),
        pytest.param(
            {"tie_word_embeddings": True, "text_config": {**LLAMA, "tie_word_embeddings": False}},
            "tie_word_embeddings",
            id="two words on tying",
        ),
    ],
)
def test_what_is_not_determined_is_refused_by_name(config: Any, named: str) -> None:
    assert named in refusal(config).reason


def test_a_class_default_counts_only_where_the_caller_has_evidence() -> None:
    tied = counted(GEMMA, {"tie_word_embeddings": True})
    assert tied.assumed == {"tie_word_embeddings": True}
    assert tied.tied
    assert tied.components["embedding_output"] == 0


def test_a_wrappers_word_on_tying_holds() -> None:
    inner = {k: v for k, v in LLAMA.items() if k != "tie_word_embeddings"}
    wrapped = {"tie_word_embeddings": True, "text_config": inner, "vision_config": {"depth": 1}}
    found = counted(wrapped)
    assert found.total == counted(LLAMA).total - found.components["embedding_input"]
    assert [part.name for part in found.apart] == ["vision"]


def test_tied_matrices_stay_active_as_output() -> None:
    found = counted(GEMMA, {"tie_word_embeddings": True})
    assert found.active(with_input_embedding=False) == found.active(with_input_embedding=True) == found.total


# --- claims ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "unit", "agreed"),
    [
        (236, "billion", True),
        (235.74, "billion", True),
        ("235.7", "billion", True),
        (235, "billion", True),  # cut
        (237, "billion", False),
        (235.73, "billion", False),  # decimals are not cut
        (0.24, "trillion", True),
        (235741, "million", True),
        (235741434880, "parameters", True),
        ("235,741,434,880", "parameters", True),
        (236000000000, "parameters", True),
        (235000000000, "parameters", False),
        ("about 236", "billion", None),
        (None, "billion", None),
        pytest.param(10**5000, "billion", None, id="more digits than Python prints"),
        (236, "tokens", None),
        ("nan", "billion", None),
        (True, "billion", None),
    ],
)
def test_figures_are_as_exact_as_their_digits(value: object, unit: str, agreed: bool | None) -> None:
    assert agrees(value, unit, V2["parameters"]) is agreed


ON_THE_HUB = {
    # The Hub's `safetensors` metadata: the elements of all tensors in a repository's files. DeepSeek-V3's are BF16
    # 3,918,786,560, F8_E4M3 680,571,043,840 and F32 41,555,600; the total of V3.2 leaves the scales out.
    "DeepSeek-V3": ("deepseek-ai/DeepSeek-V3", 684_531_386_000),
    "DeepSeek-V3.2-Exp": ("deepseek-ai/DeepSeek-V3.2", 685_396_921_376),
    "DeepSeek-V3.2": ("deepseek-ai/DeepSeek-V3.2", 685_355_329_792),
}
BLOCKS = {"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]}


@pytest.mark.parametrize(("id", "tensors"), ON_THE_HUB.values(), ids=ON_THE_HUB)
def test_the_tensors_of_a_checkpoint_are_known(id: str, tensors: int) -> None:
    config = ROWS[id]["config"] | {"topk_method": "noaux_tc", "quantization_config": BLOCKS}
    found = count(config | {"num_nextn_predict_layers": 1})
    assert isinstance(found, Parameters)
    assert tensors in countings(found, "parameters_total").values()
    names = matching(f"{tensors / 10**9:.2f}", "billion", found, "parameters_total")
    assert names
    assert all("its copies of embedding and head" in name for name in names)
    assert matching(f"{tensors / 10**9 + 0.1:.2f}", "billion", found, "parameters_total") == []


def test_claims_say_what_they_counted() -> None:
    v2, v41 = of("deepseek-ai/DeepSeek-V2"), counted(V41)
    assert matching(21.38, "billion", v2, "parameters_active") == ["with the input embedding"]
    assert matching(20.85, "billion", v2, "parameters_active") == ["without the input embedding"]
    assert matching(21.3, "billion", v2, "parameters_active") == []
    assert matching(552, "billion", v41, "parameters_total") == ["the language model", "with engram projections"]
    assert matching(748, "billion", v41, "parameters_total") == ["with engram tables", "with all that is counted apart"]
    assert countings(v2, "context_length") == {}


# --- properties ------------------------------------------------------------------------------------------------------

ANY_ROW = st.sampled_from([*COUNTED, *VARIANTS])
SLOW = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in (*COUNTED, *VARIANTS)])
def test_active_is_never_more_than_total(row: dict[str, Any]) -> None:
    found = counted(row["config"], row.get("class_defaults"))
    without, whole = found.active(with_input_embedding=False), found.active(with_input_embedding=True)
    assert 0 < without <= whole <= found.total
    assert tuple(found.components) == COMPONENTS
    assert all(active <= found.components[name] for name, active in found.active_components(True).items())


@SLOW
@given(ANY_ROW, st.integers(1, 200), st.integers(1, 50))
def test_more_layers_are_more_parameters(row: dict[str, Any], layers: int, more: int) -> None:
    few, many = (
        count({**row["config"], "num_hidden_layers": number}, row.get("class_defaults"))
        for number in (layers, layers + more)
    )
    if isinstance(few, Parameters) and isinstance(many, Parameters) and "num_hidden_layers" in few.reads:
        assert few.total < many.total


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**30),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(-2, 300) | st.text(max_size=3) | st.none(), max_size=5),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


@SLOW
@given(ANY_ROW, st.data())
def test_no_mutation_of_a_config_raises(row: dict[str, Any], data: st.DataObject) -> None:
    config = copy.deepcopy(row["config"])
    for key in data.draw(st.lists(st.sampled_from(sorted(config)), max_size=3)):
        if data.draw(st.booleans()):
            config.pop(key, None)
        else:
            config[key] = data.draw(ODD)
    config["quantization_config"] = data.draw(ODD)
    found = count(config, row.get("class_defaults"))
    assert isinstance(found, (Parameters, NotDerivable))
    if isinstance(found, Parameters):
        assert isinstance(weight_bytes(found, config, SCHEMES), (WeightBytes, NotDerivable))
    else:
        assert found.reason


@SLOW
@given(ODD | st.dictionaries(st.text(max_size=12) | st.integers(), ODD, max_size=4))
def test_nothing_that_is_not_a_config_raises(config: Any) -> None:
    assert isinstance(count(config), NotDerivable)


@given(st.integers(1, 10**12), st.integers(0, 3))
def test_rounding_a_count_always_agrees_with_it(size: int, decimals: int) -> None:
    assert agrees(str(round(Decimal(size) / 10**9, decimals)), "billion", size)
