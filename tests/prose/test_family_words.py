"""Families and kernels in plain words (DRV303): silent rows first, each with its reason. Tiny A and B derive to mla."""

from __future__ import annotations

import pytest
from conftest import Base

from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.families.assignments import words_for
from generator.prose.reader import asserted

MODEL, ENGINE = "records/models/tiny-a.yaml", "records/engines/tiny-engine.yaml"
CONCEPT, GOTCHA = "records/concepts/tiny-latent.yaml", "records/gotchas/tiny-crash.yaml"
NOTES = "Keeps one latent row per token, see [[tiny-latent]]."

SILENT = {
    "its family": "This is an MLA model.",
    "its family with a kind of it": "This is a plain MLA model, as Tiny Works says.",
    "its family by its long name": "The model uses multi-head latent attention.",
    "a kernel that serves it": "REQUIRED KERNEL CLASS: an MLA decode kernel.",
    "the other kernel that serves it": "The required kernel is a GQA kernel with two widths.",
    "a word that is no family": "This is a latent model, and its family: latent ones.",
    "denied": "This is not a GQA model.",
    "denied before": "Nobody should write FAMILY=gqa here.",
    "called wrong before": "It is wrong that this is a GQA model.",
    "called wrong behind": "FAMILY=gqa is wrong.",
    "a trap": "The GQA reading is the trap.",
    "a trap, spelled as a label": "FAMILY=gqa was the trap.",
    "reported": "Some cards say: this is a GQA model.",
    "reported, past": "The model was said to have FAMILY=gqa.",
    "quoted": 'Its card had "FAMILY=gqa" in it.',
    "quoted with curled marks": "Its card had “this is a GQA model” in it.",
    "supposed": "If this is a GQA model, a calculator is right.",
    "supposed otherwise": "A calculator would print the figure of FAMILY=gqa.",
    "an example": "For example, FAMILY=gqa makes a calculator count heads.",
    "a condition that is checked": "The loader validates that the model uses GQA.",
    "asked": "Is it so that this is a GQA model?",
    "another model in the sentence": "Unlike it, Tiny B has FAMILY=gqa.",
    "another model, cited": "See [[tiny-b]]: family: gqa.",
    "another subject": "The encoder of the image part is a GQA model of its own.",
    "the kernels' family": "Engines send it to their GQA kernels.",
    "code that bears a name": "The model uses GQA kernels where an engine expands the latent.",
    "an engine's need": "The engine needs a GQA kernel for other models.",
    "a comparison": "A GQA model of this size keeps five times as much.",
    "a likeness": "In its absorbed form it is GQA-like.",
    "a library of a like name": "The required kernel is FlashGQA's.",
    "a range of families": "This is a GQA or MLA model by the flag that is set.",
    "a choice of families": "The family: `gqa`, `mla` or `mha`, as the config has it.",
    "a family of products": "A member of the GQA family of papers.",
    "a list of classes under their family": "MLA rows: TinyMlaForCausalLM, OtherForCausalLM.",
    "a list of classes that nobody has": "GQA rows: OtherForCausalLM, ThirdForCausalLM.",
    "a list that another label ends": "GQA rows: OtherForCausalLM; MLA rows: TinyMlaForCausalLM.",
    "a list with an exception": "GQA rows: OtherForCausalLM, but not TinyMlaForCausalLM.",
    "a list of two labels": "MLA and GQA rows: TinyMlaForCausalLM, OtherForCausalLM.",
    "a gloss that says better": "GQA rows: OtherForCausalLM, TinyMlaForCausalLM (MLA).",
    "what is no such row": "The rows that are not GQA models: TinyMlaForCausalLM.",
    "what is outside of a family": "Among non-GQA rows: TinyMlaForCausalLM.",
    "a reported list": "Its page once listed as GQA rows: TinyMlaForCausalLM.",
    "a class and its family": "`TinyMlaForCausalLM` is MLA with one row.",
    "a class and another's family": "TinyMlaForCausalLM is served beside GQA models.",
    "a class in a question": "TinyMlaForCausalLM as a GQA row?",
    "models under their family": "MLA models: Tiny A, [[tiny-b]].",
    "attention of a tower": "In the vision tower the attention is GQA.",
    "a kernel for something else": "For its draft model a GQA kernel is required, as CSA is.",
    "rows for whoever": "Its table has GQA rows for OtherForCausalLM and for MLA models, such as TinyMlaForCausalLM.",
    "a label before prose": "GQA models are served by TinyMlaForCausalLM's code too.",
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_silent(tiny: Base, text: str) -> None:
    assert tiny.edit(MODEL, NOTES, f"{NOTES} {text}").findings("DRV303") == []


FOUND = {
    "a label": ("FAMILY=gqa", "FAMILY=gqa", "tiny-a is said to be gqa; tiny-a derives to mla"),
    "a label in a sentence": ("The family is GQA", "family is GQA", "said to be GQA"),
    "a bold label": ("**Family:** gqa", "Family:** gqa", "said to be gqa"),
    "a label of attention": ("\n\n  Attention: GQA", "Attention: GQA", "said to be GQA"),
    "its long name": (
        "The model uses grouped-query attention (GQA)",
        "The model uses grouped-query attention (GQA)",
        "mla",
    ),
    "a kernel that is needed": (
        "Kernel class needed: a KDA kernel",
        "Kernel class needed: a KDA kernel",
        "need a kernel",
    ),
    "a kernel, first": ("\n\n  A KDA decode kernel is required", "A KDA decode kernel is required", "need a kernel"),
    "rows of an engine": ("The GQA rows of Tiny Engine are TinyMlaForCausalLM", "TinyMlaForCausalLM", "derive to mla"),
    "rows for a class": ("Its table has GQA rows for TinyMlaForCausalLM", "TinyMlaForCausalLM", "derive to mla"),
    "a sentence": ("This is a GQA model", "This is a GQA model", "said to be GQA"),
    "a sentence with its name": ("Tiny A is a dense GQA model", "Tiny A is a dense GQA", "said to be GQA"),
    "what it uses": ("The model uses grouped-query attention", "The model uses grouped-query attention", "mla"),
    "its kernel": (
        "REQUIRED KERNEL CLASS: a CSA decode kernel",
        "REQUIRED KERNEL CLASS: a CSA decode kernel",
        "kc-mla",
    ),
    "its kernel in a sentence": (
        "The required kernel is a KDA kernel",
        "required kernel is a KDA kernel",
        "need a kernel",
    ),
    "what it needs": ("This model needs a KDA decode kernel", "This model needs a KDA decode kernel", "kc-mla (latent"),
    "doubt in the clause after": ("FAMILY=gqa, which is not a variant of MLA", "FAMILY=gqa", "derives to mla"),
    "doubt in the sentence before": ("It is not new. FAMILY=gqa", "FAMILY=gqa", "derives to mla"),
    "a class in a list": ("GQA rows: OtherForCausalLM, TinyMlaForCausalLM", "TinyMlaForCausalLM", "derive to mla"),
    "a class in bullets": (
        "GQA models:\n\n  - OtherForCausalLM\n  - `TinyMlaForCausalLM`",
        "TinyMlaForCausalLM",
        "mla",
    ),
    "rows for a family": ("Rows for GQA are TinyMlaForCausalLM and OtherForCausalLM", "TinyMlaForCausalLM", "mla"),
    "a class alone": ("TinyMlaForCausalLM (Tiny A) as a GQA row", "TinyMlaForCausalLM", "tiny-a, tiny-b derive to mla"),
    "a model in a list": ("GQA models: [[tiny-b]] and others", "tiny-b", "tiny-b derives to mla"),
}


@pytest.mark.parametrize(("text", "words", "message"), FOUND.values(), ids=FOUND)
def test_found_in_place(tiny: Base, text: str, words: str, message: str) -> None:
    (found,) = tiny.edit(MODEL, NOTES, f"{NOTES}\n  So: x. {text}.").findings("DRV303")
    line = (tiny.root / MODEL).read_text("utf-8").splitlines()[found.location.line - 1]
    assert line[found.location.column - 1 : found.location.end_column - 1] == words
    assert message in found.message


@pytest.mark.parametrize("path", [ENGINE, CONCEPT, GOTCHA])
def test_lists_are_read_in_every_kind_of_record(tiny: Base, path: str) -> None:
    text = (tiny.root / path).read_text("utf-8")
    text = (
        text.replace("|\n", "|\n  GQA rows: TinyMlaForCausalLM.\n", 1)
        if "|\n" in text
        else (text.replace("why_null:", "notes: |\n  GQA rows: TinyMlaForCausalLM.\nwhy_null:"))
    )
    (found,) = tiny.lay({path: text}).findings("DRV303")
    assert found.message == "TinyMlaForCausalLM is said to be GQA; tiny-a, tiny-b derive to mla"


def test_what_a_correction_calls_wrong_is_left_alone(tiny: Base) -> None:
    text = (tiny.root / MODEL).read_text("utf-8")
    more = """\
corrections:
  - date: 2026-11-29
    wrong: |
      GQA rows: TinyMlaForCausalLM.
    right: |
      MLA.
    cite: "[[tiny-a-config]]"
"""
    assert tiny.lay({MODEL: text + more}).findings("DRV303") == []


def test_an_unknown_word_is_not_checkable(tiny: Base) -> None:
    before = tiny.judge().by_check["DRV303"]
    after = tiny.edit(MODEL, NOTES, f"{NOTES} The family: latent ones. GQA rows: OtherForCausalLM.").judge()
    assert after.by_check["DRV303"].not_checkable == before.not_checkable + 2


def test_words_for_families_are_given_to_families_that_exist(real: KnowledgeBase) -> None:
    assert all(row["called"] for row in real.catalog.tables["families"].values())
    words = words_for(real, "family")
    assert words["mla"] == ("mla", "mla_dsa", "kda_mla_hybrid")
    assert "mha" not in words_for(real, "kernel class")["mla"]
    assert "mla" not in words["gqa"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("So it is X. Not so Y.", True),
        ("It is X, but not Y.", True),
        ("It is X; nobody doubts it.", True),
        ("It isn't X.", False),
        ("It is X, or would be.", False),
        ("It is X?", False),
        ('They wrote "it is X".', False),
        ('They wrote "no" once; it is X.', False),
    ],
)
def test_what_is_said_outright(text: str, said: bool) -> None:
    start = text.index("X")
    assert asserted(text, start, start + 1) is said
