"""Verdicts: the cases of issue 5 with their chains, on the real base; then what holds for every cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from work import counted

from generator.catalog.records import Record
from generator.catalog.yaml.loader import load
from generator.checks import CHECKS
from generator.checks.contract import Tally
from generator.compatibility import GLYPHS, MEANINGS, Cube, Reason, UnknownCache, Verdict, VerdictState, listings
from generator.compatibility.backends import Backend, Grade, ask, backends_of
from generator.compatibility.profiles import jobs, profile
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.gpus import Gpu, covers, platform
from generator.notation.versions import package, pinned, prerelease, satisfies

SM90, SM10X = ("h20", "h100-sxm", "h200-sxm"), ("b200", "b300", "gb200", "gb300")
SM12X = ("rtx-5090", "rtx-pro-6000-blackwell", "gb10")
SM8X = ("a100-sxm-80gb", "a100-pcie-80gb", "l40s", "rtx-4090")


@pytest.fixture(scope="module")
def cube(real: KnowledgeBase) -> Cube:
    return real.verdicts


def steps(verdict: Verdict, rule: str, effect: str | None = None) -> list[Reason]:
    """The steps of a chain by one rule."""
    return [each for each in verdict.reasons if each.rule == rule and effect in (None, each.effect)]


def serving(verdict: Verdict) -> dict[str, str]:
    """Which backend provides which classes, in a chain."""
    return {value["backend"]: " ".join(value["classes"]) for value in _values(steps(verdict, "kernel-class", "serves"))}


def stored(verdict: Verdict) -> dict[str, tuple[str, int | None]]:
    """What a chain says is stored: role to format and bytes per entry."""
    values = _values(steps(verdict, "cache", "stores"))
    return {role: (row["format"], row["bytes_per_entry"]) for value in values for role, row in value.items()}


def _values(reasons: list[Reason]) -> list[Mapping[str, Any]]:
    return [reason.value for reason in reasons]


def changed(real: KnowledgeBase, id: str, edit: Callable[[str], str]) -> KnowledgeBase:
    """The real base with one record written otherwise, all else as it was read."""
    record = real.catalog.records[id]
    text = edit(record.document.text)
    assert not real.catalog.schemas.violations(record.kind, load(text).data)
    records = {**real.catalog.records, id: replace(record, document=load(text))}
    return replace(real, catalog=replace(real.catalog, records=records))


def extended(real: KnowledgeBase, files: Mapping[str, str]) -> KnowledgeBase:
    """The real base with some records more."""
    records = dict(real.catalog.records)
    for path, text in files.items():
        folder, id = Path(path).parent.as_posix(), Path(path).stem
        kind = next(kind.name for kind in real.catalog.kinds if kind.folder == folder)
        assert not real.catalog.schemas.violations(kind, load(text).data)
        records[id] = Record(id, kind, path, load(text))
    catalog = replace(real.catalog, records=records)
    return replace(real, catalog=catalog, listings=listings(catalog))


def found_by_checks(kb: KnowledgeBase) -> list[str]:
    return [found.code for check in CHECKS if check.code.startswith("CMP") for found in check.run(kb, Tally())]


# --- the named cases ------------------------------------------------------------------------------------------------


def test_latent_attention_on_ampere_has_the_triton_backend_only(cube: Cube) -> None:
    verdict = cube["deepseek-v2", "vllm", "a100-sxm-80gb"]
    assert verdict.state is VerdictState.SUPPORTED
    assert serving(verdict) == {"vllm-triton-mla-backend": "kc-mla"}
    (step,) = steps(verdict, "kernel-class")
    assert step.value["only"]
    assert step.cites == (
        "vllm-0-33-0-backend-triton-mla",
        "vllm-0-33-0-triton-mla-impl",
        "vllm-0-33-0-cuda-backend-priorities",
    )
    assert steps(verdict, "family")[0].cites == ("arch-hf-config-deepseek-v2",)


def test_an_8_bit_latent_cache_is_refused_on_ampere_and_taken_on_ada(cube: Cube) -> None:
    verdict = cube.verdict("deepseek-v2", "vllm", "a100-sxm-80gb", "fp8")
    assert verdict.state is VerdictState.BLOCKED
    assert "TRITON_MLA does not take vllm#fp8_e4m3" in steps(verdict, "kernel-class", "refuses")[0].text
    assert "another cache type" in verdict.flips_if
    assert cube.verdict("deepseek-v2", "vllm", "l40s", "fp8").state is VerdictState.SUPPORTED


@pytest.mark.parametrize("gpu", SM8X)
def test_no_sparse_backend_accepts_sm8x(cube: Cube, gpu: str) -> None:
    verdict = cube["deepseek-v3-2", "vllm", gpu]
    assert verdict.state is VerdictState.BLOCKED
    refusal = steps(verdict, "kernel-class", "refuses")[0]
    assert refusal.text.startswith("kc-mla-sparse: no backend takes sm_8")
    assert "vllm-0-33-0-backend-flashmla-sparse" in refusal.cites
    assert steps(verdict, "coverage", "whole")[0].cites == ("vllm-0-33-0-cuda-backend-priorities",)
    assert any("kc-mla-sparse" in flip for flip in verdict.flips_if)


@pytest.mark.parametrize("gpu", SM8X)
@pytest.mark.parametrize("model", ["deepseek-v4-flash", "deepseek-v4-1-flash"])
def test_v4_on_sm8x_is_no_evidence_since_its_predicate_is_not_called(cube: Cube, model: str, gpu: str) -> None:
    """Below compute capability 8.9 the kernel that stores its index keys compiles no e4m3, and that decides."""
    verdict = cube[model, "vllm", gpu]
    blocked = model == "deepseek-v4-flash" and cube.gpus[gpu].capability == "sm_80"
    assert verdict.state is (VerdictState.BLOCKED if blocked else VerdictState.NO_EVIDENCE)
    assert [each.value for each in steps(verdict, "gotcha", "blocked")] == ["fp8-kv-e4m3-ampere"] * blocked
    uncalled = steps(verdict, "coverage", "not whole")
    assert "vllm-0-33-0-sparse-attn-indexer" in {cite for step in uncalled for cite in step.cites}
    assert {"vllm-0-33-0-dsv4-backend-choice", "vllm-0-33-0-dsv41-backend-choice"} & set(uncalled[0].cites)
    assert not steps(verdict, "coverage", "whole")


@pytest.mark.parametrize(
    ("gpus", "cache", "backend", "row"),
    [
        (SM90, None, "vllm-flashmla-sparse-dsv4-backend", ("vllm#fp8_ds_mla_v4", 584)),
        (SM10X, None, "vllm-flashmla-sparse-dsv4-backend", ("vllm#fp8_ds_mla_v4", 584)),
        (SM10X, "dsv4_plain_fp8", "vllm-flashinfer-mla-sparse-dsv4-backend", ("vllm#dsv4_plain_fp8", 512)),
        (SM12X, None, "vllm-flashinfer-mla-sparse-dsv4-backend", ("vllm#fp8_ds_mla_v4", 584)),
    ],
    ids=["Hopper", "Blackwell", "Blackwell in plain 8 bits", "SM12x by FlashInfer"],
)
def test_v4_flash_by_gpu(
    cube: Cube, gpus: tuple[str, ...], cache: str | None, backend: str, row: tuple[str, int]
) -> None:
    for gpu in gpus:
        verdict = cube.verdict("deepseek-v4-flash", "vllm", gpu, cache)
        assert verdict.state is (VerdictState.PARTIAL if cache else VerdictState.SUPPORTED)
        assert serving(verdict)[backend] == "kc-v4"
        assert stored(verdict)["kv"] == row
        assert stored(verdict)["index"] == ("vllm#index_fp8", 132)
        by_hand = [each for each in verdict.modifiers if each.startswith("by hand")]
        assert bool(by_hand) is (cache is not None), "the plain rows need the backend named by hand"


def test_v4_1_flash_stores_other_rows_on_other_gpus(cube: Cube) -> None:
    for gpu in SM10X:
        verdict = cube["deepseek-v4-1-flash", "vllm", gpu]
        assert verdict.state is VerdictState.SUPPORTED
        assert serving(verdict)["vllm-flashmla-mega-attn-dsv41-backend"] == "kc-v41"
        assert stored(verdict)["kv"] == ("vllm#nvfp4_ds_mla_v41", 288)
        assert stored(verdict)["window"] == ("vllm#fp8_ds_mla_v41", 528)
    elsewhere = dict.fromkeys(SM90, "flashmla-sparse") | dict.fromkeys(SM12X, "flashinfer-mla-sparse")
    for gpu, backend in elsewhere.items():
        verdict = cube["deepseek-v4-1-flash", "vllm", gpu]
        assert verdict.state is VerdictState.SUPPORTED
        assert serving(verdict)[f"vllm-{backend}-dsv41-backend"] == "kc-v41"
        assert stored(verdict)["kv"] == ("vllm#fp8_ds_mla_v4", 584)


def test_sglang_serves_v4_1_through_its_v4_class(cube: Cube) -> None:
    for gpu, word, backend, row in (
        ("h100-sxm", None, "sglang-dsv4-flashmla-backend", ("sglang#dsv4_v4", 584)),
        ("b200", None, "sglang-dsv4-flashmla-backend", ("sglang#dsv4_v4", 584)),
        ("b200", "dsv4_v41_fp4", "sglang-dsv4-flashmla-mega-backend", ("sglang#dsv4_v41_fp4", 288)),
    ):
        verdict = cube.verdict("deepseek-v4-1-flash", "sglang", gpu, word)
        assert verdict.state is VerdictState.SUPPORTED
        (rewrite,) = steps(verdict, "rewrite")
        assert (rewrite.value, rewrite.cites) == ("DeepseekV4ForCausalLM", ("sglang-0-5-23-deepseek-v41-config",))
        assert serving(verdict)[backend] == "kc-v41"
        assert serving(verdict)["sglang-dsv41-indexer-backend"] == "kc-idx"
        assert stored(verdict)["kv"] == row
        assert stored(verdict)["index"] == ("sglang#index_fp4", 68)
        assert stored(verdict).get("window") == (("sglang#dsv4_v41", 528) if word else None)
    (asks,) = steps(cube["deepseek-v4-1-flash", "sglang", "b200"], "cache", "asks")
    assert "288 and 528 with flashmla_mega" in asks.text


def test_sglang_sends_v4_1_on_sm12x_to_kernels_that_it_offers_on_sm10x_only(cube: Cube) -> None:
    for gpu in SM12X:
        verdict = cube["deepseek-v4-1-flash", "sglang", gpu]
        assert verdict.state is VerdictState.BLOCKED
        (refusal,) = steps(verdict, "kernel-class", "refuses")
        assert "dsv41-indexer wants candidate_topk_blocks up to 0, the model has 2048" in refusal.text
        assert {"sglang-0-5-23-dsv41-candidate-indexer", "sglang-0-5-23-deep-gemm-gates"} <= set(refusal.cites)
        assert steps(verdict, "coverage", "whole")[0].cites == ("sglang-0-5-23-deepseek-v4-backend",)
        assert "another cache type" not in verdict.flips_if, "it is not the cache that is refused"
    (report,) = steps(cube["deepseek-v4-1-flash", "sglang", "rtx-pro-6000-blackwell"], "claims")
    assert report.value, "what separates the report from the release is named"


def test_the_page_size_gate_of_sm120_is_past_and_the_report_that_disagrees_is_shown(cube: Cube) -> None:
    verdict = cube["deepseek-v4-1-flash", "vllm", "rtx-pro-6000-blackwell"]
    assert verdict.state is VerdictState.SUPPORTED
    past = next(step for step in steps(verdict, "gotcha", "past") if step.value == "sm120-sparse-mla-block-size")
    assert "flashinfer-python <0.7.1" in past.text
    assert "0.7.2.post1" in past.text
    assert "flashinfer-0-7-1-sm120-policy" in past.cites
    (claim,) = steps(verdict, "claims", "disagrees")
    (report,) = steps(verdict, "claims", "says so, too")
    assert report.cites == ("vllm-issue-56700",)
    assert claim.cites == ("vllm-issue-56700",)
    assert claim.value, "what separates the two is named"
    assert "flashinfer-python <0.7.1" in verdict.flips_if


def test_tensorrt_llm_and_its_footnote(cube: Cube) -> None:
    for gpu in SM90:
        verdict = cube["deepseek-v4-flash", "tensorrt-llm", gpu]
        assert verdict.state is VerdictState.SOURCES_DISAGREE
        assert steps(verdict, "restriction")[0].cites == ("trtllm-supported-models-00b6d5a2",)
        assert steps(verdict, "claims")[0].cites == ("trtllm-pr-16940",)
        for pro in ("deepseek-v4-pro", "deepseek-v4-pro-fp8"):
            assert cube[pro, "tensorrt-llm", gpu].state is VerdictState.BLOCKED, "the pull request leaves Pro out"
    assert cube["deepseek-v4-flash", "tensorrt-llm", "b200"].state is VerdictState.SUPPORTED
    assert cube["deepseek-v4-flash", "tensorrt-llm", "l40s"].state is VerdictState.BLOCKED
    sm120 = cube["deepseek-v4-flash", "tensorrt-llm", "rtx-5090"]
    assert sm120.state is VerdictState.LISTED
    assert "trtllm-pr-16224" in sm120.cites


def test_glm_4_5_is_grouped_and_glm_4_7_flash_latent(real: KnowledgeBase, cube: Cube) -> None:
    assert cube.profiles["glm-4-5"].family == "gqa"
    supported = cube["glm-4-5", "vllm", "h100-sxm"]
    assert supported.state is VerdictState.SUPPORTED
    by_class = steps(supported, "named")[0]
    assert (by_class.value, by_class.cites) == ("Glm4MoeForCausalLM", ("vllm-0-33-0-glm4-moe",))
    by_type = steps(cube["glm-4-5", "mlx-lm", "apple-m4-max-128gb"], "named")[0]
    assert (by_type.value, by_type.cites) == ("glm4_moe", ("transformers-5-24-0-glm4-moe-config",))
    assert [job.name for job in cube.profiles["glm-4-5"].alternatives[0]] == ["kc-gqa"]
    verdict = cube["glm-4-7-flash", "vllm", "a100-sxm-80gb"]
    assert steps(verdict, "family")[0].value == "mla"
    assert serving(verdict) == {"vllm-triton-mla-backend": "kc-mla"}
    assert steps(cube["glm-4-7", "vllm", "a100-sxm-80gb"], "family")[0].value == "gqa"


def test_a_class_that_a_document_names_for_a_repository_stands_over_that_of_an_edited_copy(cube: Cube) -> None:
    verdict = cube["step-3-7-flash", "vllm", "h100-sxm"]
    assert verdict.state is VerdictState.SUPPORTED
    named = steps(verdict, "named")[0]
    assert (named.value, named.cites) == ("Step3p7ForConditionalGeneration", ("trtllm-supported-models-00b6d5a2",))


def test_the_4_bit_index_is_for_sm10x_in_vllm(cube: Cube) -> None:
    assert stored(cube.verdict("deepseek-v4-flash", "vllm", "b200", "index_mxfp4"))["index"] == ("vllm#index_mxfp4", 68)
    for gpu in (*SM12X, "h100-sxm"):
        for model in ("deepseek-v4-flash", "deepseek-v4-1-flash", "deepseek-v3-2"):
            verdict = cube.verdict(model, "vllm", gpu, "index_mxfp4")
            assert verdict.state is VerdictState.BLOCKED
            (told,) = steps(verdict, "gotcha", "blocked")
            assert told.value == "indexer-mxfp4-needs-sm10x"
            assert "vllm-0-33-0-mla-indexer" in told.cites
            asked = next(step for step in steps(cube[model, "vllm", gpu], "gotcha") if step.value == told.value)
            assert asked.effect == "with a setting", "who does not ask for it is only told"


def test_the_4_bit_index_is_for_blackwell_and_gfx95_in_sglang(cube: Cube) -> None:
    for gpu in (*SM10X, *SM12X):
        verdict = cube.verdict("deepseek-v4-flash", "sglang", gpu, "index_fp4")
        assert verdict.state is VerdictState.SUPPORTED
        assert stored(verdict)["index"] == ("sglang#index_fp4", 68)
        assert "sglang-0-5-23-fp4-indexer-gate" in verdict.cites
    verdict = cube.verdict("deepseek-v4-flash", "sglang", "h100-sxm", "index_fp4")
    assert verdict.state is VerdictState.BLOCKED
    assert steps(verdict, "restriction", "blocked")[0].cites == ("sglang-0-5-23-fp4-indexer-gate",)


@pytest.mark.parametrize(
    ("gpu", "backend"),
    [
        ("a100-sxm-80gb", "vllm-triton-attn-backend"),
        ("l40s", "vllm-triton-attn-backend"),
        ("h100-sxm", "vllm-flash-attn-backend"),
        ("b200", "vllm-flashinfer-backend"),
        ("rtx-5090", "vllm-flashinfer-backend"),
    ],
)
def test_attention_sinks_by_gpu(cube: Cube, gpu: str, backend: str) -> None:
    verdict = cube["gpt-oss-120b", "vllm", gpu]
    assert verdict.state is VerdictState.SUPPORTED
    assert serving(verdict) == {backend: "kc-gqa kc-win kc-sink"}
    assert "attention sinks" in steps(verdict, "family")[0].text
    pruned = steps(verdict, "restriction", "prunes")
    assert bool(pruned) is (gpu in {*SM8X, *SM12X})


def test_what_a_registry_dropped_says_its_last_version(cube: Cube) -> None:
    verdict = cube["minimax-text-01", "vllm", "h100-sxm"]
    assert verdict.state is VerdictState.NOT_LISTED
    step = verdict.reasons[-1]
    assert (step.value, step.cites) == ("0.23.0", ("vllm-0-33-0-registry",))


def test_a_plain_model_on_an_engine_whose_predicates_were_not_read_is_listed(cube: Cube) -> None:
    verdict = cube["deepseek-v2-lite", "sglang", "apple-m4-max-128gb"]
    assert verdict.state is VerdictState.LISTED
    assert steps(verdict, "listed")[0].cites == ("sglang-0-5-23-model-entryclasses",)
    assert steps(verdict, "kernel-class", "unread")


def test_v2_left_the_list_of_tensorrt_llm_and_its_two_spellings_join(cube: Cube) -> None:
    verdict = cube["deepseek-v2", "tensorrt-llm", "h100-sxm"]
    assert verdict.state is VerdictState.NOT_LISTED
    listed, gone = steps(verdict, "listed")
    assert listed.value == "DeepSeekV2ForCausalLM"
    assert (gone.value, gone.cites) == ("1.3.0rc29", ("trtllm-docs-1-3-0rc29-models",))


def in_part(real: KnowledgeBase, source: str) -> KnowledgeBase:
    """The real base with one list that is not known to be whole."""
    kb = changed(real, source, lambda text: text.replace("exhaustive: true", "exhaustive: false"))
    return replace(kb, listings=listings(kb.catalog))


def test_silence_says_no_only_where_the_list_is_whole(real: KnowledgeBase, cube: Cube) -> None:
    assert cube["rwkv-5-world-3b", "vllm", "h100-sxm"].state in (VerdictState.NOT_LISTED, VerdictState.NO_EVIDENCE)
    assert cube["minimax-text-01", "tensorrt-llm", "h100-sxm"].state is VerdictState.NOT_LISTED
    silent = in_part(real, "trtllm-arch-index-065ff9e9").verdicts["minimax-text-01", "tensorrt-llm", "h100-sxm"]
    assert silent.state is VerdictState.NO_EVIDENCE
    assert silent.reasons[-1].cites == ("trtllm-arch-index-065ff9e9",)


def test_a_limit_without_a_gpu_is_partial_whatever_was_read(cube: Cube) -> None:
    verdict = cube["deepseek-v2", "transformers", "h100-sxm"]
    assert verdict.state is VerdictState.PARTIAL
    assert steps(verdict, "restriction")[0].cites == ("transformers-5-24-0-deepseek-v2-modeling",)
    wrapped = cube["kimi-k2-5", "transformers", "h100-sxm"]
    assert "transformers-5-24-0-kimi-k25-config" in steps(wrapped, "restriction")[0].cites


def test_a_slow_path_is_a_modifier(cube: Cube) -> None:
    verdict = cube["qwen3-next-80b-a3b-instruct", "vllm", "h100-sxm"]
    assert verdict.state is VerdictState.SUPPORTED
    assert "slow: hybrid-mamba-block-inflates" in verdict.modifiers


def test_a_cache_quantisation_that_a_checkpoint_brings_along_is_told_unless_another_is_asked_for(cube: Cube) -> None:
    verdict = cube["kimi-k2-5-nvfp4", "vllm", "a100-sxm-80gb"]
    assert "cache: the checkpoint asks for 8 bits, float" in verdict.modifiers
    (own_cache,) = steps(verdict, "checkpoint")
    assert own_cache.cites == ("hf-config-nvidia-kimi-k2-5-nvfp4",)
    asked = cube.verdict("kimi-k2-5-nvfp4", "vllm", "a100-sxm-80gb", "bfloat16")
    assert not steps(asked, "checkpoint")
    assert not steps(cube["llama-3-1-8b", "vllm", "a100-sxm-80gb"], "checkpoint")


def test_a_word_means_other_formats_on_other_gpus(cube: Cube) -> None:
    hopper = cube.verdict("deepseek-v3-2", "vllm", "h100-sxm", "fp8_e4m3")
    assert serving(hopper)["vllm-flashinfer-mla-sparse-sm90-backend"] == "kc-mla-sparse"
    workstation = cube.verdict("deepseek-v3-2", "vllm", "rtx-5090", "fp8_e4m3")
    assert stored(workstation)["kv"] == ("vllm#fp8_ds_mla_v32", 656)
    with pytest.raises(UnknownCache) as unknown:
        cube.verdict("deepseek-v3-2", "vllm", "h100-sxm", "fp88")
    assert "fp8_e4m3" in unknown.value.known


# --- the expanded fallback, on a fixture ----------------------------------------------------------------------------

FALLBACK_ENGINE = """# yaml-language-server: $schema=../../schema/engine.schema.json
name: Expanding Engine
version: "1.0"
commit: null
license: MIT
architectures: "[[vllm-0-33-0-registry]]"
coverage:
  - platform: cuda
    kernel_class: kc-mla
    whole: true
    text: It has no kernel for latent attention.
    cite: "[[vllm-0-33-0-registry]]"
{fallbacks}why_null: {{commit: a fixture}}
"""
FALLBACKS = """fallbacks:
  - family: mla
    kernel_class: kc-gqa-dkv
    text: Keys and values are made per head and kept so.
    cite: "[[vllm-0-33-0-registry]]"
"""
FALLBACK_BACKENDS = {
    "records/backends/expanding-dkv-backend.yaml": """# yaml-language-server: $schema=../../schema/backend.schema.json
name: DKV
engine: "[[expanding]]"
engine_version: "1.0"
platform: cuda
kernel_classes: [kc-gqa-dkv]
variants:
  - {grade: gate, gpus: [sm_75+], cache_formats: []}
cites: ["[[vllm-0-33-0-registry]]"]
""",
    "records/backends/expanding-mla-backend.yaml": """# yaml-language-server: $schema=../../schema/backend.schema.json
name: MLA
engine: "[[expanding]]"
engine_version: "1.0"
platform: cuda
kernel_classes: [kc-mla]
variants:
  - {grade: gate, gpus: [sm_130+], cache_formats: []}
cites: ["[[vllm-0-33-0-registry]]"]
""",
}


def test_expanding_a_latent_is_partial_at_71_times_the_cache(real: KnowledgeBase) -> None:
    path = "records/engines/expanding.yaml"
    kb = extended(real, {path: FALLBACK_ENGINE.format(fallbacks=FALLBACKS), **FALLBACK_BACKENDS})
    verdict = kb.verdicts["deepseek-v2", "expanding", "h100-sxm"]
    assert verdict.state is VerdictState.PARTIAL
    (step,) = steps(verdict, "fallback")
    assert "4,915,200 B per token in bf16 instead of 69,120, 71.1 times as much" in step.text
    assert steps(verdict, "kernel-class", "refuses")[0].text.startswith("kc-mla: no backend takes sm_90")
    without = extended(real, {path: FALLBACK_ENGINE.format(fallbacks=""), **FALLBACK_BACKENDS})
    assert without.verdicts["deepseek-v2", "expanding", "h100-sxm"].state is VerdictState.BLOCKED


def test_no_cell_of_the_real_base_claims_the_fallback(cube: Cube) -> None:
    assert not any(step.rule == "fallback" for verdict in cube.values() for step in verdict.reasons)


# --- what holds for every cell --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cells(cube: Cube) -> list[Verdict]:
    return list(cube.values())


def test_every_cell_has_a_state_a_reason_and_what_would_change_it(cells: list[Verdict], cube: Cube) -> None:
    assert len(cells) == len(cube) > 2000
    for verdict in cells:
        assert verdict.state in VerdictState
        assert verdict.reasons
        assert verdict.flips_if
        assert all(reason.text and reason.rule and reason.effect for reason in verdict.reasons)


def test_every_cite_is_a_record(cells: list[Verdict], real: KnowledgeBase) -> None:
    assert {cite for verdict in cells for cite in verdict.cites} <= set(real.catalog.records)


def test_what_was_not_read_never_supports(cells: list[Verdict], cube: Cube) -> None:
    backends = {each.record.id: each for rules in cube.rules.values() for each in rules.kernels.backends}
    for verdict in cells:
        if verdict.state is not VerdictState.SUPPORTED:
            continue
        served = _values(steps(verdict, "kernel-class", "serves"))
        assert served, "something serves it"
        gated = any(value["grade"] == "gate" for value in served)
        assert gated or steps(verdict, "platform", "runs"), "code without a gate proves its own part only"
        assert not steps(verdict, "kernel-class", "unread")
        for value in served:
            variants = backends[value["backend"]].variants
            own = [variant for variant in variants if variant.covers(cube.gpus[verdict.gpu])]
            assert any(variant.grade >= Grade.UNGATED and not variant.lacking for variant in own)


def test_a_block_rests_on_a_whole_list_or_on_a_stated_limit(cells: list[Verdict]) -> None:
    for verdict in cells:
        if verdict.state is VerdictState.BLOCKED:
            stated = steps(verdict, "restriction", "blocked") + steps(verdict, "gotcha", "blocked")
            refused = steps(verdict, "platform", "refuses") + steps(verdict, "weights", "refuses")
            assert stated or refused or steps(verdict, "coverage", "whole")


def test_gpus_of_one_capability_get_one_answer(cube: Cube) -> None:
    for model, engine in list(cube.listings)[::37]:
        for same in (SM90, ("b200", "gb200"), ("b300", "gb300"), ("l40s", "rtx-4090")):
            assert len({(cube[model, engine, gpu].state, cube[model, engine, gpu].modifiers) for gpu in same}) == 1


def test_backends_name_formats_classes_and_families_that_exist(real: KnowledgeBase) -> None:
    classes, families = real.catalog.tables["kernel_classes"], real.catalog.tables["families"]
    for record in real.catalog.of("backend"):
        assert set(record.get("kernel_classes")) <= set(classes)
        assert set(record.get("serves") or ()) <= set(families)
        for variant in record.get("variants"):
            assert set(variant["cache_formats"]) <= set(real.formats.by_id), record.id
            assert set(variant.get("doubtful_formats") or ()) <= set(variant["cache_formats"])
    needed = {name for row in families.values() for way in row["requires_any_of"] for name in way}
    assert needed <= set(classes)


def test_engines_choose_among_backends_on_record(real: KnowledgeBase) -> None:
    names: dict[str, set[str]] = {}
    for record in real.catalog.of("backend"):
        names.setdefault(str(record.get("engine")).strip("[]"), set()).add(record.get("name"))
    for engine in real.catalog.of("engine"):
        for row in engine.get("selection") or ():
            assert set(row["order"]) <= names[engine.id]


def test_a_cell_of_the_cube_costs_little(real: KnowledgeBase) -> None:
    """Cells that differ in their GPU alone share what does not depend on it."""
    fresh = Cube(real.catalog, real.facts, real.formats, real.listings)
    assert counted(lambda: list(fresh.values())) < 150 * len(fresh)


def test_states_have_a_glyph_and_a_meaning() -> None:
    assert set(GLYPHS) == set(MEANINGS) == set(VerdictState)
    assert len(set(GLYPHS.values())) == len(VerdictState)


# --- versions and capabilities --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "specifier", "answer"),
    [
        ("0.7.2.post1", "<0.7.1", False),
        ("0.7.0.post1", "<0.7.1", True),
        ("1.3.0rc24", "<=1.3.0rc24", True),
        ("1.3.0rc29", "<1.3.0", False),  # PEP 440: a candidate of a version is not below it
        ("1.3.0rc29", "<1.3.1", True),
        ("0.19.1", "==0.19.*", True),
        ("2026.9.30", ">=2026.9.30", True),
        ("13.1", ">=13", True),
        ("580.65.06", ">=575", True),
        ("b6123", ">=b6000", True),
        ("b6123", "<b6000", False),
        ("b6123", ">=0.1", None),
        ("0c1e57098bba", ">=0.1", None),
        (None, ">=0.1", None),
        ("1.0", "no specifier", None),
    ],
)
def test_versions_compare_by_their_own_rules(version: str | None, specifier: str, answer: bool | None) -> None:
    assert satisfies(version, specifier) is answer


def test_pins_and_packages() -> None:
    assert pinned("==0.7.2.post1") == "0.7.2.post1"
    assert pinned("2.14.1") == "2.14.1"
    assert pinned(">=4.0.0b18") is None
    assert pinned("==0.7.*") is None
    assert package("flashinfer_python[cu13]") == "flashinfer-python"
    assert prerelease("1.4.0rc1")
    assert not prerelease("0.33.0")


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("sm_103", True),
        ("SM103", True),
        ("10.3", True),
        ("sm_10x", True),
        ("SM10x", True),
        ("sm_100-sm_103", True),
        ("sm_90+", True),
        ("b300", True),
        ("sm_100", False),
        ("sm_12x", False),
        ("sm_80-sm_88", False),
        ("sm_120+", False),
        ("gfx942", False),
        ("b200", False),
    ],
)
def test_notations_of_gpus_map_once(pattern: str, names: bool) -> None:
    assert covers(pattern, Gpu("b300", "B300", "sm_103", "cuda")) is names


def test_amd_targets_and_platforms() -> None:
    card = Gpu("card", "Card", "gfx1201", "rocm")
    assert covers("gfx12xx", card)
    assert not covers("gfx11xx", card)
    assert not covers("sm_12x", card)
    assert platform("sm_90", "NVIDIA") == "cuda"
    assert platform("gfx942", "AMD") == "rocm"
    assert platform(None, "Apple") == "metal"


def test_classes_that_one_backend_must_provide_form_one_job(real: KnowledgeBase) -> None:
    table = real.catalog.tables["kernel_classes"]
    assert [job.name for job in jobs(["kc-gdn", "kc-gqa", "kc-win"], table)] == ["kc-gdn", "kc-gqa + kc-win"]


def test_a_profile_needs_no_record(real: KnowledgeBase, cube: Cube) -> None:
    config = {"head_dim": 64, "add_swa_attention_sink_bias": True}
    mine = profile(real.catalog, config, "swa_hybrid", None, "MiMoV2FlashForCausalLM")
    assert mine.traits == ("attention sinks",)
    outcome = cube.rules["vllm"].outcome(mine, cube.gpus["a100-sxm-80gb"])
    assert outcome.state is VerdictState.SUPPORTED


# --- the command ----------------------------------------------------------------------------------------------------


@pytest.fixture
def why(real: KnowledgeBase, real_root: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    from click.testing import CliRunner

    from generator.cli import cli, targets

    monkeypatch.setattr(targets, "knowledge_at", lambda folder: real)
    return lambda *words: CliRunner().invoke(cli, ["--root", str(real_root), "why", *words])


def test_why_prints_the_chain_for_a_reader(why: Callable[..., Any]) -> None:
    said = why("deepseek-v3-2", "--engine", "vllm", "--gpu", "a100-sxm-80gb")
    assert said.exit_code == 1
    assert "✕ blocked: " in said.output
    assert "[[vllm-0-33-0-cuda-backend-priorities]]" in said.output
    assert "what would change it" in said.output
    assert max(map(len, said.output.splitlines())) <= 120


WHOLE = "what it does not name is not listed: the list is whole"


@pytest.mark.parametrize(
    ("model", "engine", "said_by"),
    [
        (
            "gemma-3-4b-it",
            "lmdeploy",
            f"decided by LMDeploy PyTorch engine module map (0.16.0), of 2026-08-21; {WHOLE}",
        ),
        ("mpt-7b", "lmdeploy", f"(0.16.0), of 2026-08-21; {WHOLE}"),
        ("olmo-2-0325-32b", "tensorrt-llm", f"read on 2026-11-30; {WHOLE}"),
        ("deepseek-v3-2", "vllm", ""),
    ],
    ids=["listed", "not listed", "read on a day", "decided by backends"],
)
def test_why_says_which_list_decided(why: Callable[..., Any], model: str, engine: str, said_by: str) -> None:
    said = why(model, "--engine", engine, "--gpu", "a100-sxm-80gb").output
    assert said_by in " ".join(said.split())
    assert ("decided by" in said) is bool(said_by)


def test_why_names_no_list_where_the_platform_decides(why: Callable[..., Any]) -> None:
    said = why("llama-3-1-8b", "--engine", "tensorrt-llm", "--gpu", "mi300x").output
    assert "✕ blocked: " in said
    assert "decided by" not in said


def test_why_as_json_keeps_its_keys(why: Callable[..., Any]) -> None:
    import json

    said = why("deepseek-v2", "--engine", "vllm", "--gpu", "a100-sxm-80gb", "--format", "json")
    data = json.loads(said.output)
    assert said.exit_code == 0
    assert list(data) == ["schema_version", "state", "modifiers", "reasons", "flips_if"]
    assert list(data["reasons"][0]) == ["rule", "effect", "text", "cites", "value"]


def test_why_asks_back_where_a_word_is_unknown(why: Callable[..., Any]) -> None:
    assert why("deepseek-v2", "--engine", "vllm", "--gpu", "a100").exit_code == 2
    said = why("deepseek-v2", "--engine", "vllm", "--gpu", "a100-sxm-80gb", "--cache", "fp88")
    assert said.exit_code == 2
    assert "no cache type `fp88`" in said.output


# --- what sources say of a cell, and the checks on it ---------------------------------------------------------------

SERVING = """serving:
  - engine: "[[vllm]]"
    gpu: "[[a100-sxm-80gb]]"
    says: {says}
    text: Somebody says so.
{more}    cite: "[[vllm-issue-45317]]"
"""


@pytest.mark.parametrize(
    ("model", "says", "more", "codes", "state"),
    [
        ("deepseek-v2", "supported", "", [], VerdictState.SUPPORTED),
        ("deepseek-v2", "runs", "", [], VerdictState.SUPPORTED),
        ("deepseek-v2", "fails", "    engine_version: 0.20.0\n", [], VerdictState.SUPPORTED),
        ("deepseek-v2", "fails", "    separated_by: an 8-bit cache\n", [], VerdictState.SUPPORTED),
        ("deepseek-v3-2", "fails", "", [], VerdictState.BLOCKED),
        ("deepseek-v3-2", "supported", "    separated_by: a fork\n", [], VerdictState.BLOCKED),
        ("deepseek-v3-2", "supported", "", ["CMP501"], VerdictState.BLOCKED),
        ("deepseek-v3-2", "runs", "", ["CMP502"], VerdictState.SOURCES_DISAGREE),
        ("deepseek-v2", "fails", "", ["CMP502"], VerdictState.SOURCES_DISAGREE),
    ],
    ids=[
        "support that the rules give, too",
        "a run that the rules give, too",
        "a failure of another version",
        "a failure with what separates it",
        "a failure that the rules give, too",
        "support with what separates it",
        "support that the rules rule out",
        "a run that the rules rule out",
        "a failure that the rules rule out",
    ],
)
def test_claims(real: KnowledgeBase, model: str, says: str, more: str, codes: list[str], state: VerdictState) -> None:
    serving = SERVING.format(says=says, more=more)
    kb = changed(real, model, lambda text: text.replace("\narchitecture:\n", f"\n{serving}architecture:\n", 1))
    assert found_by_checks(kb) == codes
    verdict = kb.verdicts[model, "vllm", "a100-sxm-80gb"]
    assert verdict.state is state
    (said,) = steps(verdict, "claims")
    assert said.cites == ("vllm-issue-45317",)
    assert ("reported to run" in verdict.modifiers) is (says == "runs" and state is VerdictState.SUPPORTED)


@pytest.mark.parametrize(
    ("model", "constraint", "codes"),
    [
        ("deepseek-v4-1-flash", "sm120-sparse-mla-block-size", []),
        ("deepseek-v4-1-flash", "flashmla-2026-09-30", []),
        ("deepseek-v4-flash", "flashmla-2026-09-30", ["CMP503"]),
        ("deepseek-v2", "sm120-sparse-mla-block-size", ["CMP503"]),
    ],
    ids=["its own", "a library made for it", "a library that dropped it", "a page size of layers that it has not"],
)
def test_constraints(real: KnowledgeBase, model: str, constraint: str, codes: list[str]) -> None:
    def edit(text: str) -> str:
        kept = "\n".join(line for line in text.split("\n") if not line.startswith("constraints:"))
        return kept.replace("\narchitecture:\n", f'\nconstraints: ["[[{constraint}]]"]\narchitecture:\n', 1)

    assert found_by_checks(changed(real, model, edit)) == codes


def test_the_real_base_has_no_undecided_dispute(real: KnowledgeBase) -> None:
    for engine in real.catalog.of("engine"):
        for row in engine.get("restrictions") or ():
            assert all(each.get("separated_by") for each in row.get("contradictions") or ())
    verdict = real.verdicts["deepseek-v4-1-flash", "vllm", "rtx-pro-6000-blackwell"]
    assert "reported to run" in verdict.modifiers


# --- what one backend says to a question ----------------------------------------------------------------------------


SPARSE_120 = "vllm-flashinfer-mla-sparse-sm120-backend"


def _backend(real: KnowledgeBase, id: str) -> Backend:
    engine = real.catalog.records[str(real.catalog.records[id].get("engine")).strip("[]")]
    return next(each for each in backends_of(real.catalog, engine) if each.record.id == id)


@pytest.mark.parametrize(
    ("id", "capability", "classes", "widths", "config", "formats", "grade", "why"),
    [
        ("vllm-flash-attn-backend", "sm_90", ["kc-gqa"], {128}, {}, {"vllm#bf16"}, Grade.PROVES, ""),
        ("vllm-flash-attn-backend", "sm_90", ["kc-gqa"], {128}, {}, None, Grade.PROVES, ""),
        ("vllm-rocm-attn-backend", "gfx942", ["kc-gqa"], {128}, {}, {"vllm#bf16"}, Grade.UNGATED, ""),
        ("vllm-flash-attn-backend", "sm_80", ["kc-gqa", "kc-sink"], {64}, {}, None, Grade.REFUSES, "kc-sink"),
        ("vllm-flash-attn-backend", "sm_80", ["kc-gqa"], {128}, {}, {"vllm#fp8_e4m3"}, Grade.REFUSES, "fp8_e4m3"),
        ("vllm-flashinfer-backend", "sm_90", ["kc-gqa"], {96}, {}, None, Grade.REFUSES, "64, 128, 256 or 512, not 96"),
        ("vllm-flashinfer-backend", "sm_90", ["kc-gqa"], set(), {}, None, Grade.UNREAD, "width"),
        (SPARSE_120, "sm_120", ["kc-mla-sparse"], {576}, {"index_topk": 2048}, None, Grade.PROVES, ""),
        (
            SPARSE_120,
            "sm_120",
            ["kc-mla-sparse"],
            {576},
            {"index_topk": 1024},
            None,
            Grade.REFUSES,
            "the model has 1024",
        ),
        (SPARSE_120, "sm_120", ["kc-mla-sparse"], {576}, {}, None, Grade.UNREAD, "index_topk"),
        ("vllm-b12x-backend", "sm_120", ["kc-gqa"], {128}, {}, None, Grade.UNREAD, "the extra b12x"),
        ("sglang-wave-backend", "gfx942", ["kc-gqa"], {128}, {}, None, Grade.UNREAD, "not read for this GPU"),
        ("sglang-fa3-backend", "sm_80", ["kc-gqa"], {128}, {}, {"sglang#fp8_e4m3"}, Grade.UNREAD, "this cache type"),
        ("tensorrt-llm-docs-mla-backend", "sm_90", ["kc-mla"], {576}, {}, None, Grade.PROVES, ""),
        ("tensorrt-llm-docs-mla-backend", "sm_90", ["kc-mla"], {576}, {}, {"x#y"}, Grade.UNREAD, "this cache type"),
    ],
    ids=[
        "a gate that accepts",
        "no cache type asked for",
        "code without a gate",
        "a class left out on this GPU",
        "a cache type that it does not take",
        "a width that it does not take",
        "a width that the config does not state",
        "a config value that it takes",
        "a config value that it refuses",
        "a config value that is not stated",
        "an extra package",
        "predicates that were not read",
        "a cache type that is doubtful",
        "a document without cache types",
        "a cache type where none are stated",
    ],
)
def test_what_a_backend_answers(
    real: KnowledgeBase,
    id: str,
    capability: str,
    classes: list[str],
    widths: set[int],
    config: dict[str, int],
    formats: set[str] | None,
    grade: Grade,
    why: str,
) -> None:
    backend = _backend(real, id)
    gpu = Gpu("gpu", "GPU", capability, platform(capability, None))
    wide = {name: frozenset(widths) for name in classes}
    asked = frozenset(formats) if formats is not None else None
    answers = [ask(backend, each, classes, wide, config, asked) for each in backend.variants if each.covers(gpu)]
    assert answers
    best = max(answers, key=lambda answer: answer.grade)
    assert best.grade is grade
    assert why in best.why


def test_a_pinned_package_that_is_too_old_is_lacking(real: KnowledgeBase) -> None:
    kb = changed(real, "vllm", lambda text: text.replace("==0.7.2.post1", "==0.6.0", 1))
    (variant,) = _backend(kb, "vllm-flashinfer-mla-sparse-sm90-backend").variants
    assert variant.lacking == ("FlashInfer >=0.6.18, where the release pins 0.6.0",)
    old = kb.verdicts["deepseek-v4-1-flash", "vllm", "rtx-pro-6000-blackwell"]
    assert steps(old, "gotcha", "blocked")[0].value == "sm120-sparse-mla-block-size"
    assert (old.by_rules, old.state) == (VerdictState.BLOCKED, VerdictState.SOURCES_DISAGREE), "a report has it running"


def test_the_window_is_a_part_of_its_own_where_the_engine_divides_the_work(cube: Cube) -> None:
    assert "vllm-deepseek-sparse-swa-backend" in serving(cube["deepseek-v4-flash", "vllm", "h100-sxm"])
    assert steps(cube["gpt-oss-120b", "vllm", "a100-sxm-80gb"], "kernel-class")[0].value["only"]


PRUNING = """restrictions:
  - when: {families: [mla], gpus: [sm_80], features: [backend=TRITON_MLA]}
    effect: blocked
    text: A limit made for this test.
    cites: ["[[vllm-0-33-0-backend-triton-mla]]"]
"""


def test_a_limit_on_one_backend_takes_it_out_where_it_holds(real: KnowledgeBase) -> None:
    kb = changed(real, "vllm", lambda text: text.replace("restrictions:\n", PRUNING, 1))
    ampere, ada = kb.verdicts["deepseek-v2", "vllm", "a100-sxm-80gb"], kb.verdicts["deepseek-v2", "vllm", "l40s"]
    assert ampere.state is VerdictState.BLOCKED
    assert steps(ampere, "restriction", "prunes")[0].value == "TRITON_MLA"
    assert ada.state is VerdictState.SUPPORTED


def test_a_class_that_left_a_list_which_no_longer_names_it(real: KnowledgeBase) -> None:
    def edit(text: str) -> str:
        return text.replace(
            "names: [DeepSeekV2ForCausalLM]", "names: [DeepSeekV2ForCausalLM, MiniMaxText01ForCausalLM]"
        )

    kb = changed(real, "tensorrt-llm", edit)
    kb = replace(kb, listings=listings(kb.catalog))
    verdict = kb.verdicts["minimax-text-01", "tensorrt-llm", "h100-sxm"]
    assert (verdict.state, verdict.reasons[-1].value) == (VerdictState.NOT_LISTED, "1.3.0rc29")


def test_a_class_that_a_later_page_names(cube: Cube) -> None:
    verdict = cube["deepseek-v4-1-flash", "tensorrt-llm", "b200"]
    assert verdict.state is VerdictState.LISTED
    assert verdict.modifiers[0] == "named since 1.4.0rc1, a pre-release"
