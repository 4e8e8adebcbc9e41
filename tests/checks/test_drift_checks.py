"""The checks of drift: editions of one document, age, and reviews. Silent rows first."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import TODAY, Base
from hypothesis import given
from hypothesis import strategies as st

from generator.authoring import fixes, stamps
from generator.authoring.fixes import spliced
from generator.catalog.records import Record
from generator.catalog.yaml.loader import load
from generator.checks import CHECKS, unused_waiver
from generator.checks.run import judge_all
from generator.cli import cli
from generator.findings import Severity
from generator.knowledge.evidence.reviews import Review, ReviewStatus, stamp_of
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.addresses import edition
from generator.notation.digests import facts_digest
from generator.site import pages

SHA, OTHER = "0123456789abcdef0123456789abcdef01234567", "f" * 40
MODELINE = "# yaml-language-server: $schema=../schema/source.schema.json\n"


def source(**fields: Any) -> str:
    """A source; what is given replaces a field, None leaves it out."""
    plain = {
        "title": "Tiny Engine's page sizes",
        "publisher": "Tiny Works",
        "type": "source-code",
        "url": "pkg:pypi/tiny-engine@1.0",
        "locator": "pkg:pypi/tiny-engine@1.0#tiny_engine/pages.py!SIZES",
        "subjects": ["pypi:tiny-engine"],
        "retrieved": "2026-11-20",
        "upstream_date": "2026-01-03",
        "retrieval": "read-not-hashed",
        "digest": None,
        "license": "MIT",
        "facts": {"page": 64, "heads": [8, 16]},
        "why_null": {"digest": "the bytes were not hashed"},
    }
    given = {key: value for key, value in {**plain, **fields}.items() if value is not None or key == "digest"}
    return MODELINE + "".join(f"{key}: {json.dumps(value)}\n" for key, value in given.items())


def concept(*cites: str, prose: str = "An idea of [[tiny-a]].") -> str:
    listed = ", ".join(f'"[[{id}]]"' for id in cites)
    return (
        "# yaml-language-server: $schema=../../schema/concept.schema.json\n"
        f"name: Pages\ndefinition: |\n  {prose}\ncites: [{listed}]\n"
    )


# --- DRF603: a newer edition is in the base --------------------------------------------------------------------------

EDITIONS = {
    "pkg:pypi/vllm@0.33.0#vllm/a.py!X": ("pkg:pypi/vllm#vllm/a.py!X", "0.33.0"),
    "pkg:pypi/vllm": ("pkg:pypi/vllm#", None),
    f"https://github.com/o/r/blob/{SHA}/a/b.py#L3-L9": ("github:o/r#a/b.py", SHA),
    f"git+https://github.com/o/r.git@{SHA}#a/b.py": ("github:o/r#a/b.py", SHA),
    "https://raw.githubusercontent.com/o/r/v1/a/b.py": ("github:o/r#a/b.py", "v1"),
    f"https://huggingface.co/O/R/resolve/{SHA}/config.json": ("hf:O/R#config.json", SHA),
    "https://huggingface.co/O/R/raw/main/config.json": ("hf:O/R#config.json", "main"),
    "https://github.com/o/r/issues/7": ("https://github.com/o/r/issues/7", None),
    "https://tiny.example/a": ("https://tiny.example/a", None),
}


@pytest.mark.parametrize("address", EDITIONS)
def test_which_edition_an_address_names(address: str) -> None:
    assert edition(address) == EDITIONS[address]


def package(version: str, **fields: Any) -> str:
    place = f"pkg:pypi/tiny-engine@{version}"
    return source(**{"url": place, "locator": f"{place}#tiny_engine/pages.py!SIZES", **fields})


def at(revision: str, **fields: Any) -> str:
    place = f"https://github.com/tiny/engine/blob/{revision}/pages.md"
    return source(**{"url": place, "locator": place, "subjects": ["github:tiny/engine"], **fields})


THREAD = "https://github.com/o/r/issues/7"
NO_PAIR = {
    "the same version twice": (package("1.0"), package("1.0")),
    "an older version beside it": (package("1.0"), package("0.9")),
    "a release candidate of the next version": (package("1.0"), package("1.1rc1")),
    "another symbol of the module": (package("1.0"), package("1.1", locator="pkg:pypi/tiny-engine@1.1#p.py!OTHER")),
    "the same file about another subject": (package("1.0"), package("1.1", subjects=["kernel:other"])),
    "read as another kind of document": (package("1.0"), package("1.1", type="docs-page")),
    "a later commit without a date": (at(SHA), at(OTHER, upstream_date="2026")),
    "commits of one day": (at(SHA), at(OTHER)),
    "commits that look like versions": (at("1234567", upstream_date="2026"), at("2345678")),
    "a thread read twice, which is one document": (
        source(url="https://github.com/o/r/issues/7", locator="https://github.com/o/r/issues/7"),
        source(
            url="https://github.com/o/r/issues/7", locator="https://github.com/o/r/issues/7", retrieved="2026-11-28"
        ),
    ),
    "two records of one document, and said to be": (
        at(SHA, same_document_as="[[pages-new]]"),
        at(OTHER, upstream_date="2026-05-01"),
    ),
    "a newer one that could not be read": (package("1.0"), package("1.1", retrieval="unreadable")),
    "a newer one with nothing that is used here": (package("1.0"), package("1.1", facts={"other": 1})),
    "a chain that bites its tail": (
        package("1.0", supersedes="[[pages-new]]"),
        source(locator="words", supersedes="[[pages]]"),
    ),
}


@pytest.mark.parametrize(("old", "new"), NO_PAIR.values(), ids=NO_PAIR)
def test_no_newer_edition(tiny: Base, old: str, new: str) -> None:
    files = {"sources/pages.yaml": old, "sources/pages-new.yaml": new}
    found = tiny.lay({**files, "records/concepts/paging.yaml": concept("pages")}).findings()
    assert not {each.code for each in found} & {"DRF603", "SCH101", "SCH102", "YML001"}


NEWER = {
    "the next version": (package("1.0"), package("1.1"), ["1.0", "1.1"]),
    "the tenth after the ninth": (package("1.9"), package("1.10"), ["1.9", "1.10"]),
    "a post-release": (package("1.0"), package("1.0.post1"), ["1.0", "1.0.post1"]),
    "a candidate after a candidate": (package("1.0rc1"), package("1.0rc2"), ["1.0rc1", "1.0rc2"]),
    "a commit of a later day": (at(SHA), at(OTHER, upstream_date="2026-05-01"), [SHA, OTHER]),
    "a branch read again": (at("main"), at("main", upstream_date="2026-05-01"), ["2026-01-03", "2026-05-01"]),
    "a branch read on two days": (
        at("main", upstream_date="2026"),
        at("main", upstream_date="2026", retrieved="2026-11-28"),
        ["2026", "2026"],
    ),
    "said from the new side": (source(locator="words"), at(SHA, supersedes="[[pages]]"), ["1.0", SHA]),
    "said from the old side": (package("1.0", superseded_by="[[pages-new]]"), at(SHA), ["1.0", SHA]),
}


@pytest.mark.parametrize(("old", "new", "editions"), NEWER.values(), ids=NEWER)
def test_a_newer_edition(tiny: Base, old: str, new: str, editions: list[str]) -> None:
    files = {"sources/pages.yaml": old, "sources/pages-new.yaml": new}
    found, *others = tiny.lay({**files, "records/concepts/paging.yaml": concept("pages")}).findings()
    if others:  # a branch is no evidence, whatever its age
        (found,) = [each for each in (found, *others) if each.code != "CIT110"]
    assert (found.code, found.severity, found.record) == ("DRF603", Severity.WARNING, "paging")
    assert found.data["editions"] == editions
    assert found.data["newer"] == "pages-new"
    assert "all that is used here (page, heads) is the same there; cite the newer edition" in found.message
    assert "absorbs" not in found.data


def test_the_newest_of_three_is_named_and_what_changed(tiny: Base) -> None:
    tiny.lay(
        {
            "sources/pages.yaml": package("1.0"),
            "sources/pages-b.yaml": package("1.1"),
            "sources/pages-c.yaml": package("1.2", facts={"page": 32, "heads": [8, 16]}),
            "records/concepts/paging.yaml": concept("pages"),
        }
    )
    (found,) = tiny.findings("DRF603")
    assert found.data["newer"] == "pages-c"
    assert found.data["changed"] == {"page": [64, 32]}
    assert found.data["same"] == ["heads"]
    assert "`page` is 32, not 64" in found.message
    assert found.fix is None, "what changed must be read"


COMMON = [f"class-{number}" for number in range(9)]


def test_a_list_tells_what_came_and_went(tiny: Base) -> None:
    tiny.lay(
        {
            "sources/pages.yaml": package("1.0", facts={"names": ["a", *COMMON]}),
            "sources/pages-new.yaml": package("1.1", facts={"names": [*COMMON, "c"]}),
            "records/concepts/paging.yaml": concept("pages"),
        }
    )
    (found,) = tiny.findings("DRF603")
    assert "`names` lost a and gained c" in found.message


def test_a_list_that_cites_both_has_seen_both(tiny: Base) -> None:
    files = {"sources/pages.yaml": package("1.0"), "sources/pages-new.yaml": package("1.1")}
    assert tiny.lay({**files, "records/concepts/paging.yaml": concept("pages", "pages-new")}).findings() == []
    said = concept("pages", prose="What [[pages-new]] says is the same, see [[tiny-a]].")
    assert tiny.lay({"records/concepts/paging.yaml": said}).findings() == []


def test_equal_facts_are_re_pointed_and_an_orphan_is_no_safe_outcome(tiny: Base) -> None:
    tiny.lay(
        {
            "sources/pages.yaml": package("1.0"),
            "sources/pages-new.yaml": package("1.1"),
            "records/concepts/paging.yaml": concept("pages"),
        }
    )
    (found,) = tiny.findings()
    assert found.fix
    assert not found.fix.safe
    tiny.lay({"sources/pages-new.yaml": package("1.1", supersedes="[[pages]]")})
    (found,) = tiny.findings()
    assert found.fix
    assert found.fix.safe
    fixes.write(tiny.root, fixes.plan(tiny.root, TODAY, unsafe=False).changes)
    assert tiny.findings() == []


def test_a_record_of_a_version_is_told_without_a_warning(tiny: Base) -> None:
    """The engine's record says 1.0; the list of 1.1 is news, not a fault."""
    old = (tiny.root / "sources/tiny-engine-registry.yaml").read_text()
    new = old.replace("@1.0", "@1.1").replace("[OtherForCausalLM, ", "[")
    new = "".join(line for line in new.splitlines(True) if not line.startswith("facts_digest"))
    tiny.lay({"sources/registry-1-1.yaml": new, "records/concepts/paging.yaml": concept("registry-1-1")})
    (found,) = tiny.findings()
    assert (found.code, found.severity, found.record) == ("DRF603", Severity.INFO, "tiny-engine")
    assert "the `version` here names 1.0" in found.message
    assert "`architectures` lost OtherForCausalLM" in found.message
    assert found.fix is None
    (found,) = tiny.edit("records/engines/tiny-engine.yaml", 'version: "1.0"', 'version: "1.1"').findings()
    assert found.severity is Severity.WARNING, "the record moved on, its evidence did not"


SINCE = {
    "a gotcha of other versions": ("<0.9", Severity.WARNING),
    "a gotcha of a longer version": ("<1.0.5", Severity.WARNING),
    "a gotcha up to that version": ("<1.0", Severity.INFO),
}


@pytest.mark.parametrize(("versions", "severity"), SINCE.values(), ids=SINCE)
def test_a_gotcha_that_names_the_version_says_which_it_is_about(tiny: Base, versions: str, severity: Severity) -> None:
    gotcha = "records/gotchas/tiny-crash.yaml"
    tiny.edit(gotcha, '"<1.1"', f'"{versions}"').edit(gotcha, "[[tiny-engine-issue]]", "[[pages]]")
    tiny.lay({"sources/pages.yaml": package("1.0"), "sources/pages-new.yaml": package("1.1", supersedes="[[pages]]")})
    (found,) = tiny.findings("DRF603")
    assert found.severity is severity


CLAIM = 'claims:\n  - {{field: context, value: 64, unit: tokens, basis: vendor, {0}cite: "[[pages]]"}}\n'
ABOUT = {
    "the entry names the version": ('condition: "in 1.0", ', True),
    "the entry names a longer version": ('condition: "in 1.0.5", ', False),
    "the entry says nothing": ("", False),
}


@pytest.mark.parametrize(("condition", "silent"), ABOUT.values(), ids=ABOUT)
def test_an_entry_about_the_old_version(tiny: Base, condition: str, silent: bool) -> None:
    files = {"sources/pages.yaml": package("1.0"), "sources/pages-new.yaml": package("1.1")}
    model = (tiny.root / "records/models/tiny-a.yaml").read_text()
    files["records/models/tiny-a.yaml"] = model + CLAIM.format(condition)
    found = tiny.lay(files).findings("DRF603")
    assert bool(found) is not silent


def test_corrections_may_cite_what_was_wrong(tiny: Base) -> None:
    files = {"sources/pages.yaml": package("1.0"), "sources/pages-new.yaml": package("1.1", supersedes="[[pages]]")}
    tiny.edit("records/models/tiny-b.yaml", 'cite: "[[tiny-b-config]]"\n', 'cite: "[[pages]]"\n')
    tiny.lay({**files, "records/concepts/paging.yaml": concept("pages-new")})
    assert tiny.findings() == []


# --- DRF601: not read again for long ---------------------------------------------------------------------------------

PINNED = {
    "a package at a version": "pkg:pypi/tiny-engine@1.0#tiny_engine/pages.py!SIZES",
    "a file at a commit": f"https://github.com/tiny/engine/blob/{SHA}/pages.py",
    "a config at a revision": f"https://huggingface.co/Tiny/A/blame/{SHA}/config.json",
    "a file at a commit, by git": f"git+https://github.com/tiny/engine@{SHA}#pages.py",
    "the documentation of a release": "https://docs.tiny.example/en/7.13.0-preview/pages.html",
    "a snapshot of an archive": "https://web.archive.org/web/20260106120000/https://github.com/tiny/engine/issues/7",
    "an article in one version": "https://arxiv.org/abs/2405.04434v5",
}
MOVING = {
    "a thread": ("https://github.com/tiny/engine/issues/9", "it is a thread"),
    "a page": ("https://docs.tiny.example/pages.html", "its address names no version"),
    "an article, whichever version": ("https://arxiv.org/abs/2405.04434", "its address names no version"),
}


def aged(tiny: Base, day: str, **fields: Any) -> list[Any]:
    place = fields.pop("place", "https://docs.tiny.example/pages.html")
    text = source(**{"url": place, "locator": place, "retrieved": day, "upstream_date": "2020", **fields})
    return tiny.lay({"sources/pages.yaml": text, "records/concepts/paging.yaml": concept("pages")}).findings("DRF601")


@pytest.mark.parametrize("place", PINNED.values(), ids=PINNED)
def test_what_is_pinned_never_goes_stale(tiny: Base, place: str) -> None:
    assert aged(tiny, "2019-01-01", place=place) == []


@pytest.mark.parametrize(("place", "why"), MOVING.values(), ids=MOVING)
def test_what_can_change_goes_stale(tiny: Base, place: str, why: str) -> None:
    (found,) = aged(tiny, "2019-01-01", place=place)
    assert found.data["why"] == why
    assert (found.record, found.data["rests"]) == ("pages", 1)


DAYS = {
    "on the last day": ("2026-09-30", "source-code", None),
    "a day later": ("2026-09-29", "source-code", 61),
    "read in the future": ("2027-09-29", "source-code", None),
    "a datasheet of last winter": ("2026-01-05", "datasheet", None),
    "a datasheet of the year before": ("2025-01-05", "datasheet", 693),
    "documentation of last winter": ("2026-01-05", "docs-page", 328),
    "a post of last winter": ("2026-01-05", "blog", None),
}


@pytest.mark.parametrize(("day", "type", "age"), DAYS.values(), ids=DAYS)
def test_the_type_says_how_long_a_reading_holds(tiny: Base, day: str, type: str, age: int | None) -> None:
    assert [found.data["age_days"] for found in aged(tiny, day, type=type)] == ([age] if age else [])


NOT_AGED = {
    "the copy that was read is pinned": {"read_from": {"locator": PINNED["a package at a version"]}},
    "words say where it was read": {"locator": "somebody's note", "retrieval": "secondary"},
    "words with an address in them": {"locator": "a note about https://tiny.example/x", "retrieval": "secondary"},
}


@pytest.mark.parametrize("fields", NOT_AGED.values(), ids=NOT_AGED)
def test_what_nobody_could_read_again(tiny: Base, fields: dict[str, Any]) -> None:
    assert aged(tiny, "2019-01-01", **fields) == []


def test_a_branch_ages_where_it_is_excused_from_being_pinned(tiny: Base) -> None:
    branch = "https://github.com/tiny/engine/blob/main/pages.py"
    assert aged(tiny, "2019-01-01", place=branch) == [], "CIT110 asks for a pin"
    waiver = {"code": "CIT110", "reason": "the forge serves no commit", "until": "2026-12-31"}
    (found,) = aged(tiny, "2019-01-01", place=branch, waivers=[waiver])
    assert found.data["why"] == "it follows `main`"
    assert aged(tiny, "2019-01-01", place=branch, waivers=[waiver | {"until": "2026-11-28"}]) == []


def test_what_nothing_rests_on_may_be_old(tiny: Base) -> None:
    tiny.lay({"sources/pages.yaml": source(locator="https://tiny.example/x", retrieved="2019-01-01")})
    mentioned = concept("tiny-a-config", prose="See [[pages]] and [[tiny-a]].")
    assert tiny.lay({"records/concepts/paging.yaml": mentioned}).findings() == []


def test_every_type_of_source_has_its_days_and_a_reason(real: KnowledgeBase) -> None:
    table = real.catalog.tables["rereading"]
    assert set(table) == set(real.catalog.schemas.field("source").children["type"].schema["enum"])
    assert all(each["days"] > 0 and len(each["because"]) > 20 for each in table.values())


def test_the_tiny_base_never_ages(tiny: Base) -> None:
    """The tests of the commands run on the day on which they run."""
    assert judge_all(replace(tiny.read(), today=date(2099, 1, 1)), CHECKS, unused_waiver).findings == ()


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


# --- DRF602: changed since the review, and the command that writes the stamps ----------------------------------------

GPU, SHEET = "records/gpus/tiny-gpu.yaml", "sources/tiny-datasheet.yaml"
MODEL_A, CONFIG_A = "records/models/tiny-a.yaml", "sources/tiny-a-config.yaml"
ENGINE, REGISTRY = "records/engines/tiny-engine.yaml", "sources/tiny-engine-registry.yaml"


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
    stamped = (tiny.root / GPU).read_text()
    tiny.lay({GPU: stamped.replace("facts: v1:", "facts: v9:")})
    (found,) = tiny.findings()
    assert (found.code, found.severity) == ("DRF602", Severity.INFO)
    review(tiny, "tiny-gpu")
    assert (tiny.root / GPU).read_text() == stamped


def test_a_stamp_is_no_use_of_a_source(tiny: Base) -> None:
    """It stays when a citation is re-pointed, and hides neither the orphan nor the mis-wiring."""
    review(tiny, "tiny-a", "tiny-b")
    tiny.edit(MODEL_A, 'config: "[[tiny-a-config]]"', 'config: "[[tiny-b-config]]"')
    tiny.lay({"records/concepts/tiny-latent.yaml": concept("tiny-b-config").replace("Pages", "Latent rows")})
    assert [found.code for found in tiny.findings()] == ["WIR201"]
    assert "1 reviewed, and no longer cited" in review(tiny)
    assert "tiny-a-config" in tiny.read().graph.orphans()


def test_a_stamp_with_a_wrong_id_is_told_as_any_citation(tiny: Base) -> None:
    review(tiny, "tiny-gpu")
    text = (tiny.root / GPU).read_text()
    tiny.lay({GPU: text.replace('- cite: "[[tiny-datasheet]]"', '- cite: "[[tiny-datashet]]"')})
    assert [found.code for found in tiny.findings()] == ["CIT101"]


def test_a_value_that_a_list_holds_needs_that_entry_alone(tiny: Base) -> None:
    serving = 'serving_architecture: {value: TinyMlaForCausalLM, cite: "[[tiny-engine-registry]]"}\n'
    tiny.edit(MODEL_A, "architecture:\n", f"{serving}architecture:\n")
    review(tiny, "tiny-a", "--cite", "tiny-engine-registry")
    assert 'keys: {"architectures[TinyMlaForCausalLM]": "' in (tiny.root / MODEL_A).read_text()
    assert told(reread(tiny, REGISTRY, "OtherForCausalLM, ", "")) == []
    reread(tiny, REGISTRY, "[TinyMlaForCausalLM]", "[TinyMla2ForCausalLM]")
    (names,) = told(tiny)
    assert "architectures[TinyMlaForCausalLM] (no longer there)" in names


SHAPES = {
    "without a break at its end": lambda data: data.rstrip(b"\n"),
    "with line ends of Windows": lambda data: data.replace(b"\n", b"\r\n"),
    "with a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "with comments": lambda data: data.replace(b"\nform:", b"  # one\n# two\nform:") + b"# three\n",
    "with an empty list of stamps": lambda data: data + b"reviewed: []  # none yet\n",
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_stamp_is_spliced_in(tiny: Base, shape: Callable[[bytes], bytes]) -> None:
    before = shape((tiny.root / GPU).read_bytes())
    tiny.lay({GPU: before})
    assert not tiny.findings("SCH101", "YML001")
    review(tiny, "tiny-gpu")
    after = (tiny.root / GPU).read_bytes()
    kept = re.sub(rb"(\r?\n)?  - cite: .*?\}", b"", after, flags=re.S)
    assert kept.replace(b"reviewed:", b"").split() == before.replace(b"reviewed: []", b"").split()
    assert (b"\r\n" in after) == (b"\r\n" in before)
    assert after.count(b"\n") - after.count(b"\r\n") in (0, after.count(b"\n"))
    assert tiny.findings() == []
    review(tiny, "tiny-gpu")
    assert (tiny.root / GPU).read_bytes() == after, "twice changes nothing more"


def test_a_second_stamp_and_a_renewed_one_leave_the_rest_alone(tiny: Base) -> None:
    serving = 'serving_architecture: {value: TinyMlaForCausalLM, cite: "[[tiny-engine-registry]]"}\n'
    tiny.edit(MODEL_A, "architecture:\n", f"{serving}architecture:\n")
    stamps = (
        'reviewed:  # by hand\n- cite: "[[tiny-a-config]]"\n  on: 2026-01-01  # after the release\n'
        "  facts: v1:000000000000  # the first\n# the end\n"
    )
    text = (tiny.root / MODEL_A).read_text()
    tiny.lay({MODEL_A: text + stamps})
    assert told(tiny) == [["facts that the stamp does not name"]]
    review(tiny, "tiny-a")
    after = (tiny.root / MODEL_A).read_text()
    assert after.startswith(text + "reviewed:  # by hand\n")
    assert re.search(r"\n  on: [\d-]{10}  # after the release\n  facts: v1:\w{12}  # the first\n  keys: \{", after)
    assert after.endswith("\n# the end\n")
    assert tiny.findings() == []
    assert {stamp["cite"] for stamp in tiny.read().catalog.records["tiny-a"].get("reviewed")} == {
        "[[tiny-a-config]]",
        "[[tiny-engine-registry]]",
    }


BRACES = """reviewed:
  - {cite: "[[tiny-a-config]]", on: 2026-01-01, facts: v9:000000000000, keys: {
      a: "0000"
    }
  }  # old
"""


def test_a_stamp_in_braces_is_renewed_in_them(tiny: Base) -> None:
    serving = 'serving_architecture: {value: TinyMlaForCausalLM, cite: "[[tiny-engine-registry]]"}\n'
    tiny.edit(MODEL_A, "architecture:\n", f"{serving}architecture:\n")
    text = (tiny.root / MODEL_A).read_text()
    tiny.lay({MODEL_A: text + BRACES})
    review(tiny, "tiny-a")
    after = (tiny.root / MODEL_A).read_text()
    assert after.startswith(text + 'reviewed:\n  - {cite: "[[tiny-a-config]]", on: ')
    assert after.count('"}\n  }  # old\n  - cite: "[[tiny-engine-registry]]"\n') == 1
    assert tiny.findings() == []


def test_a_page_says_what_its_record_was_compared_with(tiny: Base) -> None:
    review(tiny, "tiny-gpu")
    (page,) = [page for page in pages.build(tiny.read()) if page.path == "gpus/tiny-gpu.md"]
    assert re.search(r'<li>compared with <a [^>]*href="[^"]*tiny-datasheet[^"]*">.* on <time', page.html)


@given(st.dictionaries(st.text(min_size=1, max_size=30), st.integers() | st.text(max_size=5), min_size=1, max_size=12))
def test_any_names_of_facts_make_a_stamp_that_reads_back(facts: dict[str, Any]) -> None:
    before = b"# one\nname: x  # two\nnotes: |\n  three\n"
    record = Record("x", "concept", "records/concepts/x.yaml", load(before.decode()))
    stamped = Review("s", ReviewStatus.NEVER, stamp=stamp_of(facts))
    after = spliced(before, stamps.written(record, [stamped], TODAY))
    document = load(after.decode("utf-8"))
    assert after.startswith(before)
    assert not document.faults
    (stamp,) = document.data["reviewed"]
    assert (stamp["facts"], stamp["keys"]) == (stamped.stamp.facts, stamped.stamp.keys)  # type: ignore[union-attr]


def held(base: Base) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in base.root.rglob("*") if path.is_file()}


REFUSALS = {
    "an unknown record": (["tiny-x"], 2, "no record has the id"),
    "a source": (["tiny-datasheet"], 2, "records are compared with it"),
    "a source that the record does not use": (["tiny-gpu", "--cite", "tiny-dtypes"], 2, "rests on tiny-dtypes"),
    "a source that is none": (["tiny-gpu", "--cite", "tiny-a"], 2, "a source is wanted"),
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
    assert shown.count("\n+reviewed:\n") == 7
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
