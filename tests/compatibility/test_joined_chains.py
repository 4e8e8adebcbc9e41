"""Facts on record are joined in a chain, and what a cell says in short is what its chain says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator.catalog.yaml.loader import load
from generator.compatibility import Cube, VerdictState, listings
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site.views.verdicts import BRIEF


@pytest.fixture(scope="module")
def cube(real: KnowledgeBase) -> Cube:
    return real.verdicts


@pytest.mark.parametrize("gpu", ["a100-sxm-80gb", "rtx-3090", "t4"])
def test_a_gotcha_on_a_kernel_that_every_way_needs_is_in_the_chain(cube: Cube, gpu: str) -> None:
    """The index keys of DeepSeek-V4 are stored by a Triton kernel as fp8e4nv, which needs capability 8.9."""
    verdict = cube["deepseek-v4-flash", "vllm", gpu]
    assert verdict.state is VerdictState.BLOCKED
    step = next(each for each in verdict.reasons if each.rule == "gotcha" and each.value == "fp8-kv-e4m3-ampere")
    assert "vllm-0-33-0-dsv4-compress-kernels" in step.cites
    assert "a fix of fp8-kv-e4m3-ampere" in verdict.flips_if


def test_where_there_is_another_way_the_gotcha_says_nothing(cube: Cube) -> None:
    for gpu in ("h100-sxm", "b200", "l40s"):
        told = [each.value for each in cube["deepseek-v4-flash", "vllm", gpu].reasons if each.rule == "gotcha"]
        assert "fp8-kv-e4m3-ampere" not in told
    told = [each.value for each in cube["qwen3-32b", "vllm", "a100-sxm-80gb"].reasons if each.rule == "gotcha"]
    assert "fp8-kv-e4m3-ampere" not in told


@pytest.mark.parametrize("word", ["f16", "q8_0", "anything-at-all"])
def test_a_family_without_a_layout_on_record_is_a_cell_with_that_said(cube: Cube, word: str) -> None:
    verdict = cube.verdict("deepseek-v4-flash", "llama-cpp", "rtx-4090", word)
    assert verdict.state is cube["deepseek-v4-flash", "llama-cpp", "rtx-4090"].state
    step = next(each for each in verdict.reasons if each.effect == "not on record")
    assert step.text.startswith("no layout is on record for the family csa_hca in llama.cpp")


def test_the_words_of_a_cell_follow_from_what_its_list_is(real: KnowledgeBase, cube: Cube) -> None:
    """Whether a list is whole is what its source says; no cell may say the contrary in short."""
    seen = set()
    index = real.catalog.records["trtllm-arch-index-065ff9e9"]
    text = index.document.text.replace("exhaustive: true", "exhaustive: false")
    records = {**real.catalog.records, index.id: replace(index, document=load(text))}
    catalog = replace(real.catalog, records=records)
    part = replace(real, catalog=catalog, listings=listings(catalog))
    states = [(cube, key, real) for key in cube]
    states += [(part.verdicts, key, part) for key in cube if key[1:] == ("tensorrt-llm", "h100-sxm")]
    for cells, key, kb in states:
        for step in cells[key].reasons:
            brief = BRIEF.get((step.rule, step.effect), "")
            if step.rule != "listed" or not brief:
                continue
            whole = [bool(kb.catalog.records[cite].get("exhaustive")) for cite in step.cites]
            seen.add(brief)
            assert (brief == "no whole list") is (whole == [False]), (key, step.text)
            assert (brief == "class named by a copy") is (whole == [True]), (key, step.text)
    assert {"no whole list", "class named by a copy"} <= seen
