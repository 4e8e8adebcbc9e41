"""Files that are no config.json are told for what they are, and nothing is written for them."""

from __future__ import annotations

import json
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import Base

from generator.cli import cli

HEADER = json.dumps({"model.embed_tokens.weight": {"dtype": "BF16", "shape": [4, 4], "data_offsets": [0, 32]}}).encode()

# What the tools of the time write, cut short; the second text is what has to be asked for.
OBJECTS: dict[str, tuple[Any, str, str]] = {
    "LoRA adapter": (
        {"peft_type": "LORA", "base_model_name_or_path": "meta-llama/Llama-3.1-8B", "r": 16, "lora_alpha": 32,
         "target_modules": ["q_proj", "v_proj"], "task_type": "CAUSAL_LM"},
        "adapter_config.json", "meta-llama/Llama-3.1-8B",
    ),
    "IA3 adapter without a base": ({"peft_type": "IA3", "target_modules": ["k_proj"]}, "adapter", "does not name"),
    "mlx adapter": ({"fine_tune_type": "lora", "lora_parameters": {"rank": 8}}, "adapter", "base model"),
    "weight index": (
        {"metadata": {"total_size": 16060522496}, "weight_map": {"lm_head.weight": "model-00004-of-00004.safetensors"}},
        "index of weight files", "config.json next to it",
    ),
    "safetensors header": (
        {"__metadata__": {"format": "pt"}, "w": {"dtype": "F8_E4M3", "shape": [2], "data_offsets": [0, 2]}},
        "safetensors", "config.json",
    ),
    "GGUF metadata without a head": ({"qwen3.block_count": 36, "qwen3.embedding_length": 4096}, "GGUF", "config.json"),
    "modelopt sidecar": (
        {"producer": {"name": "modelopt", "version": "0.37.0"},
         "quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8", "group_size": 16}},
        "hf_quant_config.json", "no layers",
    ),
    "GPTQ sidecar": ({"bits": 4, "group_size": 128, "desc_act": True}, "quantize_config.json", "config.json"),
    "AWQ sidecar": ({"zero_point": True, "q_group_size": 128, "w_bit": 4, "version": "GEMM"}, "AWQ", "config.json"),
    "quantisation alone": ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "quantisation", "whole file"),
    "diffusers pipeline": (
        {"_class_name": "FluxPipeline", "_diffusers_version": "0.30.0", "vae": ["diffusers", "AutoencoderKL"]},
        "diffusers", "language model",
    ),
    "diffusers transformer": (
        {"_class_name": "FluxTransformer2DModel", "num_attention_heads": 24, "num_layers": 19},
        "diffusers", "language model",
    ),
    "generation": (
        {"bos_token_id": 128000, "do_sample": True, "eos_token_id": [128001], "temperature": 0.6,
         "transformers_version": "4.42.3"}, "generation_config.json", "config.json next to it",
    ),
    "generation, bare": ({"_from_model_config": True, "eos_token_id": 2}, "generation_config.json", "next to it"),
    "tokenizer config": (
        {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 131072, "bos_token": "<s>",
         "added_tokens_decoder": {"0": {"content": "<s>"}}}, "tokenizer", "next to it",
    ),
    "tokenizer": ({"version": "1.0", "added_tokens": [], "model": {"type": "BPE"}}, "tokenizer.json", "next to it"),
    "preprocessor": (
        {"image_processor_type": "CLIPImageProcessor", "do_resize": True, "image_mean": [0.5, 0.5, 0.5]},
        "preprocessor_config.json", "next to it",
    ),
    "processor": ({"processor_class": "LlavaProcessor", "patch_size": 14}, "processor_config.json", "next to it"),
    "TensorRT-LLM engine": ({"version": "1.0", "pretrained_config": {}, "build_config": {}}, "TensorRT-LLM", "built"),
    "MLC": ({"model_type": "llama", "model_config": {}, "conv_template": "llama-3"}, "", ""),
    "Ollama manifest": (
        {"schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json", "layers": []},
        "Ollama", "config.json",
    ),
    "the Hub's answer": ({"_id": "66", "modelId": "a/b", "siblings": []}, "Hub", "download"),
    "an error": ({"error": "Access to model a/b is restricted."}, "error", "log in"),
    "a trainer's state": ({"best_metric": None, "epoch": 1.0, "log_history": []}, "training", "checkpoint"),
    "anything else": ({"name": "left-pad", "version": "1.3.0"}, "no key of a model's config", "config.json"),
    "a list": ([{"idx": 0, "type": "sentence_transformers.models.Transformer"}], "JSON list", "config.json"),
    "a text": ("config", "'config'", "config.json"),
}  # fmt: skip
del OBJECTS["MLC"]  # it has a model_type, and may be a config

BYTES: dict[str, tuple[bytes, str, str]] = {
    "safetensors": (struct.pack("<Q", len(HEADER)) + HEADER + bytes(32), "a safetensors file", "next to it"),
    "pickle": (pickle.dumps({"model": [1, 2, 3]}, protocol=4), "Python pickle", "next to it"),
    "gzip": (b"\x1f\x8b\x08\x00" + bytes(20), "compressed", "unpack"),
    "PNG": (b"\x89PNG\r\n\x1a\n" + bytes(20), "binary", "config.json"),
    "sentencepiece": (b"\n\x0e\n\x05<unk>\x15\x00\x00\x00\x00\x18\x02", "a binary file", "tokenizers"),
    "HTML": (b"<!DOCTYPE html>\n<html class=''><head><title>config.json</title>", "an HTML page", "/resolve/"),
    "HTML with a mark and blanks": (b"\xef\xbb\xbf\n\n  <html lang='en'>", "an HTML page", "/blob/"),
    "LFS": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 4976698672\n", "Git LFS", "git lfs pull"
    ),
    "llama.cpp's log": (b"llama_model_loader: - kv   0: general.architecture str = llama\n", "llama.cpp", "GGUF file"),
    "the Hub's refusal": (b"Entry not found", "server", "address"),
    "a model card": (b"---\nlicense: mit\n---\n# Card\n", "model card", "next to it"),
}  # fmt: skip


def said(root: Path, *arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli, ["--root", str(root), *arguments])
    return done.exit_code, done.stdout, " ".join(done.stderr.split())


def everything(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("content", "what", "ask"), OBJECTS.values(), ids=OBJECTS)
def test_json_that_is_no_config(tiny: Base, tmp_path: Path, content: Any, what: str, ask: str) -> None:
    check(tiny, tmp_path, json.dumps(content).encode(), what, ask)


@pytest.mark.parametrize(("content", "what", "ask"), BYTES.values(), ids=BYTES)
def test_bytes_that_are_no_config(tiny: Base, tmp_path: Path, content: bytes, what: str, ask: str) -> None:
    check(tiny, tmp_path, content, what, ask)


def test_a_checkpoint_of_pytorch(tiny: Base, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.bin", "w") as archive:
        archive.writestr("archive/data.pkl", b"x")
    check(tiny, tmp_path, (tmp_path / "x.bin").read_bytes(), "zip archive", "next to it")


def check(tiny: Base, tmp_path: Path, content: bytes, what: str, ask: str) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content)
    before = everything(tiny.root)
    for command in (("kv", "--config", str(path)), ("new", "model", "fresh", "--config", str(path))):
        status, out, error = said(tiny.root, *command)
        assert (status, out) == (2, ""), command
        assert f"{path} holds no config: it is " in error
        assert what in error
        assert ask in error
    assert everything(tiny.root) == before, "nothing is written"


SILENT: dict[str, Any] = {
    "a config with settings of generation": {"do_sample": True, "eos_token_id": 2, "temperature": 0.6},
    "a config with its tokenizer": {"tokenizer_class": "LlamaTokenizer", "bos_token_id": 1},
    "a config with its processor": {"processor_class": "X", "image_processor_type": "Y"},
    "a quantised config": {"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 128}},
    "bits beside the config": {"bits": 4, "group_size": 128},
}


@pytest.mark.parametrize("more", SILENT.values(), ids=SILENT)
def test_a_config_is_a_config(tiny: Base, tmp_path: Path, more: dict[str, Any]) -> None:
    config = {
        "model_type": "llama", "num_hidden_layers": 2, "hidden_size": 8, "num_attention_heads": 2,
        "num_key_value_heads": 1, "head_dim": 4, **more,
    }  # fmt: skip
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    status, _, error = said(tiny.root, "kv", "--config", str(path))
    assert status in (0, 1), error
    assert "holds no config" not in error


def test_distilbert_has_the_keys_of_a_params_json_and_is_a_config(tiny: Base, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "distilbert", "dim": 768, "n_layers": 6, "n_heads": 12}))
    assert "holds no config" not in said(tiny.root, "kv", "--config", str(path))[2]
