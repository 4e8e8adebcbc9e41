"""`servebook kv` over ranks, beyond windows, and part by part: what each figure counts stands beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import ROOT

from generator.cli import cli as main

DENSE = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "num_hidden_layers": 10,
    "hidden_size": 5120,
    "num_attention_heads": 40,
    "num_key_value_heads": 8,
    "head_dim": 128,
}
MLA = {
    "architectures": ["DeepseekV3ForCausalLM"],
    "model_type": "deepseek_v3",
    "num_hidden_layers": 4,
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
}
TOKEN = 10 * 2 * 8 * 128 * 2  # bytes per token of the dense one in bf16


def kv(tmp_path: Path, config: dict[str, Any], *options: str, form: str = "json") -> tuple[int, Any]:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config), "utf-8")
    words = ["--root", str(ROOT), "kv", "--config", str(path), *options, "--format", form]
    result = CliRunner().invoke(main, words)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, json.loads(result.output) if form == "json" else result.output


# --- ranks -----------------------------------------------------------------------------------------------------------

POSSIBLE = [
    ("one rank", DENSE, 1, TOKEN, {}),
    ("fewer ranks than KV heads", DENSE, 4, TOKEN // 4, {}),
    ("as many", DENSE, 8, TOKEN // 8, {}),
    ("more: KV heads are held twice and more", DENSE, 40, TOKEN // 8, {"each of 8 KV heads": 5}),
    ("one KV head", {**DENSE, "num_key_value_heads": 1}, 8, TOKEN // 8, {"each of 1 KV heads": 8}),
    ("a latent row stands whole on each", MLA, 16, 4 * 576 * 2, {"kv row": 16}),
]


@pytest.mark.parametrize(("config", "ranks", "growth", "held"), [r[1:] for r in POSSIBLE], ids=[r[0] for r in POSSIBLE])
def test_growth_per_rank_stands_beside_growth_per_model(
    tmp_path: Path, config: dict[str, Any], ranks: int, growth: int, held: dict[str, int]
) -> None:
    status, found = kv(tmp_path, config, "--tp", str(ranks), "--context", "1000")
    assert status == 0
    if ranks > 1:
        assert found["per_rank_growth_bytes_per_token"]["bf16"] == growth
        assert found["per_rank_bytes"]["1000"]["bf16"] == 1000 * growth
        assert found["held_by_ranks"] == held
        _, text = kv(tmp_path, config, "--tp", str(ranks), form="text")
        assert f"growth on each of {ranks} ranks" in text
        assert all(f"{what}: held by {number} ranks" in text for what, number in held.items())
    else:
        assert found["growth_bytes_per_token"]["bf16"] == growth


IMPOSSIBLE = [
    (DENSE, 16, 40),
    (DENSE, 3, 40),
    ({**DENSE, "num_attention_heads": 64}, 128, 64),
    (MLA, 256, 128),
    ({**DENSE, "num_attention_heads": 28, "num_key_value_heads": 4}, 8, 28),
]


@pytest.mark.parametrize(("config", "ranks", "heads"), IMPOSSIBLE)
def test_shardings_that_cannot_be_are_refused_with_both_numbers(
    tmp_path: Path, config: dict[str, Any], ranks: int, heads: int
) -> None:
    reason = f"{heads} query heads cannot be dealt out evenly to {ranks} ranks"
    status, found = kv(tmp_path, config, "--tp", str(ranks))
    assert status == 1
    assert found["tp_refused"] == reason
    assert set(found["per_rank_growth_bytes_per_token"].values()) == {None}
    assert all(value == reason for row in found["per_rank_bytes"].values() for value in row.values())
    status, text = kv(tmp_path, config, "--tp", str(ranks), form="text")
    assert status == 1
    assert reason in text
    assert found["growth_bytes_per_token"]["bf16"] > 0


# --- windows ---------------------------------------------------------------------------------------------------------

MISTRAL = {**DENSE, "architectures": ["MistralForCausalLM"], "model_type": "mistral"}
LATE = [  # window, longest, lengths with the entries that every layer keeps there
    (131072, 32768, {32768: 32768, 131072: 131072, 1048576: 131072}),
    (4096, 4096, {4096: 4096, 8192: 4096}),
    (100_000, 65_536, {65_536: 65_536, 100_000: 100_000, 100_001: 100_000}),
]


@pytest.mark.parametrize(("window", "longest", "entries"), LATE)
def test_windows_count_beyond_the_stated_maximum(
    tmp_path: Path, window: int, longest: int, entries: dict[int, int]
) -> None:
    config = {**MISTRAL, "sliding_window": window, "max_position_embeddings": longest}
    lengths = [word for tokens in entries for word in ("--context", str(tokens))]
    status, found = kv(tmp_path, config, *lengths)
    assert status == 0
    for tokens, kept in entries.items():
        assert found["bytes"][str(tokens)]["bf16"] == kept * TOKEN
    assert found["growth_by_length"]["bf16"] == [
        {"from_tokens": 0, "bytes_per_token": TOKEN},
        {"from_tokens": window, "bytes_per_token": 0},
    ]
    _, text = kv(tmp_path, config, "--cache", "bf16", form="text")
    assert f"{TOKEN:,} up to {window:,} tokens, 0 beyond" in text


def test_growth_is_stated_below_and_beyond_a_window(tmp_path: Path) -> None:
    """One layer in two slides: twice the growth of the full ones until the window is full."""
    types = ["full_attention", "sliding_attention"] * 5
    config = {**DENSE, "architectures": [], "model_type": "cwm", "layer_types": types, "sliding_window": 512}
    status, found = kv(tmp_path, {**config, "max_position_embeddings": 8192}, "--context", "2000")
    assert status == 0
    assert [row["bytes_per_token"] for row in found["growth_by_length"]["bf16"]] == [TOKEN, TOKEN // 2]
    assert found["bytes"]["2000"]["bf16"] == (2000 + 512) * TOKEN // 2
    assert [(part["layer_type"], part["bytes"]) for part in found["parts"]["2000"]["bf16"]] == [
        ("full_attention", 2000 * TOKEN // 2),
        ("sliding_attention", 512 * TOKEN // 2),
    ]


def test_no_window_is_one_piece(tmp_path: Path) -> None:
    _, found = kv(tmp_path, DENSE)
    assert found["growth_by_length"]["bf16"] == [{"from_tokens": 0, "bytes_per_token": TOKEN}]
    _, text = kv(tmp_path, DENSE, form="text")
    assert "beyond" not in text


# --- parts -----------------------------------------------------------------------------------------------------------

WHISPER = {
    "architectures": ["WhisperForConditionalGeneration"],
    "model_type": "whisper",
    "d_model": 384,
    "decoder_layers": 4,
    "decoder_attention_heads": 6,
    "encoder_layers": 4,
    "encoder_attention_heads": 6,
    "max_source_positions": 1500,
    "max_target_positions": 448,
    "is_encoder_decoder": True,
}
T5 = {
    "architectures": ["T5ForConditionalGeneration"],
    "model_type": "t5",
    "d_model": 512,
    "d_kv": 64,
    "num_heads": 6,
    "num_layers": 8,
    "num_decoder_layers": 8,
}
CROSS = [  # own bytes per token, cross bytes at any length, what decides them
    (
        "a fixed encoder",
        WHISPER,
        4 * 2 * 384 * 2,
        4 * 2 * 384 * 2 * 1500,
        "1,500 encoder positions, whatever the length",
    ),
    ("an input of any length", T5, 8 * 2 * 384 * 2, 0, f"the encoder's length: {8 * 2 * 384 * 2:,} B for each"),
]


@pytest.mark.parametrize(
    ("config", "own", "cross", "decides"), [row[1:] for row in CROSS], ids=[row[0] for row in CROSS]
)
def test_the_cross_cache_stands_apart(
    tmp_path: Path, config: dict[str, Any], own: int, cross: int, decides: str
) -> None:
    _, found = kv(tmp_path, config, "--context", "100", "--context", "448")
    for tokens in (100, 448):
        first, second = found["parts"][str(tokens)]["bf16"]
        assert (first["layer_type"], first["bytes"]) == ("full_attention", own * tokens)
        assert (second["layer_type"], second["bytes"]) == ("cross_attention", cross)
        assert decides in second["depends_on"]
        assert found["bytes"][str(tokens)]["bf16"] == own * tokens + cross
    _, text = kv(tmp_path, config, "--cache", "bf16", form="text")
    assert "of which full attention, decided by the length" in text
    assert f"of which cross attention, decided by {decides}" in text


@pytest.mark.parametrize("model", ["qwen3-next-80b-a3b-instruct", "jamba-v0-1", "nemotron-h-56b-base-8k"])
def test_every_state_names_its_type(model: str) -> None:
    result = CliRunner().invoke(main, ["--root", str(ROOT), "kv", model, "--format", "json"])
    found = json.loads(result.output)
    assert found["states_by_engine"]
    kept = {slot["slot"]: slot for slot in found["states"]}
    for row in found["states_by_engine"]:
        for part in row["parts"]:
            width = {"bf16": 2, "fp16": 2, "fp32": 4}[part["dtype"]]
            slot = next(slot for name, slot in kept.items() if part["state"].split("_")[0] in name.split("_"))
            assert part["bytes"] == slot["layers"] * slot["scalars_per_row"] * width
    text = CliRunner().invoke(main, ["--root", str(ROOT), "kv", model]).output
    states = [line for line in text.splitlines() if line.startswith("state ")]
    assert states
    assert all("bf16" in line or "fp16" in line or "fp32" in line for line in states)
