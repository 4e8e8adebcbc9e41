"""Damaged prose: silent rows first, then what is found, and with which value of the config."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from conftest import Base
from hypothesis import given
from hypothesis import strategies as st

from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.damage import damages

A = "records/models/tiny-a.yaml"
NOTES = "Keeps one latent row per token, see [[tiny-latent]]."

SILENT = {
    "a preposition at the end": "That is what the check is about, and what it is made of.",
    "a count": "It has 40 layers in total, of which 3 are dense.",
    "the number of": "The number of layers in total is 40, and of parameters per token 13 billion.",
    "consists of": "The backbone consists of layers, and a cache holds entries of tokens.",
    "labels with values": "hidden size: 5120, heads: 64, vocabulary: 129,280.",
    "a label before a list": "Values:\n\n- layers: 40\n- heads: 64",
    "a colon before a sentence": "Two things matter: layers and heads.",
    "code that looks like a gap": 'Write `a , b` or `x = ,` and `%s` in `log("%s", name)`.',
    "a fence": "So:\n\n```\nprint('%s' % x , (\n```\n\nDone.",
    "a quoted placeholder": 'The pattern "%s" is filled by the engine.',
    "per cent": "It saves 5 %, or 10% so to speak.",
    "dots of a sequence": "The ratios are (4, 128, 4, ...), and so on.",
    "dots that go on": "The list goes on … with the rest of them.",
    "a half-open interval": "Tokens of [0, 128) are in the window, (128, 256] are not.",
    "an interval in words": "Positions [begin, end) are kept.",
    "enumerated in the text": "There are a) layers and b) heads.",
    "brackets over paragraphs": "A remark (which is long\n\nand goes on here).",
    "nested brackets": "It has (512 + 64 (rotary)) scalars.",
    "an inch": 'A 19" rack takes it.',
    "a quoted number": 'The value "10" is text.',
    "an address in quotation marks": 'It is at "https://example.org/a" or so.',
    "quotation marks": 'They say "so" and “thus”.',
    "a bracket in a link": "See [the list](https://example.org/a_(b)) for it.",
    "a citation in brackets": "It is cited ([[tiny-latent]]).",
    "the plural of a citation": "All [[tiny-latent]]s of [[tiny-a]]'s kind.",
    "a citation at the end of a sentence": "So says [[tiny-latent]]. The rest follows.",
    "counts of something": "All counts here are of parameters, none is of bytes.",
    "what it is": "no source says how large it is",
    "and/or": "It serves the one and/or.",
    "an enumeration that goes on": "The ratios are 4, 128, 4, ...",
    "that that": "He says that that is it, and had had enough.",
    "in in": "It comes in in pairs, and is turned on on demand.",
    "a word again after a stop": "What it is for. For example, this.",
    "a word again in another line": "- of\n- of",
    "an expression": "It keeps {{ kv.growth('bf16') }}, that is all.",
    "a name with dots": "torch.nn and config.json, e.g. these, i.e. those.",
    "a file with a dot": "It stands in .gitignore, and in .env files.",
    "an ellipsis in a quotation": 'It says "no common … size".',
    "and so on": "Layers, heads, and so on.",
    "a text without a full stop": "no source states the day",
    "a URL with a percent": "See https://example.org/?q=%s for it.",
    "a table": "| layers | heads |\n|---|---|\n| 40 | 64 |",
    "ratio and clock": "A ratio of 4:1, at 12:30.",
}
FOUND = {
    "a lost figure": ("Its size is about , which is much.", "is about ,", "a value is missing before the comma"),
    "a lost figure at the end": ("Its size is about .", "is about .", "a value is missing before the full stop"),
    "lost values in a row": ("With hidden size , and more.", "hidden size ,", "a value is missing before the comma"),
    "lost before a semicolon": ("The window is ; so be it.", "window is ;", "missing before the semicolon"),
    "how many layers": ("It has layers in total.", "has layers in total", "how many layers is missing"),
    "how many parameters": ("It activates of parameters.", "activates of parameters", "how many parameters"),
    "a label": ("hidden size: , heads: 64.", "hidden size: ,", "the label has no value"),
    "a label in brackets": ("The width (size: ) matters.", "size: ", "the label has no value"),
    "an equals sign": ("With heads =, all is well.", "heads =,", "the label has no value"),
    "a sentence that breaks off": ("Per token and . Then more.", "token and .", "a value is missing"),
    "a text that breaks off": ("The rest is made of this and", "and", "the text breaks off"),
    "cut in a word": ("Three workarounds, of which the fir…", "…", "the text was cut"),
    "lost twice": ("The base of RoPE is . All else stays.", "RoPE is .", "missing before the full stop"),
    "cut": ("Three workarounds, of which the first is…", "…", "the text was cut"),
    "cut with dots": ("Three workarounds, of which ...", " ...", "the text was cut"),
    "the the": ("It is the the layer.", "the the", "a word stands twice"),
    "of of over a line": ("The size of\nof the cache.", "of\nof", "a word stands twice"),
    "an open bracket": ("It is small (NOT within the window.", "(", "the bracket is never closed"),
    "an open quotation": ('They say "so and leave.', '"', "no partner"),
    "an open curly quotation": ("They say “so and leave.", "“", "no partner"),
    "a placeholder": ("It has %s layers.", "%s", "a placeholder was never filled"),
    "an escaped placeholder": ("Keys are %%s and more.", "%%s", "a placeholder was never filled"),
    "an object": ("It has [object Object] layers.", "[object Object]", "a placeholder was never filled"),
    "an unreadable character": ("It is \ufffd wide.", "\ufffd", "wrong encoding"),
    "glued to a citation": ("Read [[tiny-latent]].ENGINE first.", "]].ENGINE", "joined to a citation"),
    "a lost number": ("It keeps one … per 4.", "keeps one … per", "a value is missing"),
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_right_prose_is_silent(text: str) -> None:
    assert damages(text) == []


@pytest.mark.parametrize(("text", "place", "what"), FOUND.values(), ids=FOUND)
def test_damage_is_found_once_and_in_place(text: str, place: str, what: str) -> None:
    (found,) = damages(text)
    assert text[found.start : found.end] == place
    assert what in found.what


KNOWN = {
    "a thing without a count": ("It has layers in total.", "the config has `num_hidden_layers` 4"),
    "a label": ("With hidden size: , and more.", "the config has `hidden_size` 256"),
    "a key": ("The `kv_lora_rank` is , so it is.", "the config has `kv_lora_rank` 32"),
    "a word of its own": ("The latent rank is about , as said.", "the config has `kv_lora_rank` 32"),
}


@pytest.mark.parametrize(("text", "value"), KNOWN.values(), ids=KNOWN)
def test_the_message_gives_what_the_config_knows(tiny: Base, text: str, value: str) -> None:
    (found,) = tiny.edit(A, NOTES, f"{NOTES} {text}").findings()
    assert found.code == "NUM413"
    assert value in found.message


def test_what_the_config_does_not_know_is_not_guessed(tiny: Base) -> None:
    (found,) = tiny.edit(A, NOTES, f"{NOTES} Its speed is about , they say.").findings()
    assert "config" not in found.message


def test_notes_of_a_source_are_read(tiny: Base) -> None:
    path = "sources/tiny-datasheet.yaml"
    text = (tiny.root / path).read_text(encoding="utf-8")
    assert "notes:" not in text
    (found,) = tiny.lay({path: text + "notes: |\n  Read in a copy of the the sheet.\n"}).findings()
    assert (found.code, found.location.path, found.location.column) == ("NUM413", path, 21)


def test_the_real_base_has_no_damaged_text(real: KnowledgeBase) -> None:
    texts = [
        text.value
        for kind in real.catalog.kinds
        for record in real.catalog.of(kind.name)
        for text in real.catalog.texts(record)
        if text.field is not None and text.field.schema.get("x-prose")
    ]
    assert sum(map(len, texts)) > 10_000
    assert [each for value in texts for each in damages(value)] == []


PIECES = [
    *'(){}[]`"“”%s.,;:=… \n',
    "[[",
    "]]",
    "{{",
    "}}",
    "```\n",
    "https://a.b",
    "the",
    "and",
    "layers in total",
    "has",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_text_is_read_and_no_two_places_overlap(text: str) -> None:
    found = damages(text)
    assert all(0 <= each.start < each.end <= len(text) for each in found)
    assert all(one.end <= two.start for one, two in pairwise(found))


PIECES = ("of ", " ", "(", "{{", "<!--", "`", "has of ", "a: ", "\n\n")


@pytest.mark.parametrize("piece", PIECES)
def test_four_times_the_text_takes_four_times_the_work(piece: str) -> None:
    """Patterns that try every split of a run of blanks would take sixteen times. Their work is inside one call: it is
    timed, by the clock of this process and thrice."""

    def spent(text: str) -> float:
        started = time.process_time()
        list(damages(text))
        return time.process_time() - started

    once, again = (min(spent("of" + piece * count) for _ in range(3)) for count in (5_000, 20_000))
    assert again < 8 * once + 0.01
