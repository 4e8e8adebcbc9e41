"""What the engine takes by itself decides; a backend that is named by hand never makes a cell supported."""

from __future__ import annotations

import pytest

from generator.compatibility import Cube, VerdictState
from generator.knowledge.knowledge_base import KnowledgeBase


@pytest.fixture(scope="module")
def cube(real: KnowledgeBase) -> Cube:
    return real.verdicts


@pytest.mark.parametrize(
    ("model", "gpu", "state", "backend"),
    [
        ("llama-3-1-8b", "a100-sxm-80gb", VerdictState.SUPPORTED, "sglang-flashinfer-backend"),
        ("llama-3-1-8b", "h100-sxm", VerdictState.SUPPORTED, "sglang-fa3-backend"),
        ("llama-3-1-8b", "b200", VerdictState.SUPPORTED, "sglang-trtllm-mha-backend"),
        ("gpt-oss-20b", "rtx-4090", VerdictState.SUPPORTED, "sglang-triton-backend"),
        ("gemma-4-31b-it", "a100-sxm-80gb", VerdictState.SUPPORTED, "sglang-triton-backend"),
        ("llama-4-scout-17b-16e-instruct", "rtx-5090", VerdictState.SUPPORTED, "sglang-triton-backend"),
        ("olmo-2-1124-7b", "a100-sxm-80gb", VerdictState.SUPPORTED, "sglang-fa3-backend"),
        ("olmo-2-1124-7b", "rtx-5090", VerdictState.PARTIAL, None),
        ("deepseek-v3", "b200", VerdictState.SUPPORTED, "sglang-trtllm-mla-backend"),
        ("deepseek-v3", "a100-sxm-80gb", VerdictState.SUPPORTED, "sglang-triton-mla-backend"),
        ("phi-3-mini-4k-instruct", "a100-sxm-80gb", VerdictState.LISTED, None),
    ],
)
def test_sglang_takes_what_its_code_chooses(
    cube: Cube, model: str, gpu: str, state: VerdictState, backend: str | None
) -> None:
    """As `get_default_attn_backend` and the overrides by class of 0.5.23 choose; FlashInfer at 96 wide was not read."""
    verdict = cube[model, "sglang", gpu]
    assert verdict.state is state
    if backend:
        assert [step.value["backend"] for step in verdict.chain if step.effect == "serves"] == [backend]
    by_hand = [each for each in verdict.modifiers if each.startswith("by hand: ")]
    assert bool(by_hand) is (state is VerdictState.PARTIAL)


def test_no_supported_cell_rests_on_a_backend_by_hand_or_on_one_that_was_not_read(cube: Cube) -> None:
    for verdict in cube.values():
        if verdict.state is VerdictState.SUPPORTED:
            assert not [each for each in verdict.modifiers if each.startswith("by hand: ")]
            assert not [step for step in verdict.chain if step.effect == "unread"]
