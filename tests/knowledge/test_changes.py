"""What a change to the records does to what is published: figures, cells, citations, each with the record behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from conftest import TODAY, Base
from work import counted

from generator.catalog.read import read
from generator.catalog.yaml.loader import load
from generator.knowledge.changes.comparison import BaseChanges, compare
from generator.knowledge.changes.fields import field_changes
from generator.knowledge.knowledge_base import KnowledgeBase, assemble

A, B = "records/models/tiny-a.yaml", "records/models/tiny-b.yaml"
REGISTRY = "sources/tiny-engine-registry.yaml"
GPU = "records/gpus/tiny-gpu.yaml"


def change(base: Base, *edits: tuple[str, str, str], **files: str | None) -> BaseChanges:
    """The base compared with itself after some edits, each (file, old, new)."""
    before = base.read()
    for edit in edits:
        base.edit(*edit)
    return compare(before, assemble(read(base.root, before=before.catalog), TODAY))


# --- what must stay silent -------------------------------------------------------------------------------------------


def test_the_same_base_differs_in_nothing_and_works_out_no_cell(tiny: Base) -> None:
    found = change(tiny)
    assert found.nothing
    assert not found.records
    assert "verdicts" not in vars(found.before)


@pytest.mark.parametrize(
    "edit",
    [
        (A, "name: Tiny A\nvendor: Tiny Works\n", "vendor: Tiny Works\nname: Tiny A\n"),
        (A, "num_hidden_layers: 4", "num_hidden_layers: 4  # as the config says"),
        (A, "The page is not meant", "This page is not meant"),
        (REGISTRY, "[OtherForCausalLM, TinyMlaForCausalLM]", "\n    - OtherForCausalLM\n    - TinyMlaForCausalLM"),
        (GPU, "memory: {value: 80, unit: GB, ", 'memory: {"value": 80, "unit": GB, '),
    ],
    ids=["order", "comment", "prose", "another style of list", "quotes"],
)
def test_what_says_the_same_in_other_words_changes_nothing(tiny: Base, edit: tuple[str, str, str]) -> None:
    found = change(tiny, edit)
    assert found.nothing
    assert [each.fields for each in found.records] == [()]


def test_a_citation_that_moves_within_its_field_is_the_same(tiny: Base) -> None:
    moved = ("see [[tiny-latent]]. The", "The")
    found = change(tiny, (A, "Keeps one latent row per token, " + moved[0], "See [[tiny-latent]] for the row. The"))
    assert not found.citations


# --- figures ---------------------------------------------------------------------------------------------------------


def test_a_figure_before_and_after_with_the_record_that_made_it_change(tiny: Base) -> None:
    """Four layers of 32 + 8 scalars in 2 bytes are 320 B per token, five are 400."""
    found = change(tiny, (A, "num_hidden_layers: 4", "num_hidden_layers: 5"))
    facts = {(each.record, each.fact): each for each in found.facts}
    growth = facts["tiny-a", "kv.growth.bf16"]
    assert (growth.before, growth.after, growth.ratio) == (320, 400, Fraction(5, 4))
    assert growth.because == ("records/models/tiny-a.yaml: architecture.num_hidden_layers 4 -> 5",)
    assert (facts["tiny-a", "layers.full_attention"].before, facts["tiny-a", "layers.full_attention"].after) == (4, 5)
    assert {record for record, _ in facts} == {"tiny-a"}
    assert not found.cells


def test_a_figure_that_is_lost_is_the_worst(tiny: Base) -> None:
    found = change(tiny, (A, "  kv_lora_rank: 32\n", ""), (B, "num_hidden_layers: 5", "num_hidden_layers: 6"))
    worst, facts = found.models[0]
    assert worst == "tiny-a"
    assert facts[0].after is None or facts[0].fact.endswith(".reason")
    assert "kv.growth.bf16" in {each.fact for each in facts if each.after is None}


def test_the_format_of_an_engine_changes_the_figures_of_its_models(tiny: Base) -> None:
    """44 bytes per latent entry: 4 x 44 = 176; with 8 bytes of scales 48, and 192."""
    engine = "records/engines/tiny-engine.yaml"
    scales = ("count: 1, dtype: fp32, bytes: 4", "count: 2, dtype: fp32, bytes: 8")
    found = change(tiny, (engine, "bytes_per_entry: 44", "bytes_per_entry: 48"), (engine, *scales))
    row = next(each for each in found.facts if each.record == "tiny-a" and each.fact == "kv.growth.fp8_latent")
    assert (row.before, row.after) == (176, 192)
    assert row.because[0].startswith("records/engines/tiny-engine.yaml: cache_formats[fp8_latent].bytes_per_entry 44")


def test_a_model_that_came_is_told_as_a_record_and_by_its_cells(tiny: Base) -> None:
    before = tiny.read()
    tiny.lay({"records/models/tiny-c.yaml": (tiny.root / A).read_text("utf-8").replace("Tiny A", "Tiny C")})
    found = compare(before, assemble(read(tiny.root, before=before.catalog), TODAY))
    assert not found.facts
    assert [(each.id, each.fate) for each in found.records] == [("tiny-c", "added")]
    (group,) = found.cells
    assert (group.before, group.because) == (None, ("records/models/tiny-c.yaml: added",))
    assert group.cells == [("tiny-c", "tiny-engine", "tiny-gpu")]


def test_a_record_that_breaks_its_schema_is_told_first_of_all(tiny: Base) -> None:
    found = change(tiny, (A, "num_hidden_layers: 4", "num_hidden_layers: four"))
    assert list(found.lost()) == ["tiny-a"]


# --- cells -----------------------------------------------------------------------------------------------------------


def test_a_class_that_leaves_a_whole_list_takes_its_cells_with_it(tiny: Base) -> None:
    found = change(tiny, (REGISTRY, "[OtherForCausalLM, TinyMlaForCausalLM]", "[OtherForCausalLM]"))
    (group,) = found.cells
    assert (group.engine, group.before, group.after) == ("tiny-engine", "listed", "not-listed")
    assert group.models == ("tiny-a", "tiny-b")
    assert group.because == ("sources/tiny-engine-registry.yaml: facts.architectures lost TinyMlaForCausalLM",)
    assert not found.facts


def edited(real: KnowledgeBase, edits: dict[str, Callable[[str], str]]) -> KnowledgeBase:
    """The real base with some records written otherwise."""
    records = dict(real.catalog.records)
    for id, edit in edits.items():
        text = edit(records[id].document.text)
        assert text != records[id].document.text, id
        records[id] = replace(records[id], document=load(text))
    return assemble(replace(real.catalog, records=records), TODAY)


def test_the_cells_that_change_are_all_that_do(real: KnowledgeBase) -> None:
    """Of a backend, a list, a GPU and a model that change, against every cell of both bases, worked out one by one."""
    after = edited(
        real,
        {
            "vllm-flashmla-sparse-backend": lambda text: text.replace("[sm_90]", "[sm_89]"),
            "vllm-0-33-0-registry": lambda text: text.replace(" Qwen3MoeForCausalLM,", ""),
            "l4": lambda text: text.replace("sm_89", "sm_86"),
            "deepseek-v2": lambda text: text.replace(
                "[[arch-hf-config-deepseek-v2]]", "[[model-cn-deepseek-v3-config]]"
            ),
        },
    )
    found = {key for group in compare(real, after).cells for key in group.cells}
    served = {"supported", "partial"}

    def answer(kb: KnowledgeBase, key: tuple[str, str, str]) -> tuple[str, tuple[str, ...]]:
        verdict = kb.verdicts[key]
        return verdict.state, verdict.backends if verdict.state in served else ()

    assert found == {key for key in real.verdicts if answer(real, key) != answer(after, key)}
    assert {engine for _, engine, _ in found} > {"vllm"}


def test_a_change_of_one_model_costs_one_model(real: KnowledgeBase) -> None:
    """A quarter of the calls that every cell of both bases would take, at the most."""
    before = assemble(real.catalog, TODAY)  # right before the other, so that both share what is derived
    deeper = edited(real, {"deepseek-v2": lambda text: text.replace("num_hidden_layers: 60", "num_hidden_layers: 59")})
    compare(before, deeper)  # what is worked out once is known from here on
    keys = list(before.verdicts)
    some = counted(lambda: [before.verdicts[key].state for key in keys[::10]])
    assert counted(lambda: compare(before, deeper)) < 2 * 10 * some / 4


# --- citations -------------------------------------------------------------------------------------------------------


def test_a_citation_that_names_another_source_orphans_the_first(tiny: Base) -> None:
    latent = "records/concepts/tiny-latent.yaml"
    found = change(
        tiny,
        (A, 'config: "[[tiny-a-config]]"', 'config: "[[tiny-b-config]]"'),
        (latent, "[[tiny-a-config]]", "[[tiny-b-config]]"),
    )
    told = {(each.fate, each.citing, each.place, each.before, each.after, each.evidence) for each in found.citations}
    assert told == {
        ("re-pointed", "tiny-a", "config", "tiny-a-config", "tiny-b-config", True),
        ("re-pointed", "tiny-latent", "cites[0]", "tiny-a-config", "tiny-b-config", True),
    }
    assert found.orphans == ("tiny-a-config",)


# --- fields ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1.0}, {"a": 1}, []),
        (
            [{"id": "x", "n": 1}, {"id": "y"}],
            [{"id": "new"}, {"id": "x", "n": 1}, {"id": "y"}],
            ['[new] none -> {"id": "new"}'],
        ),
        ({"a": True}, {"a": 1}, ["a true -> 1"]),
        ({"a": [1, 2]}, {"a": [2, 3]}, ["a lost 1 and gained 3"]),
        ({"a": [1, 2]}, {"a": [2, 1]}, ["a in another order"]),
        ([{"id": "x", "n": 1}, {"id": "y"}], [{"id": "y"}, {"id": "x", "n": 2}], ["[x].n 1 -> 2"]),
        ({"a": "60"}, {"a": None}, ["a 60 -> none"]),
    ],
)
def test_fields_that_differ(before: object, after: object, told: list[str]) -> None:
    assert [each.told for each in field_changes(before, after)] == told
