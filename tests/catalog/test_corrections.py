"""Corrections in a file beside their record: read, cited, checked and shown as if they stood in it."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from conftest import Base

from generator.cli import cli
from generator.site import pages

RIGHT = "It has {{ config.num_hidden_layers }}."
MODEL, BESIDE = "records/models/tiny-b.yaml", "records/models/tiny-b.corrections.yaml"
LINE = "# yaml-language-server: $schema=../../schema/corrections.schema.json\n"


def split(base: Base, end: str = "\n", mark: str = "") -> Base:
    """The corrections of Tiny B in a file of their own."""
    text = (base.root / MODEL).read_text("utf-8")
    begin, after = text.index("corrections:\n"), text.index("why_null:\n")
    corrections = mark + (LINE + text[begin:after]).replace("\n", end)
    return base.lay({MODEL: (text[:begin] + text[after:]).rstrip("\n") + end, BESIDE: corrections})


@pytest.mark.parametrize(("end", "mark"), [("\n", ""), ("\r\n", ""), ("", ""), ("\r\n", "\ufeff")])
def test_nothing_else_changes(tiny: Base, end: str, mark: str) -> None:
    before = tiny.read()
    shown = {page.path: page.html for page in pages.build(before)}
    count = tiny.judge().checked
    after = split(tiny, end or "\n", mark)
    if not end:
        after.lay({MODEL: (tiny.root / MODEL).read_text("utf-8").rstrip("\n")})
    kb = after.read()
    assert kb.catalog.records["tiny-b"].data == before.catalog.records["tiny-b"].data
    assert (after.findings(), after.judge().checked) == ([], count)
    cited = [(each.citing, each.place, each.target) for each in kb.graph.citations]
    assert cited == [(each.citing, each.place, each.target) for each in before.graph.citations]
    now = {page.path: page.html for page in pages.build(kb)}
    made = f"<code>{MODEL}</code> and <code>{BESIDE}</code>"
    assert now == shown | {"models/tiny-b.md": shown["models/tiny-b.md"].replace(f"<code>{MODEL}</code>", made)}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_finding_stands_in_the_file_with_the_mistake(tiny: Base, end: str) -> None:
    split(tiny, end).lay({BESIDE: (tiny.root / BESIDE).read_bytes().replace(b"[[tiny-a]]", b"[[tiny-x]]")})
    (found,) = tiny.findings()
    line = (tiny.root / BESIDE).read_text("utf-8").split("\n")[found.location.line - 1]
    assert (found.code, found.location.path, found.record) == ("CIT101", BESIDE, "tiny-b")
    assert line[found.location.column - 1 : found.location.end_column - 1] == "[[tiny-x]]"


def test_a_fix_is_made_there(tiny: Base) -> None:
    split(tiny).lay({"records/redirects.yaml": "old: tiny-a\n"}).edit(BESIDE, "[[tiny-a]]", "[[old]]")
    before = (tiny.root / MODEL).read_bytes()
    assert CliRunner().invoke(cli, ["--root", str(tiny.root), "fix"]).exit_code == 0
    assert "the 4 layers of [[tiny-a]]" in (tiny.root / BESIDE).read_text("utf-8")
    assert (tiny.root / MODEL).read_bytes() == before


FAULTS = {
    "a field of the schema": (
        "date: 2026-02-03",
        "date: 2026-02-30",
        "SCH101",
        BESIDE,
        3,
        "does not have the expected form",
    ),
    "a field that is not known": ("    right:", "    rihgt:", "SCH101", BESIDE, 6, "did you mean `right`"),
    "text that cannot be read": ("  - date", "  - date: [\n  - date", "YML001", BESIDE, 4, "not valid YAML"),
    "another field": ("corrections:\n", "notes: A note.\ncorrections:\n", "SCH102", BESIDE, 2, f"to {MODEL}"),
    "a field of the record": ("corrections:\n", "name: Tiny\ncorrections:\n", "YML002", BESIDE, 2, "`name`"),
    "a value that is ambiguous": (f"right: |\n      {RIGHT}", "right: NO", "YML003", BESIDE, 6, "quote it"),
}


@pytest.mark.parametrize(("old", "new", "code", "path", "line", "words"), FAULTS.values(), ids=FAULTS)
def test_faults(tiny: Base, old: str, new: str, code: str, path: str, line: int, words: str) -> None:
    found = split(tiny).edit(BESIDE, old, new).findings(code)
    assert (found[0].location.path, found[0].location.line, found[0].record) == (path, line, "tiny-b")
    assert words in found[0].message


def test_both_at_once_are_told_once(tiny: Base) -> None:
    text = (tiny.root / MODEL).read_text("utf-8")
    split(tiny).lay({MODEL: text})
    (found,) = tiny.findings()
    assert (found.code, found.location.path, found.related[0].location.path) == ("YML002", BESIDE, MODEL)


def test_corrections_of_nothing(tiny: Base) -> None:
    split(tiny)
    (tiny.root / BESIDE).rename(tiny.root / "records/models/tiny-z.corrections.yaml")
    (found,) = tiny.findings()
    assert (found.code, found.location.path) == ("SCH102", "records/models/tiny-z.corrections.yaml")
    assert "there is no tiny-z.yaml here whose corrections these could be" in found.message
