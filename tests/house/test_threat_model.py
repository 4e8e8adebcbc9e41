"""docs/threat-model.md names the test that holds each promise: all of them exist, and no promise lacks one."""

from __future__ import annotations

import ast
import re

from conftest import ROOT

PAGE = (ROOT / "docs/threat-model.md").read_text("utf-8")


def test_every_promise_names_tests_that_exist() -> None:
    promises = [line for line in PAGE.splitlines() if line.startswith("|") and "`tests/" in line]
    assert promises
    for line in promises:
        path = ""
        for named in re.findall(r"`([^`]*::test_\w+)`", line):
            path, _, name = (named if named.startswith("tests/") else f"{path}{named}").partition("::")
            tree = ast.parse((ROOT / path).read_text("utf-8"))
            assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, (
                f"{path} has no {name}"
            )


def test_no_promise_stands_without_a_test() -> None:
    for section in PAGE.split("\n## ")[1:]:
        if "| held by |" in section:
            rows = [line for line in section.splitlines() if line.startswith("| ") and "held by" not in line]
            assert rows
            assert not [row for row in rows if "::test_" not in row and "`.ci/" not in row]


WRITERS = {"catalog/disk/journal.py", "catalog/disk/output.py", "site/preview.py"}


def test_files_are_put_in_their_places_by_one_writer() -> None:
    """Whoever moves a file into its place by hand would have to see to kills, links and full disks, too."""
    moving = re.compile(
        r"os\.(?:replace|rename|link)\(|\.(?:replace|rename)\(Path|mkstemp|NamedTemporaryFile|shutil\.move"
    )
    code = ROOT / "generator"
    found = {path.relative_to(code).as_posix() for path in code.rglob("*.py") if moving.search(path.read_text("utf-8"))}
    assert found == WRITERS
