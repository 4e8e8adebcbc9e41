"""Markers of a merge that was not finished: one finding in every file that people write, and no other."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import ROOT, Base

from generator.cli import cli

NAME = "records/concepts/tiny-latent.yaml"
CONFLICT = "<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> a-branch\n"


def conflict(text: str, ours: str, theirs: str) -> tuple[str, int]:
    """A text with a line in two versions, and the number of the first marker line."""
    assert text.count(ours) == 1
    return text.replace(ours, CONFLICT.format(ours=ours, theirs=theirs)), text[: text.index(ours)].count("\n") + 1


def only(tiny: Base, path: str, line: int, column: int = 1) -> str:
    (found,) = tiny.findings()
    place = (found.location.path, found.location.line, found.location.column)
    assert (found.code, found.name, place) == ("YML006", "unfinished-merge", (path, line, column))
    return found.message


FILES = {
    "a record": (NAME, "name: "),
    "a model": ("records/models/tiny-a.yaml", "vendor: "),
    "a source": ("sources/tiny-a-config.yaml", "publisher: "),
    "an engine": ("records/engines/tiny-engine.yaml", "name: "),
    "a page of docs": ("docs/guide.md", "# "),
}


@pytest.mark.parametrize(("path", "start"), FILES.values(), ids=FILES)
def test_one_finding_at_the_first_marker(tiny: Base, path: str, start: str) -> None:
    text = (tiny.root / path).read_text("utf-8")
    ours = next(line + "\n" for line in text.split("\n") if line.startswith(start))
    damaged, line = conflict(text, ours, ours.replace("\n", " two\n"))
    message = only(tiny.lay({path: damaged}), path, line)
    assert "`<<<<<<< HEAD` is a marker of a merge that was not finished" in message
    assert f"there are markers on lines {line}, {line + 2}, {line + 4}" in message


def indented(lines: str) -> str:
    return "".join(f"  {line}\n" for line in lines.splitlines())


def test_in_a_text_block_where_yaml_sees_nothing(tiny: Base) -> None:
    text = (tiny.root / NAME).read_text("utf-8")
    block = indented(CONFLICT.format(ours="One way.\n", theirs="Another way.\n"))
    line = text.count("\n") + 2
    only(tiny.lay({NAME: f"{text}notes: |\n{block}"}), NAME, line, 3)


LEFT = {
    "the first alone": ("<<<<<<< HEAD\n", "<<<<<<< HEAD"),
    "the last alone": (">>>>>>> 3f2a1b9 (Say it otherwise)\n", ">>>>>>> 3f2a1b9 (Say it otherwise)"),
    "what diff3 writes between": ("||||||| 1a2b3c4\n", "||||||| 1a2b3c4"),
    "the middle alone": ("=======\n", "======="),
    "with the line ends of Windows": ("<<<<<<< HEAD\r\n", "<<<<<<< HEAD"),
}


@pytest.mark.parametrize(("marker", "shown"), LEFT.values(), ids=LEFT)
def test_a_marker_that_was_left_over(tiny: Base, marker: str, shown: str) -> None:
    text = (tiny.root / NAME).read_text("utf-8")
    assert f"`{shown}` is a marker" in only(tiny.lay({NAME: text + marker}), NAME, text.count("\n") + 1)


def test_stamps_corrections_redirects_and_the_site(tiny: Base) -> None:
    for path, text in {
        "records/redirects.yaml": "old-one: tiny-a\n<<<<<<< HEAD\n",
        "templates/model.html": "<p>\n<<<<<<< HEAD\n</p>\n",
    }.items():
        only(tiny.lay({path: text}), path, 2)
        tiny.lay({path: None})
    mkdocs = (tiny.root / "mkdocs.yml").read_text("utf-8")
    only(tiny.lay({"mkdocs.yml": mkdocs + ">>>>>>> theirs\n"}), "mkdocs.yml", mkdocs.count("\n") + 1)


SILENT = {
    "arrows and rules": "It went from <<<<<<< to >>>>>>> in a line, ======= included.\n",
    "a heading of Markdown": "Heading\n=======\n\nText.\n",
    "a longer rule": "==========\n",
    "eight of them": "<<<<<<<< HEAD\n",
    "in code within a line": "Git writes `<<<<<<< HEAD` there.\n",
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_what_is_no_marker(tiny: Base, text: str) -> None:
    guide = (tiny.root / "docs/guide.md").read_text("utf-8")
    tiny.lay({"docs/guide.md": f"{guide}\n{text}"})
    record = (tiny.root / NAME).read_text("utf-8")
    tiny.lay({NAME: f"{record}notes: |\n{indented(text)}"})
    assert [found for found in tiny.findings() if found.code == "YML006"] == []


@pytest.mark.parametrize("name", ["families.yaml", "model.schema.json"])
def test_the_markers_in_a_schema_are_a_finding_in_every_form(tiny: Base, name: str) -> None:
    """Nothing else can be read: a report of this one finding, and the status of an environment that is broken."""
    shutil.copytree(ROOT / "schema", tiny.root / "schema")
    text = (ROOT / "schema" / name).read_text("utf-8")
    tiny.lay({f"schema/{name}": text + "<<<<<<< HEAD\n"})
    place = (f"schema/{name}", text.count("\n") + 1, 1)
    done = {
        form: CliRunner().invoke(cli, ["--root", str(tiny.root), "validate", "--format", form])
        for form in ("text", "json", "sarif", "github")
    }
    assert {form: run.exit_code for form, run in done.items()} == dict.fromkeys(done, 2)
    assert all(run.stderr == "servebook: schema/ is broken, so nothing else was read\n" for run in done.values())
    report = json.loads(done["json"].stdout)
    assert report["ok"] is False
    assert [(each["code"], each["path"], each["line"], each["column"]) for each in report["findings"]] == [
        ("YML006", *place)
    ]
    (result,) = json.loads(done["sarif"].stdout)["runs"][0]["results"]
    where = result["locations"][0]["physicalLocation"]
    assert result["ruleId"] == "YML006"
    assert where["artifactLocation"]["uri"].endswith(place[0])
    assert (where["region"]["startLine"], where["region"]["startColumn"]) == place[1:]
    assert f"{place[0]}:{place[1]}:1 YML006 `<<<<<<< HEAD` is a marker" in done["text"].stdout
    assert f"{place[0]},line={place[1]}," in done["github"].stdout


@pytest.mark.parametrize("arguments", [["kv", "tiny-a"], ["show", "tiny-a"], ["fix"]])
def test_other_commands_stop_at_a_broken_schema_in_a_line(tiny: Base, arguments: list[str]) -> None:
    shutil.copytree(ROOT / "schema", tiny.root / "schema")
    tiny.lay({"schema/families.yaml": "<<<<<<< HEAD\n"})
    done = CliRunner().invoke(cli, ["--root", str(tiny.root), *arguments])
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("servebook: schema/families.yaml:1:1: YML006 ")


def test_nothing_is_built_of_it(tiny: Base, tmp_path: Path) -> None:
    guide = (tiny.root / "docs/guide.md").read_text("utf-8")
    tiny.lay({"docs/guide.md": f"{guide}\n<<<<<<< HEAD\n"})
    done = CliRunner().invoke(cli, ["--root", str(tiny.root), "materialise", str(tmp_path / "out")])
    assert done.exit_code != 0
    assert not (tmp_path / "out").exists()


DAMAGED = {
    "a lost count": "The model has layers in total.\n",
    "a lost value": "The cache grows by , and it stays.\n",
    "a doubled word": "It keeps the the latent.\n",
    "an open bracket": "It keeps a latent (of 512 scalars.\n",
    "a placeholder": "It takes %s bytes.\n",
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_pages_are_read_for_damage_like_records(tiny: Base, text: str) -> None:
    guide = (tiny.root / "docs/guide.md").read_text("utf-8")
    (found,) = tiny.lay({"docs/guide.md": f"{guide}\n{text}"}).findings()
    assert (found.code, found.location.path) == ("NUM413", "docs/guide.md")
    assert found.location.line == guide.count("\n") + 2


def test_code_on_a_page_is_left_alone(tiny: Base) -> None:
    guide = (tiny.root / "docs/guide.md").read_text("utf-8")
    fence = "```text\nprint('%s', (\nthe the\n```\nAnd `the the %s (` in a line.\n"
    assert tiny.lay({"docs/guide.md": f"{guide}\n{fence}"}).findings() == []
