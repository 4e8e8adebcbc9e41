"""What is stated against what is derived: claims (DRV301), lists of layers (DRV304), contexts (DRV307)."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from conftest import Base

from generator.derive.config.layer_lists import layer_lists
from generator.derive.facts import Facts
from generator.findings import Finding
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.claims import stated

MODEL = "records/models/tiny-a.yaml"
WIDTH = "  v_head_dim: 16\n"


def codes(found: list[Finding]) -> list[str]:
    return [each.code for each in found]


# --- DRV301 contradicted-claim ----------------------------------------------------------------------------------------


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


def with_fields(tiny: Base, fields: dict[str, Any], without: str = "", **outer: Any) -> Base:
    """Tiny A with further fields in its architecture, and further fields of its own."""
    text = (tiny.root / MODEL).read_text("utf-8").replace(without, "", 1)
    more = "".join(f"  {line}\n" for line in yaml.safe_dump(fields, width=1000).splitlines() if fields)
    ending = yaml.safe_dump(outer, width=1000) if outer else ""
    assert WIDTH in text
    return tiny.lay({MODEL: text.replace(WIDTH, WIDTH + more) + ending})


# --- DRV304 list-length: Tiny A has 4 layers --------------------------------------------------------------------------

D, S = "dense", "sparse"
LISTS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "silent: as many as layers": ({"mlp_layer_types": [D, S, S, S]}, []),
    "silent: an empty list says nothing": ({"mlp_layer_types": []}, []),
    "silent: one number for all layers": ({"moe_layer_freq": 1, "moe_intermediate_size": 64}, []),
    "silent: one entry more, of an MTP layer": ({"mlp_layer_types": [D] * 5, "num_nextn_predict_layers": 1}, []),
    "silent: MTP layers that the list leaves out": ({"mlp_layer_types": [D] * 4, "num_nextn_predict_layers": 1}, []),
    "silent: two MTP layers by another name": ({"mlp_layer_types": [D] * 6, "mtp_num_hidden_layers": 2}, []),
    "silent: a list of something else": ({"eos_token_id": [1, 2, 3, 4, 5]}, []),
    "silent: numbers up to the last layer": ({"mlp_only_layers": [0, 3]}, []),
    "one entry short": ({"mlp_layer_types": [D, S, S]}, ["DRV304"]),
    "one entry more, and no MTP layer": ({"mlp_layer_types": [D] * 5}, ["DRV304"]),
    "one entry more than the MTP layers": (
        {"mlp_layer_types": [D] * 6, "num_nextn_predict_layers": 1},
        ["DRV304"],
    ),
    "a tail of no layers": ({"mlp_layer_types": [D] * 5, "num_nextn_predict_layers": 0}, ["DRV304"]),
    "two lists, two findings": ({"mlp_layer_types": [D], "gating_types": ["x"] * 3}, ["DRV304", "DRV304"]),
    "a number beyond the last layer": ({"mlp_only_layers": [0, 4]}, ["DRV304"]),
    "one size per layer": ({"moe_intermediate_size": [64, 64]}, ["DRV304"]),
    "the cache cannot be derived either, told once": ({"indexer_types": ["full"] * 3, "index_head_dim": 8}, ["DRV304"]),
    "another reason why nothing can be derived is told, too": (
        {"mlp_layer_types": [D], "a_new_mechanism": 3},
        ["DRV302", "DRV304"],
    ),
}


@pytest.mark.parametrize(("fields", "expected"), LISTS.values(), ids=LISTS)
def test_list_lengths(tiny: Base, fields: dict[str, Any], expected: list[str]) -> None:
    assert sorted(codes(with_fields(tiny, fields).findings())) == expected


def test_a_list_of_wrong_length_is_told_with_its_kinds_and_the_lengths_that_would_do(tiny: Base) -> None:
    with_fields(tiny, {"mlp_layer_types": [D, S, S, S, S, S], "num_nextn_predict_layers": 1})
    (found,) = tiny.findings()
    assert found.message == (
        "`mlp_layer_types` has 6 entries (1 × dense, 5 × sparse); there should be 4 (num_hidden_layers) or "
        "5 (num_hidden_layers + 1 MTP (num_nextn_predict_layers))"
    )
    assert found.data["kinds"] == {"dense": 1, "sparse": 5}
    assert found.data["accepted"]["num_hidden_layers"] == 4
    lines = (tiny.root / MODEL).read_text("utf-8").split("\n")
    assert lines[found.location.line - 1].strip() == "- dense", "where the list begins"


def test_a_list_that_the_source_has_otherwise_is_one_mistake(real_copy: Base) -> None:
    """The list of V4-Flash with an entry too many: no config_mismatch besides, and nothing derived of it."""
    path, end = "records/models/deepseek-v4-flash.yaml", "4, 128, 4, 0\n  ]"
    real_copy.edit(path, end, end.replace("0", "0, 0"))
    (found,) = real_copy.findings("DRV302", "DRV304", "WIR202")
    assert found.code == "DRV304"
    assert "has 45 entries (4 × 0, 21 × 4, 20 × 128); there should be 43 (num_hidden_layers) or 44" in found.message
    assert found.message.endswith("; the cited config has another `compress_ratios`")


def test_entries_of_draft_layers_are_counted_too(real: KnowledgeBase) -> None:
    config = real.facts["deepseek-v4-1-flash"].config
    found = {one.key: one for one in layer_lists(config, real.catalog.tables["layer_lists"])}
    ratios, drafts = found["compress_ratios"], found["dspark_target_layer_ids"]
    assert (ratios.length, ratios.holds, drafts.holds) == (43, True, True)
    assert ratios.accepted["num_hidden_layers + 3 draft (dspark_target_layer_ids)"] == 43
    assert (drafts.length, drafts.accepted) == (39, {"num_hidden_layers 40, counted from 0": 39})


def test_without_a_layer_count_no_list_is_judged(tiny: Base) -> None:
    before = tiny.judge().by_check["DRV304"]
    assert (before.checked, before.not_checkable) == (0, 2)
    with_fields(tiny, {"mlp_layer_types": [D] * 4})
    assert (tiny.judge().by_check["DRV304"].checked, tiny.judge().by_check["DRV304"].not_checkable) == (1, 1)


# --- DRV307 context-scaling -------------------------------------------------------------------------------------------


def rope(longest: Any, **scaling: Any) -> dict[str, Any]:
    return {"max_position_embeddings": longest, "rope_scaling": scaling}


ORIGIN = "original_max_position_embeddings"
SCALINGS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "silent: the product": (rope(163840, type="yarn", factor=40, **{ORIGIN: 4096}), []),
    "silent: a fraction that comes out": (rope(6144, rope_type="yarn", factor=1.5, **{ORIGIN: 4096}), []),
    "silent: not stretched yet, as Qwen2.5 is told to": (
        rope(32768, rope_type="yarn", factor=4.0, **{ORIGIN: 32768}),
        [],
    ),
    "silent: Llama 3.1 multiplies no length": (rope(131072, rope_type="llama3", factor=8.0, **{ORIGIN: 8192}), []),
    "silent: Llama 4 Scout, neither": (rope(10485760, rope_type="llama3", factor=16.0, **{ORIGIN: 8192}), []),
    "silent: linear, from a length that is not stated": (rope(131072, rope_type="linear", factor=8.0), []),
    "silent: dynamic": (rope(32768, type="dynamic", factor=2.0), []),
    "silent: longrope has lists": (
        {**rope(131072, type="longrope", short_factor=[1.0], long_factor=[2.0]), ORIGIN: 4096},
        [],
    ),
    "silent: yarn without the original length": (rope(131072, type="yarn", factor=40), []),
    "silent: a factor that is no number": (rope(131072, type="yarn", factor="40", **{ORIGIN: 4096}), []),
    "silent: no scaling": ({"max_position_embeddings": 4096, "rope_scaling": None}, []),
    "silent: by kind of layer, as in Laguna": (
        {
            "max_position_embeddings": 262144,
            "rope_parameters": {
                "full_attention": {"rope_type": "yarn", "factor": 32.0, ORIGIN: 8192},
                "sliding_attention": {"rope_type": "default"},
            },
        },
        [],
    ),
    "the factor of a sibling": (rope(163840, type="yarn", factor=16, **{ORIGIN: 4096}), ["DRV307"]),
    "the context of a sibling": (rope(131072, type="yarn", factor=40, **{ORIGIN: 4096}), ["DRV307"]),
    "the original length beside the scaling": (
        {**rope(131072, type="yarn", factor=40), ORIGIN: 4096},
        ["DRV307"],
    ),
    "in one kind of layer": (
        {
            "max_position_embeddings": 262144,
            "rope_parameters": {"full_attention": {"rope_type": "yarn", "factor": 64.0, ORIGIN: 8192}},
        },
        ["DRV307"],
    ),
}


@pytest.mark.parametrize(("fields", "expected"), SCALINGS.values(), ids=SCALINGS)
def test_context_scaling(tiny: Base, fields: dict[str, Any], expected: list[str]) -> None:
    assert codes(with_fields(tiny, fields).findings()) == expected


def test_a_wrong_factor_is_told_with_the_right_one(tiny: Base) -> None:
    (found,) = with_fields(tiny, rope(163840, type="yarn", factor=16, **{ORIGIN: 4096})).findings()
    assert found.message == (
        "16 × 4,096 is 65,536, but `max_position_embeddings` is 163,840; that would be a factor of 40"
    )
    assert found.data == {"factor": 16, "original": 4096, "stated": 163840, "product": 65536.0}


def test_a_scaling_that_only_the_source_states_is_shown_there(tiny: Base) -> None:
    source = "sources/tiny-a-config.yaml"
    tiny.edit(source, "facts_digest", "# facts_digest")
    scaling = f"{{type: yarn, factor: 2, {ORIGIN}: 100}}"
    tiny.edit(source, "  vocab_size: 1000\n", f"  max_position_embeddings: 400\n  rope_scaling: {scaling}\n")
    (found,) = tiny.findings()
    assert (found.code, found.record, found.location.path) == ("DRV307", "tiny-a", source)
