"""Claims against what is derived: figures (DRV301) and families (DRV303); silent rows first, each with its reason."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from conftest import Base

from generator.derive.facts import Facts
from generator.findings import Finding
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.claims import stated

MODEL = "records/models/tiny-a.yaml"
ENGINE = "records/engines/tiny-engine.yaml"
GOTCHA = "records/gotchas/tiny-crash.yaml"


def codes(found: list[Finding]) -> list[str]:
    return [each.code for each in found]


def claiming(tiny: Base, field: str, value: Any, unit: str, condition: str = "", basis: str = "vendor") -> Base:
    claim = {"field": field, "value": value, "unit": unit, "basis": basis, "cite": "[[tiny-a-config]]"}
    claim |= {"condition": condition} if condition else {}
    text = (tiny.root / MODEL).read_text("utf-8")
    return tiny.lay({MODEL: text + yaml.safe_dump({"claims": [claim]}, width=1000)})


# Tiny A keeps 320 B/token in bf16 and 176 in fp8_latent; Tiny B 400 and 220.
PER = "kv_cache_bytes_per_token"
FIGURES: dict[str, tuple[tuple[Any, ...], list[str]]] = {
    "silent: in bf16": ((PER, 320, "B/token"), []),
    "silent: in a layout that an engine stores": ((PER, 176, "bytes per token"), []),
    "silent: in KiB, as far as it is written": ((PER, 0.31, "KiB/token"), []),
    "silent: a text with digit groups and a word before": ((PER, "about 320.0", "B/token"), []),
    "silent: two digits": ((PER, 0.17, "KiB per token", "fp8 cache"), []),
    "silent: the type of the weights is not that of the cache": ((PER, 320, "B/token", "fp8 weights"), []),
    "silent: half precision is as wide": ((PER, 320, "B/token", "fp16"), []),
    "silent: at a length, in its own name": (("kv_cache_bytes_at_4096", 1.25, "MiB"), []),
    "silent: at 4k of either kind": (("kv_cache_bytes_at_4k", 1280000, "B"), []),
    "silent: at a length that the condition names": (("kv_cache_size", 42.9, "GB", "134,217,728 tokens in bf16"), []),
    "silent: no figure": ((PER, None, "B/token"), []),
    "silent: two figures": ((PER, "400 to 500", "B/token"), []),
    "silent: a unit of something else": ((PER, 400, "tokens"), []),
    "silent: a field that nobody derives": (("tokens_per_second", 400, "tokens/s"), []),
    "silent: of a batch": ((PER, 400, "B/token", "a batch of 8"), []),
    "silent: of one layer": ((PER, 80, "B/token", "per layer"), []),
    "silent: at no stated length": (("kv_cache_bytes", 400, "MiB"), []),
    "silent: measured, with pages and reserves": ((PER, 400, "B/token", "", "measured"), []),
    "silent: a field of the config": (("num_hidden_layers", 4, "layers"), []),
    "none of them": ((PER, 300, "B/token"), ["DRV301"]),
    "a digit too precise": ((PER, 0.32, "KiB/token"), ["DRV301"]),
    "another layout than the condition names": ((PER, 320, "B/token", "fp8 cache"), ["DRV301"]),
    "another layout than the one that is named by its key": ((PER, 320, "B/token", "in fp8_latent"), ["DRV301"]),
    "a sibling's": ((PER, 400, "B/token"), ["DRV301"]),
    "at a length": (("kv_cache_bytes_at_4096", 2.5, "MiB"), ["DRV301"]),
    "a field of the config that it has otherwise": (("num_hidden_layers", 5, "layers"), ["DRV301"]),
    "by a third party": ((PER, 300, "B/token", "", "third-party"), ["DRV301"]),
}


@pytest.mark.parametrize(("claim", "expected"), FIGURES.values(), ids=FIGURES)
def test_figures(tiny: Base, claim: tuple[Any, ...], expected: list[str]) -> None:
    assert codes(claiming(tiny, *claim).findings()) == expected


def test_a_siblings_figure_is_told_with_its_owner(tiny: Base) -> None:
    (found,) = claiming(tiny, PER, 0.391, "KiB/token").findings()
    assert found.message == (
        "`kv_cache_bytes_per_token` is claimed to be 0.391 KiB/token; derived is 0.312 KiB (bf16), 0.172 KiB "
        "(fp8_latent); it is the figure of tiny-b (bf16)"
    )
    assert found.data["derived"] == {"bf16": 320, "fp8_latent": 176}
    assert found.data["owners"] == {"tiny-b": ["bf16"]}
    lines = (tiny.root / MODEL).read_text("utf-8").split("\n")
    assert lines[found.location.line - 1].strip() == "value: 0.391"


FORMULAS = {
    # 4 x 2 x 4 heads x (256 / 4) x 2, and 4 x 4 heads x (16 + 8 + 16) x 2
    "a calculator's": (4096, "; it is what the naive GQA formula gives"),
    "expanded": (1280, "; it is what keys and values expanded per head take"),
    "nobody's": (1000, "(fp8_latent)"),
}


@pytest.mark.parametrize(("value", "ending"), FORMULAS.values(), ids=FORMULAS)
def test_the_formula_that_a_wrong_figure_was_made_with(tiny: Base, value: int, ending: str) -> None:
    (found,) = claiming(tiny, PER, value, "B/token").findings()
    assert found.message.endswith(ending)


PUBLISHED: dict[str, tuple[str, dict[str, Any], bool]] = {
    "V3.2 at 1M": ("deepseek-v3-2", {"field": "kv_cache_bytes_at_1m", "value": 83.875, "unit": "GiB"}, True),
    "V4-Flash at 1M": ("deepseek-v4-flash", {"field": "kv_cache_bytes_at_1m", "value": 6.72, "unit": "GiB"}, True),
    "V4-Pro at 1M": ("deepseek-v4-pro", {"field": "kv_cache_bytes_at_1m", "value": 9.62, "unit": "GiB"}, True),
    "V4-Flash with its state": (
        "deepseek-v4-flash",
        {"field": "kv_cache_bytes_at_8192", "value": 61_997_056 + 12_206_080, "unit": "B"},
        True,
    ),
    "V4.1's 890": ("deepseek-v4-1-flash", {"field": PER, "value": 890, "unit": "B/token"}, True),
    "Gemma-like mean": (
        "gpt-oss-120b",
        {"field": PER, "value": 37.4, "unit": "KB/token", "condition": "at 8,192 tokens"},
        True,
    ),
    "V3's 68.6 KiB in V2": ("deepseek-v2", {"field": PER, "value": 68.6, "unit": "KiB/token"}, False),
    "V2's own": ("deepseek-v2", {"field": PER, "value": 67.5, "unit": "KiB/token"}, True),
    "V3 serves 128K of its 163,840": ("deepseek-v3", {"field": "context_length", "value": 128, "unit": "K"}, True),
    "Kimi-K2's 128K": ("kimi-k2", {"field": "context_length", "value": "128K", "unit": "tokens"}, True),
    "more than the config allows": ("kimi-k2", {"field": "context_length", "value": "256K", "unit": "tokens"}, False),
    "a wrong list of 43 layers": ("deepseek-v4-flash", {"field": "num_hidden_layers", "value": 44, "unit": "x"}, False),
}


@pytest.mark.parametrize(("model", "claim", "holds"), PUBLISHED.values(), ids=PUBLISHED)
def test_figures_that_were_published(real: KnowledgeBase, model: str, claim: dict[str, Any], holds: bool) -> None:
    said = stated(claim, real.facts[model])
    assert said is not None
    assert bool(said.agreeing()) is holds


def test_a_stretched_context_is_not_judged(real: KnowledgeBase) -> None:
    facts: Facts = real.facts["qwen3-32b"]
    claim = {"field": "context_length", "value": 131072, "unit": "tokens"}
    assert stated({**claim, "condition": "with YaRN"}, facts) is None
    said = stated(claim, facts)
    assert said is not None
    assert said.agreeing() == []


def test_counts_of_claims(tiny: Base) -> None:
    assert tiny.judge().by_check["DRV301"].checked == 0
    tally = claiming(tiny, PER, 320, "B/token").judge().by_check["DRV301"]
    assert (tally.checked, tally.not_checkable) == (1, 0)
    text = (tiny.root / MODEL).read_text("utf-8")
    tally = tiny.lay({MODEL: text.replace(PER, "kindness")}).judge().by_check["DRV301"]
    assert (tally.checked, tally.not_checkable) == (0, 1)
    tally = tiny.lay({MODEL: text.replace(PER, "parameters_total")}).judge().by_check["DRV301"]
    assert (tally.checked, tally.not_checkable) == (0, 0), "DRV305 counts parameters"


# --- DRV303 family-contradiction: Tiny A and Tiny B are TinyMlaForCausalLM, and derive to mla -------------------------

NOTES = "Keeps one latent row per token"
Row = tuple[str, str, str, list[str]]


def condition(families: str, architectures: str = "TinyMlaForCausalLM") -> tuple[str, str, str]:
    more = f"families: [{families}], architectures: [{architectures}]}}"
    return GOTCHA, 'engine_versions: "<1.1"}', f'engine_versions: "<1.1", {more}'


FAMILIES: dict[str, Row] = {
    "silent: the family in words": (MODEL, NOTES, "FAMILY=mla, which keeps one latent row per token", []),
    "silent: a word that is no family": (MODEL, NOTES, "The family: latent ones. Keeps one row per token", []),
    "silent: of another kind of family": (MODEL, NOTES, "A Llama family model; keeps one row per token", []),
    "silent: denied": (MODEL, NOTES, "It is wrong to call it family: gqa; it keeps one row per token", []),
    "silent: a row whose class has the family": (*condition("mla, gqa"), []),
    "silent: a row whose class nobody has": (*condition("gqa", "OtherForCausalLM"), []),
    "silent: a row of families alone": (GOTCHA, 'engine_versions: "<1.1"}', "families: [gqa]}", []),
    "in words": (MODEL, NOTES, "FAMILY=gqa, which keeps one row per token", ["DRV303"]),
    "in words and in code": (MODEL, NOTES, "Attention family: `gqa`. Keeps one row per token", ["DRV303"]),
    "a gotcha that can never hold": (*condition("gqa, mqa"), ["DRV303"]),
    "each class that does not fit": (*condition("csa_hca", "TinyMlaForCausalLM, OtherForCausalLM"), ["DRV303"]),
    "a restriction": (
        ENGINE,
        "why_null:",
        "restrictions:\n  - when: {families: [gqa], architectures: [TinyMlaForCausalLM]}\n    effect: blocked\n"
        '    text: It does not.\n    cites: ["[[tiny-engine-registry]]"]\nwhy_null:',
        ["DRV303"],
    ),
    "a layout": (
        ENGINE,
        "- families: [mla]\n    kv",
        "- families: [mqa]\n    architectures: [TinyMlaForCausalLM]\n    kv",
        ["DRV303"],
    ),
}


@pytest.mark.parametrize(("path", "old", "new", "expected"), FAMILIES.values(), ids=FAMILIES)
def test_families(tiny: Base, path: str, old: str, new: str, expected: list[str]) -> None:
    assert codes(tiny.edit(path, old, new).findings()) == expected


CLAIMED: dict[str, tuple[str, Any, list[str]]] = {
    "silent: its family": ("attention_family", "mla", []),
    "silent: however it is written": ("family", "MLA", []),
    "silent: a word that is no family": ("attention_family", "latent", []),
    "silent: no word": ("attention_family", None, []),
    "silent: a class that serves it": ("kernel_class", "kc-mla", []),
    "silent: the other way to serve it": ("kernel_class", "kc-gqa-dkv", []),
    "silent: a class that nobody knows": ("kernel_class", "kc-new", []),
    "another family": ("attention_family", "csa_hca", ["DRV303"]),
    "a class for another design": ("kernel_class", "kc-v4", ["DRV303"]),
}


@pytest.mark.parametrize(("field", "value", "expected"), CLAIMED.values(), ids=CLAIMED)
def test_claimed_families(tiny: Base, field: str, value: Any, expected: list[str]) -> None:
    assert codes(claiming(tiny, field, value, "name").findings()) == expected


def test_a_false_family_is_told_with_the_derived_one(tiny: Base) -> None:
    (found,) = claiming(tiny, "kernel_class", "kc-v4", "name").findings()
    assert found.message == (
        "tiny-a is said to be of the kernel class kc-v4; tiny-a needs kc-gqa-dkv (paged attention with two widths), "
        "kc-mla (latent attention)"
    )
    (found,) = (
        tiny.lay({MODEL: (tiny.root / MODEL).read_text("utf-8").split("claims:")[0]}).edit(*condition("gqa")).findings()
    )
    assert found.message == "TinyMlaForCausalLM is said to be of the family gqa; tiny-a, tiny-b derive to mla"
    assert found.data == {"stated": ["gqa"], "derived": ["mla"], "models": ["tiny-a", "tiny-b"]}


def test_the_place_in_words_is_that_of_the_words(tiny: Base) -> None:
    (found,) = tiny.edit(MODEL, NOTES, "Family: gqa or so. Keeps one row per token").findings()
    assert (found.location.line, found.location.column, found.location.end_column) == (20, 3, 14)


def test_v4_called_mla_is_found(real_copy: Base) -> None:
    """Claims 46 and 47 of the audit, in the record of V4-Flash, which says itself why they are false."""
    path = "records/models/deepseek-v4-flash.yaml"
    text = (real_copy.root / path).read_text("utf-8")
    real_copy.lay({path: text.replace("notes: |\n", "notes: |\n  FAMILY=mla. REQUIRED KERNEL CLASS: MLA decode.\n\n")})
    family, kernel = real_copy.findings("DRV303")
    assert family.message == "deepseek-v4-flash is said to be mla; deepseek-v4-flash derives to csa_hca"
    assert kernel.message.startswith("deepseek-v4-flash is said to need a kernel for MLA; deepseek-v4-flash needs kc-")


def test_a_model_without_a_family_is_not_judged(tiny: Base) -> None:
    tally = tiny.edit(*condition("gqa")).judge().by_check["DRV303"]
    assert (tally.checked, tally.not_checkable) == (1, 0)
    tiny.edit("records/models/tiny-b.yaml", "  v_head_dim: 16\n", "  v_head_dim: 16\n  a_new_mechanism: 3\n")
    tally = tiny.judge().by_check["DRV303"]
    assert (tally.checked, tally.not_checkable) == (0, 1), "one of the two may be what the row is about"
