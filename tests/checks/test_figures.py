"""Figures that are stated twice (NUM410), and figures that once were given (NUM406). Silent rows first."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import TODAY, Base

from generator.authoring import fixes
from sources import OTHER, concept, package

# --- NUM410: which figures are held against each other, and when two figures are the same ----------------------------

GPU = "records/gpus/tiny-gpu.yaml"
MODEL = "records/models/tiny-a.yaml"
ENGINE = "records/engines/tiny-engine.yaml"
MEMORY = '{value: 80, unit: GB, cite: "[[tiny-datasheet]]"}'

SIZES = {
    "silent: no bytes beside it": ("80", "GB", None, False),
    "silent: GB may be binary": ("80", "GB", 85899345920, False),
    "silent: GB is decimal": ("80", "GB", 80000000000, False),
    "silent: GiB": ("80", "GiB", 85899345920, False),
    "silent: rounded as it is written": ("79.6", "GiB", 85520809165, False),
    "silent: a rate": ("3.35", "TB/s", 3350000000000, False),
    "silent: a unit that is none": ("80", "chips", 80, False),
    "GiB is not decimal": ("80", "GiB", 80000000000, True),
    "a digit was lost": ("80", "GB", 8000000000, True),
    "MiB, exactly": ("46068", "MiB", 48305799169 + 2**20, True),
}


@pytest.mark.parametrize(("value", "unit", "size", "wrong"), SIZES.values(), ids=SIZES)
def test_a_figure_and_its_bytes(tiny: Base, value: str, unit: str, size: int | None, wrong: bool) -> None:
    beside = f", bytes: {size}" if size is not None else ""
    tiny.edit(GPU, MEMORY, f'{{value: {value}, unit: {unit}{beside}, cite: "[[tiny-datasheet]]"}}')
    found = tiny.findings()
    assert [each.code for each in found] == (["NUM410"] if wrong else [])
    for each in found:
        assert (each.location.path, each.location.line) == (GPU, 6)


def test_what_other_sources_say_of_a_gpu_is_recorded_on_purpose(tiny: Base) -> None:
    tiny.edit(
        GPU, "bandwidth: null", 'memory_claims: [{value: 96, unit: GB, cite: "[[tiny-datasheet]]"}]\nbandwidth: null'
    )
    assert tiny.findings() == []


Claim = tuple[str, str, str]
CLAIMS: dict[str, tuple[Claim, Claim, bool]] = {
    "silent: the same": (("context", "128", "K"), ("context", "128", "K"), False),
    "silent: another field": (("context", "128", "K"), ("experts", "160", "experts"), False),
    "silent: K is 1,024 or 1,000": (("context", "128", "K"), ("context", "131072", "tokens"), False),
    "silent: fewer digits": (("tokens_trained", "8.1", "trillion"), ("tokens_trained", "8", "trillion"), False),
    "silent: another unit": (("speed", "5", "tokens/s"), ("speed", "7", "requests/s"), False),
    "silent: GB may be GiB": (("memory", "86", "GB"), ("memory", "80", "GiB"), False),
    "silent: derived figures are judged elsewhere": (
        ("kv_note", "5", "KiB"),
        ("kv_note", "6", "KiB"),
        False,
    ),
    "another number": (("tokens_trained", "8.1", "trillion"), ("tokens_trained", "14.8", "trillion"), True),
    "another scale": (("tokens_trained", "8.1", "trillion"), ("tokens_trained", "810", "billion"), True),
    "another number without a known unit": (("experts", "160", "experts"), ("experts", "162", "experts"), True),
    "other bytes": (("memory", "80", "GiB"), ("memory", "90", "GiB"), True),
    "percent": (("saved", "93.3", "%"), ("saved", "57.6", "%"), True),
}


def claims(*each: Claim, conditions: tuple[str, str] = ("", "")) -> str:
    lines = [
        f'  - {{field: {field}, value: {value}, unit: "{unit}", basis: vendor{given}, cite: "[[tiny-a-config]]"}}'
        for (field, value, unit), given in zip(each, conditions, strict=True)
    ]
    return "\n".join(["claims:", *lines, "notes: |"])


@pytest.mark.parametrize(("one", "two", "wrong"), CLAIMS.values(), ids=CLAIMS)
def test_two_claims(tiny: Base, one: Claim, two: Claim, wrong: bool) -> None:
    for pair in ((one, two), (two, one)):
        tiny.edit(MODEL, "notes: |", claims(*pair))
        found = tiny.findings("NUM410")
        assert len(found) == wrong
        if found:
            assert (found[0].location.line, found[0].related[0].location.line) == (21, 20)
            assert f"{pair[1][1]} {pair[1][2]} here" in found[0].message
        tiny.edit(MODEL, claims(*pair), "notes: |")


def test_a_condition_separates_two_claims(tiny: Base) -> None:
    one, two = ("memory", "80", "GiB"), ("memory", "90", "GiB")
    tiny.edit(MODEL, "notes: |", claims(one, two, conditions=(", condition: at 4K", ", condition: at 8K")))
    assert tiny.findings() == []
    tiny.edit(MODEL, "at 8K", "AT  4K")
    assert [each.code for each in tiny.findings()] == ["NUM410"]


KERNEL = """# yaml-language-server: $schema=../../schema/kernel.schema.json
name: Tiny Kernel
library: Tiny Engine
version: "1.0"
license: MIT
kernel_classes: []
cites: ["[[tiny-engine-registry]]"]
cache_formats:
  - id: {id}
    families: [{family}]
    roles: [kv]
    bytes_per_entry: {size}
    scalars: {size}
    layout:
      - {{what: all of it, part: data, count: {size}, dtype: fp8_e4m3, bytes: {size}}}
    cite: "[[tiny-engine-registry]]"
"""
FORMATS = {
    "silent: the same size": ("fp8_latent", "mla", 44, []),
    "silent: another name": ("fp8_other", "mla", 48, []),
    "silent: another family": ("fp8_latent", "gqa", 48, []),
    "another size": ("fp8_latent", "mla", 48, ["NUM410"]),
}


@pytest.mark.parametrize(("id", "family", "size", "expected"), FORMATS.values(), ids=FORMATS)
def test_one_format_of_two_records(tiny: Base, id: str, family: str, size: int, expected: list[str]) -> None:
    tiny.lay({"records/kernels/tiny-kernel.yaml": KERNEL.format(id=id, family=family, size=size)})
    found = tiny.findings()
    assert [each.code for each in found] == expected, [each.message for each in found]
    for each in found:
        assert "44" in each.message
        assert "48" in each.message


# --- NUM406: a figure that once was given ----------------------------------------------------------------------------

MODEL_B = "records/models/tiny-b.yaml"
WRONG, RIGHT = "Tiny B was said to keep 482 B/token.", "5 × (32 + 8) × 2 = 400 B/token."


def noted(tiny: Base, notes: str, wrong: str = WRONG, right: str = RIGHT) -> list[Any]:
    tiny.edit(MODEL_B, "Tiny B was said to have the 4 layers of [[tiny-a]].", wrong).edit(MODEL_B, "It has 5.", right)
    tiny.edit(MODEL_B, "corrections:\n", f"notes: |\n  {notes}\ncorrections:\n")
    assert not tiny.findings("SCH101")
    return tiny.findings("NUM406", "NUM405", "NUM401", "NUM404")


NOT_STALE = {
    "the sentence tells of it": ("It was once given as 482 B/token.", {}),
    "the correction tells of it": ("Nothing here.", {}),
    "the next sentence tells of it": ("It takes 482 B/token. That was an earlier figure.", {}),
    "another unit": ("It takes 482 B.", {}),
    "per layer": ("It takes 482 B/token/layer.", {}),
    "a longer number": ("It takes 1,482 B/token.", {}),
    "beside another model": ("[[tiny-a]] with padding takes 482 B/token.", {}),
    "no other figure was put for it": ("It takes 482 B/token.", {"right": "That counted the draft."}),
    "another kind of figure was put for it": ("It takes 482 B/token.", {"right": "The entry has 64 bytes."}),
    "the right text names it too": ("It takes 482 B/token.", {"right": "482 B/token with, 400 B/token without."}),
    "it holds today": ("It takes 220 B/token in fp8.", {"wrong": "It was said to keep 220 B/token."}),
    "too few digits": ("It takes 48 B/token.", {"wrong": "It was said to keep 48 B/token."}),
    "no unit": ("It takes 482.", {"wrong": "It was said to keep 482."}),
}


@pytest.mark.parametrize(("notes", "given"), NOT_STALE.values(), ids=NOT_STALE)
def test_no_stale_figure(tiny: Base, notes: str, given: dict[str, str]) -> None:
    assert noted(tiny, notes, **given) == []


STALE = {
    "as it was typed": ("A context costs 482 B/token here.", {}, "482 B/token"),
    "in words": ("A context costs 482 bytes per token here.", {}, "482 bytes per token"),
    "in a larger unit": ("A context costs 0.471 KiB/token here.", {}, "0.471 KiB/token"),
    "a right calculation of it": ("5 × 48.2 × 2 = 482 B/token", {}, "482 B/token"),
    "a count of parameters": (
        "It has 21.3 billion of them.",
        {"wrong": "Tiny B was given 21.3 billion.", "right": "It has 0.0213 billion."},
        "21.3 billion",
    ),
}


@pytest.mark.parametrize(("notes", "given", "written"), STALE.values(), ids=STALE)
def test_a_stale_figure(tiny: Base, notes: str, given: dict[str, str], written: str) -> None:
    (found,) = noted(tiny, notes, **given)
    assert (found.code, found.data["earlier"]) == ("NUM406", written)
    assert "`corrections[0]` of 2026-02-03 calls it wrong" in found.message
    assert found.location.column == 3 + notes.index(written)


def test_the_nearest_figure_was_put_for_it(tiny: Base) -> None:
    right = "It has 0.0214 billion. The total, 0.0899 billion, was right."
    (found,) = noted(tiny, "It has 0.0213 billion of them.", "Tiny B was given 0.0213 billion.", right)
    assert found.data["now"] == "0.0214 billion"


def test_one_mistake_in_a_calculation_is_told_by_the_calculation(tiny: Base) -> None:
    assert [each.code for each in noted(tiny, "5 × 40 × 2 = 482 B/token.")] == ["NUM401"]


def test_the_figure_of_a_sibling_is_told_as_the_siblings(tiny: Base) -> None:
    wrong = "Tiny B was said to keep 320 B/token."
    assert [each.code for each in noted(tiny, "It takes 320 B/token.", wrong)] == ["NUM405"]


def earlier_config(tiny: Base) -> Base:
    text = (tiny.root / "sources/tiny-b-config.yaml").read_text()
    text = text.replace("0123456789" * 4, OTHER).replace("layers: 5", "layers: 7").replace("2026-01-02", "2025-12-01")
    text = "".join(line for line in text.splitlines(True) if not line.startswith("facts_digest"))
    return tiny.lay(
        {"sources/tiny-b-draft.yaml": text, "records/concepts/draft.yaml": concept("tiny-b-draft", "tiny-b-config")}
    )


def test_what_followed_from_an_earlier_config_becomes_an_expression(tiny: Base) -> None:
    earlier_config(tiny).edit(MODEL_B, "corrections:\n", "notes: |\n  It takes 560 B/token.\ncorrections:\n")
    (found,) = tiny.findings()
    assert found.code == "NUM406"
    assert "by tiny-b-draft (ffffffff), which tiny-b-config supersedes" in found.message
    assert "now it is 400 B/token" in found.message
    fixes.write(tiny.root, fixes.plan(tiny.root, TODAY, unsafe=True).changes)
    assert "It takes {{ kv.growth('bf16') }}.\n" in (tiny.root / MODEL_B).read_text()
    assert tiny.findings() == []


def test_a_sentence_about_the_earlier_edition_is_silent(tiny: Base) -> None:
    notes = "notes: |\n  Revision ffffffff gives 560 B/token.\ncorrections:\n"
    assert earlier_config(tiny).edit(MODEL_B, "corrections:\n", notes).findings() == []


CLAIMED = """claims:
  - {field: weights_size, value: 12.5, unit: GB, basis: vendor, condition: in 1.0, cite: "[[pages]]"}
  - {field: weights_size, value: 13.25, unit: GB, basis: vendor, condition: in 1.1, cite: "[[pages-new]]"}
"""
QUOTED = {
    "the present claim": ("The weights take 13.25 GB.", []),
    "the present claim, rounded": ("The weights take 13.2 GB.", []),
    "the claim of the superseded source": ("The weights take 12.5 GB.", ["12.5 GB"]),
    "the same, and it is said": ("In 1.0 the weights take 12.5 GB.", []),
}


@pytest.mark.parametrize(("notes", "stale"), QUOTED.values(), ids=QUOTED)
def test_a_claim_of_a_superseded_source_is_history(tiny: Base, notes: str, stale: list[str]) -> None:
    tiny.lay({"sources/pages.yaml": package("1.0"), "sources/pages-new.yaml": package("1.1")})
    tiny.edit(MODEL_B, "corrections:\n", f"{CLAIMED}notes: |\n  {notes}\ncorrections:\n")
    found = tiny.findings()
    assert [each.data["earlier"] for each in found if each.code == "NUM406"] == stale
    assert {each.code for each in found} <= {"NUM406"}
