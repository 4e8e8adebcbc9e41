"""Numbers in prose that balance, and those that do not (NUM414). Silent rows first.

The config of Tiny A: 4 layers, hidden size 128, 8 heads, a latent of 32 with a rotary part of 8; it keeps 320 B/token.
"""

from __future__ import annotations

import pytest
from conftest import Base

from generator.findings import Finding

MODEL = "records/models/tiny-a.yaml"
NOTES = "Keeps one latent row per token, see [[tiny-latent]]."


def noted(tiny: Base, text: str) -> list[Finding]:
    indented = text.replace("\n", "\n  ")
    return tiny.edit(MODEL, NOTES, f"See [[tiny-latent]].\n\n  {indented}\n\n ").findings("NUM414", "SCH101", "NUM409")


BALANCED = {
    "an expression": "It has {{ config.num_hidden_layers }} layers.",
    "a field by its words": "It has 4 layers.",
    "in words": "It has four layers.",
    "a field by its key": "`kv_lora_rank` is 32.",
    "a field in code": "`num_hidden_layers: 4` stands in it.",
    "a key before it": "With a kv_lora_rank of 32 the row is short.",
    "a field of a cited model": "[[tiny-b]] has 5 layers.",
    "of a model that an expression names": "{{ model('tiny-b').kv.naive }} of 5 layers.",
    "a fact of a cited source": "The board has 80 GB ([[tiny-datasheet]]).",
    "the citation behind the sentence": "The board has 80 GB. [[tiny-datasheet]]",
    "the citation in another sentence of the bullet": "- The board has 80 GB.\n  So says [[tiny-datasheet]].",
    "an equation of fields": "4 layers × (32 + 8) × 2 bytes = 320 B.",
    "a chain of results": "4 × (32 + 8) × 2 = 320, and 320 × 2 = 640.",
    "the rest of an equation with a computed value": "4 × 80 = {{ kv.growth('bf16') }}.",
    "a conversion": "That is {{ kv.growth('bf16') }} (0.31 KiB/token).",
    "a factor of computed values": "{{ kv.naive }} is 12.8x {{ kv.growth('bf16') }}.",
    "an author's word": "About {{ said(10, 'a guess from one run') }} times as many sequences fit.",
    "a version, a date, a time": "Since 0.33.0 of 2026-10-05, at 12:30, in August 2025 and in 2026.",
    "a name": "FlashAttention 3 with CUDA 13.1 on compute capability 10.3 and SM100, as Mistral 7B.",
    "places": "Layers 2, 8 and 14, index 43, line 3.",
    "ordinals and one": "The 3rd layer, one of them, the second one, issue #12.",
    "types by their bits": "Keys in 8 bits or in 4- or 16-bit types.",
    "code": "Start it with `--block-size 128`.",
    "a block of code": "```sh\nserve --block-size 128\n```",
    "marks of a list and a heading": "## 2. Cache\n\n1. The first.\n2. The second.",
    "an address": "See https://example.org/7/8 for it.",
    "words that count nothing": "There are two ways to say it, and three reasons.",
    "a comment": "So it is. <!-- 17 layers -->",
    "a table of fields": "| field | value |\n|---|---|\n| num_hidden_layers | 4 |\n| kv_lora_rank | 32 |",
    "a table by its header": "| model | layers |\n|---|---|\n| this one | 4 |",
}

HERE = "nothing: cite where this stands, or compute it"
UNBALANCED = {
    "another value of a field": ("It has 5 attention heads.", "5", "`num_attention_heads` of this record is 4"),
    "by its key": ("Its `kv_lora_rank` is 64.", "64", "`kv_lora_rank` of this record is 32"),
    "in code": ("It says `num_hidden_layers: 6` there.", "6", "`num_hidden_layers` of this record is 4"),
    "a part has its own": ("The vision tower has 4 layers.", "4", HERE),
    "the field of a model that is named, not cited": ("Tiny B has 5 layers.", "5", "cite [[tiny-b]] beside it"),
    "this model's value for another one": ("Tiny B has 4 layers.", "4", "`num_hidden_layers` of tiny-b is 5"),
    "a value that another field has": ("It has 32 query heads.", "32", "`num_attention_heads` of this record is 4"),
    "a width that is not a count": ("All layers of 32 scalars.", "32", HERE),
    "nothing near": ("It serves 40 requests.", "40", HERE),
    "in words that count": ("It serves forty requests.", "forty", HERE),
    "a factor in words": ("It is twice the size.", "twice", HERE),
    "a range": ("It takes 12-16 GB.", "12", HERE),
    "a time": ("A step takes 120ms.", "120ms", HERE),
    "a percentage": ("It is off by 3 %.", "3 %", HERE),
    "a source of another bullet": ("- The board has 80 GB.\n- See [[tiny-datasheet]].", "80 GB", HERE),
    "a source that has another": ("The board has 96 GB ([[tiny-datasheet]]).", "96 GB", HERE),
    "an equation from nowhere": ("7 × 11 = 77.", "7", HERE),
    "a figure of the cache": ("It takes 321 B/token in bf16.", "321 B/token", "this model's is 320 B/token"),
    "of another model": ("It takes 400 B/token.", "400 B/token", "the figure of tiny-b (bf16)"),
    "a cell": ("| field | value |\n|---|---|\n| kv_lora_rank | 33 |", "33", ""),
}


@pytest.mark.parametrize("text", BALANCED.values(), ids=BALANCED)
def test_a_number_that_balances_is_silent(tiny: Base, text: str) -> None:
    assert [each.message for each in noted(tiny, text)] == []


@pytest.mark.parametrize(("text", "number", "told"), UNBALANCED.values(), ids=UNBALANCED)
def test_a_number_that_balances_with_nothing_is_reported_once(tiny: Base, text: str, number: str, told: str) -> None:
    (found,) = noted(tiny, text)
    assert (found.code, found.severity, found.data["number"]) == ("NUM414", "warning", number)
    assert told in found.message
    line = (tiny.root / MODEL).read_text("utf-8").splitlines()[found.location.line - 1]
    assert line[found.location.column - 1 :].startswith(number)


def test_what_an_arithmetic_check_reports_is_not_reported_again(tiny: Base) -> None:
    found = tiny.edit(MODEL, NOTES, "See [[tiny-latent]]: 7 × 11 = 78.").findings()
    assert [each.code for each in found] == ["NUM401"]


def test_a_waiver_excuses_it(tiny: Base) -> None:
    waiver = "waivers:\n  - {code: NUM414, reason: counted by hand, until: 2099-01-01}\nnotes: |\n"
    tiny.edit(MODEL, NOTES, "See [[tiny-latent]]. It serves 40 requests.").edit(MODEL, "notes: |\n", waiver)
    assert tiny.findings() == []


@pytest.mark.parametrize("inner", ["said(10)", "said('a', 'b')", "said(10, '')", "said(10, 'x', 'y')"])
def test_said_takes_a_number_and_a_reason(tiny: Base, inner: str) -> None:
    assert [each.code for each in noted(tiny, f"So {{{{ {inner} }}}} of them.")] == ["NUM409"]
