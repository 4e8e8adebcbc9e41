"""Configs in other names than Hugging Face's, as a user hands them over.

params.json of Mistral-7B-v0.1 and v0.3 as mistralai publishes them on the Hub (files `params.json`), the metadata of
Llama-3.1-8B as `gguf-dump --json` prints them; the figures are those of the same models' config.json.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import ROOT, Base

from generator.cli import cli

MISTRAL = {
    "dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14336, "n_heads": 32, "n_kv_heads": 8,
    "norm_eps": 1e-05, "vocab_size": 32768, "rope_theta": 1000000.0,
}  # fmt: skip
META = {
    "dim": 8192, "ffn_dim_multiplier": 1.3, "multiple_of": 4096, "n_heads": 64, "n_kv_heads": 8, "n_layers": 80,
    "norm_eps": 1e-05, "rope_theta": 500000.0, "use_scaled_rope": True, "vocab_size": 128256,
}  # fmt: skip
LLAMA = {
    "general.architecture": "llama", "llama.block_count": 32, "llama.context_length": 131072,
    "llama.embedding_length": 4096, "llama.feed_forward_length": 14336, "llama.attention.head_count": 32,
    "llama.attention.head_count_kv": 8, "llama.rope.freq_base": 500000.0, "llama.rope.dimension_count": 128,
    "llama.attention.layer_norm_rms_epsilon": 1e-05, "llama.vocab_size": 128256, "general.file_type": 15,
    "tokenizer.ggml.model": "gpt2",
}  # fmt: skip
DUMP = {"filename": "x.gguf", "metadata": {k: {"type": "X", "value": v} for k, v in LLAMA.items()}, "tensors": {}}


def said(root: Path, *arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli, ["--root", str(root), *arguments])
    return done.exit_code, done.stdout, " ".join(done.stderr.split())


def kv(tiny: Base, config: Any, *options: str) -> tuple[int, dict[str, Any], str]:
    path = tiny.root.parent / "file"
    path.write_text(json.dumps(config))
    status, out, error = said(tiny.root, "kv", "--config", str(path), "--format", "json", *options)
    return status, json.loads(out or "{}"), error


SAME = {"Mistral": (MISTRAL, 131_072), "Meta": (META, 327_680), "metadata": (LLAMA, 131_072), "dump": (DUMP, 131_072)}


@pytest.mark.parametrize(("config", "growth"), SAME.values(), ids=SAME)
def test_the_figure_is_that_of_the_config_json(tiny: Base, config: Any, growth: int) -> None:
    status, found, _ = kv(tiny, config)
    assert (status, found["growth_bytes_per_token"]["bf16"]) == (0, growth)
    assert "its own readers" in found["notes"][0]


def test_one_window_holds_for_all_layers(tiny: Base) -> None:
    _, found, _ = kv(tiny, MISTRAL | {"sliding_window": 4096}, "--context", "32768")
    assert found["layers"] == {"sliding_attention": 32}
    assert found["bytes"]["32768"]["bf16"] == 512 * 2**20


def test_a_list_of_windows_is_repeated(tiny: Base) -> None:
    """Ministral 8B is published so: three windows to one layer without."""
    ministral = MISTRAL | {"n_layers": 36, "sliding_window": [None, 32768, 32768, 32768]}
    _, found, _ = kv(tiny, ministral)
    assert found["layers"] == {"full_attention": 9, "sliding_attention": 27}
    assert found["growth_bytes_per_token"]["bf16"] == 9 * 8 * 256 * 2


REFUSED = {
    "windows of two sizes": (MISTRAL | {"sliding_window": [None, 4096, 8192, None]}, 2, "sliding_window"),
    "windows that do not come out even": (MISTRAL | {"sliding_window": [None, 4096, 4096]}, 2, "sliding_window"),
    "another architecture": (LLAMA | {"general.architecture": "gemma3"}, 2, "architecture 'gemma3' is not read"),
    "keys and values of two widths": (
        LLAMA | {"llama.attention.key_length": 192, "llama.attention.value_length": 128}, 2, "differs from",
    ),
    "heads layer by layer": (LLAMA | {"llama.attention.head_count_kv": [8] * 32}, 1, "num_key_value_heads"),
    "a key nobody has judged": (MISTRAL | {"novel_memory": 3}, 1, "novel_memory"),
}  # fmt: skip


@pytest.mark.parametrize(("config", "status", "said"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_counterpart_is_refused(tiny: Base, config: Any, status: int, said: str) -> None:
    found, payload, error = kv(tiny, config)
    assert found == status
    assert said in error + str(payload.get("reason"))
    assert "growth_bytes_per_token" not in payload


def test_a_gguf_file_itself(tiny: Base) -> None:
    _, out, _ = said(tiny.root, "kv", "--config", str(ROOT / "tests/data/qwen3.gguf"), "--format", "json")
    assert json.loads(out)["growth_bytes_per_token"]["bf16"] == 114_688


def test_a_gguf_file_that_breaks_off(tiny: Base, tmp_path: Path) -> None:
    (tmp_path / "half.gguf").write_bytes((ROOT / "tests/data/qwen3.gguf").read_bytes()[:300])
    status, out, error = said(tiny.root, "kv", "--config", str(tmp_path / "half.gguf"))
    assert (status, out) == (2, "")
    assert "do not end within the first 300 bytes" in error


@pytest.mark.parametrize("config", [MISTRAL, LLAMA, DUMP], ids=["Mistral", "metadata", "dump"])
def test_a_record_is_made_from_a_config_json_alone(tiny: Base, tmp_path: Path, config: Any) -> None:
    path = tmp_path / "file"
    path.write_text(json.dumps(config))
    status, _, error = said(tiny.root, "new", "model", "fresh", "--config", str(path))
    assert status == 2
    assert "give the config.json" in error
