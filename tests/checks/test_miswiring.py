"""A record that cites another model's document: the mistake that this project exists for.

The configs are those of DeepSeek-V2, V3, R1 and V3.1 in the fields that shape the cache, laid over tests/bases/tiny;
then every pair of configs on record, in the real knowledge base.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import TODAY, Base
from hypothesis import given
from hypothesis import strategies as st

from generator.catalog.records import Record
from generator.catalog.yaml.loader import load
from generator.checks import CHECKS, judge
from generator.checks.contract import Tally
from generator.derive.cited_config import agree
from generator.findings import Finding
from generator.knowledge.evidence.lookalikes import Configs, joined, likeness
from generator.knowledge.graph import CitationGraph
from generator.knowledge.knowledge_base import KnowledgeBase, assemble

HEADS = {
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
    "kv_lora_rank": 512,
    "qk_rope_head_dim": 64,
    "qk_nope_head_dim": 128,
    "v_head_dim": 128,
}
V2 = {"model_type": "deepseek_v2", "num_hidden_layers": 60, "hidden_size": 5120, "n_routed_experts": 160, **HEADS}
V3 = {"model_type": "deepseek_v3", "num_hidden_layers": 61, "hidden_size": 7168, "n_routed_experts": 256, **HEADS}
LLAMA = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
}
ORG = "deepseek-ai"
RIGHT = "arch-hf-config-deepseek-v2"
WRONG = "model-cn-deepseek-v3-config"


def source(repo: str, facts: Mapping[str, Any], subject: str | None = None, kind: str = "hf-config") -> str:
    address = f"https://huggingface.co/{repo}/raw/0123456789012345678901234567890123456789/config.json"
    if kind != "hf-config":
        address = f"https://example.org/{repo}"
    return "\n".join(
        [
            "# yaml-language-server: $schema=../schema/source.schema.json",
            f"title: {repo} config.json",
            "publisher: DeepSeek",
            f"type: {kind}",
            f"url: {address}",
            f"locator: {address}",
            f"subjects: [{subject or 'hf:' + repo}]",
            "retrieved: 2026-10-05",
            "upstream_date: 2026-01-02",
            "retrieval: read",
            f"digest: sha256:{'0' * 64}",
            "license: MIT",
            f"facts: {json.dumps(facts)}",
            "",
        ]
    )


def model(repo: str, cites: str, architecture: Mapping[str, Any], more: str = "") -> str:
    return "\n".join(
        [
            "# yaml-language-server: $schema=../../schema/model.schema.json",
            f"name: {repo.partition('/')[2]}",
            "vendor: DeepSeek",
            f"repo: {repo}",
            "released: 2026-01-02",
            "license: MIT",
            f'config: "[[{cites}]]"',
            "architecture:",
            *(f"  {key}: {json.dumps(value)}" for key, value in architecture.items()),
            more,
        ]
    )


def codes(found: Sequence[Finding]) -> list[tuple[str, str | None]]:
    return [(each.code, each.record) for each in found]


@pytest.fixture
def family(tiny: Base) -> Base:
    """V2, V3, R1 and V3.1, each with its own config: silent but for the look-alikes."""
    files: dict[str, str | bytes | None] = {
        f"sources/{RIGHT}.yaml": source(f"{ORG}/DeepSeek-V2", V2),
        f"sources/{WRONG}.yaml": source(f"{ORG}/DeepSeek-V3", V3),
        "sources/r1-config.yaml": source(f"{ORG}/DeepSeek-R1", V3),
        "sources/v3-1-config.yaml": source(f"{ORG}/DeepSeek-V3.1", V3),
        "records/models/deepseek-v2.yaml": model(f"{ORG}/DeepSeek-V2", RIGHT, V2),
        "records/models/deepseek-v3.yaml": model(f"{ORG}/DeepSeek-V3", WRONG, V3),
        "records/models/deepseek-r1.yaml": model(f"{ORG}/DeepSeek-R1", "r1-config", V3),
        "records/models/deepseek-v3-1.yaml": model(f"{ORG}/DeepSeek-V3.1", "v3-1-config", V3),
    }
    tiny.lay(files)
    assert codes(tiny.findings()) == [("WIR203", "deepseek-r1")]
    return tiny


def rewire(base: Base, id: str, old: str, new: str) -> list[Finding]:
    """The findings after one model cites another config, those of the look-alikes aside."""
    base.edit(f"records/models/{id}.yaml", f'config: "[[{old}]]"', f'config: "[[{new}]]"')
    return [each for each in base.findings() if each.code != "WIR203"]


# --- one mistake, one finding -------------------------------------------------------------------------------------


def test_v2_citing_v3s_config_is_one_finding_that_holds_everything(family: Base) -> None:
    found = rewire(family, "deepseek-v2", RIGHT, WRONG)
    assert codes(found) == [("WIR201", "deepseek-v2")], "no orphan, no mismatch beside it"
    (it,) = found
    where = it.location
    assert (where.path, where.line, where.column) == ("records/models/deepseek-v2.yaml", 7, 10)
    assert (where.end_line, where.end_column) == (7, 10 + len(f"[[{WRONG}]]"))
    assert {key: it.data[key] for key in ("cited", "expected_subject", "suggested")} == {
        "cited": WRONG,
        "expected_subject": "hf:deepseek-ai/DeepSeek-V2",
        "suggested": RIGHT,
    }
    assert it.data["discriminating"] == {
        "model_type": ["deepseek_v2", "deepseek_v3"],
        "num_hidden_layers": [60, 61],
        "hidden_size": [5120, 7168],
        "n_routed_experts": [160, 256],
    }
    assert set(it.data["shared"]) == set(HEADS)
    assert it.data["elsewhere"] == {}
    assert it.data["derived_effect"] == {"kv_growth_bf16": [69120, 70272]}
    json.dumps(dict(it.data))
    for part in ("69,120", "70,272", "+1.7 %", "60 / 61", "kv_lora_rank", RIGHT, WRONG, "nobody cites it"):
        assert part in it.message
    assert {related.location.path for related in it.related} == {f"sources/{WRONG}.yaml", f"sources/{RIGHT}.yaml"}
    assert it.fix is not None
    assert it.fix.safe
    assert [(edit.location, edit.text) for edit in it.fix.edits] == [(where, f"[[{RIGHT}]]")]
    assert rewire(family, "deepseek-v2", WRONG, RIGHT) == [], "the fix makes it clean"


def test_it_is_one_finding_whatever_the_wrong_source_is(family: Base) -> None:
    family.lay({"sources/llama-config.yaml": source("meta/Llama", LLAMA)})
    family.lay({"records/models/llama.yaml": model("meta/Llama", "llama-config", LLAMA)})
    previous = RIGHT
    for other in (WRONG, "r1-config", "v3-1-config", "llama-config", "tiny-a-config"):
        found = rewire(family, "deepseek-v2", previous, other)
        assert codes(found) == [("WIR201", "deepseek-v2")]
        assert found[0].data["suggested"] == RIGHT
        previous = other


def test_what_a_wrong_source_adds_to_the_cache_is_the_same_mistake(family: Base) -> None:
    indexed = {**V3, "index_n_heads": 64, "index_head_dim": 128, "index_topk": 2048}
    family.lay({"sources/v3-2-config.yaml": source(f"{ORG}/DeepSeek-V3.2", indexed)})
    family.lay({"records/models/deepseek-v3-2.yaml": model(f"{ORG}/DeepSeek-V3.2", "v3-2-config", indexed)})
    found = rewire(family, "deepseek-v2", RIGHT, "v3-2-config")
    assert codes(found) == [("WIR201", "deepseek-v2")], "not underivable besides"


IDENTICAL = [
    ("deepseek-v3", WRONG, "r1-config"),
    ("deepseek-v3", WRONG, "v3-1-config"),
    ("deepseek-r1", "r1-config", WRONG),
    ("deepseek-r1", "r1-config", "v3-1-config"),
    ("deepseek-v3-1", "v3-1-config", WRONG),
    ("deepseek-v3-1", "v3-1-config", "r1-config"),
]


@pytest.mark.parametrize(("id", "right", "wrong"), IDENTICAL)
def test_where_no_figure_differs_the_declared_subject_tells(family: Base, id: str, right: str, wrong: str) -> None:
    (it,) = rewire(family, id, right, wrong)
    assert it.code == "WIR201"
    assert it.data["suggested"] == right
    assert it.data["discriminating"] == {}
    assert set(it.data["shared"]) == set(V3)
    assert it.data["derived_effect"] == {"kv_growth_bf16": [70272, 70272]}
    assert "only in the declared subject" in it.message
    assert "70,272 B/token, the same under the cited source" in it.message


def test_two_that_were_swapped_are_one_finding(family: Base) -> None:
    family.edit("records/models/deepseek-v3.yaml", f"[[{WRONG}]]", f"[[{RIGHT}]]")
    (it,) = rewire(family, "deepseek-v2", RIGHT, WRONG)
    assert (it.code, it.record) == ("WIR204", "deepseek-v2")
    records = it.data["records"]
    assert {id: one["suggested"] for id, one in records.items()} == {"deepseek-v2": RIGHT, "deepseek-v3": WRONG}
    assert records["deepseek-v3"]["derived_effect"] == {"kv_growth_bf16": [70272, 69120]}
    assert "(69,120 B/token in bf16, under the cited one 70,272)" in it.message


def test_a_mistake_of_a_third_record_is_its_own_finding(family: Base) -> None:
    family.lay({"sources/lonely.yaml": source(f"{ORG}/Lonely", V2)})
    found = rewire(family, "deepseek-v2", RIGHT, WRONG)
    assert codes(found) == [("WIR201", "deepseek-v2"), ("CIT102", "lonely")]


# --- candidates ---------------------------------------------------------------------------------------------------


def test_without_a_source_that_fits_nothing_is_suggested(family: Base) -> None:
    family.lay({f"sources/{RIGHT}.yaml": None})
    (it,) = rewire(family, "deepseek-v2", RIGHT, WRONG)
    assert (it.data["suggested"], it.data["candidates"], it.fix) == (None, [], None)
    assert it.data["discriminating"]["num_hidden_layers"] == [60, 61], "the record's own fields stand in"
    assert it.data["derived_effect"] == {"kv_growth_bf16": [69120, 70272]}
    assert "no source on record declares hf:deepseek-ai/DeepSeek-V2: add one" in it.message


def test_of_two_candidates_the_one_that_agrees_in_more_fields_comes_first(family: Base) -> None:
    first_revision = {**V2, "num_hidden_layers": 59, "hidden_size": 1}
    family.lay({"sources/a-v2-first.yaml": source(f"{ORG}/DeepSeek-V2", first_revision)})
    (it,) = rewire(family, "deepseek-v2", RIGHT, WRONG)
    assert it.data["candidates"] == [RIGHT, "a-v2-first"]


def test_between_equals_the_orphan_comes_first(family: Base) -> None:
    family.lay({"sources/a-v2-copy.yaml": source(f"{ORG}/DeepSeek-V2", V2)})
    family.edit("docs/guide.md", "Read", "See [[a-v2-copy]]. Read")
    family.edit("records/concepts/tiny-latent.yaml", "[[tiny-a|Tiny A]].", "[[tiny-a|Tiny A]] and [[a-v2-copy]].")
    (it,) = rewire(family, "deepseek-v2", RIGHT, WRONG)
    assert it.data["candidates"] == [RIGHT, "a-v2-copy"]


def test_a_source_of_another_type_is_no_candidate(family: Base) -> None:
    family.lay({"sources/a-blog.yaml": source(f"{ORG}/DeepSeek-V2", V2, kind="blog")})
    found = rewire(family, "deepseek-v2", RIGHT, WRONG)
    assert codes(found) == [("WIR201", "deepseek-v2"), ("CIT102", "a-blog")]
    assert found[0].data["candidates"] == [RIGHT]


def test_a_source_that_is_out_of_form_is_neither_accused_nor_offered(family: Base) -> None:
    family.edit(f"sources/{RIGHT}.yaml", "publisher: DeepSeek\n", "")
    found = rewire(family, "deepseek-v2", RIGHT, WRONG)
    assert codes(found) == [("WIR201", "deepseek-v2"), ("SCH101", RIGHT)]
    assert found[0].data["suggested"] is None
    family.edit(f"sources/{WRONG}.yaml", "publisher: DeepSeek\n", "")
    assert {each.code for each in family.findings()} == {"SCH101", "WIR203"}, (
        "and what cannot be looked up is not judged"
    )


# --- other forms of the same mistake --------------------------------------------------------------------------------


def test_an_engine_that_cites_another_engines_list(tiny: Base) -> None:
    registry = (tiny.root / "sources/tiny-engine-registry.yaml").read_text("utf-8")
    registry = registry.replace("pypi:tiny-engine, engine:tiny-engine", "engine:other-engine")
    tiny.lay({"sources/other-registry.yaml": registry})
    tiny.edit("records/engines/tiny-engine.yaml", 'architectures: "[[tiny-engine-r', 'architectures: "[[other-r')
    found = tiny.findings()
    assert codes(found) == [("WIR201", "tiny-engine")]
    it = found[0]
    assert (it.location.line, it.location.column) == (6, 17)
    assert it.data["expected_subject"] == "engine:tiny-engine"
    assert "tiny-engine-registry" in it.data["candidates"]
    assert (it.data["derived_effect"], it.data["discriminating"]) == ({}, {})


def test_evidence_for_one_field_is_wired_like_the_config(family: Base) -> None:
    evidence = f'evidence:\n  hidden_size: "[[{WRONG}]]"\n'
    family.lay({"records/models/deepseek-v2.yaml": model(f"{ORG}/DeepSeek-V2", RIGHT, V2, evidence)})
    found = [each for each in family.findings() if each.code != "WIR203"]
    assert codes(found) == [("WIR201", "deepseek-v2")]
    assert found[0].location.line == 20
    assert found[0].data["suggested"] == RIGHT


def test_a_model_without_a_repository_cannot_be_checked(family: Base) -> None:
    path = "records/models/deepseek-v2.yaml"
    family.edit(path, f"repo: {ORG}/DeepSeek-V2\n", "repo: null\nwhy_null: {repo: not published}\n")
    before = family.judge().by_check["WIR201"]
    found = rewire(family, "deepseek-v2", RIGHT, WRONG)
    assert "WIR201" not in {each.code for each in found}
    assert before.not_checkable == 1
    family.edit(path, f'"[[{WRONG}]]"', f'"[[{RIGHT}]]"')
    assert [each for each in family.findings() if each.code != "WIR203"] == []


def test_the_case_of_a_repository_counts(family: Base) -> None:
    family.edit("records/models/deepseek-v2.yaml", f"repo: {ORG}/DeepSeek-V2", f"repo: {ORG}/Deepseek-V2")
    found = [each for each in family.findings() if each.code != "WIR203"]
    assert codes(found) == [("WIR201", "deepseek-v2")]
    assert found[0].data["suggested"] is None
    assert "only the case differs" in found[0].message


@pytest.mark.parametrize("wrapper", ["text_config", "language_config", "llm_config"])
def test_a_wrapped_config_is_compared_by_its_language_model(family: Base, wrapper: str) -> None:
    outer = {"model_type": "deepseek_vl", "vision_config": {"hidden_size": 9}, wrapper: V3}
    family.lay({"sources/vl-config.yaml": source(f"{ORG}/DeepSeek-VL", outer)})
    family.lay({"records/models/deepseek-vl.yaml": model(f"{ORG}/DeepSeek-VL", "vl-config", V3)})
    assert [each for each in family.findings() if each.code != "WIR203"] == []
    (it,) = rewire(family, "deepseek-v2", RIGHT, "vl-config")
    assert it.data["discriminating"]["num_hidden_layers"] == [60, 61]
    assert it.data["derived_effect"] == {"kv_growth_bf16": [69120, 70272]}


def test_facts_beyond_the_record_stand_apart(family: Base) -> None:
    family.lay({f"sources/{RIGHT}.yaml": source(f"{ORG}/DeepSeek-V2", {**V2, "vocab_size": 102400, "ep_size": 1})})
    family.lay({f"sources/{WRONG}.yaml": source(f"{ORG}/DeepSeek-V3", {**V3, "vocab_size": 129280, "ep_size": 1})})
    (it,) = rewire(family, "deepseek-v2", RIGHT, WRONG)
    assert it.data["elsewhere"] == {"vocab_size": [102400, 129280]}
    assert "vocab_size" not in it.data["discriminating"]


def test_a_citation_that_reads_nothing_is_no_wiring(family: Base) -> None:
    found = rewire(family, "deepseek-v2", RIGHT, "arch-hf-config-deepseek-v22")
    assert codes(found)[0] == ("CIT101", "deepseek-v2")
    assert "WIR201" not in {each.code for each in found}


# --- WIR202: the record against its own source ------------------------------------------------------------------------


def with_facts(base: Base, facts: Mapping[str, Any], architecture: Mapping[str, Any], more: str = "") -> list[Finding]:
    base.lay({"sources/x-config.yaml": source("org/X", facts)})
    base.lay({"records/models/x.yaml": model("org/X", "x-config", architecture, more)})
    return base.findings("WIR202")


AGREE = {
    "the same": ({}, {}),
    "an absent fact": ({"vocab_size": None}, {"vocab_size": 7}),
    "a whole number and a fraction that is one": ({"rope_theta": 10000.0}, {"rope_theta": 10000}),
    "the order of an object": ({"rope_scaling": {"a": 1, "b": 2}}, {"rope_scaling": {"b": 2, "a": 1}}),
    "lists": ({"layer_types": ["a", "b"]}, {"layer_types": ["a", "b"]}),
}
DIFFER = {
    "a number": ({"vocab_size": 8}, {"vocab_size": 7}),
    "one and true": ({"qk_norm": True}, {"qk_norm": 1}),
    "a number and its text": ({"qk_norm": "7"}, {"qk_norm": 7}),
    "zero and null": ({"vocab_size": None, "x": 1}, {"x": 2}),
    "the order of a list": ({"layer_types": ["a", "b"]}, {"layer_types": ["b", "a"]}),
    "a value inside": ({"rope_scaling": {"a": {"b": 1}}}, {"rope_scaling": {"a": {"b": 2}}}),
    "a key inside": ({"rope_scaling": {"a": 1}}, {"rope_scaling": {"a": 1, "b": None}}),
}


@pytest.mark.parametrize(("facts", "own"), AGREE.values(), ids=AGREE)
def test_fields_that_balance(tiny: Base, facts: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    facts = {key: value for key, value in facts.items() if value is not None}
    assert with_facts(tiny, {**LLAMA, **facts}, {**LLAMA, **own}) == []


@pytest.mark.parametrize(("facts", "own"), DIFFER.values(), ids=DIFFER)
def test_fields_that_do_not_balance(tiny: Base, facts: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    (it,) = with_facts(tiny, {**LLAMA, **facts}, {**LLAMA, **own})
    key = next(iter(own))
    assert it.data["fields"] == {key: [own[key], facts[key]]}


def test_all_fields_that_differ_are_one_finding_with_all_places(tiny: Base) -> None:
    (it,) = with_facts(tiny, LLAMA, {**LLAMA, "num_hidden_layers": 33, "hidden_size": 1})
    assert (it.record, it.location.path, it.location.line) == ("x", "records/models/x.yaml", 10)
    assert it.data == {"source": "x-config", "fields": {"num_hidden_layers": [33, 32], "hidden_size": [1, 4096]}}
    assert "`num_hidden_layers` is 33 here and 32 there" in it.message
    assert [related.location.path for related in it.related] == [
        "records/models/x.yaml",
        *["sources/x-config.yaml"] * 2,
    ]


LONG = list(range(1000, 1032))
LISTS = {
    "one entry less": (LONG, LONG[:-1], "`eos_token_id` has 31 entries here and 32 there"),
    "one entry else": (LONG, [*LONG[:-1], 7], "entry 31 of `eos_token_id`, counted from 0, is 7 here and 1031 there"),
    "short lists": ([1, 2], [1, 3], "`eos_token_id` is [1, 3] here and [1, 2] there"),
}


@pytest.mark.parametrize(("facts", "own", "said"), LISTS.values(), ids=LISTS)
def test_long_lists_that_begin_alike_are_told_by_where_they_differ(
    tiny: Base, facts: list[int], own: list[int], said: str
) -> None:
    (it,) = with_facts(tiny, {**LLAMA, "eos_token_id": facts}, {**LLAMA, "eos_token_id": own})
    assert said in it.message


def test_a_fact_in_a_wrapped_config_has_its_place(tiny: Base) -> None:
    facts = {"model_type": "vl", "vision_depth": 5, "text_config": LLAMA, "vision_config": {"hidden_size": 9}}
    (it,) = with_facts(tiny, facts, {**LLAMA, "hidden_size": 1})
    text = (tiny.root / "sources/x-config.yaml").read_text("utf-8").splitlines()
    place = it.related[-1].location
    assert text[place.line - 1][place.column - 1 : place.end_column - 1] == "4096"


def test_a_model_type_may_be_the_wrappers_or_the_language_models(tiny: Base) -> None:
    facts = {"model_type": "vl", "text_config": LLAMA}
    assert with_facts(tiny, facts, {**LLAMA, "model_type": "vl"}) == []
    assert with_facts(tiny, facts, {**LLAMA, "model_type": "llama"}) == []
    assert len(with_facts(tiny, facts, {**LLAMA, "model_type": "mllama"})) == 1


def test_a_field_of_which_another_document_is_the_evidence_is_compared_with_that(tiny: Base) -> None:
    tiny.lay({"sources/x-later.yaml": source("org/X", {**LLAMA, "vocab_size": 7})})
    own, evidence = {**LLAMA, "vocab_size": 7}, 'evidence:\n  vocab_size: "[[x-later]]"\n'
    assert with_facts(tiny, {**LLAMA, "vocab_size": 8}, own, evidence) == []
    (it,) = with_facts(tiny, {**LLAMA, "vocab_size": 8}, {**own, "vocab_size": 9}, evidence)
    assert it.data == {"source": "x-later", "fields": {"vocab_size": [9, 7]}}


# --- WIR203: look-alikes --------------------------------------------------------------------------------------------


def test_look_alikes_are_told_once_for_all(family: Base) -> None:
    (it,) = family.findings("WIR203")
    assert (it.severity, it.record) == ("info", "deepseek-r1")
    assert it.data == {
        "sources": [WRONG, "r1-config", "v3-1-config"],
        "records": ["deepseek-r1", "deepseek-v3", "deepseek-v3-1"],
    }


def test_two_groups_are_two_findings(family: Base) -> None:
    family.lay({"sources/v2-chat-config.yaml": source(f"{ORG}/DeepSeek-V2-Chat", V2)})
    family.lay({"records/models/v2-chat.yaml": model(f"{ORG}/DeepSeek-V2-Chat", "v2-chat-config", V2)})
    assert [each.record for each in family.findings("WIR203")] == ["deepseek-r1", "deepseek-v2"]


@pytest.mark.parametrize("key", ["hidden_size", "model_type", "n_routed_experts"])
def test_one_field_that_a_record_relies_on_tells_two_apart(family: Base, key: str) -> None:
    other = {**V2, key: "x" if key == "model_type" else 1}
    family.lay({"sources/other-config.yaml": source(f"{ORG}/Other", other)})
    family.lay({"records/models/other.yaml": model(f"{ORG}/Other", "other-config", other)})
    assert [each.record for each in family.findings("WIR203")] == ["deepseek-r1"]


def test_two_revisions_of_one_model_are_no_look_alikes(family: Base) -> None:
    family.lay({"sources/v2-later.yaml": source(f"{ORG}/DeepSeek-V2", V2)})
    assert [each.record for each in family.findings("WIR203")] == ["deepseek-r1"]


def test_a_miswired_record_has_no_look_alikes_of_its_own(family: Base) -> None:
    family.edit("records/models/deepseek-v2.yaml", f"[[{RIGHT}]]", f"[[{WRONG}]]")
    (it,) = family.findings("WIR203")
    assert "deepseek-v2" not in it.data["records"]


# --- WIR205: a source against its own address -------------------------------------------------------------------------

HUB = "https://huggingface.co/org/X/raw/0123456789/config.json"
COPY = "git+https://github.com/ai/copies@0123456789012345678901234567890123456789#configs/org--X_config.json"
SUBJECTS = {
    "silent: the repository of the address": (HUB, HUB, "[hf:org/X]", "hf-config", False),
    "silent: a copy that is named after it": (HUB, COPY, "[hf:org/X]", "hf-config", False),
    "silent: more subjects of other kinds": (HUB, HUB, "[hf:org/X, arch:XForCausalLM]", "hf-config", False),
    "silent: a blog on the Hub": ("https://huggingface.co/blog/x", "words", "[hf:org/X]", "blog", False),
    "silent: an advisory": ("https://github.com/advisories/GHSA-1", "words", "[github:org/x]", "issue", False),
    "silent: a package": ("pkg:pypi/x@1", "pkg:pypi/x@1#x/y.py!Z", "[pypi:x]", "source-code", False),
    "silent: an address that names nothing": ("https://x.example/a", "page 2", "[hf:org/X]", "blog", False),
    "silent: words and a query": ("https://github.com/org/x?tab=readme", "words", "[github:org/x]", "readme", False),
    "another repository": (HUB, HUB, "[hf:org/Y]", "hf-config", True),
    "another case": (HUB, HUB, "[hf:org/x]", "hf-config", True),
    "another organisation": (HUB, HUB, "[hf:other/X]", "hf-config", True),
    "two models for one config": (HUB, HUB, "[hf:org/X, hf:org/Y]", "hf-config", True),
    "no model for a config": (HUB, HUB, "[arch:XForCausalLM]", "hf-config", True),
    "a copy that is named after another": (HUB, COPY.replace("--X", "--Y"), "[hf:org/X]", "hf-config", True),
    "another package": ("pkg:pypi/x@1", "pkg:pypi/x@1#x/y.py!Z", "[pypi:y]", "source-code", True),
    "another project": ("https://github.com/org/x/issues/1", "words", "[github:org/y]", "issue", True),
}


@pytest.mark.parametrize(("url", "locator", "subjects", "kind", "wrong"), SUBJECTS.values(), ids=SUBJECTS)
def test_declared_subjects(tiny: Base, url: str, locator: str, subjects: str, kind: str, wrong: bool) -> None:
    text = source("org/X", LLAMA, kind=kind).splitlines()
    text[4:7] = [f"url: {url}", f"locator: {locator}", f"subjects: {subjects}"]
    tiny.lay({"sources/x.yaml": "\n".join(text) + "\n"})
    tiny.edit("records/concepts/tiny-latent.yaml", "[[tiny-a|Tiny A]].", "[[tiny-a|Tiny A]] and [[x]].")
    found = [each for each in tiny.findings() if each.code != "CIT110"]
    assert codes(found) == ([("WIR205", "x")] if wrong else [])
    assert all(each.location.line == 7 for each in found)


# --- every pair of configs on record ----------------------------------------------------------------------------------

FOUNDING = (
    *("deepseek-v2", "deepseek-v2-lite", "deepseek-v3", "deepseek-r1", "deepseek-v3-1", "deepseek-v3-2"),
    *("deepseek-v4-flash", "deepseek-v4-pro", "deepseek-v4-1-flash", "kimi-k2", "glm-5", "llama-3-1-8b"),
    *("qwen3-32b", "mixtral-8x7b"),
)
WIRING = [check for check in CHECKS if check.code in ("WIR201", "WIR202", "WIR203", "DRV302")]


def rewired(kb: KnowledgeBase, wires: Mapping[str, str], whole: bool = False) -> KnowledgeBase:
    """The base in which models cite other configs: only the text of `config:` changes, as an author would change it."""
    records = dict(kb.catalog.records)
    for id, cited in wires.items():
        record = records[id]
        text = record.document.text.replace(f'config: "{record.get("config")}"', f'config: "[[{cited}]]"', 1)
        assert text != record.document.text
        records[id] = replace(record, document=load(text))
    catalog = replace(kb.catalog, records=records)
    return assemble(catalog, TODAY) if whole else replace(kb, catalog=catalog, graph=CitationGraph.of(catalog))


def wired_models(kb: KnowledgeBase, ids: Sequence[str]) -> list[tuple[Record, str]]:
    """(model, id of its config's source) for models whose repository says which source is theirs."""
    found = []
    for id in ids:
        record = kb.catalog.records[id]
        cited = str(record.get("config") or "")[2:-2]
        if cited in kb.catalog.records and record.get("repo") and id not in kb.catalog.unsound:
            found.append((record, cited))
    return found


def test_the_founding_models_are_all_wired(real: KnowledgeBase) -> None:
    assert [record.id for record, _ in wired_models(real, FOUNDING)] == list(FOUNDING)


@pytest.mark.parametrize("step", range(1, len(FOUNDING)))
def test_every_founding_model_with_every_other_ones_config(real: KnowledgeBase, step: int) -> None:
    check_rotation(real, wired_models(real, FOUNDING), step)


@pytest.mark.parametrize("step", [1, 2, 47])
def test_all_models_on_record_with_another_ones_config(real: KnowledgeBase, step: int) -> None:
    check_rotation(real, wired_models(real, [record.id for record in real.catalog.of("model")]), step)


def check_rotation(kb: KnowledgeBase, models: list[tuple[Record, str]], step: int) -> None:
    """All at once cite the config `step` places on: each is found, with its own, and nobody else is accused."""
    wires = {record.id: models[(place + step) % len(models)][1] for place, (record, _) in enumerate(models)}
    subjects = {id: set(kb.catalog.records[cited].get("subjects")) for id, cited in wires.items()}
    wrong = {record.id: cited for record, cited in models if f"hf:{record.get('repo')}" not in subjects[record.id]}
    other = rewired(kb, wires)
    found = {check.code: check.run(other, Tally()) for check in WIRING}
    assert {each.record for each in found["WIR201"] if each.location.line == line_of(other, each)} == set(wrong)
    assert len(found["WIR201"]) == len(wrong)
    for it in found["WIR201"]:
        assert it.record is not None
        right = kb.catalog.records[wrong[it.record]]
        assert it.data["expected_subject"] in right.get("subjects")
        assert right.id in it.data["candidates"]
        assert it.fix is not None
        assert set(it.data["derived_effect"]) == {"kv_growth_bf16"}
    assert not {each.record for each in found["WIR202"]} & set(wrong), "a mis-wiring is no mismatch besides"


def line_of(kb: KnowledgeBase, finding: Finding) -> int:
    return kb.catalog.records[str(finding.record)].at("config").line


ONE_BY_ONE = [
    ("deepseek-v2", "deepseek-v3"),
    ("deepseek-v3", "deepseek-r1"),
    ("deepseek-v3-2", "deepseek-v3"),
    ("llama-3-1-8b", "deepseek-v4-flash"),
    ("deepseek-v4-1-flash", "qwen3-32b"),
]


@pytest.mark.parametrize(("id", "other"), ONE_BY_ONE)
def test_one_miswiring_in_the_real_base_is_one_new_finding(real: KnowledgeBase, id: str, other: str) -> None:
    wrong = str(real.catalog.records[other].get("config"))[2:-2]
    before = {(each.code, each.record) for each in judge(real).findings}
    verdicts = judge(rewired(real, {id: wrong}, whole=True))
    # A group of look-alikes that loses its first record is told at its next one.
    new = [each for each in verdicts.findings if (each.code, each.record) not in before and each.code != "WIR203"]
    assert codes(new) == [("WIR201", id)]
    assert new[0].data["suggested"] == str(real.catalog.records[id].get("config"))[2:-2]


def test_v2_in_the_real_base(real: KnowledgeBase) -> None:
    (it,) = (
        each for each in judge(rewired(real, {"deepseek-v2": WRONG}, whole=True)).findings if each.code == "WIR201"
    )
    assert it.data["suggested"] == RIGHT
    assert it.data["discriminating"]["num_hidden_layers"] == [60, 61]
    assert "kv_lora_rank" in it.data["shared"]
    assert it.data["derived_effect"] == {"kv_growth_bf16": [69120, 70272]}
    for part in ("69,120", "70,272", "+1.7 %", "nobody cites it"):
        assert part in it.message


def test_the_fix_of_the_real_miswiring_restores_the_file(real: KnowledgeBase, real_root: Path) -> None:
    kb = rewired(real, {"deepseek-v2": WRONG})
    record = kb.catalog.records["deepseek-v2"]
    check = next(check for check in WIRING if check.code == "WIR201")
    (it,) = check.run(kb, Tally())
    assert it.fix is not None
    (edit,) = it.fix.edits
    begin = record.document.offset(edit.location.line - 1, edit.location.column - 1)
    end = record.document.offset(edit.location.end_line - 1, edit.location.end_column - 1)
    text = record.document.text[:begin] + edit.text + record.document.text[end:]
    beside = real.catalog.records["deepseek-v2"].document.second
    files = [record.path, *([beside.path] if beside else [])]
    assert text == "".join((real_root / path).read_text("utf-8") for path in files)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, 2.0, "", "1", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)


@given(VALUES, VALUES)
def test_values_are_alike_where_they_agree(one: Any, other: Any) -> None:
    assert (likeness(one) == likeness(other)) == agree(one, other)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(0, 1)), max_size=8), st.data())
def test_the_index_finds_what_a_comparison_of_each_would(configs: list[dict[str, int]], data: st.DataObject) -> None:
    known = data.draw(st.dictionaries(st.sampled_from("abc"), st.integers(0, 1), min_size=1))
    index = Configs((str(id), config) for id, config in enumerate(configs))
    by_hand = {str(id) for id, config in enumerate(configs) if known.items() <= config.items()}
    assert index.agreeing(known) == by_hand


@given(st.lists(st.frozensets(st.sampled_from("abcdef"), min_size=1), unique=True))
def test_groups_that_share_an_id_become_one(groups: list[frozenset[str]]) -> None:
    made = list(joined({ids: [number] for number, ids in enumerate(groups)}))
    assert sorted(number for _, members in made for number in members) == list(range(len(groups)))
    every = [id for ids, _ in made for id in ids]
    assert len(every) == len(set(every))
    assert all(any(ids <= whole for whole, _ in made) for ids in groups)
    for whole, members in made:  # nothing was joined that no chain of shared ids joins
        reached = set(groups[members[0]])
        while more := {id for n in members if groups[n] & reached for id in groups[n]} - reached:
            reached |= more
        assert reached == whole
