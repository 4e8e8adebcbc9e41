"""Config fields as evidence about the cache (DRV308): silent rows first, each with its reason."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import AUDIT, Base

from generator.derive.cited_config import config_keys
from generator.derive.config.keys import ConfigKeys
from generator.derive.sizing import sizing_fields
from generator.findings import Finding
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.config_fields.as_evidence import taken_as_evidence, windows_taken_for_compressed

FLASH = "records/models/deepseek-v4-flash.yaml"


@pytest.fixture
def audit(tmp_path: Path) -> Base:
    """The base of the audit with nothing in the notes of V4-Flash."""
    shutil.copytree(AUDIT, tmp_path / "audit")
    base = Base(tmp_path / "audit")
    head, _, rest = (base.root / FLASH).read_text("utf-8").partition("notes: |\n")
    return base.lay({FLASH: f"{head}notes: |\n  Nothing.\n{rest[rest.index('why_null:') :]}"})


def saying(base: Base, text: str) -> list[Finding]:
    return base.edit(FLASH, "  Nothing.\n", f"  {text}\n").findings("DRV308")


SILENT = {
    "no effect": "`num_hash_layers` has no effect on the KV cache.",
    "denied": "`num_hash_layers` is not paired with the KV ratios.",
    "denied at the end": "num_hash_layers shapes the routing of experts, never the cache.",
    "neither nor": "Neither expert_dtype nor hc_mult shapes the cache.",
    "none of them": "Of hc_mult, o_lora_rank and expert_dtype none shapes the cache.",
    "fields that look so": "Fields that look as if they shaped the cache and do not: `num_hash_layers`, `hc_mult`.",
    "a warning": "num_hash_layers shows a hashed cache only to a careless reader.",
    "reported": "`num_hash_layers` and `hc_mult` were given as signs of a hashed or compressed cache, it was said.",
    "a claim of others": "Some claim that expert_dtype fp4 shows a quantised cache.",
    "a mistake": "It is a mistake that expert_dtype sizes the cache.",
    "quoted": 'The old record had "num_hash_layers 3 is paired with the KV ratios".',
    "supposed": "If hc_mult shaped the cache, it would be four times as large.",
    "asked": "What if hc_mult sizes the cache?",
    "seeming": "expert_dtype seems to say that the cache is fp4.",
    "a list of values": "num_hash_layers 3, hc_mult 4, o_lora_rank 1024, index_topk 512, KV heads 1.",
    "values beside the cache's": "hc_mult 4, head_dim 512, num_hash_layers 3, window 128; the cache is in bf16.",
    "values, then the cache": "hc_mult is 4, expert_dtype is fp4, the cache is compressed by compress_ratios.",
    "a shaping field": "`compress_ratios` and `head_dim` size the cache.",
    "a shaping field after a neutral one": "hc_mult is 4, and compress_ratios shapes the cache.",
    "a shaping field beside a neutral one": "The queries use q_lora_rank and head_dim sizes the cache.",
    "what a neutral field does": "`o_lora_rank` shapes the output projection.",
    "what it does, with the cache later": "hc_mult 4 makes four residual streams, and the cache has one row.",
    "what is left alone": "hc_mult 4 gives four residual streams, which leave the cache as it is.",
    "layers counted by a neutral field": "The layers after num_hash_layers compress the KV as those before.",
    "layers named by a neutral field": "The `num_hash_layers` first layers keep a KV window.",
    "another subject": "A design that uses hc_mult compresses the KV in other ways.",
    "another subject of a preposition": "Layers with num_hash_layers set compress the KV.",
    "cited for something else": "`num_hash_layers` shows which layers route by hash; their KV is as in the others.",
    "KV heads are no cache": "o_lora_rank 1024 goes with one KV head.",
    "shaping fields in brackets": "A compressed cache (compress_ratios, head_dim) beside hc_mult 4.",
    "what a field is for, in brackets": "A compressed cache (q_lora_rank is for queries).",
    "unrelated": "num_hash_layers is unrelated to the KV cache.",
    "independent": "The cache is sized by head_dim, independent of hc_mult.",
    "regardless": "The cache is shaped by compress_ratios, whatever num_hash_layers is.",
    "apart": "Apart from hc_mult, the fields head_dim and sliding_window size the cache.",
    "another model": "In DeepSeek-V4.1-Flash, hc_mult 4 shows a compressed cache.",
    "a field that the config lacks": "cla_flag_of_nobody shows a compressed cache.",
    "a neutral field of another model": "first_k_dense_replace shows a compressed cache.",
    "how long the cache gets": "max_position_embeddings 1048576 means a large cache.",
    "the type that a cache takes by default": "torch_dtype bfloat16, so the cache is small.",
    "a draft layer's own cache": "`num_nextn_predict_layers` 1 gives a cache of its own.",
    "positions": "rope_theta belongs to the keys that the cache holds.",
    "types of weights": "expert_dtype fp4 makes small weights; the cache has its own formats.",
    "experts in a cache of weights": "n_routed_experts decides how many experts a weight cache must hold.",
    "a window of its own kind": "The sliding window is the plain KV of the last 128 tokens.",
    "a window beside the compressed cache": "The sliding window is kept beside the compressed cache.",
    "a window, denied": "The SWA entry is not the compressed KV.",
    "a window, read so": "SWA was read as: the sliding window is the compressed cache.",
    "a window, in a table": "The matrix says SWA: Yes for the compressed cache's row.",
    "windows and pooled rows": "SWA, compressed KV and index keys are three tensors.",
    "a window in words of size": "The sliding window is smaller than the compressed cache.",
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_silent(audit: Base, text: str) -> None:
    assert saying(audit, text) == []


FOUND = {
    # the sentence, the words at the place, the fields that the message explains
    "paired": ("num_hash_layers 3 is paired with the KV ratios.", "num_hash_layers 3 is paired with the KV ratios", 1),
    "a sign": ("hc_mult 4 is a sign of a compressed cache.", "hc_mult 4 is a sign of a compressed cache", 1),
    "many as evidence": (
        "expert_dtype fp4, hc_mult 4, o_lora_rank 1024 as evidence of a compressed/quantized cache.",
        "expert_dtype fp4, hc_mult 4, o_lora_rank 1024 as evidence of a compressed/quantized cache",
        3,
    ),
    "a verb": ("`num_hash_layers` hashes the KV.", "`num_hash_layers` hashes the KV", 1),
    "in a clause": ("As the field `hc_mult` shapes the cache.", "`hc_mult` shapes the cache", 1),
    "because": ("It is cheap because q_lora_rank shrinks the KV cache.", "q_lora_rank shrinks the KV cache", 1),
    "that": ("expert_dtype means that the cache is fp4.", "expert_dtype means that the cache", 1),
    "the other way round": ("The cache is hashed by num_hash_layers.", "num_hash_layers", 1),
    "behind a colon": ("Signs of a compressed cache: expert_dtype fp4, hc_mult 4.", "expert_dtype fp4, hc_mult 4", 2),
    "so": ("expert_dtype is fp4, so the cache is quantised.", "expert_dtype is fp4", 1),
    "with": ("With expert_dtype fp4 the cache is quantised.", "expert_dtype fp4", 1),
    "in brackets": ("This is a hashed KV (num_hash_layers 3).", "num_hash_layers 3", 1),
    "behind a label": (
        "The cache is compressed/quantized: expert_dtype fp4, hc_mult 4.",
        "expert_dtype fp4, hc_mult 4",
        2,
    ),
    "with the cache in brackets": ("Next: hc_mult 4 (compressed cache).", "hc_mult 4", 1),
    "shows in": ("The compressed cache shows in `hc_mult`.", "`hc_mult`", 1),
    "among shaping fields": (
        "head_dim, q_lora_rank and hc_mult size the cache.",
        "head_dim, q_lora_rank and hc_mult size the cache",
        2,
    ),
    "the last of two": ("compress_ratios is 4 or 128, and hc_mult compresses the KV.", "hc_mult compresses the KV", 1),
    "a window": ("That SWA entry is the compressed/hashed KV.", "SWA entry is the compressed/hashed KV", 0),
    "a window here": ("SWA here means the compressed KV.", "SWA here means the compressed KV", 0),
    "a window by its key": ("`sliding_window` is the compressed cache.", "sliding_window` is the compressed cache", 0),
}


@pytest.mark.parametrize(("text", "words", "fields"), FOUND.values(), ids=FOUND)
def test_found_in_place(audit: Base, text: str, words: str, fields: int) -> None:
    (found,) = saying(audit, f"One more.\n  {text}")
    line = (audit.root / FLASH).read_text("utf-8").splitlines()[found.location.line - 1]
    assert line[found.location.column - 1 : found.location.end_column - 1] == words
    explained = found.message.split("; this model's")[0].count("` (")
    assert explained == fields


def test_the_message_says_what_the_field_is_and_what_sizes_the_cache(audit: Base) -> None:
    (found,) = saying(audit, "`hc_mult` 4 shows a compressed cache.")
    assert found.message == (
        "not evidence about the cache: `hc_mult` (how many residual streams run side by side, and how they are mixed; "
        "nothing of them outlives the token); this model's cache follows from `head_dim`, `index_head_dim`, "
        "`num_hidden_layers`, `sliding_window`, `compress_ratios`"
    )
    (found,) = saying(audit.edit(FLASH, "`hc_mult` 4 shows a compressed cache.", "Nothing."), "SWA is the hashed KV.")
    assert found.message == (
        "the window is not a compressed cache: it keeps the last 128 tokens as they are; compressed are the entries of "
        "compressed_sparse_attention and heavily_compressed_attention"
    )


SIZING = {
    "heads and widths": ("qwen3-32b", {"num_hidden_layers", "num_key_value_heads", "head_dim"}),
    "no head_dim in the config": (
        "aya-23-8b",
        {"num_hidden_layers", "num_key_value_heads", "hidden_size", "num_attention_heads"},
    ),
    "latent: heads size nothing": ("deepseek-v3", {"num_hidden_layers", "kv_lora_rank", "qk_rope_head_dim"}),
    "latent with an index: index_topk is compute": (
        "deepseek-v3-2",
        {"num_hidden_layers", "kv_lora_rank", "qk_rope_head_dim", "index_head_dim"},
    ),
    "compressed, with sources": (
        "deepseek-v4-1-flash",
        {
            "num_hidden_layers",
            "head_dim",
            "sliding_window",
            "compress_ratios",
            "kv_source_layer_ids",
            "index_source_layer_ids",
            "index_head_dim",
        },
    ),
}


@pytest.mark.parametrize(("model", "fields"), SIZING.values(), ids=SIZING)
def test_fields_that_size_a_cache(real: KnowledgeBase, model: str, fields: set[str]) -> None:
    assert set(sizing_fields(real.facts[model], config_keys(real.catalog))) == fields


def test_a_model_without_geometry_has_no_such_fields(real: KnowledgeBase) -> None:
    without = next(facts for facts in real.facts.values() if facts.geometry is None)
    assert sizing_fields(without, config_keys(real.catalog)) == ()


KEYS = {
    "a neutral key": ("num_hash_layers", True),
    "a neutral key by a pattern": ("resid_dropout_rate", True),
    "a key that shapes the cache": ("head_dim", False),
    "a key of a state": ("mamba_d_state", False),
    "a neutral key with a tie": ("torch_dtype", False),
    "a tie by a pattern": ("vision_start_token_number", False),
    "an identity, whose quantisation may be the cache's": ("quantization_config", False),
    "a key that nobody has judged": ("cla_flag_of_nobody", False),
}


@pytest.mark.parametrize(("key", "nothing"), KEYS.values(), ids=KEYS)
def test_keys_that_say_nothing_about_the_cache(real: KnowledgeBase, key: str, nothing: bool) -> None:
    keys: ConfigKeys = config_keys(real.catalog)
    assert keys.says_nothing(key) is nothing


AWKWARD = {
    "fields": "hc_mult, " * 200,
    "fields in a row": "`hc_mult` 4 and " * 200,
    "underscores": "a_" * 1000,
    "brackets": "hc_mult (" * 300,
    "adjectives": "hc_mult shows a " + "compressed " * 300,
    "windows": "SWA is " + "compressed " * 300,
}


@pytest.mark.parametrize("text", AWKWARD.values(), ids=AWKWARD)
def test_awkward_texts_are_read_to_their_end(text: str) -> None:
    assert [*taken_as_evidence(text), *windows_taken_for_compressed(text)] == []
