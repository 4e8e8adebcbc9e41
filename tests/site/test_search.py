"""Search finds what people write: identifiers, numbers, the texts of errors. Asked in Node, as a page asks it."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import HERE, ROOT

from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site.html.links import Style
from generator.site.html.page import Page
from generator.site.search_index import search_index
from generator.site.site import Site

FIRST = {
    "flashmla block size 64": ("backends/sglang-flashmla-backend/", "backends/vllm-flashmla-backend/"),
    "GptOssForCausalLM": ("models/gpt-oss-120b/", "models/gpt-oss-20b/"),
    "69120": ("models/deepseek-v2/",),
    "69,120": ("models/deepseek-v2/",),
    "deepseek-ai/DeepSeek-V3.2": ("models/deepseek-v3-2/",),
    "no dispatch entry for page_block_size=32": ("gotchas/sm120-sparse-mla-block-size/#symptom",),
    "Only SM 10.x and 11.x are supported": ("gotchas/flash-attn-4-sm103-assertion/#symptom",),
    "gsm8k falls from 0.97": ("gotchas/tpu-prefix-cache-garbles-hybrid/#symptom",),
    "deepseek v3.2": ("models/deepseek-v3-2/",),
    "llama 3.1 70b": ("models/llama-3-1-70b/",),
    "qwen3 next": ("models/qwen3-next-80b-a3b-instruct/", "models/qwen3-next-80b-a3b-thinking/"),
    "deepseek_v2": ("models/deepseek-v2/",),
    "DeepseekV2ForCausalLM": (
        *("models/deepseek-v2/", "models/deepseek-v2-lite/"),
        "models/deepseek-coder-v2-lite-base/",
    ),
    "gpt-oss-120b": ("models/gpt-oss-120b/",),
    "kv_lora_rank": ("glossary/", "kv-geometry/"),
    "4090": ("gpus/rtx-4090/",),
    "rtx 4090": ("gpus/rtx-4090/",),
    "GeForce RTX 4090": ("gpus/rtx-4090/",),
    "h100": ("gpus/h100-sxm/",),
    "dgx spark": ("gpus/gb10/",),
    "mi300x": ("gpus/mi300x/",),
    "sm_90": ("matrix/sm-90/",),
    "gfx942": ("matrix/gfx942/",),
    "vllm": ("engines/vllm/",),
    "llama.cpp": ("engines/llama-cpp/",),
    "TRITON_MLA": ("backends/vllm-triton-mla-backend/",),
    "FLASHINFER_MLA": ("backends/vllm-flashinfer-mla-backend/",),
    "sliding window": ("concepts/sliding-window-attention/",),
    "mla": ("concepts/mla-latent-attention/",),
    "CIT101": ("checks/CIT101/",),
    "unknown cells": ("unknown-cells/",),
    "corrections": ("corrections/",),
}
"""What is asked, and the page that must come first, or the few that are meant alike."""


@pytest.fixture(scope="module")
def index(real: KnowledgeBase, real_pages: Mapping[str, Page]) -> str:
    """The index of the real base."""
    return search_index(Site(real), real_pages.values(), Style.DIRECTORY)


def found(index: str, questions: list[str], folder: Path) -> list[list[Any]]:
    """The first pages for each question: address, kind, and the words that they lack."""
    if shutil.which("node") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("no node on the PATH")
        pytest.skip("no node on the PATH")
    for name, text in (("index.json", index), ("questions.json", json.dumps(questions))):
        (folder / name).write_text(text, "utf-8")
    shutil.copyfile(ROOT / "templates/assets/search.js", folder / "search.mjs")
    command = [
        "node",
        HERE / "site/search_first.mjs",
        *(folder / name for name in ("search.mjs", "index.json", "questions.json")),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    answers: list[list[Any]] = json.loads(done.stdout)
    return answers


def test_the_page_that_is_meant_comes_first(index: str, tmp_path: Path) -> None:
    answers = found(index, list(FIRST), tmp_path)
    wrong = {
        question: answer[0][0]
        for (question, meant), answer in zip(FIRST.items(), answers, strict=True)
        if answer[0][0] not in meant or answer[0][2]
    }
    assert wrong == {}


def test_pages_that_have_all_words_come_alone_else_what_lacks_is_said(index: str, tmp_path: Path) -> None:
    both, one, none = found(index, ["flashmla sglang", "deepseek zzyzx", "zzyzx"], tmp_path)
    assert both
    assert all(lacks == [] for _, _, lacks in both)
    assert one
    assert all(lacks == ["zzyzx"] for _, _, lacks in one)
    assert none == []


def test_the_index_is_small_and_the_same_every_time(
    real: KnowledgeBase, real_pages: Mapping[str, Page], index: str
) -> None:
    assert len(gzip.compress(index.encode(), 9)) < 80_000
    assert search_index(Site(real), real_pages.values(), Style.DIRECTORY) == index
