"""DRF602 and ``servebook review``: what changed since a record was compared, and the stamps. Silent rows first."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import Base
from hypothesis import given
from hypothesis import strategies as st

from generator.authoring.review import stamp_line
from generator.catalog.yaml.loader import load
from generator.cli import cli
from generator.findings import Severity
from generator.knowledge.evidence.reviews import stamp_of
from generator.notation.digests import facts_digest
from generator.site import pages

GPU, SHEET = "records/gpus/tiny-gpu.yaml", "sources/tiny-datasheet.yaml"
MODEL_A, CONFIG_A = "records/models/tiny-a.yaml", "sources/tiny-a-config.yaml"
REGISTRY, LOCK = "sources/tiny-engine-registry.yaml", "records/reviews.lock.yaml"


def review(base: Base, *arguments: str, status: int = 0) -> str:
    result = CliRunner().invoke(cli, ["--root", str(base.root), "review", *arguments])
    assert result.exit_code == status, result.output
    return result.output


def reread(base: Base, name: str, old: str, new: str) -> Base:
    """Another reading of a source: other facts, and the digest that goes with them."""
    base.edit(name, old, new)
    record = base.read().catalog.records[Path(name).stem]
    stated = record.get("facts_digest")
    return base.edit(name, stated, facts_digest(record.get("facts"))) if stated else base


def told(base: Base) -> list[list[str]]:
    return [found.data["changed"] for found in base.findings("DRF602")]


def test_what_was_never_reviewed_is_not_counted_as_passed(tiny: Base) -> None:
    tally = tiny.judge().by_check["DRF602"]
    assert (tally.checked, tally.not_checkable) == (0, 7)
    review(tiny, "tiny-gpu")
    tally = tiny.judge().by_check["DRF602"]
    assert (tally.checked, tally.not_checkable) == (1, 6)


STILL_HOLDS = {
    "a fact that the model does not use": ("tiny-a", CONFIG_A, "vocab_size: 1000", "vocab_size: 2000"),
    "a fact that the config gains": ("tiny-a", CONFIG_A, "  vocab_size: 1000", "  vocab_size: 1000\n  rope_theta: 7"),
    "a number written with a fraction": ("tiny-a", CONFIG_A, "hidden_size: 256", "hidden_size: 256.0"),
    "another order": ("tiny-engine", REGISTRY, "  fp8_latent_bytes: 44\n", "  fp8_latent_bytes: 44.0\n"),
    "a note": ("tiny-gpu", SHEET, "license: null", "license: null\nnotes: Read twice."),
}


@pytest.mark.parametrize(("id", "name", "old", "new"), STILL_HOLDS.values(), ids=STILL_HOLDS)
def test_what_is_used_is_as_it_was(tiny: Base, id: str, name: str, old: str, new: str) -> None:
    review(tiny, id)
    assert reread(tiny, name, old, new).findings() == []


CHANGED = {
    "a value": ("tiny-gpu", SHEET, "80 GB", "96 GB", ["memory"]),
    "an entry of a list": ("tiny-engine", REGISTRY, "OtherForCausalLM, ", "", ["architectures"]),
    "a fact goes": ("tiny-engine", REGISTRY, "  fp8_latent_bytes: 44\n", "", ["fp8_latent_bytes (no longer there)"]),
    "a fact comes": ("tiny-gpu", SHEET, "80 GB", "80 GB, bus: 512 bit", ["bus (new)"]),
    "a class name, which engines ask for": (
        "tiny-a",
        CONFIG_A,
        "architectures: [TinyMlaForCausalLM]",
        "architectures: [TinyMla2ForCausalLM]",
        ["architectures"],
    ),
}


@pytest.mark.parametrize(("id", "name", "old", "new", "names"), CHANGED.values(), ids=CHANGED)
def test_what_is_used_has_changed(tiny: Base, id: str, name: str, old: str, new: str, names: list[str]) -> None:
    if id == "tiny-a":
        tiny.edit(MODEL_A, "  architectures: [TinyMlaForCausalLM]\n", "")
    review(tiny, id)
    reread(tiny, name, old, new)
    (found,) = tiny.findings("DRF602", "WIR202")
    assert (found.record, found.data["changed"]) == (id, names)
    assert f"then `servebook review {id} --cite {found.data['source']}`" in found.message
    assert names[0] in review(tiny, status=1)
    review(tiny, id, "--cite", found.data["source"])
    assert told(tiny) == []


def test_a_config_that_no_longer_balances_is_told_once(tiny: Base) -> None:
    review(tiny, "tiny-a")
    reread(tiny, CONFIG_A, "num_hidden_layers: 4", "num_hidden_layers: 6")
    assert [found.code for found in tiny.findings()] == ["WIR202"]
    tiny.edit(MODEL_A, "num_hidden_layers: 4", "num_hidden_layers: 6")
    assert told(tiny) == [["num_hidden_layers"]], "the record followed, and nobody compared the rest"


def test_a_model_may_rely_on_more_than_was_reviewed(tiny: Base) -> None:
    """What came later was never reviewed, which is not the same as changed."""
    review(tiny, "tiny-a")
    assert tiny.edit(MODEL_A, "  v_head_dim: 16\n", "  v_head_dim: 16\n  vocab_size: 1000\n").findings() == []
    assert tiny.edit(MODEL_A, "  kv_lora_rank: 32\n", "").findings("DRF602") == []


def test_facts_edited_by_hand_are_told_once(tiny: Base) -> None:
    review(tiny, "tiny-gpu")
    assert [found.code for found in tiny.edit(SHEET, "80 GB", "96 GB").findings()] == ["DRF604"]


def test_a_stamp_of_another_recipe_says_nothing(tiny: Base) -> None:
    review(tiny, "tiny-gpu")
    stamped = (tiny.root / LOCK).read_text()
    tiny.lay({LOCK: stamped.replace("facts: v1:", "facts: v9:")})
    (found,) = tiny.findings()
    assert (found.code, found.severity) == ("DRF602", Severity.INFO)
    review(tiny, "tiny-gpu")
    assert (tiny.root / LOCK).read_text() == stamped


def test_a_stamp_is_no_use_of_a_source(tiny: Base) -> None:
    """It stays when a citation is re-pointed, and hides neither the orphan nor the mis-wiring."""
    review(tiny, "tiny-a", "tiny-b")
    tiny.edit(MODEL_A, 'config: "[[tiny-a-config]]"', 'config: "[[tiny-b-config]]"')
    tiny.amend({"records/concepts/tiny-latent.yaml": 'cites: ["[[tiny-b-config]]"]\n'})
    assert [found.code for found in tiny.findings()] == ["WIR201"]
    assert "1 reviewed, and no longer cited" in review(tiny)
    assert "tiny-a-config" in tiny.read().graph.orphans()


LOCK_FAULTS = {
    "a source that nobody has": ("  tiny-datasheet: {", "  tiny-datashet: {", "no record has the id `tiny-datashet`"),
    "a record that nobody has": ("tiny-gpu:", "tiny-gpus:", "no record has the id `tiny-gpus`"),
    "a hash that is none": ("facts: v1:", "facts: v1-", "this is not a stamp"),
    "a day that is none": ("{on: 20", "{on: 0", "this is not a stamp"),
    "no map": ("tiny-gpu:\n", "- tiny-gpu:\n", "the file must hold stamps"),
}


@pytest.mark.parametrize(("old", "new", "words"), LOCK_FAULTS.values(), ids=LOCK_FAULTS)
def test_a_stamp_that_says_nothing_is_a_fault_and_bars_the_next(tiny: Base, old: str, new: str, words: str) -> None:
    review(tiny, "tiny-gpu")
    (found,) = tiny.edit(LOCK, old, new).findings()
    assert (found.code, found.location.path) == ("SCH101", LOCK)
    assert found.message.startswith(words)
    before = held(tiny)
    assert words in review(tiny, "tiny-a", status=1), "writing the file anew would lose what it holds"
    assert held(tiny) == before


def test_a_stamp_follows_a_renamed_record_and_source(tiny: Base) -> None:
    review(tiny, "tiny-gpu")
    for old, new in ((GPU, "records/gpus/small-gpu.yaml"), (SHEET, "sources/small-datasheet.yaml")):
        text = (tiny.root / old).read_text().replace("tiny-datasheet", "small-datasheet")
        tiny.lay({new: text.replace("gpu:tiny-gpu", "gpu:small-gpu"), old: None})
    tiny.lay({"records/redirects.yaml": "tiny-gpu: small-gpu\ntiny-datasheet: small-datasheet\n"})
    assert tiny.findings() == []
    assert "1 reviewed" in review(tiny)


def test_a_value_that_a_list_holds_needs_that_entry_alone(tiny: Base) -> None:
    serving = 'serving_architecture: {value: TinyMlaForCausalLM, cite: "[[tiny-engine-registry]]"}\n'
    tiny.edit(MODEL_A, "architecture:\n", f"{serving}architecture:\n")
    review(tiny, "tiny-a", "--cite", "tiny-engine-registry")
    assert 'keys: {"architectures[TinyMlaForCausalLM]": "' in (tiny.root / LOCK).read_text()
    assert told(reread(tiny, REGISTRY, "OtherForCausalLM, ", "")) == []
    reread(tiny, REGISTRY, "[TinyMlaForCausalLM]", "[TinyMla2ForCausalLM]")
    (names,) = told(tiny)
    assert "architectures[TinyMlaForCausalLM] (no longer there)" in names


def test_stamps_stand_in_a_file_of_their_own_in_order(tiny: Base) -> None:
    before = held(tiny)
    review(tiny, "tiny-gpu")
    first = (tiny.root / LOCK).read_text()
    review(tiny, "tiny-a", "tiny-engine")
    after = held(tiny)
    text = after.pop(str(tiny.root / LOCK)).decode()
    assert after == before, "no record and no source changes"
    assert set(first.splitlines()) < set(text.splitlines()), "what holds stays as it is"
    assert re.findall(r"^(?:  )?(?! )([\w-]+):", text, re.M) == [
        *("tiny-a", "tiny-a-config", "tiny-engine", "tiny-engine-registry", "tiny-gpu", "tiny-datasheet")
    ]
    assert tiny.findings() == []
    assert review(tiny, "tiny-gpu", "tiny-a").endswith("0 stamps, 2 still hold\n")
    assert (tiny.root / LOCK).read_text() == text, "twice changes nothing more"


def test_a_page_says_what_its_record_was_compared_with(tiny: Base) -> None:
    review(tiny, "tiny-gpu")
    (page,) = [page for page in pages.build(tiny.read()) if page.path == "gpus/tiny-gpu.md"]
    assert re.search(r'<li>compared with <a [^>]*href="[^"]*tiny-datasheet[^"]*">.* on <time', page.html)


@given(st.dictionaries(st.text(min_size=1, max_size=30), st.integers() | st.text(max_size=5), min_size=1, max_size=12))
def test_any_names_of_facts_make_a_stamp_that_reads_back(facts: dict[str, Any]) -> None:
    stamp = stamp_of(facts)
    document = load(f"x: {stamp_line('2026-01-05', stamp)}\n", "x.yaml")
    assert not document.faults
    assert document.data["x"] == {"on": "2026-01-05", "facts": stamp.facts, "keys": dict(stamp.keys)}


def held(base: Base) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in base.root.rglob("*") if path.is_file()}


REFUSALS = {
    "an unknown record": (["tiny-x"], 2, "no record has the id"),
    "a source": (["tiny-datasheet"], 2, "records are compared with it"),
    "a source that the record does not use": (["tiny-gpu", "--cite", "tiny-dtypes"], 2, "rests on tiny-dtypes"),
    "a source that is none": (["tiny-gpu", "--cite", "tiny-a"], 2, "a source is expected"),
    "a source for no record": (["--cite", "tiny-datasheet"], 2, "name the records"),
    "all and one": (["tiny-gpu", "--all"], 2, "or --all"),
}


@pytest.mark.parametrize(("arguments", "status", "words"), REFUSALS.values(), ids=REFUSALS)
def test_what_is_refused(tiny: Base, arguments: list[str], status: int, words: str) -> None:
    before = held(tiny)
    assert words in review(tiny, *arguments, status=status)
    assert held(tiny) == before


def test_a_record_with_errors_is_not_stamped_and_neither_is_any_other(tiny: Base) -> None:
    tiny.edit(MODEL_A, "num_hidden_layers: 4", "num_hidden_layers: 6")
    before = held(tiny)
    assert "WIR202" in review(tiny, "tiny-gpu", "tiny-a", status=1)
    assert held(tiny) == before
    answer = json.loads(review(tiny, "tiny-a", "--format", "json", status=1))
    assert (answer["ok"], [error["code"] for error in answer["errors"]]) == (False, ["WIR202"])
    assert held(tiny) == before


def test_a_source_that_could_not_be_read_is_not_compared(tiny: Base) -> None:
    tiny.edit(SHEET, "retrieval: read-not-hashed", "retrieval: unreadable")
    before = held(tiny)
    assert "not stamped: the source could not be read" in review(tiny, "tiny-gpu")
    assert held(tiny) == before


def test_the_difference_is_shown_and_nothing_written(tiny: Base) -> None:
    before = held(tiny)
    shown = review(tiny, "--all", "--diff")
    assert held(tiny) == before
    assert shown.startswith(f"--- /dev/null\n+++ b/{LOCK}\n")
    assert len(re.findall(r"^\+  [\w-]+: \{on: ", shown, re.M)) == 7
    assert not re.search(r"^-(?!-- )", shown, re.M)


def test_the_answers_for_programs(tiny: Base) -> None:
    answer = json.loads(review(tiny, "tiny-gpu", "--format", "json"))
    (row,) = answer["stamped"]
    assert (answer["schema_version"], row["record"], row["source"]) == (1, "tiny-gpu", "tiny-datasheet")
    assert row["facts"] == "v1:" + facts_digest({"memory": "80 GB"}).removeprefix("sha256:")[:12]
    (kept,) = json.loads(review(tiny, "tiny-gpu", "--format", "json"))["kept"]
    assert kept["source"] == "tiny-datasheet"
    reread(tiny, SHEET, "80 GB", "96 GB")
    answer = json.loads(review(tiny, "--format", "json", status=1))
    assert (answer["ok"], answer["changed"][0]["changed"]) == (False, ["memory"])
    assert answer["counts"] == {"never reviewed": 6, "changed since the review": 1}
