"""The checks of drift: editions of one document, and age. Silent rows first."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from conftest import TODAY, Base

from generator.authoring import fixes
from generator.checks import CHECKS, unused_waiver
from generator.checks.run import judge_all
from generator.findings import Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.addresses import edition
from sources import OTHER, SHA, at, concept, package, source

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
