"""The rule of platforms: hand-made lists with the right answer, and what no cell of the real base may say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from generator.catalog.records import Record
from generator.catalog.yaml.loader import load
from generator.compatibility import Cube, VerdictState
from generator.compatibility.platforms import UNSTATED, platform_of
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.gpus import Gpu
from generator.notation.gpus import platform as platform_by

HOPPER = Gpu("h100", "H100", "sm_90", "cuda")
VOLTA = Gpu("v100", "V100", "sm_70", "cuda")
MI300X = Gpu("mi300x", "MI300X", "gfx942", "rocm")
MI210 = Gpu("mi210", "MI210", "gfx90a", "rocm")
MAC = Gpu("apple", "Apple", "apple9", "metal")

ROWS = """
  rows:
    - on: cuda
      gpus: [sm_75+]
      cite: "[[floor]]"
    - on: rocm
      gpus: [gfx942]
      needs: a build for ROCm
      whole: false
      cite: "[[amd]]"
"""
PLUG_IN = """    - on: metal
      plug_in: vLLM-Metal
      cite: "[[plug-ins]]"
"""


def engine(real: KnowledgeBase, platforms: str) -> Record:
    """An engine whose record says nothing but its platforms."""
    return replace(real.catalog.records["mlc-llm"], document=load(f"name: E\n{platforms}"))


def stated(whole: bool, rows: str = ROWS) -> str:
    """A list of platforms, whole or not."""
    return f'platforms:\n  whole: {str(whole).lower()}\n  cite: "[[list]]"{rows}'


@pytest.mark.parametrize(
    ("platforms", "gpu", "runs", "cites"),
    [
        ("", HOPPER, None, ()),
        (stated(True), HOPPER, True, ("floor",)),
        (stated(True), MI300X, True, ("amd",)),
        (stated(False), HOPPER, True, ("floor",)),
        (stated(False), MAC, None, ("list",)),
        (stated(True), MI210, None, ("list", "amd")),
        (stated(True), MAC, False, ("list",)),
        (stated(True), VOLTA, False, ("list", "floor")),
        (stated(False), VOLTA, None, ("list", "floor")),
        (stated(False, ROWS + PLUG_IN), MAC, False, ("plug-ins",)),
    ],
    ids=[
        "nothing stated",
        "inside",
        "inside, a part list of one platform",
        "inside a list that is not whole",
        "outside a list that is not whole",
        "outside a row that is not whole",
        "outside a whole list",
        "below the floor",
        "below the floor in a list that is not whole",
        "only a plug-in",
    ],
)
def test_what_a_list_of_platforms_says(
    real: KnowledgeBase, platforms: str, gpu: Gpu, runs: bool | None, cites: tuple[str, ...]
) -> None:
    answer = platform_of(engine(real, platforms), gpu)
    assert answer.runs is runs
    assert tuple(cite for step in answer.steps for cite in step.cites) == cites
    assert bool(answer.flips) is (runs is False)


def test_what_a_default_install_lacks_and_a_plug_in_are_told_beside_the_answer(real: KnowledgeBase) -> None:
    both = engine(real, stated(True, ROWS + PLUG_IN))
    assert platform_of(both, HOPPER).modifiers == ()
    assert platform_of(both, MI300X).modifiers == ("opt-in: a build for ROCm",)
    assert platform_of(both, MAC).modifiers == ("plug-in: vLLM-Metal",)
    assert platform_of(engine(real, ""), HOPPER) is UNSTATED


def test_the_refusal_names_what_the_engine_does_run_on_and_no_plug_in(real: KnowledgeBase) -> None:
    (step,) = platform_of(engine(real, stated(True, ROWS + PLUG_IN)), Gpu("b60", "Arc B60", None, "xpu")).steps
    assert "CUDA (sm_75+) and ROCm (gfx942)" in step.text
    assert "Metal" not in step.text


# --- the real base --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cube(real: KnowledgeBase) -> Cube:
    return real.verdicts


def _without_a_build(cube: Cube) -> Any:
    for engine_id in {engine for _, engine in cube.listings}:
        record = cube.catalog.records[engine_id]
        for gpu in cube.gpus.values():
            if platform_of(record, gpu).runs is False:
                yield engine_id, gpu.id


def test_a_cell_on_a_platform_that_its_engine_lacks_is_blocked_and_says_nothing_else(cube: Cube) -> None:
    lacking = list(_without_a_build(cube))
    assert {engine for engine, _ in lacking} >= {"tensorrt-llm", "mlx-lm", "lmdeploy", "vllm"}
    models = list(dict.fromkeys(model for model, _ in cube.listings))[::7]
    for engine_id, gpu in lacking:
        for model in models:
            verdict = cube[model, engine_id, gpu]
            claimed = verdict.claims and verdict.state is VerdictState.SOURCES_DISAGREE
            assert verdict.state is VerdictState.BLOCKED or claimed, (model, engine_id, gpu)
            assert not [step for step in verdict.chain if step.rule == "kernel-class"]


@pytest.mark.parametrize(
    ("engine_id", "gpu", "runs"),
    [
        ("vllm", "t4", True),
        ("vllm", "v100-sxm2-32gb", False),
        ("vllm", "mi300x", True),
        ("vllm", "apple-m4-max-128gb", False),
        ("sglang", "v100-sxm2-32gb", False),
        ("sglang", "mi355x", True),
        ("tensorrt-llm", "mi300x", False),
        ("tensorrt-llm", "a100-sxm-80gb", True),
        ("llama-cpp", "v100-sxm2-32gb", True),
        ("llama-cpp", "apple-m1-8gb", True),
        ("mlx-lm", "apple-m1-8gb", True),
        ("mlx-lm", "t4", True),
        ("mlx-lm", "mi300x", False),
        ("lmdeploy", "apple-m4-max-128gb", False),
        ("transformers", "v100-sxm2-32gb", None),
        ("ik-llama-cpp", "apple-m4-max-128gb", None),
    ],
)
def test_what_engines_say_of_their_platforms(cube: Cube, engine_id: str, gpu: str, runs: bool | None) -> None:
    assert platform_of(cube.catalog.records[engine_id], cube.gpus[gpu]).runs is runs


def test_every_kind_of_device_in_a_list_is_one_that_gpus_can_have(cube: Cube) -> None:
    known = {"cuda", "rocm", "xpu", "metal"}
    assert {gpu.platform for gpu in cube.gpus.values()} <= known
    assert platform_by("gfx942", None) == "rocm"
    for record in cube.catalog.sound("engine"):
        for row in (record.get("platforms") or {"rows": ()})["rows"]:
            named = {"rocm" if each.startswith("gfx") else "cuda" for each in row.get("gpus") or ()}
            assert named <= {row["on"]}, record.id
