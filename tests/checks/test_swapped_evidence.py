"""WIR204: what is a swap, told once, and what stays a mis-wiring or a mismatch; silent rows first."""

from __future__ import annotations

import pytest
from conftest import Base

from generator.derive.cited_config import CitedConfig
from generator.findings import Finding
from generator.knowledge.evidence.config_comparison import disagreements
from generator.knowledge.graph import best_assignment

LAYERS = {"v": 4, "w": 5, "x": 6, "y": 6}
"""Models and their layers; x and y are look-alikes."""

MODEL = """\
# yaml-language-server: $schema=../../schema/model.schema.json
name: {id}
vendor: Tiny Works
repo: TinyWorks/{repo}
released: 2026-01-02
license: MIT
config: "[[{cites}-config]]"
architecture: {facts}
"""
SOURCE = """\
# yaml-language-server: $schema=../schema/source.schema.json
title: {id} config.json
publisher: Tiny Works
type: hf-config
url: https://huggingface.co/TinyWorks/{id}/raw/0123456789012345678901234567890123456789/config.json
locator: https://huggingface.co/TinyWorks/{id}/raw/0123456789012345678901234567890123456789/config.json
subjects: ["hf:TinyWorks/{id}"]
retrieved: 2026-01-05
upstream_date: 2026-01-02
retrieval: read
digest: sha256:2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6
license: MIT
facts: {facts}
"""


def facts(layers: int) -> str:
    widths = "num_attention_heads: 4, num_key_value_heads: 2, head_dim: 16, hidden_size: 64"
    return f"{{model_type: llama, num_hidden_layers: {layers}, {widths}}}"


def model(id: str, cites: str, repo: str | None = None, layers: int | None = None) -> dict[str, str]:
    text = MODEL.format(id=id, repo=repo or id, cites=cites, facts=facts(layers or LAYERS[id]))
    return {f"records/models/{id}.yaml": text}


@pytest.fixture
def four(tiny: Base) -> Base:
    """v, w, x and y, each with its own config."""
    for id, layers in LAYERS.items():
        tiny.lay({f"sources/{id}-config.yaml": SOURCE.format(id=id, facts=facts(layers)), **model(id, id)})
    assert told(tiny) == []
    return tiny


def findings(base: Base) -> list[Finding]:
    return [each for each in base.findings() if each.code != "WIR203"]


def told(base: Base) -> list[tuple[str, str | None]]:
    return [(each.code, each.record) for each in findings(base)]


ONE, TWO = ("WIR201", "v"), ("WIR201", "w")
WIRES: dict[str, tuple[dict[str, str], list[tuple[str, str | None]]]] = {
    "silent: each its own": ({}, []),
    "one that cites another's is a mis-wiring": ({"v": "w"}, [ONE]),
    "two that cite a third one's are two of them": ({"v": "x", "w": "x"}, [ONE, TWO]),
    "a chain that does not close": ({"v": "w", "w": "x"}, [ONE, TWO]),
    "two that cite each other's": ({"v": "w", "w": "v"}, [("WIR204", "v")]),
    "look-alikes that cite each other's": ({"x": "y", "y": "x"}, [("WIR204", "x")]),
    "three in a circle": ({"v": "w", "w": "x", "x": "v"}, [("WIR204", "v")]),
    "two pairs": ({"v": "w", "w": "v", "x": "y", "y": "x"}, [("WIR204", "v"), ("WIR204", "x")]),
    "a circle, and one beside it that cites into it": (
        {"v": "w", "w": "v", "x": "v"},
        [("WIR204", "v"), ("WIR201", "x")],
    ),
}


@pytest.mark.parametrize(("wires", "expected"), WIRES.values(), ids=WIRES)
def test_circles(four: Base, wires: dict[str, str], expected: list[tuple[str, str | None]]) -> None:
    for id, cites in wires.items():
        four.lay(model(id, cites))
    assert told(four) == expected


def test_one_finding_names_both_and_mends_both(four: Base) -> None:
    four.lay({**model("v", "w"), **model("w", "v")})
    (found,) = findings(four)
    assert found.message == (
        "v and w cite each other's configs: v is hf:TinyWorks/v and cites w-config; w is hf:TinyWorks/w and cites "
        "v-config; v: cite v-config (512 B/token in bf16, under the cited one 640); w: cite w-config (640 B/token in "
        "bf16, under the cited one 512)"
    )
    assert found.data["records"]["v"] == {
        "subject": "hf:TinyWorks/v",
        "cited": "w-config",
        "suggested": "v-config",
        "discriminating": {"num_hidden_layers": [4, 5]},
        "shared": ["model_type", "num_attention_heads", "num_key_value_heads", "head_dim", "hidden_size"],
        "derived_effect": {"kv_growth_bf16": [512, 640]},
    }
    assert [place.location.path for place in found.related[:1]] == ["records/models/w.yaml"]
    assert found.fix is not None
    assert [(edit.location.path, edit.text) for edit in found.fix.edits] == [
        ("records/models/v.yaml", "[[v-config]]"),
        ("records/models/w.yaml", "[[w-config]]"),
    ]


def test_swapped_repositories_are_told_as_such(four: Base) -> None:
    """Each record's fields fit its source; moving the citations would mend the subjects and break the fields."""
    four.lay({**model("v", "v", repo="w"), **model("w", "w", repo="v")})
    (found,) = findings(four)
    assert (found.code, found.fix) == ("WIR204", None)
    assert found.message.endswith("; their fields fit what they cite, so it is rather `repo` that was swapped")


def test_two_revisions_of_one_repository_are_told_apart_by_their_fields(four: Base) -> None:
    one = SOURCE.format(id="v", facts=facts(7))
    four.lay({"sources/v2-config.yaml": one, **model("v2", "v2", repo="v", layers=7)})
    assert told(four) == []
    four.lay({**model("v2", "v", repo="v", layers=7), **model("v", "v2")})
    (found,) = findings(four)
    assert (found.code, found.data["records"]["v2"]["suggested"]) == ("WIR204", "v2-config")


def test_a_field_that_is_wrong_here_is_no_swap(four: Base) -> None:
    four.lay({**model("v", "v", layers=5), **model("w", "w", layers=4)})
    assert told(four) == [("WIR202", "v"), ("WIR202", "w")], "their subjects say that each cites its own"


def test_counts(four: Base) -> None:
    tally = four.judge().by_check["WIR204"]
    assert (tally.checked, tally.skipped, tally.not_checkable) == (6, 0, 0)
    four.edit("records/models/v.yaml", "vendor: Tiny Works\n", "")
    four.edit("records/models/w.yaml", "repo: TinyWorks/w", "repo: null\nwhy_null: {repo: none}")
    tally = four.judge().by_check["WIR204"]
    assert (tally.checked, tally.skipped, tally.not_checkable) == (4, 1, 1)


def test_a_field_with_evidence_of_its_own_is_not_held_against_the_config(four: Base) -> None:
    four.lay(model("v", "v", layers=5))
    four.edit("records/models/v.yaml", "architecture:", 'evidence: {num_hidden_layers: "[[v-config]]"}\narchitecture:')
    catalog = four.read().catalog
    assert disagreements(catalog.records["v"], CitedConfig(catalog.records["v-config"])) == {}


ASSIGNMENTS: dict[str, tuple[dict[tuple[str, str], int], dict[str, str]]] = {
    "nothing": ({}, {}),
    "one": ({("a", "1"): 3}, {"a": "1"}),
    "the same names on both sides": ({("a", "b"): 3, ("b", "a"): 3}, {"a": "b", "b": "a"}),
    "the sum counts, not the best pair": (
        {("a", "1"): 5, ("a", "2"): 4, ("b", "1"): 4, ("b", "2"): 1},
        {"a": "2", "b": "1"},
    ),
    "one goes without": ({("a", "1"): 2, ("b", "1"): 3}, {"b": "1"}),
}


@pytest.mark.parametrize(("weights", "expected"), ASSIGNMENTS.values(), ids=ASSIGNMENTS)
def test_best_assignment(weights: dict[tuple[str, str], int], expected: dict[str, str]) -> None:
    assert best_assignment(weights) == expected
