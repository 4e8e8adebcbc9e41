"""Bytes of quantised weights: sizes that others published, tensors one by one, and above all what is refused."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest
import yaml
from conftest import HERE, ROOT, Base
from weight_table import weight_table

from generator.derive.config.fields import NotDerivable
from generator.derive.parameters import WeightBytes, count, weight_bytes
from generator.derive.parameters.weight_layouts import layout_from
from generator.knowledge.knowledge_base import KnowledgeBase


def load(path: Any) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


TABLE = weight_table()
COUNTED = {
    id: row["config"] for row in load(HERE / "data/parameters_counted.yaml") for id in (row["id"], *row.get("also", ()))
}
FP8_BLOCK = {"quant_method": "fp8", "activation_scheme": "dynamic", "fmt": "e4m3", "weight_block_size": [128, 128]}


def weighed(config: dict[str, Any], *names: str, whole: bool = True) -> WeightBytes | NotDerivable:
    parameters = count(config)
    assert not isinstance(parameters, NotDerivable), parameters.reason
    return weight_bytes(parameters, config, TABLE, names, whole=whole)


def total(config: dict[str, Any], *names: str) -> int:
    found = weighed(config, *names)
    assert isinstance(found, WeightBytes), found
    return found.total


def refusal(config: dict[str, Any], *names: str, whole: bool = True) -> str:
    found = weighed(config, *names, whole=whole)
    assert isinstance(found, NotDerivable), found
    return found.reason


# --- what others published -------------------------------------------------------------------------------------------


def test_gpt_oss_20b_has_the_total_size_of_its_index() -> None:
    """model.safetensors.index.json of openai/gpt-oss-20b as copied into public repositories: 13761264768."""
    kept = ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]
    quantised = {"quant_method": "mxfp4", "modules_to_not_convert": kept}
    config = {**COUNTED["openai/gpt-oss-20b"], "dtype": "bfloat16", "quantization_config": quantised}
    assert total(config, "gpt-oss-20b") == 13_761_264_768


def test_deepseek_v3_in_awq_has_the_total_size_of_its_index() -> None:
    """github kvcache-ai/sglang_awq model.safetensors.index.json at 1e697f11: 364589799936, which holds the router's
    correction bias (58 layers of 256 in float16), a buffer that no count of parameters has."""
    quantised = {"quant_method": "awq", "bits": 4, "group_size": 64, "zero_point": True, "version": "gemm"}
    config = {**COUNTED["deepseek-ai/DeepSeek-V3"], "torch_dtype": "float16", "quantization_config": quantised}
    assert total(config, "DeepSeek-V3-AWQ") + 58 * 256 * 2 == 364_589_799_936


def test_llama_70b_in_fp8_has_its_matrices_in_one_byte() -> None:
    """68,451,041,280 matrix weights at 1 byte, 2,102,665,216 of embedding, head and norms at 2, and for each of seven
    matrices in 80 layers a scale and an input scale in float32 (modelopt 0.47.0, export/quant_utils.py)."""
    config = {
        **COUNTED["meta-llama/Llama-3.1-70B"],
        "torch_dtype": "bfloat16",
        "_hf_quant_config.json": {
            "producer": {"name": "modelopt", "version": "0.23.0"},
            "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8", "exclude_modules": ["lm_head"]},
        },
    }
    scales = 80 * 7 * 2 * 4
    assert total(config, "Llama-3.1-70B-Instruct-FP8") == 68_451_041_280 + 2 * 2_102_665_216 + scales


# --- tensors one by one ----------------------------------------------------------------------------------------------

SMALL = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "vocab_size": 1000,
    "hidden_size": 256,
    "intermediate_size": 640,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
MATRICES = {
    "q_proj": (256, 256),
    "k_proj": (128, 256),
    "v_proj": (128, 256),
    "o_proj": (256, 256),
    "gate_proj": (640, 256),
    "up_proj": (640, 256),
    "down_proj": (256, 640),
}
HEAD = (1000, 256)
PLAIN = 2 * (1000 * 256 + 7 * 256)  # the embedding, six norms of layers and the last one
SELF_ATTN = ("q_proj", "k_proj", "v_proj", "o_proj")


def ct(weights: dict[str, Any], form: str, ignore: list[str]) -> dict[str, Any]:
    group = {"targets": ["Linear"], "weights": weights, "input_activations": None, "output_activations": None}
    stated = {"config_groups": {"group_0": group}, "format": form, "ignore": ignore, "kv_cache_scheme": None}
    return {"quant_method": "compressed-tensors", "quantization_status": "compressed", **stated}


# For each scheme the bytes of one matrix of r rows and c columns, written down from the tensors that its format names.
SCHEMES: dict[str, tuple[dict[str, Any], Any]] = {
    "fp8 in blocks": (FP8_BLOCK, lambda r, c: r * c + 4 * -(-r // 128) * -(-c // 128)),
    "fp8 in uneven blocks": (
        {**FP8_BLOCK, "weight_block_size": [96, 100]},
        lambda r, c: r * c + 4 * -(-r // 96) * -(-c // 100),
    ),
    "fp8 for a tensor, static": (
        {"quant_method": "fp8", "activation_scheme": "static", "weight_block_size": None},
        lambda r, c: r * c + 4 + 4,
    ),
    "AutoFP8": (
        {"quant_method": "fp8", "activation_scheme": "static", "ignored_layers": ["lm_head"]},
        lambda r, c: r * c + 8,
    ),
    "fp8 for a row": ({"quant_method": "fbgemm_fp8", "activation_scale_ub": 1200.0}, lambda r, c: r * c + 4 * r),
    "awq": (
        {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True, "version": "gemm"},
        lambda r, c: c * (r // 8) * 4 + (c // 128) * (r // 8) * 4 + (c // 128) * r * 2,
    ),
    "gptq in 4 bits": (
        {"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": True, "sym": True},
        lambda r, c: (c // 8) * r * 4 + (c // 128) * (r // 8) * 4 + (c // 128) * r * 2 + c * 4,
    ),
    "gptq in 8 bits, one group": (
        {"quant_method": "gptq", "bits": 8, "group_size": -1, "desc_act": False, "sym": True},
        lambda r, c: (c // 4) * r * 4 + (r // 4) * 4 + r * 2 + c * 4,
    ),
    "bitsandbytes, double": (
        {
            "quant_method": "bitsandbytes",
            "load_in_4bit": True,
            "bnb_4bit_quant_type": "nf4",
            "bnb_4bit_use_double_quant": True,
        },
        lambda r, c: r * c // 2 + r * c // 64 + 4 * -(-r * c // (64 * 256)) + 4 * (16 + 256),
    ),
    "bitsandbytes in 8 bits": (
        {"quant_method": "bitsandbytes", "load_in_8bit": True, "load_in_4bit": False},
        lambda r, c: r * c + 4 * r,
    ),
    "compressed-tensors, fp8 for a row": (
        ct({"type": "float", "num_bits": 8, "strategy": "channel"}, "float-quantized", ["lm_head"]),
        lambda r, c: r * c + 2 * r,
    ),
    "compressed-tensors, int4 in groups": (
        ct(
            {"type": "int", "num_bits": 4, "strategy": "group", "group_size": 32, "symmetric": True},
            "pack-quantized",
            ["lm_head"],
        ),
        lambda r, c: r * (c // 8) * 4 + r * (c // 32) * 2 + 2 * 8,
    ),
    "compressed-tensors, int4 with zero points": (
        ct(
            {"type": "int", "num_bits": 4, "strategy": "group", "group_size": 128, "symmetric": False},
            "pack-quantized",
            ["lm_head"],
        ),
        lambda r, c: r * (c // 8) * 4 + r * (c // 128) * 2 + (r // 8) * (c // 128) * 4 + 2 * 8,
    ),
    "compressed-tensors, int8": (
        ct({"type": "int", "num_bits": 8, "strategy": "channel", "symmetric": True}, "int-quantized", ["lm_head"]),
        lambda r, c: r * c + 2 * r,
    ),
    "compressed-tensors, NVFP4": (
        ct(
            {"type": "float", "num_bits": 4, "strategy": "tensor_group", "group_size": 16},
            "nvfp4-pack-quantized",
            ["lm_head"],
        ),
        lambda r, c: r * c // 2 + r * c // 16 + 4 + 4,
    ),
    "modelopt, NVFP4": (
        {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head"], "producer": {"name": "modelopt"}},
        lambda r, c: r * c // 2 + r * c // 16 + 4 + 4,
    ),
    "modelopt, int4 AWQ": (
        {"quant_method": "modelopt", "quant_algo": "W4A16_AWQ", "group_size": 128, "exclude_modules": ["lm_head"]},
        lambda r, c: r * c // 2 + 2 * r * (c // 128) + 2 * c,
    ),
}


@pytest.mark.parametrize("name", SCHEMES)
def test_each_scheme_takes_what_its_tensors_take(name: str) -> None:
    quantised, of = SCHEMES[name]
    matrices = 3 * sum(of(*shape) for shape in MATRICES.values())
    assert total({**SMALL, "quantization_config": quantised}) == PLAIN + 2 * HEAD[0] * HEAD[1] + matrices


SIDECARS = {
    "modelopt's": (
        "hf_quant_config.json",
        {"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4", "exclude_modules": ["lm_head"]}},
        "modelopt, NVFP4",
    ),
    "without a producer": (
        "_hf_quant_config.json",
        {"quantization": {"quant_algo": "NVFP4", "exclude_modules": ["lm_head"], "group_size": 16}},
        "modelopt, NVFP4",
    ),
    "of an older GPTQ": (
        "_quantize_config.json",
        {"bits": 4, "group_size": 128, "desc_act": True, "damp_percent": 0.01, "sym": True},
        "gptq in 4 bits",
    ),
    "of an older AWQ": (
        "_quant_config.json",
        {"bits": 4, "group_size": 128, "zero_point": True, "version": "GEMM"},
        "awq",
    ),
}


@pytest.mark.parametrize("name", SIDECARS)
def test_a_file_beside_the_config_counts_as_the_config_does(name: str) -> None:
    key, beside, same = SIDECARS[name]
    assert total({**SMALL, key: beside}) == total({**SMALL, "quantization_config": SCHEMES[same][0]})


def test_a_wrapper_may_hold_what_its_text_model_does_not() -> None:
    inner = {key: value for key, value in SMALL.items() if key not in ("architectures", "torch_dtype")}
    outer = {"architectures": ["XForConditionalGeneration"], "model_type": "x", "torch_dtype": "bfloat16"}
    quantised = {"quant_method": "fbgemm_fp8"}
    wrapped = {**outer, "quantization_config": quantised, "text_config": inner}
    within = {**outer, "text_config": {**inner, "quantization_config": quantised}}
    assert total(wrapped) == total(within) == total({**SMALL, "quantization_config": quantised})


# --- what stays as it is ---------------------------------------------------------------------------------------------

NVFP4 = SCHEMES["modelopt, NVFP4"]
KEPT: dict[str, tuple[list[str], dict[str, int]]] = {  # how many copies of which matrices stay
    "nothing but the head": (["lm_head"], {}),
    "the head is a matrix, too": ([], {"head": 0}),
    "an attention by a glob": (["lm_head", "*self_attn*"], dict.fromkeys(SELF_ATTN, 3)),
    "in each layer by name": (
        ["lm_head", *(f"model.layers.{n}.self_attn" for n in range(3))],
        dict.fromkeys(SELF_ATTN, 3),
    ),
    "as modelopt shortens": (
        ["lm_head", *(f"model.layers.{n}.self_attn*" for n in range(3))],
        dict.fromkeys(SELF_ATTN, 3),
    ),
    "one layer whole": (["lm_head", "model.layers.1"], dict.fromkeys(MATRICES, 1)),
    "one layer by a glob": (["lm_head", "model.layers.2.*"], dict.fromkeys(MATRICES, 1)),
    "one matrix of two layers": (
        ["lm_head", "model.layers.0.mlp.down_proj", "model.layers.2.mlp.down_proj"],
        {"down_proj": 2},
    ),
    "by the last name": (["lm_head", "down_proj"], {"down_proj": 3}),
    "by an expression": (["lm_head", r"re:.*self_attn\.(q|k)_proj$"], {"q_proj": 3, "k_proj": 3}),
    "an expression for two layers": (
        ["lm_head", r"re:.*layers\.(0|2)\.mlp.*"],
        {"gate_proj": 2, "up_proj": 2, "down_proj": 2},
    ),
    "under a wrapper's name": (
        ["language_model.lm_head", "language_model.model.layers.0.self_attn.o_proj"],
        {"o_proj": 1},
    ),
    "a tower and a draft layer": (
        ["lm_head", "model.visual.blocks.0.attn.qkv", "mtp*", "model.layers.3.mlp", "vision_tower"],
        {},
    ),
    "what no method quantises": (["lm_head", "model.layers.0.input_layernorm", "re:.*mlp.gate$", "model.norm"], {}),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_a_list_names_keeps_its_type(name: str) -> None:
    names, stay = KEPT[name]
    quantised, of = NVFP4
    expected = PLAIN + (of(*HEAD) if "head" in stay else 2 * HEAD[0] * HEAD[1])
    for matrix, (rows, columns) in MATRICES.items():
        kept = stay.get(matrix, 0)
        expected += kept * 2 * rows * columns + (3 - kept) * of(rows, columns)
    assert total({**SMALL, "quantization_config": {**quantised, "ignore": names}}) == expected


def test_matrices_may_be_named_one_by_one_with_a_scheme_each() -> None:
    """MIXED_PRECISION: attention in FP8, the MLPs of two layers in NVFP4, and what is not named stays."""
    layers = {f"model.layers.{n}.self_attn.{name}": {"quant_algo": "FP8"} for n in range(3) for name in SELF_ATTN}
    mlps = ("gate_proj", "up_proj", "down_proj")
    layers |= {f"model.layers.{n}.mlp.{m}": {"quant_algo": "NVFP4", "group_size": 16} for n in (0, 1) for m in mlps}
    sidecar = {"quantization": {"quant_algo": "MIXED_PRECISION", "quantized_layers": layers, "exclude_modules": []}}
    expected = PLAIN + 2 * HEAD[0] * HEAD[1]
    for name, (rows, columns) in MATRICES.items():
        size = rows * columns
        expected += 3 * (size + 8) if name in SELF_ATTN else 2 * (size // 2 + size // 16 + 8) + 2 * size
    assert total({**SMALL, "_hf_quant_config.json": sidecar}) == expected


MOE = {**COUNTED["Qwen/Qwen3-30B-A3B"], "torch_dtype": "bfloat16"}


def test_single_experts_are_counted() -> None:
    """Three experts of layer 5 stay; all other experts are quantised, and routers never are."""
    named = [f"model.layers.5.mlp.experts.{n}" for n in (0, 7, 127)]
    one = {**FP8_BLOCK, "modules_to_not_convert": ["lm_head"]}
    some = {**FP8_BLOCK, "modules_to_not_convert": ["lm_head", *named]}
    rows, columns = 768, 2048
    saved = rows * columns - 4 * (rows // 128) * (columns // 128)
    assert total({**MOE, "quantization_config": some}) - total({**MOE, "quantization_config": one}) == 3 * 3 * saved


def test_experts_alone_may_be_quantised() -> None:
    """Attention by an expression, as compressed-tensors lists it: what is left are the experts."""
    scheme = {"type": "int", "num_bits": 4, "strategy": "group", "group_size": 32, "symmetric": True}
    quantised = ct(scheme, "pack-quantized", ["lm_head", "re:.*self_attn.*", "re:.*mlp.gate$"])
    experts = 48 * 128 * 3
    size, plain = 768 * 2048, count(MOE)
    assert not isinstance(plain, NotDerivable)
    expected = 2 * (plain.total - experts * size) + experts * (size // 2 + size // 32 * 2 + 16)
    assert total({**MOE, "quantization_config": quantised}) == expected


# --- refused ---------------------------------------------------------------------------------------------------------

SILENT_NAMES = [
    "Llama-3.1-8B",
    "Phi-4-mini-instruct",
    "Qwen3-4B-Base",
    "Nemotron-3-Nano-30B-A3B-BF16",
    "gemma-3-27b-it-qat",
]


@pytest.mark.parametrize("name", SILENT_NAMES)
def test_names_that_say_nothing_of_a_quantisation_stay_silent(name: str) -> None:
    assert total(SMALL, name) == 2 * (1000 * 256 * 2 + 7 * 256 + 3 * sum(r * c for r, c in MATRICES.values()))


SPEAKING = [
    "X-NVFP4",
    "X-FP8",
    "x-fp8-dynamic",
    "X-AWQ",
    "X-GPTQ-Int4",
    "X-4bit",
    "X-Int8",
    "X.Q4_K_M",
    "X-GGUF",
    "X-IQ3_XXS",
    "X-quantized.w4a16",
    "X-bnb-4bit",
    "X-MXFP4",
    "X-8bits",
    "X-W8A8",
    "X-exl2",
]


@pytest.mark.parametrize("name", SPEAKING)
def test_where_only_the_name_says_it_there_are_no_bytes(name: str) -> None:
    assert "name says" in refusal(SMALL, name)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a list that the copy leaves out": ({**NVFP4[0], "ignore": "<246 module names omitted>"}, "246 module names"),
    "the same inside a list": ({**FP8_BLOCK, "modules_to_not_convert": ["<283 module names omitted>"]}, "283 module"),
    "no list where one is written always": ({"quant_method": "modelopt", "quant_algo": "FP8"}, "exclude_modules"),
    "entries that the copy leaves out": (
        {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": "<9 entries>", "ignore": []},
        "quantized_layers",
    ),
    "a method nobody has read": ({"quant_method": "vptq"}, "vptq"),
    "no method at all": ({"activation_scheme": "dynamic"}, "which method"),
    "an algorithm without a layout": ({**NVFP4[0], "quant_algo": "NVFP4_SVD"}, "NVFP4_SVD"),
    "a key that may change all": ({**FP8_BLOCK, "modules_to_convert": ["embed_tokens"]}, "modules_to_convert"),
    "a head in GPTQ": ({**SCHEMES["gptq in 4 bits"][0], "lm_head": True}, "lm_head"),
    "rules for single modules": ({**SCHEMES["gptq in 4 bits"][0], "dynamic": {"+:x": {"bits": 8}}}, "dynamic"),
    "silence on blocks": ({"quant_method": "fp8", "activation_scheme": "dynamic"}, "weight_block_size"),
    "a list that may or may not mean the head": ({**FP8_BLOCK, "modules_to_not_convert": ["q_proj"]}, "lm_head"),
    "names of nothing here": ({**NVFP4[0], "ignore": ["lm_head", "model.layers.0.mixer.in_proj"]}, "mixer.in_proj"),
    "a pattern of nothing here": ({**NVFP4[0], "ignore": ["lm_head", "*wibble*"]}, "wibble"),
    "an expression that could take for ever": ({**NVFP4[0], "ignore": ["lm_head", "re:(a+)+$"]}, "not read here"),
    "an expression that is none": ({**NVFP4[0], "ignore": ["lm_head", "re:("]}, "not an expression"),
    "weights not stored so yet": (
        {**SCHEMES["compressed-tensors, int8"][0], "quantization_status": "frozen"},
        "frozen",
    ),
    "rotations": ({**SCHEMES["compressed-tensors, int8"][0], "transform_config": {"R1": {}}}, "transform_config"),
    "not an object": ("nvfp4", "an object"),  # type: ignore[dict-item]
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_on_record_is_refused_with_its_name(name: str) -> None:
    quantised, named = REFUSED[name]
    assert named in refusal({**SMALL, "quantization_config": quantised})


def test_some_layers_of_a_matrix_that_not_all_have_are_refused() -> None:
    mixed = {**COUNTED["deepseek-ai/DeepSeek-V3"], "torch_dtype": "bfloat16"}
    names = ["lm_head", "model.layers.0.mlp.gate_proj"]
    found = refusal({**mixed, "quantization_config": {**FP8_BLOCK, "modules_to_not_convert": names}})
    assert "gate_proj" in found
    assert "1 layers" in found


def test_a_dense_checkpoint_of_a_sparse_kind_is_like_any() -> None:
    quantised, _ = SCHEMES["compressed-tensors, int8"]
    dense = {**quantised, "sparsity_config": {"format": "dense", "global_sparsity": 0.1}}
    assert total({**SMALL, "quantization_config": dense}) == total({**SMALL, "quantization_config": quantised})
    pruned = {**quantised, "sparsity_config": {"format": "sparse-24-bitmask"}}
    assert "sparsity_config" in refusal({**SMALL, "quantization_config": pruned})


def test_two_files_that_contradict_each_other_are_refused() -> None:
    beside = {"quantization": {"quant_algo": "FP8", "exclude_modules": ["lm_head"]}}
    found = refusal({**SMALL, "quantization_config": NVFP4[0], "_hf_quant_config.json": beside})
    assert "disagree" in found
    assert "FP8" in found
    assert "NVFP4" in found


def test_a_name_and_a_scheme_that_contradict_each_other_are_refused() -> None:
    found = refusal({**SMALL, "quantization_config": FP8_BLOCK}, "Small-NVFP4")
    assert "NVFP4" in found
    assert "fp8" in found


def test_the_file_beside_the_config_fills_a_list_that_the_copy_leaves_out() -> None:
    beside = {"quantization": {"quant_algo": "NVFP4", "exclude_modules": ["lm_head"]}}
    gap = {**NVFP4[0], "ignore": "<1 module name omitted>"}
    assert total({**SMALL, "quantization_config": gap, "_hf_quant_config.json": beside}) == total(
        {**SMALL, "quantization_config": NVFP4[0]}
    )


def test_a_copy_with_gaps_does_not_say_that_there_is_none() -> None:
    assert "not known to be whole" in refusal(SMALL, whole=False)


# --- the table -------------------------------------------------------------------------------------------------------

# OCP Microscaling Formats 1.0: MXFP4 is 32 values of 4 bits and a scale of 8, MXFP8 likewise. NVIDIA on NVFP4: 16
# values
# of 4 bits and a scale of 8. AWQ's and GPTQ's at 128: 16 bits of scale and 4 of zero point.
BITS = {
    "weights-mxfp4": ({}, Fraction(17, 4)),
    "weights-mxfp8": ({}, Fraction(33, 4)),
    "weights-nvfp4": ({"group_size": 16}, Fraction(9, 2)),
    "weights-awq-int4": ({"group_size": 128}, 4 + Fraction(20, 128)),
    "weights-gptq-int4": ({"group_size": 128}, 4 + Fraction(20, 128)),
    "weights-fp8-tensor": ({}, Fraction(8)),
    "weights-bnb-4bit": ({}, 4 + Fraction(32, 64)),
}


@pytest.mark.parametrize("layout", BITS)
def test_bits_for_a_weight_follow_from_the_parts(layout: str) -> None:
    given, bits = BITS[layout]
    assert layout_from(TABLE, layout, given, 16).bits_per_weight == bits


def test_every_layout_of_the_table_can_be_weighed() -> None:
    given = {"group_size": 32, "block_rows": 128, "block_columns": 128}
    layouts = {id for id, record in TABLE["layouts"].items() if record["form"] == "checkpoint layout"}
    for id in layouts:
        own, beside = layout_from(TABLE, id, given, 16).sizes(256, 256)
        assert 0 < beside < own < 2 * 256 * 256, id
    used = {row["layout"] for method in TABLE["methods"].values() for row in method["layouts"]}
    used |= {own for row in TABLE["model_types"].values() for own in row["layouts"].values()}
    assert used == layouts


# --- records ---------------------------------------------------------------------------------------------------------

MODEL = """# yaml-language-server: $schema=../../schema/model.schema.json
name: {name}
vendor: Tiny Works
repo: TinyWorks/{name}
released: 2026-01-02
license: MIT
config: "[[{id}-config]]"
architecture:
  model_type: llama
  num_hidden_layers: 3
  num_attention_heads: 4
  num_key_value_heads: 2
  head_dim: 64
"""


def laid(tiny: Base, name: str, facts: dict[str, Any]) -> NotDerivable | WeightBytes | None:
    id = name.lower().replace(".", "-")
    source = load(tiny.root / "sources/tiny-a-config.yaml")
    source |= {"subjects": [f"hf:TinyWorks/{name}"], "facts": facts, "complete": True}
    source.pop("facts_digest")
    tiny.lay({f"records/models/{id}.yaml": MODEL.format(name=name, id=id)})
    tiny.lay({f"sources/{id}-config.yaml": yaml.safe_dump(source)})
    layout = "records/quantizations/weights-nvfp4.yaml"
    stored = (ROOT / layout).read_text(encoding="utf-8")
    tiny.lay({layout: stored.replace("modelopt-0-47-0-quant-utils", "tiny-a-config")})
    return tiny.read().facts[id].weights


def test_a_whole_config_is_not_silence_of_the_checkpoint(tiny: Base) -> None:
    plain = laid(tiny, "Small", SMALL)
    assert isinstance(plain, WeightBytes)
    assert set(plain.by_type) == {"bfloat16"}
    named = laid(tiny, "Small-NVFP4", SMALL)
    assert isinstance(named, NotDerivable)
    assert "NVFP4" in named.reason
    beside = {"quantization": {"quant_algo": "NVFP4", "exclude_modules": ["lm_head"]}}
    stated = laid(tiny, "Small-NVFP4", {**SMALL, "_hf_quant_config.json": beside})
    assert isinstance(stated, WeightBytes)
    assert "fp4" in stated.by_type


QUANTISED = re.compile(r"(?i)(nv|mx)?fp[48](?!kv)|awq|gptq|int[48]|[48]bit|gguf|w[48]a\d+|quantized")


def test_no_record_has_plain_bytes_for_a_quantised_checkpoint(real: KnowledgeBase) -> None:
    """By the words of the records themselves, not by what the code makes of them."""
    for model in real.catalog.sound("model"):
        found = real.facts[model.id].weights
        if not isinstance(found, WeightBytes):
            continue
        source = real.catalog.records[str(model.get("config")).strip("[]")]
        said = " ".join([model.id, str(model.get("repo")), str(model.get("name")), *source.get("subjects")])
        stated = any("quant" in key and value for key, value in _keys(source.get("facts")))
        if stated or QUANTISED.search(said):
            assert {"fp8", "fp4", "int4", "int8"} & set(found.by_type), model.id


def _keys(facts: Any) -> list[tuple[str, Any]]:
    found = list(facts.items()) if isinstance(facts, dict) else []
    return found + [pair for _, value in found for pair in _keys(value)]
