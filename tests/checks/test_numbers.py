"""Numbers in prose: the audited notes, small changes to the tiny base, and computed values. Silent rows first."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import AUDIT, Base

from generator.checks.contract import Tally
from generator.checks.texts import passages
from generator.findings import Finding
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.expressions.filled_text import filled
from generator.prose.reader import read

PROSE = ("DRV303", "DRV308", "NUM401", "NUM402", "NUM403", "NUM404", "NUM407", "NUM413")
FLASH, V2 = "records/models/deepseek-v4-flash.yaml", "records/models/deepseek-v2.yaml"
V41 = "records/models/deepseek-v4-1-flash.yaml"
SIBLING = "deepseek-v3"

AUDITED = [
    # row of the audit, file, code, the words that are wrong, what the message must say
    ("1", FLASH, "NUM403", "length 43", "44 entries: 43 layers + 1"),
    ("3", FLASH, "NUM403", "Layers 0-1 ratio 0 (uncompressed", "a window of 128 tokens and nothing that grows"),
    ("3", FLASH, "NUM403", "first layer is uncompressed", "a window of 128 tokens and nothing that grows"),
    ("4", FLASH, "NUM403", "Layer 2 ratio 0", "layer 2 has 4"),
    ("4", FLASH, "NUM403", "indices 1-2 are 0", "layer 2 has 4"),
    ("5", FLASH, "NUM403", "layers 3-41 alternate 4 and 128", "4 and 128 alternate in layers 2 to 42"),
    ("5", FLASH, "NUM403", "index 3 onward (4,128,4", "4 and 128 alternate in layers 2 to 42"),
    ("6", FLASH, "NUM403", "layer 42 ratio 0", "layer 42 has 4"),
    ("6", FLASH, "NUM403", "last index (42) back to 0", "layer 42 has 4"),
    ("7", FLASH, "NUM403", "128 every 5th layer", "every second layer; the 43 layers hold 20 of 128"),
    ("8", FLASH, "NUM403", "3 sliding / 21 CSA / 20 HCA over 43", "2 sliding, 21 CSA, 20 HCA"),
    ("9", FLASH, "NUM403", "1 / 30 / 31 over 61", "1 + 30 + 31 = 62"),
    ("15", FLASH, "DRV308", "num_hash_layers 3 is paired with the KV ratios", "choose their experts by a table"),
    ("15", FLASH, "DRV308", "`num_hash_layers`.", "follows from `head_dim`, `index_head_dim`, `num_hidden_layers`"),
    (
        "39",
        FLASH,
        "DRV308",
        "expert_dtype fp4, hc_mult 4, o_lora_rank 1024 show a compressed/quantized cache",
        "`expert_dtype` (number format of the experts' weights, or of the router; nothing of them is cached)",
    ),
    ("46", FLASH, "DRV303", "FAMILY=mla", "deepseek-v4-flash derives to csa_hca"),
    ("47", FLASH, "DRV303", "Required kernel: an MLA decode kernel", "kc-v4 (compressed sparse attention (V4))"),
    ("54", FLASH, "DRV303", "Glm4MoeForCausalLM", "glm-4-7 derives to gqa (8 KV heads)"),
    ("73, 83", FLASH, "NUM407", "Kernel constraints, the same for every record of this kind.", "deepseek-v2"),
    ("81", FLASH, "DRV308", "SWA entry is the compressed/hashed KV", "it keeps the last 128 tokens as they are"),
    ("86", V2, "NUM404", "58x", "56.9x"),
    ("133", V41, "NUM413", "is about ,", "551.6 billion"),
    ("133", V41, "NUM413", "has layers in total", "`num_hidden_layers` 40"),
    ("133", V41, "NUM413", "hidden size: ,", "`hidden_size` 5120"),
    ("133", V41, "NUM413", "vocabulary: ,", "`vocab_size` 129280"),
    ("133", V41, "NUM413", "heads: .", "`num_attention_heads` 64"),
    ("133", V41, "NUM413", "activates of parameters per token", "billion are active"),
]
"""Every row that is wrong and falls to these checks; all else in tests/bases/audit is right, and must raise nothing."""

UNBALANCED = [
    ("28", FLASH, "NUM414", "16.0 B/token/layer", "8 (bf16)"),
    ("32", FLASH, "NUM414", "68.6 KiB/token", SIBLING),
    ("88", V2, "NUM414", "68.6 KiB/token", SIBLING),
    ("26", V2, "NUM414", "3,932,160 B/token of", "this model's is 69,120 B/token in bf16"),
]
"""Figures of the whole cache that balance with nothing: whose they are, and what this model's is."""


@pytest.fixture(scope="module")
def whole() -> list[Finding]:
    return Base(AUDIT).findings(*PROSE, "NUM414")


@pytest.fixture(scope="module")
def audited(whole: list[Finding]) -> list[Finding]:
    return [each for each in whole if each.code != "NUM414"]


@pytest.mark.parametrize(("row", "path", "code", "words", "right"), AUDITED, ids=[f"{r[0]} {r[3]}" for r in AUDITED])
def test_audited_mistakes_are_found_in_their_place(
    audited: list[Finding], row: str, path: str, code: str, words: str, right: str
) -> None:
    lines = (AUDIT / path).read_text(encoding="utf-8").splitlines()
    ((line, column),) = [(at, text.index(words) + 1) for at, text in enumerate(lines, 1) if words in text]
    here = [
        each
        for each in audited
        if (each.location.path, each.location.line, each.location.column) == (path, line, column)
    ]
    assert [each.code for each in here] == [code]
    assert right in here[0].message


@pytest.mark.parametrize(("row", "path", "code", "words", "right"), UNBALANCED, ids=[r[3] for r in UNBALANCED])
def test_audited_figures_that_balance_with_nothing(
    whole: list[Finding], row: str, path: str, code: str, words: str, right: str
) -> None:
    test_audited_mistakes_are_found_in_their_place(whole, row, path, code, words, right)


def test_no_number_is_told_twice(whole: list[Finding]) -> None:
    places = [(each.location.path, each.location.line, each.location.column) for each in whole]
    assert len(places) == len(set(places))


def test_audited_statements_that_are_right_are_silent(audited: list[Finding]) -> None:
    assert len(audited) == len(AUDITED), [str(each) for each in audited]


def test_the_audited_records_are_read_whole() -> None:
    """Silence counts only where something was read."""
    kb = Base(AUDIT).read()
    true = sum(
        each.holds is True for passage in passages(kb, Tally()) for each in read(passage.text.value, passage.names)
    )
    assert true >= 10
    assert all(facts.geometry for facts in kb.facts.values())


# --- the real base --------------------------------------------------------------------------------------------------


def test_the_real_records_state_their_figures_and_all_of_them_hold(real: KnowledgeBase) -> None:
    statements = [
        (passage.record.id, passage.text.value[each.start : each.end], each.holds)
        for passage in passages(real, Tally())
        for each in read(passage.text.value, passage.names)
    ]
    assert [each for each in statements if each[2] is False] == []
    assert sum(each[2] is True for each in statements) >= 30


# --- one change to the tiny base ------------------------------------------------------------------------------------

A, ENGINE, CONCEPT = (
    "records/models/tiny-a.yaml",
    "records/engines/tiny-engine.yaml",
    "records/concepts/tiny-latent.yaml",
)
NOTES = "Keeps one latent row per token, see [[tiny-latent]]."

SILENT = {
    "another model's figure in a sentence that names it": "Tiny B keeps 400 B/token.",
    "another model's figure in a sentence that cites it": "It is 400 B/token in [[tiny-b]].",
    "the next sentence says whose it is": "Some read 400 B/token. That is Tiny B's figure.",
    "this model's figure under another layout": "An fp8 row makes it 176 B/token.",
    "what a calculator would say": "Calculators print 2,048 B/token.",
    "one entry": "An entry has 80 bytes per token.",
    "nobody's figure": "It would be 401 B/token.",
    "too few digits to be anybody's": "Below 0.4 KiB/token.",
    "a config value of another model": "Tiny B: num_hidden_layers × (32 + 8) × 2 = 400.",
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT.keys())
def test_silent(tiny: Base, text: str) -> None:
    assert tiny.edit(A, NOTES, f"{NOTES} {text}").findings(*PROSE) == []


FOUND = {
    "a product": ("4 × 40 × 2 = 400 B/token", "NUM401", "400 B/token", "tiny-b (bf16)"),
    "a product of config values": ("num_hidden_layers × 40 × 2 = 400", "NUM401", "400", "320"),
    "a conversion": ("16,384 B (15 KiB)", "NUM402", "15 KiB", "16 KiB"),
    "a partition": ("1 dense and 4 sparse of 4 MLPs", "NUM403", "1 dense and 4 sparse of 4", "5"),
    "a factor": ("80 bytes is 5x smaller than 320 bytes", "NUM404", "5x", "4x"),
    "a factor of the model's own figure": ("25 times less than 8,192 B/token", "NUM404", "25 times", "25.6"),
}


@pytest.mark.parametrize(("text", "code", "words", "right"), FOUND.values(), ids=FOUND.keys())
def test_found_once_and_in_place(tiny: Base, text: str, code: str, words: str, right: str) -> None:
    (finding,) = tiny.edit(A, NOTES, f"{NOTES}\n  So: {text}.").findings(*PROSE)
    line = (tiny.root / A).read_text(encoding="utf-8").splitlines()[finding.location.line - 1]
    assert finding.code == code
    assert line[finding.location.column - 1 : finding.location.end_column - 1] == words
    assert right in finding.message


def test_the_second_of_two_equal_figures_is_found_in_its_place(tiny: Base) -> None:
    (finding,) = tiny.edit(A, NOTES, f"{NOTES}\n  5 × 40 × 2 = 400, and 4 × 40 × 2 = 400.").findings("NUM401")
    assert finding.location.column == len("  5 × 40 × 2 = 400, and 4 × 40 × 2 = ") + 1


def test_what_a_correction_calls_wrong_is_left_alone(tiny: Base) -> None:
    b = "records/models/tiny-b.yaml"
    assert tiny.edit(b, "have the 4 layers of", "have 2 × 3 = 5 layers, like").findings(*PROSE) == []
    right = "It has {{ config.num_hidden_layers }}."
    assert [each.code for each in tiny.edit(b, right, "It has 2 × 3 = 5.").findings(*PROSE)] == ["NUM401"]


@pytest.mark.parametrize("path", [CONCEPT, "records/gotchas/tiny-crash.yaml"])
def test_prose_of_other_kinds_is_read(tiny: Base, path: str) -> None:
    text = (tiny.root / path).read_text(encoding="utf-8").replace("|\n", "|\n  2 × 3 = 5.\n", 1)
    assert [each.location.line for each in tiny.lay({path: text}).findings(*PROSE)] == [4 if path == CONCEPT else 7]


def test_names_by_which_prose_knows_a_model(real: KnowledgeBase) -> None:
    assert {"DeepSeek-V3", "V3", "deepseek-v3"} <= real.names.of["deepseek-v3"]
    assert real.names.mentioned("V3's layers above V2's", "deepseek-v2") == {"deepseek-v3"}
    assert real.names.mentioned("only V3.2 and DeepSeek-V3-like ones", "deepseek-v2") == {"deepseek-v3-2"}


# --- pasted paragraphs ----------------------------------------------------------------------------------------------

PARAGRAPH = """\
  Keys and values of all heads are made from one row per token, so the cache holds that row and nothing else;
  decoding multiplies the projections into the query and the output, and every head then reads the same row of the
  same layer, whatever the number of heads is, on every device that this engine runs on.
"""


def pasted(tiny: Base, path: str, paragraph: str = PARAGRAPH) -> Base:
    """The base with a paragraph more in the notes of a record, which stand at its end or are not there yet."""
    text = (tiny.root / path).read_text(encoding="utf-8")
    return tiny.lay({path: text + ("\n" if "\nnotes: |\n" in text else "notes: |\n") + paragraph})


def test_a_copied_paragraph_is_told_once(tiny: Base) -> None:
    (finding,) = pasted(pasted(tiny, A), ENGINE).findings(*PROSE)
    assert finding.code == "NUM407"
    assert finding.location.path == ENGINE
    assert [each.location.path for each in finding.related] == [A]


def test_the_copy_cites_the_shared_record_that_has_it(tiny: Base) -> None:
    (finding,) = pasted(pasted(tiny, A), CONCEPT).findings(*PROSE)
    assert finding.location.path == A
    assert "cite [[tiny-latent]]" in finding.message


def test_the_record_whose_subject_it_speaks_of_is_named(tiny: Base) -> None:
    about = PARAGRAPH.replace("one row per token", "latent rows, one per token")
    (finding,) = pasted(pasted(tiny, A, about), ENGINE, about).findings(*PROSE)
    assert "perhaps [[tiny-latent]]" in finding.message


def test_a_copy_with_some_words_changed_is_found(tiny: Base) -> None:
    changed = PARAGRAPH.replace("whatever the number of heads is", "however many heads there are")
    assert [each.code for each in pasted(pasted(tiny, A), ENGINE, changed).findings(*PROSE)] == ["NUM407"]


@pytest.mark.parametrize(
    "other",
    ["\n".join(PARAGRAPH.splitlines()[:1]) + "\n", "  " + " ".join(f"word{at}" for at in range(60)) + "\n"],
    ids=["a short one", "another one"],
)
def test_other_paragraphs_are_silent(tiny: Base, other: str) -> None:
    assert pasted(pasted(tiny, A), ENGINE, other).findings(*PROSE) == []


def test_three_copies_are_one_finding(tiny: Base, tmp_path: Path) -> None:
    shutil.copy(tiny.root / ENGINE, tiny.root / "records/engines/tiny-other.yaml")
    pasted(pasted(pasted(tiny, A), ENGINE), "records/engines/tiny-other.yaml")
    (finding,) = tiny.findings("NUM407")
    assert len(finding.related) == 2


# --- expressions: each is a number, in its own record and where its text is included ---------------------------------

MODEL = "records/models/tiny-a.yaml"
OTHER = "records/models/tiny-b.yaml"
IDEA = "records/concepts/tiny-latent.yaml"
WHOLE_NOTES = "notes: |\n  Keeps one latent row per token, see [[tiny-latent]]. The page is not meant for `[[code]]`.\n"
G, NAIVE = "{{ kv.growth('bf16') }}", "{{ kv.naive }}"  # 320 and 4,096 B/token
LINK = "\n\n  See [[tiny-latent]].\n"

READ = {
    "silent: a product and its value": (f"4 × (32 + 8) × 2 = {G}.", None),
    "silent: the value first": (f"{G} = 4 × (32 + 8) × 2.", None),
    "silent: a chain": (f"4 × 80 = {G} = 8 × 40.", None),
    "silent: a quotient of values": (f"{NAIVE} / {G} = {{{{ kv.naive / kv.growth('bf16') | round(1) }}}}.", None),
    "silent: a factor": (f"{NAIVE} is 12.8x {G}.", None),
    "silent: a value in two units": (f"{G}, or {{{{ kv.growth('bf16') | kib }}}}.", None),
    "silent: layers and a product": (f"{{{{ kv.layers.full }}}} layers × 80 = {G}.", None),
    "silent: no value, which NUM409 tells": ("Here `4 × 81 = {{ kv.nothing }}`.", None),
    "silent: in code": (f"Here `4 × 81 = {G}`.", None),
    "a wrong product": (f"5 × (32 + 8) × 2 = {G}.", ("NUM401", G, "is 320 B/token, and 5 × (32 + 8) × 2 gives 400")),
    "a wrong result of a value": (f"{G} × 2 = 650 B/token.", ("NUM401", "650 B/token", "the right value is 640")),
    "two values in a row": (f"{G} + {G} = 650 B/token.", ("NUM401", "650 B/token", "the right value is 640")),
    "a wrong conversion": (f"{G}, or 0.35 KiB.", ("NUM402", "0.35 KiB", "the right value is 0.31")),
    "a wrong factor": (f"The naive formula gives {NAIVE}, 13.8x the {G}.", ("NUM404", "13.8x", "12.8")),
}


@pytest.mark.parametrize(("text", "told"), READ.values(), ids=READ)
def test_the_reader_takes_an_expression_as_a_number(tiny: Base, text: str, told: tuple[str, str, str] | None) -> None:
    found = tiny.edit(MODEL, WHOLE_NOTES, f"notes: |\n  {text}{LINK}").findings()
    if told is None:
        assert found == []
        return
    code, place, message = told
    assert [each.code for each in found] == [code]
    assert message in found[0].message
    assert (found[0].location.line, found[0].location.column) == (20, 3 + text.rindex(place))


INCLUDE = "{{ include('tiny-latent#per_model') }}"


def share(tiny: Base, text: str) -> Base:
    tiny.edit(IDEA, "families: [mla]", f"per_model: |\n  {text}\nfamilies: [mla]")
    tiny.edit(MODEL, WHOLE_NOTES, f"notes: |\n  {INCLUDE}\n")
    return tiny.lay({OTHER: (tiny.root / OTHER).read_text() + f"notes: |\n  {INCLUDE}\n"})


def test_an_included_text_holds_for_each_model(tiny: Base) -> None:
    assert share(tiny, "{{ config.num_hidden_layers }} layers × 80 = {{ kv.growth('bf16') }}.").findings() == []


def test_where_it_does_not_hold_for_a_model_the_include_is_told(tiny: Base) -> None:
    (found,) = share(tiny, "4 layers × 80 = {{ kv.growth('bf16') }}.").findings()
    assert (found.code, found.record, found.location.path) == ("NUM401", "tiny-b", OTHER)
    assert found.message.startswith(
        "in tiny-latent#per_model, with the figures of this model: `kv.growth('bf16')` is 400"
    )
    assert found.related[0].location.path == IDEA


def test_a_text_without_figures_of_a_model_is_read_once_in_its_own_record(tiny: Base) -> None:
    (found,) = share(tiny, "4 × 80 = 330 B/token.").findings()
    assert (found.code, found.record, found.location.path) == ("NUM401", "tiny-latent", IDEA)


def test_what_is_false_without_a_models_figures_is_told_where_it_stands(tiny: Base) -> None:
    (found,) = share(tiny, "It grows by {{ kv.growth('bf16') }}, and 4 × 80 = 330 B/token.").findings()
    assert (found.code, found.record, found.location.path) == ("NUM401", "tiny-latent", IDEA)


def test_what_is_false_for_every_model_is_one_mistake(tiny: Base) -> None:
    (found,) = share(tiny, "So wide: 7 × 11 = {{ kv.growth('bf16') }}.").findings()
    assert (found.code, found.record, found.location.path) == ("NUM401", "tiny-latent", IDEA)
    assert (found.location.line, found.location.column) == (6, 21)
    assert "on every page that includes this text, such as tiny-a: `kv.growth('bf16')` is 320" in found.message


def test_the_way_back_to_what_was_typed(tiny: Base) -> None:
    kb = tiny.read()
    text = f"a {G} b {{{{ nothing }}}} {NAIVE} c"
    read = filled(kb, kb.catalog.records["tiny-a"], text)
    assert read.value == "a 320 B/token b {{ nothing }} 4,096 B/token c"
    for word in ("a ", " b", "{{ nothing", " c"):
        assert read.typed(read.value.index(word)) == text.index(word)
    for inside in ("320", "B/token"):
        assert read.typed(read.value.index(inside)) == text.index(G)
    assert read.expression(0, 2) is None
    assert str(read.expression(0, 3).raw if read.expression(0, 3) else "") == G
