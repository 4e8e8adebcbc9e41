"""The real base keeps its promises: clean under --strict, every figure with its source, and the figures themselves."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from generator.checks import judge
from generator.checks.run import CheckRun
from generator.derive.cited_config import CitedConfig
from generator.derive.figures import Figure
from generator.findings import Severity
from generator.knowledge.knowledge_base import KnowledgeBase

DAYS = (date(2027, 6, 30), date(2030, 1, 1))


@pytest.mark.parametrize("day", DAYS, ids=str)
def test_no_day_turns_the_gate_red(real: KnowledgeBase, verdicts: CheckRun, day: date) -> None:
    later = judge(replace(real, today=day))
    assert not later.failing(strict=True)
    overdue = {finding.code for finding in later.findings if finding.severity is Severity.OVERDUE}
    assert overdue == {"DRF601", "MET901"}
    assert later.pressing(lambda path: True).failing(strict=False)
    lasting = [finding for finding in later.findings if finding.severity is not Severity.OVERDUE]
    assert lasting == list(verdicts.findings)
    assert later.waived == verdicts.waived


@pytest.fixture(scope="module")
def verdicts(real: KnowledgeBase) -> CheckRun:
    return judge(real)


def test_the_base_is_clean_under_strict_and_hides_nothing(verdicts: CheckRun) -> None:
    failing = [f"{each.location} {each.code} {each.message}" for each in verdicts.findings if each.severity != "info"]
    assert failing == []
    assert {each.code for each in verdicts.waived} <= {"CIT110"}, "pages that were read on a branch, each for a time"


def test_the_checks_had_something_to_look_at(verdicts: CheckRun) -> None:
    idle = {code for code, tally in verdicts.by_check.items() if tally.checked == 0}
    # No record needs to hold a verdict of its own, a waiver, a figure that somebody published or an old one of itself,
    # or the stamp of a review.
    nothing_stated = {"CMP501", "MET901", "DRV301", "DRF602"}
    assert idle <= nothing_stated, "a check that looks at nothing passes for no reason"
    assert verdicts.checked > 10_000


FOUNDING = {
    "source": (
        *("arch-hf-config-deepseek-v2", "model-cn-deepseek-v3-config", "mdl2-vllm-supported-models-2026-10"),
        *("mdl2-trtllm-supported-models", "mdl2-sglang-generative-models", "mdl2-llamacpp-arch-class-registry"),
        "kern-flashmla-github",
    ),
    "engine": ("vllm", "sglang", "tensorrt-llm", "llama-cpp", "ik-llama-cpp"),
    "kernel": ("flashinfer", "flashmla-april-2026", "flashmla-2026-09-30", "deepgemm-paged-mqa", "uniform"),
    "gotcha": ("sm120-sparse-mla-block-size",),
    "concept": ("mla-latent-attention", "flashmla-decode-fp8-fp4-kv", "compressed-sparse-attention"),
    "model": (
        *("deepseek-v2", "deepseek-v2-lite", "deepseek-v3", "deepseek-r1", "deepseek-v3-1", "deepseek-v3-2"),
        *("deepseek-v4-flash", "deepseek-v4-pro", "deepseek-v4-1-flash", "kimi-k2", "glm-5", "llama-3-1-8b"),
        *("qwen3-32b", "mixtral-8x7b"),
    ),
}


@pytest.mark.parametrize("kind", FOUNDING)
def test_founding_ids_stay(real: KnowledgeBase, kind: str) -> None:
    ids = {record.id for record in real.catalog.of(kind)}
    assert set(FOUNDING[kind]) <= ids


# --- figures, as they are known from elsewhere ----------------------------------------------------------------------

GROWTH = {
    ("deepseek-v2", "bf16"): 69_120,
    ("deepseek-v2-lite", "bf16"): 31_104,
    ("deepseek-v3", "bf16"): 70_272,
    ("deepseek-r1", "bf16"): 70_272,
    ("deepseek-v3-1", "bf16"): 70_272,
    ("kimi-k2", "bf16"): 70_272,
    ("deepseek-v3-2", "bf16"): 85_888,
    ("deepseek-v3-2", "bf16+index_fp8"): 78_324,
    ("deepseek-v3-2", "fp8_ds_mla_v32+index_fp8"): 48_068,
    ("glm-5", "bf16"): 109_824,
    ("deepseek-v4-flash", "bf16"): 6_880,
    ("deepseek-v4-flash", "fp8_ds_mla_v4+index_fp8"): Fraction(15_401, 4),
    ("deepseek-v4-pro", "bf16"): 9_848,
    ("deepseek-v4-1-flash", "bf16"): 3_200,
    ("deepseek-v4-1-flash", "nvfp4_ds_mla_v41+index_mxfp4"): 890,
    ("deepseek-v4-1-flash", "nvfp4_ds_mla_v41+index_fp8"): 1_050,
    ("deepseek-v4-1-flash", "dsv4_v4+index_fp4"): 1_630,
    ("llama-3-1-8b", "bf16"): 131_072,
    ("qwen3-32b", "bf16"): 262_144,
    ("mixtral-8x7b", "bf16"): 131_072,
}
BYTES = {
    ("deepseek-v4-flash", "bf16", 1_048_576): 7_219_838_976,
    ("deepseek-v4-1-flash", "nvfp4_ds_mla_v41+index_mxfp4", 1_048_576): 935_936_000,
    ("deepseek-v2", "bf16", 131_072): 9_059_696_640,
    ("llama-3-1-8b", "bf16", 131_072): 17_179_869_184,
}
GEOMETRY_ONLY = ("deepseek-v4-1-flash", "bf16")


def figure(kb: KnowledgeBase, id: str, key: str) -> Figure:
    found = kb.facts[id].figure(key)
    assert found is not None, f"{id} has {[each.key for each in kb.facts[id].figures]}"
    return found


@pytest.mark.parametrize(("id", "key"), GROWTH)
def test_growth(real: KnowledgeBase, id: str, key: str) -> None:
    assert figure(real, id, key).growth == GROWTH[id, key]


@pytest.mark.parametrize(("id", "key", "tokens"), BYTES)
def test_exact_bytes(real: KnowledgeBase, id: str, key: str, tokens: int) -> None:
    assert figure(real, id, key).bytes(tokens) == BYTES[id, key, tokens]


def test_state_stands_apart_from_the_cache(real: KnowledgeBase) -> None:
    assert real.facts["deepseek-v4-flash"].state == {"compressor_fp32_ring": 12_206_080}


def test_a_figure_that_no_engine_stores_says_so(real: KnowledgeBase) -> None:
    assert figure(real, *GEOMETRY_ONLY).geometry_only
    assert not figure(real, "deepseek-v4-1-flash", "nvfp4_ds_mla_v41+index_mxfp4").geometry_only
    assert not figure(real, "deepseek-v2", "bf16").geometry_only


def test_the_naive_figures_of_v2(real: KnowledgeBase) -> None:
    geometry = real.facts["deepseek-v2"].geometry
    assert geometry is not None
    assert geometry.naive_gqa_bytes_per_token == 1_228_800
    assert geometry.materialised_bytes_per_token == 4_915_200


def test_layers_of_v4(real: KnowledgeBase) -> None:
    geometry = real.facts["deepseek-v4-flash"].geometry
    assert geometry is not None
    assert {name: count for name, count in geometry.layers.items() if count} == {
        "sliding_attention": 2,
        "compressed_sparse_attention": 21,
        "heavily_compressed_attention": 20,
    }


# --- figures, by other arithmetic: the formulas that everybody knows, over all records of the plain families ---------


def by_hand(family: str, config: dict[str, Any]) -> int | None:
    """Bytes per token in bf16 from the config's own fields."""
    layers = config["num_hidden_layers"]
    if family == "mla":
        return int(layers * (config["kv_lora_rank"] + config["qk_rope_head_dim"]) * 2)
    heads = config.get("num_key_value_heads") or config.get("num_attention_heads")
    width = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    return int(2 * layers * heads * width * 2)


def test_plain_families_are_what_everybody_computes(real: KnowledgeBase) -> None:
    compared: dict[str, int] = {}
    for id, facts in real.facts.items():
        family = facts.geometry.family if facts.geometry else ""
        fields = {"num_hidden_layers", "hidden_size", "num_attention_heads"}
        named_otherwise = not fields <= set(facts.config) or "num_kv_heads" in facts.config
        if family not in ("mla", "gqa") or named_otherwise:
            continue
        plain = facts.figure("bf16")
        assert plain is not None
        assert plain.growth == by_hand(family, dict(facts.config)), id
        compared[family] = compared.get(family, 0) + 1
    assert compared["mla"] >= 6
    assert compared["gqa"] >= 3


# --- where figures come from ----------------------------------------------------------------------------------------


def test_every_published_byte_has_a_source(real: KnowledgeBase) -> None:
    seen = 0
    for id, facts in real.facts.items():
        for each in facts.figures:
            layout = each.layout
            for part in (layout.kv, layout.window, layout.index, *layout.states):
                if part is not None:
                    stored = real.formats.by_id[part.id]
                    source = real.catalog.records.get(stored.cite or "")
                    assert source is not None, f"{id}: {part.id} names no source"
                    assert source.kind == "source", f"{id}: {part.id}"
                    seen += 1
    assert seen > 100


def test_every_layout_of_an_engine_has_a_source(real: KnowledgeBase) -> None:
    cited = {(each.citing, each.path[:2]) for each in real.graph.citations if each.path[-1:] == ("cite",)}
    for stored in real.formats.layouts:
        assert stored.engine is not None
        assert (stored.engine.id, ("cache_layouts", stored.index)) in cited
    assert real.formats.problems == ()


def test_every_model_is_derived_or_says_why_not(real: KnowledgeBase) -> None:
    for id, facts in real.facts.items():
        assert (facts.geometry is None) == bool(facts.reason), id
        if facts.geometry is not None:
            assert facts.figures, id
            assert all(each.growth >= 0 and each.formula for each in facts.figures), id


def test_the_class_of_a_wrapped_config_is_the_wrappers(real: KnowledgeBase) -> None:
    """Engines are asked for KimiK25ForConditionalGeneration, not for the language model's class inside."""
    wrapped = 0
    for model in real.catalog.of("model"):
        source = CitedConfig.of(real.catalog, model).source
        stated = source.get("facts", "architectures") if source else None
        if stated is not None and model.get("architecture", "architectures") is not None:
            assert model.get("architecture", "architectures") == stated, model.id
            wrapped += source.get("facts", "text_config") is not None
    assert wrapped > 10
    asked = real.listings["kimi-k2-5", "vllm"].reasons[0]
    assert asked.value == "KimiK25ForConditionalGeneration"


def test_silence_about_a_class_that_a_copy_names_is_no_no(real: KnowledgeBase) -> None:
    """LongCat-Flash-Lite's class stands in a copy only: a list without it proves nothing about the model."""
    assert real.listings["longcat-flash-lite", "ik-llama-cpp"].state == "no-evidence"
    assert "copy or derivative" in real.listings["longcat-flash-lite", "ik-llama-cpp"].reasons[-1].text
    # Step-3.7's stands in a renamed copy, too, but an engine's own page names repository and class together.
    assert real.listings["step-3-7-flash", "lmdeploy"].state == "not-listed"
    assert real.listings["glm-5", "ik-llama-cpp"].state == "not-listed"
