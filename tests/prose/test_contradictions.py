"""Records that contradict themselves: silent rows first."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import AUDIT, Base
from hypothesis import given
from hypothesis import strategies as st

from generator.checks.contract import Tally
from generator.checks.texts import passages
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.contradictions import Contradiction, Namesakes, contradictions

FLASH, V2 = "deepseek-v4-flash", "deepseek-v2"
A = "records/models/tiny-a.yaml"
NOTES = "Keeps one latent row per token, see [[tiny-latent]]."


@pytest.fixture(scope="module")
def audit() -> KnowledgeBase:
    return Base(AUDIT).read()


def found(kb: KnowledgeBase, of: str, *texts: str) -> list[Contradiction]:
    """What is found in a model's record whose notes are these paragraphs."""
    notes = next(each for each in passages(kb, Tally(), ("model",)) if each.record.id == of)
    text = replace(notes.text, value="\n\n".join(texts))
    return list(contradictions(kb, [replace(notes, text=text)], Namesakes.of(kb)))


RIGHT_LAYERS = "Of the ratios, layers 0-1 have ratio 0, layers 2-42 alternate 4 and 128."
WRONG_LAYERS = "Of the ratios, layers 0-2 have ratio 0, layers 3-41 alternate 4 and 128, layer 42 has ratio 0."

SILENT = {
    "layers and counts that agree": (FLASH, RIGHT_LAYERS, "It has 2 sliding / 21 CSA / 20 HCA over 43."),
    "only the counts are wrong, which is told": (FLASH, RIGHT_LAYERS, "It has 3 sliding / 21 CSA / 20 HCA over 43."),
    "only the layers are wrong, which is told": (FLASH, WRONG_LAYERS, "It has 2 sliding, 21 CSA and 20 HCA layers."),
    "both wrong in the same way": (FLASH, WRONG_LAYERS, "It has 4 sliding / 20 CSA / 19 HCA over 43."),
    "some layers are not told": (FLASH, "Layers 0-1 have ratio 0.", "It has 3 sliding / 21 CSA / 20 HCA over 43."),
    "the counts of another model": (FLASH, WRONG_LAYERS, "V3 would have 3 sliding / 21 CSA / 20 HCA over 43."),
    "the counts of another depth": (FLASH, WRONG_LAYERS, "Pro has 1 sliding / 30 CSA / 31 HCA over 62."),
    "an open phrase gives way": (
        FLASH,
        "Of the ratios, layers 0-1 have ratio 0, from layer 2 onward (4,128,4,...), layer 42 has ratio 4.",
        "It has 3 sliding / 21 CSA / 20 HCA over 43.",
    ),
    "no word of ratios": (FLASH, "Layers 0-1 take 0 seconds.", "It has 3 sliding / 21 CSA / 20 HCA over 43."),
    "counts that are denied": (FLASH, WRONG_LAYERS, "It does not have 3 sliding / 21 CSA / 20 HCA over 43."),
    "counts that others gave": (FLASH, WRONG_LAYERS, "Some notes claimed 3 sliding / 21 CSA / 20 HCA over 43."),
    "layers that others told": (
        FLASH,
        "Of the ratios, notes say that layers 0-2 have ratio 0, layers 3-41 alternate 4 and 128, layer 42 has ratio 0.",
        "It has 3 sliding / 21 CSA / 20 HCA over 43.",
    ),
    "one reason twice": (
        FLASH,
        "kv_bytes_per_token is null because there is no kv_lora_rank.",
        "It is not derivable: the field kv_lora_rank is absent.",
    ),
    "two reasons for two fields": (
        FLASH,
        "kv_bytes_per_token is null because there is no kv_lora_rank.",
        "state_bytes is null because it needs modeling code.",
    ),
    "a reason of no known kind": (
        FLASH,
        "kv_bytes_per_token is null because there is no kv_lora_rank.",
        "kv_bytes_per_token is null for good measure.",
    ),
    "a reason of two kinds at once": (
        FLASH,
        "kv_bytes_per_token is null because there is no kv_lora_rank.",
        "kv_bytes_per_token is null: no source says it, and the modeling code is closed.",
    ),
    "not derivable, but what": (FLASH, "It is not derivable: it needs modeling code.", "There is no kv_lora_rank."),
    "the reason of another model": (
        FLASH,
        "kv_bytes_per_token is null because there is no kv_lora_rank.",
        "In V3 kv_bytes_per_token is null because no source says it.",
    ),
    "the config's value": (FLASH, "sliding_window is 128, index_topk 512, num_hash_layers 3."),
    "the config's value in digit groups": (V2, "`max_position_embeddings` is 163,840."),
    "the config's value with decimals": (FLASH, "`rope_theta` is 10000.0."),
    "another model's value": (V2, "`num_hidden_layers` is 61 in V3."),
    "another model's value, cited": (V2, "[[deepseek-v3]] has `num_hidden_layers` 61."),
    "both values": (V2, "`num_hidden_layers` (60 and 61) tells them apart."),
    "a value in a formula": (V2, "num_hidden_layers 60 × 576, kv_lora_rank 512 + 64, qk_rope_head_dim 64 of 192."),
    "a value that is denied": (V2, "`kv_lora_rank` is not 576, and never `kv_lora_rank` 640."),
    "what would be": (V2, "With `kv_lora_rank` 256 the cache would be half."),
    "what an engine sets": (
        V2,
        "vLLM sets `num_key_value_heads` to 1, so `num_key_value_heads` is 1 there when it runs.",
    ),
    "a class default": (V2, "The default `num_hidden_layers` is 32."),
    "the value of a draft": (V2, "Its draft has `num_hidden_layers` 1."),
    "an option, not a field": (V2, "`block_size` 64 fails; `block_size` 128 works."),
    "a word that is longer": (V2, "`my_kv_lora_rank` 64 and `kv_lora_rank_x` 64."),
    "a percentage": (V2, "`kv_lora_rank` 10% of it."),
    "a quotation": (V2, 'Some wrote "`kv_lora_rank` is 64" there.'),
    "a list in the config": (FLASH, "`compress_ratios` is 4."),
    "a width of something": (V2, "`head_dim` is 192 for keys, and `v_head_dim` 192 in memory."),
    "what was": (V2, "`kv_lora_rank` was 64."),
}


@pytest.mark.parametrize("row", SILENT.values(), ids=SILENT)
def test_silent(audit: KnowledgeBase, row: tuple[str, ...]) -> None:
    assert [each.message for each in found(audit, *row)] == []


FOUND = {
    "layers and counts, both wrong": (
        (FLASH, WRONG_LAYERS, "Flash has 3 sliding / 21 CSA / 20 HCA over 43."),
        "Flash has 3 sliding / 21 CSA / 20 HCA over 43",
        "make 4 / 20 / 19 with ratio 0 / 4 / 128",
    ),
    "what the config has": (
        (FLASH, WRONG_LAYERS, "Flash has 3 sliding, 21 CSA and 20 HCA."),
        "Flash has 3 sliding, 21 CSA and 20 HCA",
        "by the config they are",
    ),
    "two kinds of reasons": (
        (
            FLASH,
            "kv_bytes_per_token remains NULL because there is no kv_lora_rank.",
            "It is not derivable to a single number: it needs overlap accounting in modeling code.",
        ),
        "is not derivable to a single number",
        "elsewhere because a field of the config is absent",
    ),
    "prose and config": (
        (V2, "The latent is narrow: `kv_lora_rank` is 576."),
        "`kv_lora_rank` is 576",
        "576 here and 512 in this record's config",
    ),
    "prose and config, without a verb": (
        (FLASH, "It has sliding_window 256, index_topk 512."),
        "sliding_window 256",
        "256 here and 128 in this record's config",
    ),
    "twice in prose": (
        (V2, "Its n_group is 8.", "Its n_group is 4."),
        "n_group is 4",
        "4 here and 8 elsewhere in this record",
    ),
}


@pytest.mark.parametrize(("row", "place", "message"), FOUND.values(), ids=FOUND)
def test_found_once_and_in_place(audit: KnowledgeBase, row: tuple[str, ...], place: str, message: str) -> None:
    (only,) = found(audit, *row)
    assert only.place.words == place
    assert message in only.message


def test_both_places_are_told(audit: KnowledgeBase) -> None:
    (only,) = found(audit, FLASH, WRONG_LAYERS, "Flash has 3 sliding / 21 CSA / 20 HCA over 43.")
    assert [place.words for place, _ in only.others] == [
        "layers 0-2 have ratio 0",
        "layer 42 has ratio 0",
        "layers 3-41 alternate 4 and 128",
    ]


def test_a_record_without_such_a_list_is_held_against_itself(tiny: Base) -> None:
    told = "Of the ratios, layers 0-1 have ratio 0, layers 2-3 have ratio 4."
    count = "It has 2 sliding / 2 CSA of 4."
    assert tiny.edit(A, NOTES, f"{NOTES}\n  {told}\n  {count}").findings() == []
    (only,) = tiny.edit(A, count, "It has 1 sliding / 3 CSA of 4.").findings()
    assert only.code == "NUM412"
    assert "make 2 / 2 with ratio 0 / 4" in only.message
    assert len(only.related) == 2


def test_prose_is_held_against_why_null(tiny: Base) -> None:
    b = "records/models/tiny-b.yaml"
    tiny.edit(b, "why_null:", "notes: |\n  Here `released` is null because there is no kv_lora_rank.\nwhy_null:")
    (only,) = tiny.findings()
    assert only.message == (
        "`released` is null here because a field of the config is absent, and `why_null` says: no source states the day"
    )
    assert tiny.edit(b, "because there is no kv_lora_rank", "because no page gives it").findings() == []


def test_the_real_records_do_not_contradict_themselves(real: KnowledgeBase) -> None:
    names = Namesakes.of(real)
    read = list(passages(real, Tally(), ("model",)))
    assert len(read) >= 20
    assert [each for passage in read for each in contradictions(real, [passage], names)] == []


PIECES = [
    *(
        "layers 0-2",
        "layer 42",
        "first three layers",
        "ratio 0",
        "ratios",
        "alternate 4 and 128",
        "from index 3 onward",
    ),
    *("(4,128,4,...)", "3 sliding / 21 CSA / 20 HCA", "over 43", "of 0", "`n_group`", "is", "=", "64", "1e9", "null"),
    *(
        "because",
        "there is no kv_lora_rank",
        "is not derivable",
        "needs modeling code",
        "no source says",
        ".",
        "V3",
        "(",
    ),
    *("99999999", "layers 5-1", "last 9999 entries", "has", "have", "\n\n", "kv_bytes", "remains NULL"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join))
def test_any_text_is_read_without_a_traceback(audit: KnowledgeBase, text: str) -> None:
    for each in found(audit, FLASH, text):
        assert each.place.words
        assert 0 <= each.place.start < each.place.end <= len(text)
