"""What engines keep of a cache: published figures, logs and the engines' own words, never what the code computes.

The logs: gpt-oss-120b in llama.cpp of August 2025 (n_swa 128 and n_ubatch 512, padded to 32: 22.5 MiB), and
mitchross/talos-argocd-proxmox#1995 (Qwen3.8-27B in FP8 on two RTX 3090, vLLM: blocks of 1,568 tokens, 4.99 GiB for the
cache of each card, "Maximum concurrency for 131,072 tokens per request: 2.31x").
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from generator.compatibility.block_pool import LayerKind, block_pool
from generator.compatibility.cache_policy import CachePolicy, Kept, NoPolicy
from generator.compatibility.engine_cache import EngineCache, engine_cache
from generator.compatibility.engine_defaults import EnginePlace, default_of
from generator.compatibility.kept_free import kept_free
from generator.compatibility.overpaying import overpaying
from generator.derive.attention.geometry import Entries
from generator.knowledge.knowledge_base import KnowledgeBase

GIB, MIB = 1 << 30, 1 << 20
READ = ("vllm", "sglang", "llama-cpp", "transformers", "mlx-lm", "lmdeploy")


def cache(kb: KnowledgeBase, model: str, engine: str, gib: int = 80, tp: int = 1) -> EngineCache:
    """A model's cache in bf16, in an engine on GPUs of so much memory."""
    figure = kb.facts[model].figure("bf16")
    assert figure is not None
    found = kb.verdicts.caches.cache(model, engine, EnginePlace(None, gib * GIB, tp), figure)
    assert isinstance(found, EngineCache), found
    return found


@pytest.mark.parametrize("engine", READ)
@pytest.mark.parametrize(("model", "per_token"), [("llama-3-1-8b-instruct", 131072), ("qwen3-8b", 147456)])
def test_a_plain_cache_is_what_the_geometry_says_in_every_engine(
    real: KnowledgeBase, engine: str, model: str, per_token: int
) -> None:
    held = cache(real, model, engine)
    assert held.growth == per_token
    assert held.bytes(8192) == 8192 * per_token
    assert held.fixed == 0
    assert not held.policy.notes


PUBLISHED = [
    # model, engine, tokens, bytes
    ("gemma-3-27b-it", "sglang", 131072, 62 * GIB),
    ("gemma-3-27b-it", "lmdeploy", 131072, 62 * GIB),
    ("mistral-7b-v0-1", "llama-cpp", 32768, 4 * GIB),
    ("mistral-7b-v0-1", "sglang", 32768, 4 * GIB),
]


@pytest.mark.parametrize(("model", "engine", "tokens", "size"), PUBLISHED)
def test_who_keeps_every_layer_in_full(real: KnowledgeBase, model: str, engine: str, tokens: int, size: int) -> None:
    assert cache(real, model, engine).bytes(tokens) == size


def test_gemma_3_grows_by_all_its_layers_in_sglang(real: KnowledgeBase) -> None:
    assert cache(real, "gemma-3-27b-it", "sglang").growth == 507_904
    assert cache(real, "gemma-3-27b-it", "vllm").growth == cache(real, "gemma-3-27b-it", "llama-cpp").growth == 81_920


def test_vllm_reserves_the_tokens_in_flight(real: KnowledgeBase) -> None:
    """52 sliding and 10 full layers, 131,072 B a block of 16 tokens in each: 16.9 GiB for the layers alone, and 18.0 as
    the engine counts, whose six groups of sliding layers take blocks that are ten layers wide."""
    blocks, full, page = -(-(1023 + 2 * 8192) // 16) + 1, 131072 // 16, 131072
    assert round((52 * blocks + 10 * full) * page / GIB, 1) == 16.9
    assert cache(real, "gemma-3-27b-it", "vllm").bytes(131072) == 10 * (6 * blocks + full) * page


def test_a_smaller_gpu_has_fewer_tokens_in_flight(real: KnowledgeBase) -> None:
    vllm = real.catalog.records["vllm"]
    place = real.verdicts.caches.place
    said = {gpu: default_of(vllm, "max_num_batched_tokens", place(gpu)) for gpu in real.verdicts.gpus}
    wanted = {"h100-sxm": 8192, "a100-sxm-80gb": 2048, "rtx-4090": 2048, "b200": 16384, "mi300x": 16384, "gb10": 2048}
    assert {gpu: said[gpu] for gpu in wanted} == wanted


def test_without_a_gpu_what_hangs_on_its_memory_has_no_figure(real: KnowledgeBase) -> None:
    caches = real.verdicts.caches
    found = caches.policy("gemma-3-27b-it", "vllm", EnginePlace())
    assert isinstance(found, NoPolicy)
    assert "memory" in found.reason
    assert isinstance(caches.policy("llama-3-1-8b-instruct", "vllm", EnginePlace()), CachePolicy)


def test_llama_cpp_keeps_the_window_and_a_physical_batch(real: KnowledgeBase) -> None:
    """18 sliding layers of 8 heads and 64 scalars in f16: 36,864 B a cell; 640 cells padded to 32 were logged."""
    held = cache(real, "gpt-oss-120b", "llama-cpp")
    full = 18 * 131072 * 2048
    assert held.bytes(131072) - full == 768 * 36_864
    window = held.policy.kept["window"]
    logged = replace(held, policy=replace(held.policy, kept={**held.policy.kept, "window": replace(window, block=32)}))
    assert logged.bytes(131072) - full == Fraction(45, 2) * MIB


def test_phi_3_and_starcoder_2_have_no_window_in_llama_cpp(real: KnowledgeBase) -> None:
    for model in ("phi-3-mini-4k-instruct", "starcoder2-7b"):
        assert cache(real, model, "llama-cpp").policy.kept["window"].keeps == "all"


def test_state_and_attention_share_blocks(real: KnowledgeBase) -> None:
    """16 full layers of 4 heads and 256 scalars in FP8, 48 with a state of 48 heads: as the log has it, on each of two
    cards."""
    full = LayerKind(16, Fraction(2 * 2 * 256), Kept("all", block=16), Entries("full"))
    convolution, recurrent = (2 * 16 * 128 + 48 * 128) * 3 * 2, 48 * 128 * 128 * 4
    state = LayerKind(48, Fraction(convolution + recurrent, 2), Kept("all", copies=2, sharded=True), None)
    pool = block_pool([full, state])
    assert not isinstance(pool, str)
    assert {row.block for _, _, row in pool.rows} == {1568, 0}
    width = 16 * 1568 * 1024
    blocks = int(4.99 * GIB / width)
    assert round(float(blocks * width / pool.bytes(131072)), 2) == 2.31


def test_a_logged_pool_holds_the_logged_tokens(real: KnowledgeBase) -> None:
    """Qwen3.6-35B-A3B-NVFP4 in vLLM on an RTX 5090: so many whole blocks for each sequence of 131,072 tokens, and the
    log's tokens are the concurrency times that length."""
    log = real.catalog.records["vllm-qwen3-6-35b-nvfp4-rtx-5090"]
    caches, figure = real.verdicts.caches, real.facts["qwen3-6-35b-a3b-nvfp4"].figure("fp8_e4m3")
    assert figure is not None
    held = caches.cache("qwen3-6-35b-a3b-nvfp4", "vllm", caches.place("rtx-5090"), figure)
    assert isinstance(held, EngineCache)
    assert held.pool is not None
    width = held.pool.rows[0][0]
    blocks = int(Fraction(str(log.get("figure")["values"][0])) * GIB / width)
    assert int(blocks * width / held.bytes(131072) * 131072) == log.get("tokens") == 567_978


def test_groups_are_padded_to_the_widest() -> None:
    """The engine's own example: 8 full and 9 sliding layers are padded to 9 and 9; 10 and 20 make three groups."""
    window = Kept("window", shorter=1, block=16, further=1)

    def pool(full: int, sliding: int) -> int:
        kinds = [
            LayerKind(full, Fraction(1), Kept("all", block=16), Entries("full")),
            LayerKind(sliding, Fraction(1), window, Entries("window", 17)),
        ]
        found = block_pool(kinds)
        assert not isinstance(found, str)
        return int(found.bytes(160))

    assert pool(8, 9) == 9 * 16 * (10 + 2)
    assert pool(10, 20) == 10 * 16 * (10 + 2 * 2)


def test_layers_of_one_kind_stand_side_by_side() -> None:
    kinds = [LayerKind(3, Fraction(size), Kept("all", block=16), Entries("full")) for size in (576, 128)]
    found = block_pool(kinds)
    assert not isinstance(found, str)
    assert found.bytes(160) == 3 * 160 * (576 + 128)


def test_sglang_sets_a_share_of_every_token_aside(real: KnowledgeBase) -> None:
    """18 full and 18 sliding layers of 2,048 B: a pool of 0.8 tokens for each of the full ones."""
    held = cache(real, "gpt-oss-120b", "sglang")
    assert held.growth == Fraction(18 * 2048 * 18, 10)
    assert held.bytes(100_000) == 18 * 2048 * 180_000


def test_transformers_keeps_one_token_less_than_the_window(real: KnowledgeBase) -> None:
    assert cache(real, "gpt-oss-120b", "transformers").bytes(131072) == 18 * 2048 * (131072 + 127)


UNREAD = [
    ("deepseek-v4-flash", "vllm"),
    ("deepseek-v4-flash", "sglang"),
    ("llama-3-1-8b-instruct", "mlc-llm"),
    ("llama-3-1-8b-instruct", "tensorrt-llm"),
    ("qwen3-next-80b-a3b-instruct", "sglang"),
    ("deepseek-v2", "transformers"),
]


@pytest.mark.parametrize(("model", "engine"), UNREAD)
def test_what_was_not_read_has_no_figure_but_a_reason(real: KnowledgeBase, model: str, engine: str) -> None:
    caches, figure = real.verdicts.caches, real.facts[model].figures[0]
    found = caches.cache(model, engine, caches.place("h100-sxm"), figure)
    assert isinstance(found, str)
    assert "read" in found


def test_heads_that_cannot_be_dealt_out_are_refused(real: KnowledgeBase) -> None:
    held = cache(real, "gpt-oss-120b", "vllm")
    found = engine_cache(held.policy, held.geometry, held.layout, 3)
    assert found == "64 query heads cannot be dealt out evenly to 3 ranks"
    halves = cache(real, "gpt-oss-120b", "vllm", tp=2)
    assert halves.bytes(131072) * 2 == held.bytes(131072)


def test_what_engines_keep_free(real: KnowledgeBase) -> None:
    """vLLM 8 % of a GPU; SGLang on one H100 512 + 1.5 × 8,192 + 128 + 2 × 256 + 8 × 58 MiB; llama.cpp a GiB."""
    place = real.verdicts.caches.place("h100-sxm")
    record = real.catalog.records
    assert kept_free(record["vllm"], "gqa", place, None).bytes == Fraction(85520809984 * 8, 100)
    assert kept_free(record["sglang"], "gqa", place, None).bytes == (512 + 12288 + 128 + 512 + 464) * MIB
    assert kept_free(record["sglang"], "mla", place.on(4), None).bytes == (512 + 12288 + 512 + 1024 + 1536) * MIB
    assert kept_free(record["llama-cpp"], "gqa", place, None).bytes == GIB
    assert kept_free(record["lmdeploy"], "gqa", place, Fraction(80 * 10**9)).bytes == Fraction(5520809984, 5)
    unread = kept_free(record["transformers"], "gqa", place, None)
    assert unread.bytes is None
    assert "not read" in unread.text


def test_overpay_names_who_and_by_how_much(real: KnowledgeBase) -> None:
    facts = real.facts["gemma-3-27b-it"]
    found = {each.engine.id: float(each.factor) for each in overpaying(real.verdicts.caches, facts, 131072)}
    assert found["sglang"] == pytest.approx(62 / 10.4, rel=0.01)
    assert found["vllm"] > 1.5
    assert not {"llama-cpp", "transformers"} & set(found)
    assert not list(overpaying(real.verdicts.caches, real.facts["llama-3-1-8b-instruct"], 131072))
