"""Comparisons in words, held against the configs of the audited models: silent rows first."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import AUDIT, Base
from hypothesis import given
from hypothesis import strategies as st

from generator.checks.contract import Tally
from generator.checks.texts import passages
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.comparisons import JudgedComparison, Reference, comparisons
from generator.prose.config_fields.words import SpokenFields

V2, V3, FLASH, V41 = "deepseek-v2", "deepseek-v3", "deepseek-v4-flash", "deepseek-v4-1-flash"


PIECES = [
    *("V2", "V3", "[[deepseek-v3|V3]]", "V4-Flash's", "[[", "]]", "|", "is", "has", "than", "as", "only", "every"),
    *("field", "differ", "differs", "in", "and", "the", "two", "same", "smaller", "fewer", "more", "layers"),
    *("`kv_lora_rank`", "experts", "twice", "half", "one", "40", "1.0", "here", "dropped", "mscale", "geometry"),
    *("KV", ".", ";", "(", ")", "\n\n", "\x01", '"', "“"),
]


@pytest.fixture(scope="module")
def audit() -> KnowledgeBase:
    return Base(AUDIT).read()


@pytest.fixture(scope="module")
def bench(audit: KnowledgeBase) -> Reference:
    return Reference.of(audit)


def said(bench: Reference, of: str, text: str) -> list[JudgedComparison]:
    """What is found in a text that stands in the notes of a model."""
    passage = next(each for each in passages(bench.kb, Tally(), ("model",)) if each.record.id == of)
    return list(comparisons(replace(passage, text=replace(passage.text, value=text)), bench))


RIGHT = {
    "as many, in numbers": (V2, "It has the same number of attention heads as V3."),
    "fewer, and more": (V2, "It has fewer layers than V3 and more shared experts."),
    "one fewer": (V2, "It has one layer fewer than V3."),
    "one fewer, first": (V2, "It has 1 fewer layers than V3."),
    "twice as many": (V2, "It has twice the shared experts of V3."),
    "fewer, with a share": (V2, "It has 40 % fewer experts than V3."),
    "more, with a factor": (V3, "It has 1.6x more experts than V2."),
    "half as many": (V3, "It has half as many shared experts as V2."),
    "a rounded value": (V2, "mscale is 0.71 here and 1.0 in V3."),
    "a smaller factor, with the other's value": (FLASH, "YaRN 16, a much smaller factor than V3's 40."),
    "larger by parameters": (FLASH, "DeepSeek-V4-Flash is smaller than DeepSeek-V3."),
    "larger by parameters, of a sibling": (
        V41,
        "V4.1-Flash is clearly larger than V4-Flash, 551.5 against 284.3 billion.",
    ),
    "fewer layers": (V2, "It has fewer layers than V3."),
    "fewer layers, under the config's name": (V2, "It has a lower `num_hidden_layers` than V3."),
    "more shared experts": (V2, "V2 has more shared experts than V3."),
    "fewer experts, cited": (V2, "V2 has fewer routed experts than [[deepseek-v3|its successor]]."),
    "its size is smaller": (V2, "Its hidden size is smaller than V3's 7,168."),
    "as many": (V2, "It has as many attention heads as V3."),
    "the same, under the config's name": (V2, "It has the same `kv_lora_rank` as V3."),
    "both values told": (V2, "mscale is 0.707 here and 1.0 in V3."),
    "both values told of a size": (V2, "hidden_size is 5120 here, but 7,168 in V3."),
    "the other model is the subject": (V2, "V3 has more layers than V2."),
    "the cache of one layer": (V2, "Per layer the KV cache is the same in V2 and V3."),
    "the geometry of one layer": (V2, "For each layer the KV geometry is identical between V2 and V3."),
    "what it never had": (V2, "V3 has no indexer."),
    "what it lacks": (FLASH, "V3 lacks hyper-connections."),
    "what the newer one has and the older lacks": (FLASH, "It has residual streams that V3 does not have."),
}
"""Right, and held against the configs."""

LEFT_ALONE = {
    "denied": (V2, "V2 is not smaller than V3 in every axis."),
    "denied, in a contraction": (V2, "It isn't true that V2 is smaller than V3 in every axis."),
    "quoted": (V2, 'Some notes had "smaller than V3 in every axis", which a look at the experts refutes.'),
    "called wrong": (V2, "Smaller than V3 in every axis is wrong."),
    "all but one": (V2, "V2 is smaller than V3 in every axis except the shared experts."),
    "almost all": (V2, "V2 is smaller than V3 in almost every axis."),
    "no claim but a condition": (V2, "If V2 were smaller than V3 in every axis, the latent would be narrower."),
    "the axes of something else": (V2, "The latent cache is cheaper than V3's in every axis of the plot."),
    "a name that is only similar": (V2, "It is smaller than V3.1 in every axis."),
    "a word made of a name": (V2, "It is smaller than V3-like models in every axis."),
    "fields that a sentence narrows": (
        V2,
        "Of the fields that shape the cache only num_hidden_layers differs from V3.",
    ),
    "fields that were read": (V2, "V2 and V3 differ only in num_hidden_layers among the fields listed."),
    "the named fields": (V2, "Against V3, num_hidden_layers and hidden_size: every field disagrees."),
    "every field that": (V2, "Every field that shapes the cache of V3 is equal but one."),
    "only, but of something else": (V2, "Only V2 has hidden_size 5120."),
    "only, with a word that is no field": (V2, "V2 and V3 differ only in vintage."),
    "no other model named": (V2, "Only num_hidden_layers and hidden_size differ."),
    "two others named": (V2, "V3 and V4-Flash: only the layers differ, says V2."),
    "a pronoun for another model": (V2, "V4-Flash is newer. It has more layers than V3."),
    "per device": (V2, "It has fewer heads than V3 per GPU."),
    "of a part": (V2, "The draft has more layers than V3."),
    "in one phase": (FLASH, "It has fewer layers than V3 in prefill."),
    "larger in its cache": (V2, "Per token, V2 is larger than V4-Flash."),
    "the cache of a model": (V41, "The cache of V4.1-Flash is smaller than V3."),
    "smaller by active parameters": (V41, "Counting active ones, V4.1-Flash is smaller than V3."),
    "context is a promise, not a field": (V2, "It has a longer context than V3."),
    "KV heads are one or 128 on latent attention": (V2, "It has more KV heads than V3."),
    "a factor of speed": (V2, "V2 is 2x smaller than V3."),
    "a cache in two engines": (V2, "The cache is the same in both."),
    "two formats": (V2, "V3 stands beside it; the cache is identical in the two formats."),
    "the same of something else": (V2, "The same kernels serve V2 and V3."),
    "dropped by an engine": (V2, "vLLM dropped the mscale."),
    "dropped from somewhere": (V2, "V3 dropped the latent from its report."),
    "a loss of a value": (V2, "V3 has no shared expert of width 2048."),
    "only the layers, of the cache": (V2, "V2 and V3 share the latent; only the layer count differs."),
    "only the layers, of the cache before": (V2, "V2 and V3 keep 576 scalars. Only the layer count differs."),
    "every field of a cache": (V2, "In the KV geometry of V2 and V3 every field agrees."),
    "the same experts, not as many": (V2, "It has the same experts as V3."),
    "the same vocabulary, padded": (V2, "It has the same vocabulary as V3."),
    "more than another activates": (V2, "It has more experts than V3 activates."),
    "larger with its tables": (V41, "V4.1-Flash is larger than V3."),
    "as large": (V3, "DeepSeek-V3 is larger than DeepSeek-V3."),
    "about twice": (V3, "It has about twice the routed experts of V2."),
    "gone from the page": (V2, "The mscale is missing in V3 of the table."),
    "the cache of a layer kind": (V2, "The KV cache of V2 is the same as V3's window."),
    "smaller in every plot": (V2, "The cache is smaller in every dimension than V3's."),
    "the geometry, up to the layers": (V2, "The KV geometry is identical in V2 and V3, up to their depth."),
    "the geometry, and the layers told": (
        V2,
        "The KV geometry is identical between V2 and V3; only the number of layers differs.",
    ),
    "a question": (V2, "Is V2 smaller than V3 in every axis?"),
    "a warning": (V2, "It is tempting to call V2 smaller than V3 in every axis."),
    "what someone says": (V2, "The founding record says that V3 dropped the mscale."),
    "bf16 against the checkpoint": (FLASH, "The bf16 total is larger than the checkpoint."),
    "the checkpoint against the count": (FLASH, "The fp8 checkpoint is smaller than 568 GB."),
    "bf16 for another count": (FLASH, "The bf16 total is smaller than 671B suggests."),
    "bf16, denied": (FLASH, "The bf16 total is not smaller than 284B suggests."),
    "bytes, which it is larger in": (FLASH, "The bf16 weights are larger than 284 GB."),
}
"""Nothing is said for certain, or nothing at all."""

WRONG = {
    "every axis": (V2, "V2 is smaller than V3 in every axis.", "`n_shared_experts` (2 against 1)"),
    "every axis, first": (V2, "In every axis larger than V3.", "equal are `num_attention_heads` (128 in both)"),
    "every axis, in the middle": (V2, "It is smaller in every axis than V3.", "`n_shared_experts` (2 against 1)"),
    "across the board": (V2, "V2 is smaller than V3 across the board.", "`n_shared_experts` (2 against 1)"),
    "every axis, of another": (V2, "V3 is larger than V2 in all dimensions.", "`n_shared_experts` (1 against 2)"),
    "a larger factor": (FLASH, "YaRN 16, a larger factor than V3's 40.", "`rope_scaling.factor` (16 against 40)"),
    "the other's value": (FLASH, "YaRN 16, a smaller factor than V3's 32.", "`rope_scaling.factor` (16 against 40)"),
    "more layers": (V2, "It has more layers than V3.", "`num_hidden_layers` (60 against 61)"),
    "two fewer": (V2, "It has two layers fewer than V3.", "`num_hidden_layers` (60 against 61)"),
    "three more": (V3, "It has 3 more layers than V2.", "`num_hidden_layers` (61 against 60)"),
    "three times": (V2, "It has three times as many shared experts as V3.", "`n_shared_experts` (2 against 1)"),
    "the same experts": (V2, "It has the same number of experts as V3.", "`n_routed_experts` (160 against 256)"),
    "its size": (V2, "Its hidden size is larger than V3's.", "`hidden_size` (5,120 against 7,168)"),
    "both values": (V2, "mscale is 1.0 here and 0.707 in V3.", "`rope_scaling.mscale` (0.707 against 1)"),
    "the model": (FLASH, "This model is larger than V3.", "284.3 billion parameters and DeepSeek-V3 671.0"),
    "only two fields": (V2, "V2 and V3 differ only in num_hidden_layers and hidden_size.", "`n_routed_experts` (160"),
    "only two fields, of a pair named before": (
        V2,
        "V2 and V3 share the latent. So only the layer count and the hidden size would have shown it.",
        "`first_k_dense_replace` (1 against 3)",
    ),
    "only fields that agree": (V2, "V2 and V3 differ in kv_lora_rank only.", "agree in `kv_lora_rank` (512 in both)"),
    "every field differs": (
        V2,
        "Its config is another than V3's: every field disagrees.",
        "`kv_lora_rank` (512 in both)",
    ),
    "every field agrees": (V2, "Beside V3 every field agrees.", "`num_hidden_layers` (60 against 61)"),
    "the geometry": (V2, "Same KV geometry as V3.", "60 layers and DeepSeek-V3 61, 69,120 and 70,272 B/token"),
    "the cache of one layer": (V2, "Per layer the cache is the same in V2 and V4-Flash.", "does not keep what"),
    "dropped": (V2, "V2 needed a temperature correction that V3 dropped.", "ln 40 + 1 = 1.369 (DeepSeek-V2: 0.1"),
    "dropped, told of it": (V2, "The mscale correction was dropped in V3.", "`rope_scaling.mscale` 1.0"),
    "the geometry, to the other's": (V2, "The KV geometry is identical to V3's.", "60 layers and DeepSeek-V3 61"),
    "the geometry of the one": (V2, "The KV geometry of V2 is the same as that of V3.", "60 layers and DeepSeek-V3 61"),
    "the geometry of both": (V2, "V2 and V3 have identical KV-cache geometry.", "60 layers and DeepSeek-V3 61"),
    "in bf16": (FLASH, "In bf16 the weights are smaller than 284B suggests.", "569 GB in bf16"),
    "has none": (V2, "V3 has no shared expert.", "`n_shared_experts` 1"),
    "bf16": (FLASH, "So the bf16 total is smaller than 284B suggests.", "569 GB in bf16"),
}


@pytest.mark.parametrize(("of", "text"), RIGHT.values(), ids=RIGHT)
def test_what_is_right_is_held_against_the_configs(bench: Reference, of: str, text: str) -> None:
    assert [each.holds for each in said(bench, of, text)] == [True]


@pytest.mark.parametrize(("of", "text"), LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_what_is_not_certain_is_left_alone(bench: Reference, of: str, text: str) -> None:
    assert all(each.holds is None for each in said(bench, of, text))


@pytest.mark.parametrize(("of", "text", "right"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_told_with_both_values(bench: Reference, of: str, text: str, right: str) -> None:
    (only,) = said(bench, of, text)
    assert only.holds is False
    assert right in only.right
    assert text[only.start : only.end].strip(" .") in text


def test_a_longer_name_is_another_model(bench: Reference) -> None:
    found = {
        text: [each.id for each in bench.names.mentions(text)] for text in ("V4.1-Flash", "V4-Flash's", "(V3)", "V3.2")
    }
    assert found == {"V4.1-Flash": [V41], "V4-Flash's": [FLASH], "(V3)": [V3], "V3.2": []}


def test_the_table_names_every_field_once(real: KnowledgeBase) -> None:
    table = SpokenFields.from_table(real.catalog.tables["spoken_fields"])
    keys = [key for field in table.fields for key in field.keys]
    words = [word.lower() for field in table.fields for word in field.words]
    assert len(set(keys)) == len(keys)
    assert len(set(words)) == len(words)
    assert all(real.keys.role(key.partition(".")[0]) is not None for key in keys)


def test_what_configs_say_of_real_models_is_never_called_false(real: KnowledgeBase) -> None:
    """Each model beside the next five: what is true of their layers and heads holds, and the opposite does not."""
    bench, notes = Reference.of(real), next(passages(real, Tally(), ("model",)))
    ids, verdicts = sorted(real.facts), []
    for one, two in [pair for step in range(1, 6) for pair in zip(ids, ids[step:], strict=False)]:
        for word, key in (("layers", "num_hidden_layers"), ("attention heads", "num_attention_heads")):
            here, there = (real.facts[id].config.get(key) for id in (one, two))
            if not isinstance(here, int) or not isinstance(there, int):
                continue
            title = real.catalog.records[two].title
            true, false = ("fewer", "more") if here < there else ("more", "fewer")
            for comparative, holds in ((true, True), (false, False)) if here != there else ((true, False),):
                text = f"It has {comparative} {word} than {title}."
                passage = replace(notes, record=real.catalog.records[one], text=replace(notes.text, value=text))
                verdicts += [(text, one, each.holds) for each in comparisons(passage, bench) if each.holds is not holds]
    ambiguous = [each for each in verdicts if each[2] is None]
    assert verdicts == ambiguous
    assert len(ambiguous) < 100, "a title that two models bear names neither"


def test_the_real_records_compare_models_and_all_of_it_holds(real: KnowledgeBase) -> None:
    bench = Reference.of(real)
    found = [
        (passage.record.id, passage.text.value[each.start : each.end], each.holds)
        for passage in passages(real, Tally())
        for each in comparisons(passage, bench)
    ]
    assert [each for each in found if each[2] is False] == []
    assert sum(each[2] is True for each in found) >= 1


CONCEPT = "records/concepts/tiny-latent.yaml"
OF_A_CONCEPT = {
    "silent: nobody is the subject": ("It has fewer layers than Tiny A.", None),
    "silent: right": ("Tiny A has fewer layers than Tiny B.", None),
    "a named subject": ("Tiny B has fewer layers than Tiny A.", "`num_hidden_layers` (5 against 4)"),
    "two named": ("Tiny A and Tiny B differ only in hidden_size.", "also differ in `num_hidden_layers` (4 against 5)"),
}


@pytest.mark.parametrize(("text", "right"), OF_A_CONCEPT.values(), ids=OF_A_CONCEPT)
def test_other_records_have_to_name_both_models(tiny: Base, text: str, right: str | None) -> None:
    definition = (tiny.root / CONCEPT).read_text(encoding="utf-8")
    found = tiny.lay({CONCEPT: definition.replace("|\n", f"|\n  {text}\n", 1)}).findings()
    assert [(each.code, each.location.line) for each in found] == ([("NUM411", 4)] if right else [])
    assert all(right in each.message for each in found if right)


def test_a_base_without_the_table_knows_no_words(audit: KnowledgeBase) -> None:
    bare = Reference(audit, Reference.of(audit).names, SpokenFields.from_table({}))
    fields = [said(bare, of, text) for of, text, right in WRONG.values() if right.startswith("`")]
    assert all(each.holds is None for found in fields for each in found)


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join))
def test_any_text_is_read_without_a_traceback(bench: Reference, text: str) -> None:
    for each in said(bench, V2, text):
        assert 0 <= each.start < each.end <= len(text)
