"""Families that a text or a claim names (DRV303). Silent rows first, each with its reason."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from conftest import Base

from generator.findings import Finding

MODEL = "records/models/tiny-a.yaml"
ENGINE = "records/engines/tiny-engine.yaml"
GOTCHA = "records/gotchas/tiny-crash.yaml"


def codes(found: list[Finding]) -> list[str]:
    return [each.code for each in found]


def claiming(tiny: Base, field: str, value: Any, unit: str, condition: str = "", basis: str = "vendor") -> Base:
    claim = {"field": field, "value": value, "unit": unit, "basis": basis, "cite": "[[tiny-a-config]]"}
    claim |= {"condition": condition} if condition else {}
    text = (tiny.root / MODEL).read_text("utf-8")
    return tiny.lay({MODEL: text + yaml.safe_dump({"claims": [claim]}, width=1000)})


# --- DRV303 family-contradiction: Tiny A and Tiny B are TinyMlaForCausalLM, and derive to mla -------------------------

NOTES = "Keeps one latent row per token"
Row = tuple[str, str, str, list[str]]


def condition(families: str, architectures: str = "TinyMlaForCausalLM") -> tuple[str, str, str]:
    more = f"families: [{families}], architectures: [{architectures}]}}"
    return GOTCHA, 'engine_versions: "<1.1"}', f'engine_versions: "<1.1", {more}'


FAMILIES: dict[str, Row] = {
    "silent: the family in words": (MODEL, NOTES, "FAMILY=mla, which keeps one latent row per token", []),
    "silent: a word that is no family": (MODEL, NOTES, "The family: latent ones. Keeps one row per token", []),
    "silent: of another kind of family": (MODEL, NOTES, "A Llama family model; keeps one row per token", []),
    "silent: denied": (MODEL, NOTES, "It is wrong to call it family: gqa; it keeps one row per token", []),
    "silent: a row whose class has the family": (*condition("mla, gqa"), []),
    "silent: a row whose class nobody has": (*condition("gqa", "OtherForCausalLM"), []),
    "silent: a row of families alone": (GOTCHA, 'engine_versions: "<1.1"}', "families: [gqa]}", []),
    "in words": (MODEL, NOTES, "FAMILY=gqa, which keeps one row per token", ["DRV303"]),
    "in words and in code": (MODEL, NOTES, "Attention family: `gqa`. Keeps one row per token", ["DRV303"]),
    "a gotcha that can never hold": (*condition("gqa, mqa"), ["DRV303"]),
    "each class that does not fit": (*condition("csa_hca", "TinyMlaForCausalLM, OtherForCausalLM"), ["DRV303"]),
    "a restriction": (
        ENGINE,
        "why_null:",
        "restrictions:\n  - when: {families: [gqa], architectures: [TinyMlaForCausalLM]}\n    effect: blocked\n"
        '    text: It does not.\n    cites: ["[[tiny-engine-registry]]"]\nwhy_null:',
        ["DRV303"],
    ),
    "a layout": (
        ENGINE,
        "- families: [mla]\n    kv",
        "- families: [mqa]\n    architectures: [TinyMlaForCausalLM]\n    kv",
        ["DRV303"],
    ),
}


@pytest.mark.parametrize(("path", "old", "new", "expected"), FAMILIES.values(), ids=FAMILIES)
def test_families(tiny: Base, path: str, old: str, new: str, expected: list[str]) -> None:
    assert codes(tiny.edit(path, old, new).findings()) == expected


CLAIMED: dict[str, tuple[str, Any, list[str]]] = {
    "silent: its family": ("attention_family", "mla", []),
    "silent: however it is written": ("family", "MLA", []),
    "silent: a word that is no family": ("attention_family", "latent", []),
    "silent: no word": ("attention_family", None, []),
    "silent: a class that serves it": ("kernel_class", "kc-mla", []),
    "silent: the other way to serve it": ("kernel_class", "kc-gqa-dkv", []),
    "silent: a class that nobody knows": ("kernel_class", "kc-new", []),
    "another family": ("attention_family", "csa_hca", ["DRV303"]),
    "a class for another design": ("kernel_class", "kc-v4", ["DRV303"]),
}


@pytest.mark.parametrize(("field", "value", "expected"), CLAIMED.values(), ids=CLAIMED)
def test_claimed_families(tiny: Base, field: str, value: Any, expected: list[str]) -> None:
    assert codes(claiming(tiny, field, value, "name").findings()) == expected


def test_a_false_family_is_told_with_the_derived_one(tiny: Base) -> None:
    (found,) = claiming(tiny, "kernel_class", "kc-v4", "name").findings()
    assert found.message == (
        "tiny-a is said to be of the kernel class kc-v4; tiny-a needs kc-gqa-dkv (paged attention with two widths), "
        "kc-mla (latent attention)"
    )
    (found,) = (
        tiny.lay({MODEL: (tiny.root / MODEL).read_text("utf-8").split("claims:")[0]}).edit(*condition("gqa")).findings()
    )
    assert found.message == "TinyMlaForCausalLM is said to be of the family gqa; tiny-a, tiny-b derive to mla"
    assert found.data == {"stated": ["gqa"], "derived": ["mla"], "models": ["tiny-a", "tiny-b"]}


def test_the_place_in_words_is_that_of_the_words(tiny: Base) -> None:
    (found,) = tiny.edit(MODEL, NOTES, "Family: gqa or so. Keeps one row per token").findings()
    assert (found.location.line, found.location.column, found.location.end_column) == (20, 3, 14)


def test_v4_called_mla_is_found(real_copy: Base) -> None:
    """Claims 46 and 47 of the audit, in the record of V4-Flash, which says itself why they are false."""
    path = "records/models/deepseek-v4-flash.yaml"
    text = (real_copy.root / path).read_text("utf-8")
    real_copy.lay({path: text.replace("notes: |\n", "notes: |\n  FAMILY=mla. REQUIRED KERNEL CLASS: MLA decode.\n\n")})
    family, kernel = real_copy.findings("DRV303")
    assert family.message == "deepseek-v4-flash is said to be mla; deepseek-v4-flash derives to csa_hca"
    assert kernel.message.startswith("deepseek-v4-flash is said to need a kernel for MLA; deepseek-v4-flash needs kc-")


def test_a_model_without_a_family_is_not_judged(tiny: Base) -> None:
    tally = tiny.edit(*condition("gqa")).judge().by_check["DRV303"]
    assert (tally.checked, tally.not_checkable) == (1, 0)
    tiny.edit("records/models/tiny-b.yaml", "  v_head_dim: 16\n", "  v_head_dim: 16\n  a_new_mechanism: 3\n")
    tally = tiny.judge().by_check["DRV303"]
    assert (tally.checked, tally.not_checkable) == (0, 1), "one of the two may be what the row is about"
