"""What the engine takes by itself decides; a backend that is named by hand never makes a cell supported."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from generator.catalog.records import Record
from generator.catalog.yaml.loader import load
from generator.compatibility import Cube, VerdictState
from generator.compatibility.backends import BY_HAND, WHOLE, Backend, Grade, Variant
from generator.compatibility.caches import Caches
from generator.compatibility.kernels import Kernels, Served
from generator.compatibility.profiles import Job, Profile
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.gpus import Gpu, covers


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


@pytest.mark.parametrize(
    ("model", "gpu", "backend"),
    [
        # platforms/cuda.py 169-180: outside 10.x FLASH_ATTN stands first, on 8.6 as on 8.0.
        ("llama-3-1-8b", "rtx-3090", "vllm-flash-attn-backend"),
        ("llama-3-1-8b", "b200", "vllm-flashinfer-backend"),
        # models/config.py 353-367: without FlashAttention 4 (9.x, 10.x and 11.x have it) TRITON_ATTN is forced.
        ("gemma-4-31b-it", "a100-sxm-80gb", "vllm-triton-attn-backend"),
        ("gemma-4-31b-it", "rtx-3090", "vllm-triton-attn-backend"),
        ("gemma-4-31b-it", "rtx-5090", "vllm-triton-attn-backend"),
        ("gemma-4-e4b-it", "rtx-5090", "vllm-triton-attn-backend"),
        ("gemma-4-31b-it", "mi300x", "vllm-triton-attn-rocm-backend"),
        # platforms/cuda.py 162 and 171-174: a composite first where images are attended to in both directions.
        ("gemma-4-31b-it", "h100-sxm", "vllm-triton-flash-attn-backend"),
        ("gemma-4-31b-it", "b200", "vllm-triton-flashinfer-backend"),
        # model_arch_config_convertor.py 781-788: only where use_bidirectional_attention is vision, which E4B lacks.
        ("gemma-4-e4b-it", "h100-sxm", "vllm-flash-attn-backend"),
        ("gemma-4-e4b-it", "b200", "vllm-flashinfer-backend"),
        # flash_attn.py 447-449 and 499-513: images in both directions need version 4; at 128 on 9.x it is version 3.
        ("gemma-3-27b-it", "a100-sxm-80gb", "vllm-triton-attn-backend"),
        ("gemma-3-27b-it", "h100-sxm", "vllm-triton-attn-backend"),
        ("gemma-3-27b-it", "b200", "vllm-flash-attn-backend"),
        # The text model alone is no prefix-LM.
        ("gemma-3-1b-it", "a100-sxm-80gb", "vllm-flash-attn-backend"),
        # platforms/rocm.py 531-549: AITER's MLA only where it is switched on; envs.py 138: it is not.
        ("deepseek-v3", "mi300x", "vllm-triton-mla-rocm-backend"),
        # models/kimi_k3/nvidia/kda.py 522: flashkda where it is supported, FlashInfer only where it is named.
        ("kimi-linear-48b-a3b-instruct", "h100-sxm", "vllm-kda-flashkda-prefill-backend"),
    ],
)
def test_vllm_takes_what_its_code_chooses(cube: Cube, model: str, gpu: str, backend: str) -> None:
    serving = [step.value["backend"] for step in cube[model, "vllm", gpu].chain if step.effect == "serves"]
    assert backend in serving
    assert not [each for each in cube[model, "vllm", gpu].modifiers if each.startswith("by hand: ")]


@pytest.mark.parametrize(
    ("model", "engine", "gpu", "state"),
    [
        # SGLang on a Mac: model_override_base.py 328, torch_native; gpt_oss.py asserts it away, and MLX is an option.
        ("llama-3-1-8b", "sglang", "apple-m4-max-128gb", VerdictState.SUPPORTED),
        ("gpt-oss-20b", "sglang", "apple-m4-max-128gb", VerdictState.PARTIAL),
        ("deepseek-v3", "sglang", "apple-m4-max-128gb", VerdictState.BLOCKED),
        ("gemma-2-9b-it", "sglang", "apple-m4-max-128gb", VerdictState.PARTIAL),
        # validation_hook.py 578-614: no quantised weights, no multimodal model unless its images are off by default.
        ("qwen3-32b-fp8", "sglang", "apple-m4-max-128gb", VerdictState.BLOCKED),
        ("gemma-4-31b-it", "sglang", "apple-m4-max-128gb", VerdictState.BLOCKED),
        ("gemma-3-27b-it", "sglang", "apple-m4-max-128gb", VerdictState.SUPPORTED),
        ("qwen3-vl-8b-instruct", "sglang", "apple-m4-max-128gb", VerdictState.PARTIAL),
        # MLC-LLM: gemma2_model.py 37-39, gemma3_model.py 91-93, llama4_model.py 685; mistral reads its window.
        ("gemma-2-9b-it", "mlc-llm", "h100-sxm", VerdictState.PARTIAL),
        ("gemma-3-27b-it", "mlc-llm", "apple-m4-max-128gb", VerdictState.PARTIAL),
        ("llama-4-scout-17b-16e-instruct", "mlc-llm", "h100-sxm", VerdictState.PARTIAL),
        ("starcoder2-7b", "mlc-llm", "h100-sxm", VerdictState.PARTIAL),
        ("mistral-7b-v0-1", "mlc-llm", "h100-sxm", VerdictState.SUPPORTED),
        ("deepseek-v2-lite", "mlc-llm", "mi300x", VerdictState.SUPPORTED),
        ("deepseek-v2-lite", "mlc-llm", "apple-m4-max-128gb", VerdictState.LISTED),
        ("qwen3-5-9b", "mlc-llm", "h100-sxm", VerdictState.SUPPORTED),
        # MLX-LM: deepseek_v32.py gathers what the index picks, in plain operations.
        ("glm-5-2", "mlx-lm", "apple-m4-max-128gb", VerdictState.SUPPORTED),
        # TensorRT-LLM: fmhaRunner.cpp takes 8.0, 8.6, 8.9, 9.0, 10.0, 12.0; no kernel decodes heads of 512.
        ("llama-3-1-8b", "tensorrt-llm", "rtx-3090", VerdictState.SUPPORTED),
        ("llama-3-1-8b", "tensorrt-llm", "b300", VerdictState.LISTED),
        ("gemma-4-31b-it", "tensorrt-llm", "h100-sxm", VerdictState.LISTED),
        # platforms/xpu.py 206-266: FLASH_ATTN, and Triton for images in both directions.
        ("llama-3-1-8b", "vllm", "arc-pro-b60", VerdictState.SUPPORTED),
        ("gemma-3-27b-it", "vllm", "arc-pro-b60", VerdictState.SUPPORTED),
    ],
)
def test_named_cells_are_as_the_code_has_them(
    cube: Cube, model: str, engine: str, gpu: str, state: VerdictState
) -> None:
    assert cube[model, engine, gpu].state is state


# --- served another way --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "engine", "through", "state"),
    [
        # A class of its own needs no other way.
        ("llama-3-1-8b", "vllm", None, VerdictState.SUPPORTED),
        ("olmo-3-7b-instruct", "vllm", None, VerdictState.SUPPORTED),
        # modeling_mpt.py and modeling_bloom.py of 5.20.2 and 5.19.0 set no _supports_attention_backend.
        ("mpt-7b", "vllm", None, VerdictState.NOT_LISTED),
        ("bloom", "sglang", None, VerdictState.NOT_LISTED),
        # modeling_jamba.py keeps states, and is not backend-compatible.
        ("jamba-v0-1", "sglang", None, VerdictState.NOT_LISTED),
        # modeling_dots1.py, modeling_olmo3.py and modeling_gpt_neox.py do.
        ("dots-llm1-base", "vllm", "transformers", VerdictState.SUPPORTED),
        ("dots-llm1-base", "sglang", "transformers", VerdictState.SUPPORTED),
        ("olmo-3-1-32b-instruct", "sglang", "transformers", VerdictState.SUPPORTED),
        ("pythia-1b", "sglang", "transformers", VerdictState.SUPPORTED),
        # Footnote 5 of TensorRT-LLM's page: by AutoDeploy; for Seed-OSS its index has a module all the same.
        ("glm-4-7-flash", "tensorrt-llm", "AutoDeploy", VerdictState.LISTED),
        ("seed-oss-36b-base", "tensorrt-llm", None, VerdictState.SUPPORTED),
    ],
)
def test_another_way_is_a_step_and_a_word(
    cube: Cube, model: str, engine: str, through: str | None, state: VerdictState
) -> None:
    verdict = cube[model, engine, "h100-sxm"]
    assert verdict.state is state
    assert [step.value for step in verdict.chain if (step.rule, step.effect) == ("route", "asks")] == (
        [through] if through else []
    )
    assert [each for each in verdict.modifiers if each.startswith("through ")] == (
        [f"through {through}"] if through else []
    )


# --- a copy and a second witness -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "engine", "state"),
    [
        # The copy names a type that no library pairs with the class: what it does not name may be named otherwise.
        ("deepseek-v4-flash-fp8", "mlc-llm", VerdictState.NO_EVIDENCE),
        ("minicpm-2b-sft-bf16", "lmdeploy", VerdictState.NO_EVIDENCE),
        # A match says yes whatever the copy is.
        ("gemma-2-2b-it", "mlc-llm", VerdictState.PARTIAL),
        # GraniteMoeHybridForCausalLM and granitemoehybrid are a pair in transformers' auto map.
        ("granite-4-0-micro", "mlc-llm", VerdictState.NOT_LISTED),
        ("seed-oss-36b-base", "mlc-llm", VerdictState.NOT_LISTED),
    ],
)
def test_silence_on_a_copys_class_counts_with_a_second_witness(
    cube: Cube, model: str, engine: str, state: VerdictState
) -> None:
    verdict = cube[model, engine, "h100-sxm"]
    assert verdict.state is state
    if state is VerdictState.NOT_LISTED:
        asked = next(step for step in verdict.chain if step.rule == "named")
        assert "transformers-5-24-0-auto-map" in asked.cites


# --- a choice that was not read --------------------------------------------------------------------------------------

ANY = Gpu("any", "Any", "sm_90", "cuda")
PLAIN = Profile("PlainForCausalLM", "gqa", None, (), {}, {}, "bf16")


def variant(grade: Grade, *opt_in: str) -> Variant:
    """What holds on every GPU, for prefill and decode."""
    return Variant(grade, (), (), frozenset(), None, (), frozenset(), WHOLE, (), opt_in, frozenset(), ())


def served(real: KnowledgeBase, backends: Mapping[str, Variant], choice: str) -> Served:
    """How a plain model comes out on an engine with these backends, and this choice among them."""
    own = real.catalog.records["mlc-llm"]
    engine = Record("e", own.kind, "e.yaml", load(f"name: E\n{choice}"))
    record = real.catalog.records["mlc-llm-paged-cache-backend"]
    found = tuple(
        Backend(record, name, "cuda", frozenset({"kc-gqa"}), None, None, (each,), (), None)
        for name, each in backends.items()
    )
    return Kernels(engine, found).serve(Job(("kc-gqa",), "kv"), PLAIN, ANY, Caches(), frozenset())


GATE, HAND, UNREAD = variant(Grade.PROVES), variant(Grade.PROVES, BY_HAND), variant(Grade.UNREAD)
FIRST = "selection: [{kernel_class: kc-gqa, order: [A]}]"


@pytest.mark.parametrize(
    ("backends", "choice", "outcome"),
    [
        ({"A": GATE}, "", "proves"),
        ({"A": GATE, "B": GATE}, FIRST, "proves"),
        ({"A": GATE, "B": HAND}, "", "proves"),
        ({"A": GATE, "B": GATE}, "", "unread"),
        ({"A": GATE, "B": UNREAD}, "", "unread"),
        ({"A": UNREAD, "B": HAND}, "", "unread"),
        ({"A": UNREAD, "B": GATE}, FIRST, "unread"),
        ({"A": HAND}, "", "by-hand"),
        ({"B": GATE}, FIRST, "by-hand"),
    ],
)
def test_a_choice_that_was_not_read_proves_nothing(
    real: KnowledgeBase, backends: Mapping[str, Variant], choice: str, outcome: str
) -> None:
    answer = served(real, backends, choice)
    assert answer.outcome == outcome
    if outcome == "unread" and UNREAD not in backends.values():
        assert "whether E takes A or B" in answer.reasons[0].text


@pytest.mark.parametrize(
    ("pattern", "names"), [("cuda", True), ("sm_90", True), ("rocm", False), ("metal", False), ("cudas", False)]
)
def test_a_platform_is_a_pattern_of_gpus(pattern: str, names: bool) -> None:
    assert covers(pattern, ANY) is names
