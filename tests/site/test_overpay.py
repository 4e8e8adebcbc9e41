"""What it costs that a model's design is not supported: every figure here is reckoned by hand from config fields."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from conftest import Base

from generator.cli.output.kv import KvQuestion, as_json, as_text, of_record
from generator.cli.output.kv.overpay import overpay_lines
from generator.derive import attention
from generator.derive.attention.unsupported import unsupported
from generator.derive.cited_config import config_keys
from generator.derive.facts import Facts
from generator.derive.figures import figures_of
from generator.derive.overpay import LENGTHS, lengths
from generator.derive.stored_formats import formats
from generator.knowledge.knowledge_base import KnowledgeBase

GEMMA_3_27B = {
    "model_type": "gemma3_text",
    "num_hidden_layers": 62,
    "hidden_size": 5376,
    "num_attention_heads": 32,
    "num_key_value_heads": 16,
    "head_dim": 128,
    "sliding_window": 1024,
    "sliding_window_pattern": 6,
    "max_position_embeddings": 131072,
}
LLAMA_4_SCOUT = {
    "model_type": "llama4_text",
    "num_hidden_layers": 48,
    "hidden_size": 5120,
    "num_attention_heads": 40,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "attention_chunk_size": 8192,
    "no_rope_layers": [1, 1, 1, 0] * 12,
    "max_position_embeddings": 10485760,
}
NEMOTRON_H_8B = {
    "model_type": "nemotron_h",
    "num_hidden_layers": 52,
    "hybrid_override_pattern": "M-M-M-M*-" + "M-M-M-M-M*-" * 2 + "M-M-M-M-M-M*-" + "M-M-M-M-",
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "mamba_num_heads": 128,
    "mamba_head_dim": 64,
    "n_groups": 8,
    "ssm_state_size": 128,
    "conv_kernel": 4,
    "max_position_embeddings": 8192,
}
GEMMA_4_E2B_LIKE = {
    "model_type": "gemma4_text",
    "num_hidden_layers": 10,
    "hidden_size": 1536,
    "num_attention_heads": 8,
    "num_key_value_heads": 1,
    "head_dim": 256,
    "global_head_dim": 512,
    "attention_k_eq_v": False,
    "sliding_window": 512,
    "layer_types": [*["sliding_attention"] * 4, "full_attention"] * 2,
    "num_kv_shared_layers": 5,
    "max_position_embeddings": 32768,
}
HUNYUAN_LARGE_LIKE = {
    "model_type": "hunyuan",
    "num_hidden_layers": 64,
    "hidden_size": 6400,
    "num_attention_heads": 80,
    "num_key_value_heads": 8,
    "attention_head_dim": 128,
    "use_cla": True,
    "cla_share_factor": 2,
}
FALCON_H1_LIKE = {
    "model_type": "falcon_h1",
    "num_hidden_layers": 24,
    "hidden_size": 2048,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 128,
    "mamba_n_heads": 48,
    "mamba_d_head": 64,
    "mamba_n_groups": 1,
    "mamba_d_state": 256,
    "mamba_d_conv": 4,
    "mamba_expand": 2,
    "mamba_d_ssm": 3072,
}


def facts_of(kb: KnowledgeBase, config: dict[str, Any]) -> Facts:
    geometry = attention.derive(config, config_keys(kb.catalog))
    assert isinstance(geometry, attention.Geometry), geometry
    return Facts("x", config, geometry, figures=figures_of(geometry, frozenset(), formats(kb.catalog)))


# tokens -> (bytes without support, bytes of the geometry)
BY_HAND: dict[str, tuple[dict[str, Any], dict[int, tuple[int, int]]]] = {
    # a layer keeps 2 x 16 x 128 x 2 = 8,192 B per token; every 6th of 62 is full: 10; the other 52 keep 1,024 tokens
    "windows: Gemma-3-27B": (
        GEMMA_3_27B,
        {
            8192: (62 * 8192 * 8192, 10 * 8192 * 8192 + 52 * 8192 * 1024),
            32768: (62 * 8192 * 32768, 10 * 8192 * 32768 + 436_207_616),
            131072: (66_571_993_088, 10_737_418_240 + 436_207_616),
        },
    ),
    # 2 x 8 x 128 x 2 = 4,096 B; 12 layers without rope are full, 36 keep chunks of 8,192
    "chunks: Llama-4-Scout": (
        LLAMA_4_SCOUT,
        {
            8192: (1_610_612_736, 1_610_612_736),
            32768: (6_442_450_944, 1_610_612_736 + 1_207_959_552),
            10485760: (48 * 4096 * 10485760, 12 * 4096 * 10485760 + 36 * 4096 * 8192),
        },
    ),
    # 4 attention layers of 2 x 8 x 128 x 2 = 4,096 B; 24 Mamba layers (not 48: 24 more are MLPs) would keep as much
    "state instead of a cache: Nemotron-H-8B": (NEMOTRON_H_8B, {8192: (28 * 4096 * 8192, 4 * 4096 * 8192)}),
    # sliding 2 x 1 x 256 x 2 = 1,024 B, full 2 x 1 x 512 x 2 = 2,048 B; 5 own (4 + 1), 5 share (4 + 1)
    "shared caches of two widths": (
        GEMMA_4_E2B_LIKE,
        {
            8192: ((8 * 1024 + 2 * 2048) * 8192, 1 * 2048 * 8192 + 4 * 1024 * 512),
            32768: ((8 * 1024 + 2 * 2048) * 32768, 1 * 2048 * 32768 + 4 * 1024 * 512),
        },
    ),
    "shared caches, and no longest length": (
        HUNYUAN_LARGE_LIKE,
        {8192: (64 * 4096 * 8192, 32 * 4096 * 8192), 32768: (64 * 4096 * 32768, 32 * 4096 * 32768)},
    ),
}


@pytest.mark.parametrize(("config", "expected"), BY_HAND.values(), ids=BY_HAND)
def test_bytes_per_sequence(real: KnowledgeBase, config: dict[str, Any], expected: dict[int, tuple[int, int]]) -> None:
    costs = facts_of(real, config).overpay.costs
    assert {cost.tokens: (cost.unsupported, cost.geometry) for cost in costs} == expected


# model -> (basis, tokens -> factor): the record's own fields, put into the formulas of docs/kv-geometry.md
ON_RECORD: dict[str, tuple[str, dict[int, Fraction]]] = {
    # 60 x 128 heads x (128 + 64 + 128) x 2 over 60 x (512 + 64) x 2
    "deepseek-v2": ("expanded latents", {8192: Fraction(4_915_200, 69_120), 163840: Fraction(128 * 320, 576)}),
    # the same per layer, over 61 x (576 + 128 of the index) x 2
    "deepseek-v3-2": ("expanded latents", {8192: Fraction(4_997_120, 85_888)}),
    # 43 x (512 + 512) x 2 = 88,064; 43 windows of 128 rows, 21 x 2,048 pooled with index keys, 20 x 64 pooled
    "deepseek-v4-flash": (
        "key and value apart",
        {
            8192: Fraction(721_420_288, 5_636_096 + 55_050_240 + 1_310_720),
            1048576: Fraction(92_341_796_864, 7_219_838_976),
        },
    ),
    # 36 layers of 2 x 8 x 64 x 2 = 2,048 B, 18 of them with windows of 128
    "gpt-oss-120b": ("per-head", {131072: Fraction(36 * 131072, 18 * 131072 + 18 * 128)}),
    # all 32 layers have windows of 4,096
    "mistral-7b-v0-1": ("per-head", {8192: Fraction(2), 32768: Fraction(8)}),
    # 12 of 48 layers attend
    "qwen3-next-80b-a3b-instruct": ("per-head", {8192: Fraction(4), 262144: Fraction(4)}),
    # 6 of 29 layers that mix tokens attend; 23 more are experts and keep nothing
    "nvidia-nemotron-3-nano-30b-a3b-bf16": ("per-head", {8192: Fraction(29, 6)}),
}


@pytest.mark.parametrize(("model", "basis", "factors"), [(k, *v) for k, v in ON_RECORD.items()], ids=ON_RECORD)
def test_factors_of_models_on_record(real: KnowledgeBase, model: str, basis: str, factors: dict[int, Fraction]) -> None:
    found = real.facts[model].overpay
    assert found.without is not None
    assert found.without.basis == basis
    by_length = {cost.tokens: cost.factor for cost in found.costs}
    assert {tokens: by_length[tokens] for tokens in factors} == factors


def test_nemotron_h_8b_holds_state_in_24_layers_and_not_in_48(real: KnowledgeBase) -> None:
    found = facts_of(real, NEMOTRON_H_8B)
    assert found.geometry is not None
    without = unsupported(found.geometry, NEMOTRON_H_8B)
    assert without is not None
    assert (without.layers, without.recurrent) == (28, 24)
    assert [slot.layers for slot in found.geometry.states] == [24, 24]
    ssm = next(slot for slot in found.geometry.states if slot.slot == "mamba2_ssm")
    assert ssm.layers * (ssm.scalars or 0) * 2 == 48 * 1024**2, "48 MiB in two bytes: 24 x 128 x 64 x 128"


def test_state_beside_attention_replaces_no_cache(real: KnowledgeBase) -> None:
    assert facts_of(real, FALCON_H1_LIKE).overpay.verdict == "nothing to save"


VERDICTS = {
    "keys and values per head": ("llama-3-1-8b", "nothing to save"),
    "index keys beside a whole cache": ("minimax-m3", "nothing to save"),
    "state alone": ("mamba2-130m", "no cache"),
    "no family": ("rwkv-5-world-3b", "not derivable"),
}


@pytest.mark.parametrize(("model", "verdict"), VERDICTS.values(), ids=VERDICTS)
def test_where_there_is_no_figure_the_reason_stands_for_it(real: KnowledgeBase, model: str, verdict: str) -> None:
    found = real.facts[model].overpay
    assert (found.verdict, found.about, found.costs) == (verdict, verdict, ())
    assert list(overpay_lines(found)) == []


WHY = "  config: the vendor has not published it\n"


def test_a_closed_model_is_undisclosed(tiny: Base) -> None:
    path = "records/models/tiny-b.yaml"
    text = (tiny.root / path).read_text("utf-8")
    start, end = text.index("architecture:"), text.index("corrections:")
    tiny.lay({path: text[:start].replace('"[[tiny-b-config]]"', "null") + "architecture: {}\n" + text[end:] + WHY})
    assert tiny.read().facts["tiny-b"].overpay.verdict == "undisclosed"


def test_a_latent_model_that_leaves_a_width_out_is_told_apart(real: KnowledgeBase) -> None:
    config = {"model_type": "deepseek_v2", "num_hidden_layers": 2, "kv_lora_rank": 512, "qk_rope_head_dim": 64}
    assert facts_of(real, config).overpay.verdict == "widths not stated"


def test_the_lengths_end_with_the_longest() -> None:
    assert lengths({}) == LENGTHS == (8192, 32768)
    assert lengths({"max_position_embeddings": 4096}) == (4096,)
    assert lengths({"max_position_embeddings": 32768}) == (8192, 32768)
    assert lengths({"text_config": {"max_position_embeddings": 131072}}) == (8192, 32768, 131072)
    assert lengths({"max_position_embeddings": "long"}) == LENGTHS


def test_kv_tells_it_as_json_and_as_text(real: KnowledgeBase) -> None:
    answer = of_record(real, "gpt-oss-120b", KvQuestion(caches=("fp8_e4m3",), batch=3))
    found = json.loads(as_json(answer))
    # 2,048 x (18 x 8,192 + 18 x 128) and 2,048 x 36 x 8,192, for one sequence and whatever is asked for
    assert found["overpay"]["8192"] == {"geometry": 306_708_480, "unsupported": 603_979_776, "factor": 1.9692}
    assert list(found["overpay"]) == ["8192", "32768", "131072"]
    assert found["overpay_basis"] == "all 36 layers that mix tokens kept in full, per-head"
    assert "without support of this design: 73,728 B/token in bf16" in as_text(answer)
    plain = of_record(real, "llama-3-1-8b", KvQuestion())
    assert (json.loads(as_json(plain))["overpay"], "without support" in as_text(plain)) == ({}, False)
