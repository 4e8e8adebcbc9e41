"""Whether a shared text is about a model: by its record's own conditions, where unknown is not no."""

from __future__ import annotations

import pytest
from conftest import Base

from generator.knowledge.evidence.applicability import applies
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site.pages import build_site
from generator.site.site import Site

REAL = {
    "a concept of the family": ("deepseek-v2", "mla-latent-attention", True),
    "a concept of another family": ("llama-3-1-8b", "mla-latent-attention", False),
    "a concept, and a family that is not derived": ("minimax-text-01", "mla-latent-attention", None),
    "a gotcha of this class": ("deepseek-v4-1-flash", "flashmla-no-bf16-decode-v41", True),
    "a gotcha of another class": ("deepseek-v4-flash", "flashmla-no-bf16-decode-v41", False),
    "a gotcha of this family, in versions that are past": ("deepseek-v3-2", "cutlass-mla-not-sparse", False),
    "a gotcha of a library's versions that are past": ("deepseek-v4-1-flash", "sm120-sparse-mla-block-size", False),
    "a gotcha about any model": ("llama-3-1-8b", "fp8-kv-e4m3-ampere", True),
    "a gotcha about cache types that are on record": ("deepseek-v2", "fa3-mla-no-fp8-kv", True),
    "a gotcha about a cache type that this model has not": ("mamba2-130m", "flash-attn-fp8-kv-version-matrix", False),
    "a kernel of a class that it needs": ("deepseek-v2", "tokenspeed-mla", True),
    "a kernel of other classes": ("llama-3-1-8b", "tokenspeed-mla", False),
    "a kernel that excludes it": ("deepseek-v4-flash", "flashmla-2026-09-30", False),
    "a kernel, and a family that is not derived": ("minimax-text-01", "tokenspeed-mla", None),
    "a kernel that computes nothing in particular": ("llama-3-1-8b", "uniform", None),
}


@pytest.mark.parametrize(("model", "record", "holds"), REAL.values(), ids=REAL)
def test_on_the_real_base(real: KnowledgeBase, model: str, record: str, holds: bool | None) -> None:
    records = real.catalog.records
    assert applies(real, records[model], records[record], now=True).holds is holds


MODEL = "records/models/tiny-a.yaml"
IDEA = "records/concepts/tiny-latent.yaml"
CRASH = "records/gotchas/tiny-crash.yaml"
NOTES = "notes: |\n  Keeps one latent row per token, see [[tiny-latent]]. The page is not meant for `[[code]]`.\n"
MLA = "families: [mla]"

CONCEPTS = {
    "silent: its family": (MLA, None),
    "silent: no condition at all": ("aliases: [Rows]", None),
    "silent: its layers": ("applies: [{layers: [full_attention]}]", None),
    "silent: a key with a value": ("applies: [{keys: [kv_lora_rank]}]", None),
    "silent: any of two": ("applies: [{families: [gqa]}, {keys: [kv_lora_rank]}]", None),
    "silent: `applies` decides, not the families": ("families: [gqa]\napplies: [{families: [mla]}]", None),
    "another family": (
        "families: [gqa]",
        "tiny-latent says families: the families gqa; this model: TinyMlaForCausalLM",
    ),
    "other layers": ("applies: [{layers: [sliding_attention]}]", "layers of sliding_attention; this model: "),
    "a key that is absent": ("applies: [{keys: [index_topk]}]", "a value for index_topk; this model: "),
    "all of a condition": ("applies: [{families: [mla], keys: [index_topk]}]", "with a value for index_topk"),
}


@pytest.mark.parametrize(("conditions", "message"), CONCEPTS.values(), ids=CONCEPTS)
def test_an_include_is_held_to_the_concepts_conditions(tiny: Base, conditions: str, message: str | None) -> None:
    tiny.edit(IDEA, MLA, conditions)
    found = tiny.edit(MODEL, NOTES, "notes: |\n  {{ include('tiny-latent#definition') }}\n").findings()
    if message is None:
        assert found == []
        return
    assert [(each.code, each.location.path, each.location.line) for each in found] == [("CMP503", MODEL, 20)]
    assert message in found[0].message
    assert "Take the include out" in found[0].message
    assert found[0].related[0].location.path == IDEA


def test_unknown_is_counted_and_not_told(tiny: Base) -> None:
    tiny.edit(MODEL, NOTES, "notes: |\n  {{ include('tiny-latent#definition') }}\n")
    tiny.edit(MODEL, "  kv_lora_rank: 32\n", "  kv_lora_rank: 32\n  novel_cache_thing: 1\n")
    verdicts = tiny.judge()
    assert "CMP503" not in {each.code for each in verdicts.findings}
    assert verdicts.by_check["CMP503"].not_checkable == 1


CRASHES = {
    "silent: a version on record": ("<1.1", None),
    "a version that is past": ("<1.0", "tiny-crash says conditions: <1.0; this model: Tiny Engine 1.0"),
}


@pytest.mark.parametrize(("versions", "message"), CRASHES.values(), ids=CRASHES)
def test_an_include_of_a_gotcha_is_held_to_the_versions_on_record(
    tiny: Base, versions: str, message: str | None
) -> None:
    tiny.edit(CRASH, 'engine_versions: "<1.1"', f'engine_versions: "{versions}"')
    tiny.edit(MODEL, NOTES, "notes: |\n  See [[tiny-latent]].\n\n  {{ include('tiny-crash#cause') }}\n")
    told = [each.message for each in tiny.findings("CMP503")]
    assert (told == []) is (message is None)
    assert all(str(message) in each for each in told)


def test_a_correction_may_include_what_does_not_apply(tiny: Base) -> None:
    tiny.edit(IDEA, MLA, "families: [gqa]")
    corrections = "corrections:\n  - date: 2026-11-29\n    wrong: |\n      {{ include('tiny-latent#definition') }}\n"
    right = '    right: |\n      Not so.\n    cite: "[[tiny-a-config]]"\n'
    tiny.lay({MODEL: (tiny.root / MODEL).read_text() + corrections + right})
    assert tiny.findings("CMP503") == []


def test_a_concepts_page_says_when_it_applies(tiny: Base) -> None:
    tiny.edit(IDEA, MLA, "applies: [{keys: [kv_lora_rank]}]")
    page = next(page for page in build_site(Site(tiny.read())) if page.path == "concepts/tiny-latent.md")
    assert "a value for kv_lora_rank: 2 models" in page.html
