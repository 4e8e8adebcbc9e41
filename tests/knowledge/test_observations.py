"""Lines of real logs against the arithmetic, and what becomes of a line that cannot be compared."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import yaml
from conftest import Base

from generator.knowledge.knowledge_base import KnowledgeBase
from generator.knowledge.observations import FAR, NEAR, Observed, compared, comparisons

MIB = 2**20

# What the engines' own lines say they allocate, multiplied out by hand: layers x entry x how many.
BY_HAND = {
    "llama-cpp-deepseek-v3-f16": 61 * (512 + 64) * 2 * 32768,
    "ik-llama-cpp-deepseek-v3-0324-q8-0": 61 * (512 + 64) // 32 * 34 * 32768,
    "llama-cpp-gemma-4-e4b-full-layers": 64 * MIB,
    "llama-cpp-gemma-4-e4b-windows-1536": 60 * MIB,
    "llama-cpp-gemma-4-e4b-windows-full": 160 * MIB,
    "ollama-gemma-4-e4b-full-layers": 512 * MIB,
    "ollama-gemma-4-e4b-windows": 40 * MIB,
    "ollama-deepseek-v2-16b-materialised": 27 * 16 * (192 + 128) * 2 * 32768,
    "llama-cpp-qwen3-5-9b-state": 48 * MIB,
    "llama-cpp-qwen3-5-9b-convolutions": 24 * 3 * (2 * 16 * 128 + 32 * 128) * 4,
    "llama-cpp-qwen3-5-9b-131k": 131072 * 8 * 4 * 2 * 256 * 2 + 48 * MIB + 24 * 3 * 8192 * 4,
    "llama-cpp-qwen3-5-27b-q4-0-64k": 1152 * MIB,
    "sglang-mimo-v2-flash-full-layers": 1496958 * 9 * 1 * (192 + 128) * 2,
    "sglang-mimo-v2-flash-windows": 1496958 * 39 * 2 * (192 + 128) * 2,
    "sglang-qwen3-235b-fp8-tp4": 367404 * 94 * 1 * (128 + 128) * 2,
    "vllm-minimax-m2-7-needed": 196608 * 62 * 4 * (128 + 128) * 2,
    "vllm-qwen3-coder-480b-needed": 62 * 2**30,
}


@pytest.mark.parametrize("id", BY_HAND)
def test_a_line_is_what_its_layers_and_entries_multiply_to(real: KnowledgeBase, id: str) -> None:
    assert compared(real, real.catalog.records[id]).derived == BY_HAND[id]


def test_every_observation_agrees_or_says_why_not(real: KnowledgeBase) -> None:
    seen = comparisons(real)
    assert len(seen) >= 25
    assert [one.record.id for one in seen if one.agrees is (one.record.get("deviates") is not None)] == []


def test_observations_are_found_by_model_and_by_engine(real: KnowledgeBase) -> None:
    assert {one.record.id for one in comparisons(real, model="minimax-m2-7")} == {
        "vllm-minimax-m2-7-needed",
        "vllm-minimax-m2-7-pool",
    }
    assert {one.engine for one in comparisons(real, engine="sglang")} == {"sglang"}


# --- a miniature base: Tiny A keeps 4 latents of 32 + 8 scalars for each token ----------------------------------------

SEEN: dict[str, Any] = {
    "name": "Tiny A, seen",
    "model": "[[tiny-a]]",
    "engine": "[[tiny-engine]]",
    "engine_version": "1.0",
    "hardware": "one tiny card",
    "measures": "cache",
    "figure": {"values": [1.25], "unit": "MiB"},
    "tokens": 4096,
    "format": "bf16",
    "cite": "[[tiny-engine-issue]]",
}
NOT = {"engine": None, "engine_version": None}

DERIVED: dict[str, tuple[dict[str, Any], int]] = {
    "a latent": ({}, 4096 * 320),
    "in another layout": ({"format": "fp8_latent"}, 4096 * 176),
    "a latent stands whole on every rank": ({"tensor_parallel": 4}, 4096 * 320),
    "keys and values of all heads": ({"format": "materialised"}, 4096 * 4 * 4 * (16 + 8 + 16) * 2),
    "and of a quarter of them": ({"format": "materialised", "tensor_parallel": 4}, 4096 * 4 * (16 + 8 + 16) * 2),
    "as many cells as the line says": ({"cells": True, "tokens": 100}, 32000),
    "all layers are without a window": ({"layers": "full"}, 4096 * 320),
    "of a table that no engine stands behind": (NOT, 4096 * 320),
}


def seen(tiny: Base, **change: Any) -> Observed:
    """The comparison of the miniature observation with some fields changed; None takes one away."""
    fields = {key: value for key, value in {**SEEN, **change}.items() if value is not None}
    head = "# yaml-language-server: $schema=../../schema/observation.schema.json\n"
    kb = tiny.lay({"records/observations/seen.yaml": head + yaml.safe_dump(fields, width=1000)}).read()
    assert "seen" not in kb.catalog.unsound
    return compared(kb, kb.catalog.records["seen"])


@pytest.mark.parametrize(("change", "expected"), DERIVED.values(), ids=DERIVED)
def test_what_is_derived_follows_the_setting(tiny: Base, change: dict[str, Any], expected: int) -> None:
    assert seen(tiny, **change).derived == expected


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"layers": "windowed"}, "the model has no such layers"),
        ({"format": "q3_odd"}, "no record says how many bytes the format q3_odd takes for this model"),
        ({"tensor_parallel": 3}, "4 query heads cannot be dealt out evenly to 3 ranks"),
        (
            {"measures": "state", "slots": {"gdn_ssm": "fp32"}},
            "the model's geometry has no state gdn_ssm of a known width",
        ),
        ({"slots": {"gdn_ssm": "fp32"}}, "the model's geometry has no state gdn_ssm of a known width"),
        ({"measures": "weights"}, "the layers of model type 'tiny_mla' are not known here"),
    ],
)
def test_what_cannot_be_derived_says_why(tiny: Base, change: dict[str, Any], reason: str) -> None:
    one = seen(tiny, **change)
    assert (one.derived, one.deviation, one.agrees) == (None, None, None)
    assert one.why_not == reason


def test_parts_of_a_line_are_added_up_in_its_unit(tiny: Base) -> None:
    one = seen(tiny, figure={"values": [0.625, 0.625], "unit": "MiB"})
    assert (one.observed, one.deviation, one.agrees) == (Fraction(5 * MIB, 4), 0, True)
    assert seen(tiny, figure={"values": [1.25], "unit": "MB"}).observed == 1_250_000


def test_plain_and_latent_caches_are_held_closer_than_windows(real: KnowledgeBase) -> None:
    allowed = {one.record.id: one.allowed for one in comparisons(real)}
    assert allowed["vllm-minimax-m2-7-needed"] == allowed["llama-cpp-deepseek-v3-f16"] == NEAR
    assert allowed["llama-cpp-gemma-4-e4b-windows-1536"] == NEAR  # the line counts its own cells
    assert allowed["llama-cpp-qwen3-5-9b-131k"] == FAR


def test_a_deviation_needs_a_reason_and_a_reason_a_deviation(tiny: Base) -> None:
    why = {"because": "blocks are not whole"}
    for values, deviates, codes in (
        ([1.25], None, []),
        ([1.26], None, []),
        ([1.27], None, ["DRV309"]),
        ([1.27], why, []),
        ([1.25], why, ["DRV309"]),
    ):
        seen(tiny, figure={"values": values, "unit": "MiB"}, deviates=deviates)
        quote = f"quotes:\n  - exact: 4,096 tokens in {values[0]} MiB\n"
        tiny.amend({"sources/tiny-engine-issue.yaml": quote})
        assert [each.code for each in tiny.findings("DRV309", "DRV310")] == codes


def test_numbers_of_an_observation_stand_in_its_source(tiny: Base) -> None:
    seen(tiny)
    issue = "sources/tiny-engine-issue.yaml"
    told = {
        found.message
        for found in tiny.amend({issue: "quotes:\n  - exact: 40960 tokens, 11.25 MiB\n"}).findings("DRV310")
    }
    assert told == {
        "1.25 is neither in the quotes nor in the facts of tiny-engine-issue",
        "4,096 is neither in the quotes nor in the facts of tiny-engine-issue",
    }
    facts = "facts: {context: [{tokens: 4096}]}\nfacts_digest: null\nquotes:\n  - exact: 1.25 MiB\n"
    assert tiny.amend({issue: facts.replace("facts_digest: null\n", "")}).findings("DRV310") == []
