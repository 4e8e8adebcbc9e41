"""``servebook ask``: two lamps, one line an engine, what is asked backwards, and a command with a source by flag."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from generator.cli import cli
from generator.knowledge.knowledge_base import KnowledgeBase

ROOT = Path(__file__).resolve().parents[2]
GIB = 1 << 30


def ask(*words: str) -> Result:
    """The command on the real base."""
    return CliRunner().invoke(cli, ["--root", str(ROOT), "ask", *words])


def answer(*words: str) -> dict[str, Any]:
    """Its JSON."""
    result = ask(*words, "--format", "json")
    assert result.exit_code in (0, 1), result.output
    return dict(json.loads(result.stdout))


@pytest.fixture(scope="module")
def llama() -> dict[str, Any]:
    """Llama-3.1-70B, eight sequences of 32,768 tokens on four H100."""
    return answer(
        "llama-3-1-70b-instruct", "--gpu", "h100-sxm", "--count", "4", "--context", "32768", "--sequences", "8"
    )


def test_the_parts_are_those_of_hand_reckoning(llama: dict[str, Any]) -> None:
    """70.55 billion parameters in bf16 and 320 KiB a token, dealt out to four: 32.9 and 20.0 GiB; vLLM leaves 8 %."""
    vllm = next(each for each in llama["engines"] if each["engine"] == "vllm")
    parts = vllm["memory"]["parts"]
    assert parts["cache"] == 8 * 32768 * 327_680 / 4 == 20 * GIB
    assert round(parts["weights"] / GIB, 1) == 32.9
    assert parts["reserved"] == pytest.approx(85520809984 * 0.08)
    assert vllm["memory"]["needed_bytes"] == pytest.approx(sum(parts.values()))
    assert (vllm["memory"]["fits"], vllm["memory"]["available_bytes"]) == (True, 85520809984)
    assert (vllm["state"], vllm["layout"], vllm["bytes_per_token"]) == ("supported", "bf16", 327_680)
    assert vllm["backend"] == "FLASH_ATTN"


def test_each_flag_of_the_command_has_a_source(llama: dict[str, Any], real: KnowledgeBase) -> None:
    for each in llama["engines"]:
        words = [word for group in each["command_cites"] for word in group["words"]]
        assert words == each["command"]
        for group in each["command_cites"]:
            assert group["cites"], each["engine"]
            assert all(real.catalog.records[cite].kind == "source" for cite in group["cites"])
    vllm = next(each for each in llama["engines"] if each["engine"] == "vllm")
    assert vllm["command"] == [
        *("vllm", "serve", "meta-llama/Llama-3.1-70B-Instruct", "--tensor-parallel-size", "4"),
        *("--max-model-len", "32768", "--max-num-seqs", "8"),
    ]


def test_what_is_asked_backwards_goes_in_and_one_more_does_not(llama: dict[str, Any]) -> None:
    best = llama["memory"]["engine"]
    base = ("llama-3-1-70b-instruct", "--gpu", "h100-sxm", "--count", "4", "--engine", best)

    def fits(context: int, sequences: int) -> bool:
        found = answer(*base, "--context", str(context), "--sequences", str(sequences))
        return bool(found["memory"]["fits"])

    assert fits(32768, llama["most_sequences"])
    assert not fits(32768, llama["most_sequences"] + 1)
    assert fits(llama["longest_context"], 8)
    assert llama["longest_context"] == 131072 or not fits(llama["longest_context"] + 300, 8)
    counts = {box["gpu"]: box["count"] for box in llama["smallest"]}
    assert counts == {"h100-sxm": 4}
    assert not answer(*base[:4], "2", "--engine", best, "--context", "32768", "--sequences", "8")["memory"]["fits"]


def test_without_a_gpu_the_smallest_box_is_taken() -> None:
    found = answer("qwen3-8b", "--context", "32768")
    first = found["smallest"][0]
    assert (found["gpu"], found["count"]) == (first["gpu"], first["count"])
    assert found["memory"]["fits"]
    need = found["memory"]["parts"]
    assert need["weights"] + need["cache"] > 19 * GIB


def test_kernels_and_memory_are_two_lamps() -> None:
    small = ask("llama-3-1-70b-instruct", "--gpu", "rtx-4090")
    kernels, memory = (line for line in small.stdout.splitlines() if line.startswith(("kernels", "memory")))
    assert "vLLM" in kernels
    assert "●" in kernels
    assert "○ does not fit" in memory
    assert small.exit_code == 1
    assert "activations and graphs are not counted" in small.stdout
    assert "\x1b[" not in small.stdout


def test_what_is_not_known_is_no_yes() -> None:
    """MLX-LM's own reserve was not read, so that it would go in is no answer; nor are weights that are not counted."""
    mlx = answer("qwen3-8b", "--gpu", "apple-m3-max-128gb", "--engine", "mlx-lm")
    assert mlx["memory"]["fits"] is None
    unread = answer("llama-3-1-8b-instruct", "--gpu", "h100-sxm", "--engine", "tensorrt-llm")
    assert unread["memory"]["parts"]["cache"] is None
    assert any("not read" in reason for reason in unread["memory"]["reasons"])
    assert ask("llama-3-1-8b-instruct", "--gpu", "h100-sxm", "--engine", "tensorrt-llm").exit_code == 1


def test_gpus_that_cannot_share_it_are_refused() -> None:
    found = answer("llama-3-1-70b-instruct", "--gpu", "h100-sxm", "--count", "5", "--engine", "vllm")
    assert found["memory"]["fits"] is None
    assert "64 query heads cannot be dealt out evenly to 5 ranks" in found["memory"]["reasons"]


def test_llama_cpp_deals_out_layers(real: KnowledgeBase) -> None:
    """A latent row stands whole on each GPU that shares heads, and a part of the layers on each that shares layers."""
    caches, figure = real.verdicts.caches, real.facts["deepseek-v2"].figure("bf16")
    assert figure is not None
    held = caches.cache("deepseek-v2", "llama-cpp", caches.place("h100-sxm", 4), figure)
    whole = caches.cache("deepseek-v2", "vllm", caches.place("h100-sxm", 4), figure)
    assert not isinstance(held, str)
    assert not isinstance(whole, str)
    assert held.growth == Fraction(69_120, 4)
    assert whole.growth == 69_120


MISTAKES = [
    (("llama-3-1-8b", "--gpu", "h1000"), "h100"),
    (("llama-3-1-8b-instruct", "--count", "2"), "--gpu"),
    (("llama-3-1-8b-instruct", "--gpu", "h100-sxm", "--cache", "fp7"), "known"),
    (("qwen3-8b", "--context", "900000"), "40,960"),
    (("llama-3-1-8b-instruct", "--gpu", "h100-sxm", "--engine", "vlm"), "vllm"),
]


@pytest.mark.parametrize(("words", "says"), MISTAKES)
def test_a_mistake_ends_with_2_and_the_next_step(words: tuple[str, ...], says: str) -> None:
    result = ask(*words)
    assert result.exit_code == 2
    assert says in result.output
    assert "Traceback" not in result.output
