"""The rule of weights: what checkpoints state, hand-made rows with the right answer, and cells of the real base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from generator.catalog.yaml.loader import load
from generator.compatibility import Cube, VerdictState
from generator.compatibility.checkpoints import Checkpoint, Scheme, checkpoint_of
from generator.compatibility.weights import PLAIN, weights_of
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.gpus import Gpu

AMPERE = Gpu("a100", "A100", "sm_80", "cuda")
HOPPER = Gpu("h100", "H100", "sm_90", "cuda")
MI300X = Gpu("mi300x", "MI300X", "gfx942", "rocm")
MI210 = Gpu("mi210", "MI210", "gfx90a", "rocm")
MAC = Gpu("apple", "Apple", "apple9", "metal")

MODELOPT = {"quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8"}, "producer": {"name": "modelopt"}}


@pytest.mark.parametrize(
    ("facts", "quantised", "scheme"),
    [
        ({"hidden_size": 4096}, False, None),
        ({"quantization_config": None}, False, None),
        ({"quantization_config": {"quant_method": "FP8"}}, False, Scheme("fp8")),
        (
            {"quantization_config": {"quant_method": "modelopt", "quant_algo": "NVFP4"}},
            False,
            Scheme("modelopt", "nvfp4"),
        ),
        ({"quantization_config": {"quant_algo": "FP8"}}, False, Scheme("modelopt", "fp8")),
        ({"_hf_quant_config.json": MODELOPT}, False, Scheme("modelopt", "nvfp4")),
        (
            {"quantization_config": {"quant_method": "fp8"}, "_hf_quant_config.json": MODELOPT},
            False,
            Scheme("fp8", "nvfp4"),
        ),
        (
            {"quantization_config": {"quant_method": "compressed-tensors", "format": "pack-quantized"}},
            False,
            Scheme("compressed-tensors", "pack-quantized"),
        ),
        ({"text_config": {"quantization_config": {"quant_method": "awq"}}}, False, Scheme("awq")),
        ({"quantization_config": {"activation_scheme": "dynamic"}}, False, Scheme(None)),
        ({"hidden_size": 4096}, True, Scheme(None)),
        ({"quantization_config": {"quant_method": "fp8"}}, True, Scheme("fp8")),
    ],
    ids=[
        "plain",
        "null",
        "a method",
        "a method with an algorithm",
        "an algorithm alone is ModelOpt's",
        "the file beside the config alone",
        "both files",
        "the format of compressed-tensors",
        "in the text config",
        "a config that does not say how",
        "quantised, and no file says how",
        "quantised, and a file says how",
    ],
)
def test_what_a_checkpoint_states(facts: Mapping[str, Any], quantised: bool, scheme: Scheme | None) -> None:
    assert checkpoint_of(facts, ("config",), quantised).scheme == scheme


WEIGHTS = """weights:
  whole: {whole}
  cite: "[[list]]"
  rows:
    - schemes: [fp8]
      gpus: [sm_89+]
      how: native
      cite: "[[fp8]]"
    - schemes: [modelopt/nvfp4]
      gpus: [gfx942]
      whole: false
      cite: "[[amd]]"
    - schemes: ["compressed-tensors/*"]
      needs: a package
      cite: "[[packed]]"
    - schemes: [mxfp4]
      architectures: [GptOss]
      cite: "[[oss]]"
    - schemes: [mxfp4]
      refuses: another module does not unpack it
      cite: "[[oss]]"
    - schemes: [bitnet]
      on: metal
      doubtful: the sum was not checked
      cite: "[[bits]]"
"""


def answer(real: KnowledgeBase, scheme: Scheme | None, gpu: Gpu, whole: bool = True, name: str = "Other") -> Any:
    """What the hand-made rows say."""
    engine = replace(
        real.catalog.records["mlc-llm"], document=load("name: E\n" + WEIGHTS.format(whole=str(whole).lower()))
    )
    return weights_of(engine, Checkpoint(("config",), scheme, ()), name, gpu)


@pytest.mark.parametrize(
    ("scheme", "gpu", "loads", "cites"),
    [
        (Scheme("fp8"), HOPPER, True, ("fp8",)),
        (Scheme("fp8"), AMPERE, False, ("fp8",)),
        (Scheme("fp8"), MI300X, None, ("config",)),
        (Scheme("fp8", "mixed_precision"), HOPPER, None, ("config",)),
        (Scheme("modelopt", "nvfp4"), MI300X, True, ("amd",)),
        (Scheme("modelopt", "nvfp4"), MI210, None, ("config",)),
        (Scheme("modelopt", "nvfp4"), HOPPER, None, ("config",)),
        (Scheme("modelopt", "fp8"), MI300X, None, ("config",)),
        (Scheme("compressed-tensors", "pack-quantized"), MAC, True, ("packed",)),
        (Scheme("awq"), HOPPER, False, ("list",)),
        (Scheme("mxfp4"), HOPPER, False, ("oss",)),
        (Scheme("bitnet"), MAC, None, ("config", "bits")),
        (Scheme("bitnet"), HOPPER, None, ("config",)),
        (Scheme(None), HOPPER, None, ("config",)),
    ],
    ids=[
        "above the floor",
        "below the floor",
        "another platform than the rows'",
        "a kind that no row names",
        "in a row that is not whole",
        "outside a row that is not whole",
        "the rows are of another platform",
        "another kind of the method",
        "any kind of the method",
        "a method that a whole list lacks",
        "a row that refuses",
        "a row that leaves it open",
        "a row for another platform",
        "a scheme that nobody states",
    ],
)
def test_what_rows_of_weights_say(
    real: KnowledgeBase, scheme: Scheme, gpu: Gpu, loads: bool | None, cites: tuple[str, ...]
) -> None:
    said = answer(real, scheme, gpu)
    assert said.loads is loads
    assert said.steps[0].cites == cites
    assert bool(said.flips) is (loads is False)


def test_a_list_that_is_not_whole_refuses_no_method_that_it_lacks(real: KnowledgeBase) -> None:
    assert answer(real, Scheme("awq"), HOPPER, whole=False).loads is None
    assert answer(real, Scheme("fp8"), AMPERE, whole=False).loads is False
    assert answer(real, None, AMPERE, whole=False) is PLAIN


def test_rows_count_in_their_order_and_for_the_names_that_they_name(real: KnowledgeBase) -> None:
    assert answer(real, Scheme("mxfp4"), HOPPER, name="GptOss").loads is True
    assert "another module does not unpack it" in answer(real, Scheme("mxfp4"), HOPPER).steps[0].text


def test_what_is_lacking_and_what_is_open_is_told_beside_the_answer(real: KnowledgeBase) -> None:
    assert answer(real, Scheme("compressed-tensors", "x"), MAC).modifiers == ("opt-in: a package",)
    assert answer(real, Scheme("bitnet"), MAC).modifiers == ("weights: bitnet, not judged",)
    assert "the sum was not checked" in answer(real, Scheme("bitnet"), MAC).steps[0].text
    assert answer(real, Scheme("fp8"), HOPPER).steps[0].text == "E loads weights in fp8, native"


# --- the real base --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cube(real: KnowledgeBase) -> Cube:
    return real.verdicts


@pytest.mark.parametrize(
    ("model", "engine", "gpu", "loads"),
    [
        ("llama-3-1-70b-instruct-fp8", "sglang", "a100-sxm-80gb", False),
        ("llama-3-1-70b-instruct-fp8", "sglang", "h100-sxm", True),
        ("llama-3-1-70b-instruct-fp8", "vllm", "a100-sxm-80gb", True),
        ("llama-3-1-70b-instruct-fp8", "transformers", "h100-sxm", False),
        ("qwen3-32b-fp8", "transformers", "a100-sxm-80gb", True),
        ("qwen3-32b-fp8", "mlx-lm", "apple-m4-max-128gb", False),
        ("deepseek-v3", "mlx-lm", "apple-m3-ultra-512gb", True),
        ("kimi-k2-5", "mlx-lm", "apple-m3-ultra-512gb", True),
        ("gpt-oss-20b", "mlx-lm", "apple-m4-max-128gb", True),
        ("glm-5-nvfp4", "mlx-lm", "apple-m3-ultra-512gb", False),
        ("gpt-oss-20b", "llama-cpp", "apple-m1-16gb", True),
        ("laguna-xs-2-fp8", "llama-cpp", "rtx-4090", True),
        ("deepseek-v4-flash-nvfp4-fp8", "llama-cpp", "h100-sxm", False),
        ("qwen3-30b-a3b-nvfp4", "transformers", "rtx-5090", None),
        ("glm-4-7-fp8", "mlx-lm", "apple-m4-max-128gb", None),
        ("llama-3-1-8b", "vllm", "h100-sxm", None),
    ],
)
def test_what_engines_do_with_checkpoints(cube: Cube, model: str, engine: str, gpu: str, loads: bool | None) -> None:
    verdict = cube[model, engine, gpu]
    assert verdict.weights.loads is loads
    if loads is False:
        assert verdict.state is VerdictState.BLOCKED


def test_weights_that_are_not_judged_are_told(cube: Cube) -> None:
    verdict = cube["qwen3-30b-a3b-nvfp4", "transformers", "rtx-5090"]
    assert "weights: a scheme that is not on record, not judged" in verdict.modifiers


def test_rows_name_schemes_by_method_and_kind(cube: Cube) -> None:
    """A method that has kinds is named with one of them or a star: alone it would match no checkpoint."""
    with_kinds = {"modelopt", "compressed-tensors"}
    for record in cube.catalog.sound("engine"):
        for row in (record.get("weights") or {"rows": ()})["rows"]:
            assert not with_kinds & set(row["schemes"]), record.id
            assert all(each == each.lower() for each in row["schemes"])
