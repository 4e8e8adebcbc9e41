"""The hooks that other repositories of records run with pre-commit."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import ROOT, Base

from generator.catalog.yaml.loader import load
from generator.cli import cli

HOOKS: list[dict[str, Any]] = load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")).data
each_hook = pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])


@each_hook
def test_a_hook_has_what_pre_commit_asks_for(hook: dict[str, Any]) -> None:
    """Tried with pre-commit 4.7 itself, too: a clean base passes, a fix stops the first commit and is in the second."""
    assert {"id", "name", "entry", "language"} <= hook.keys() <= MANIFEST
    assert hook["language"] == "python"
    assert hook["pass_filenames"] is False, "a base is judged whole"


MANIFEST = {"id", "name", "description", "entry", "language", "pass_filenames", "files", "types_or", "require_serial"}
PATHS = {
    "records/models/tiny-a.yaml": True,
    "sources/x.yml": True,
    "docs/guide.md": True,
    "schema/model.schema.json": True,
    "some/base/records/concepts/x.yaml": True,
    "README.md": False,
    "docs/picture.png": False,
    "myrecords/x.yaml": False,
}


@each_hook
@pytest.mark.parametrize(("path", "wanted"), PATHS.items(), ids=PATHS)
def test_a_hook_runs_where_authored_files_change(hook: dict[str, Any], path: str, wanted: bool) -> None:
    assert bool(re.search(hook["files"], path)) is wanted


@each_hook
def test_what_a_hook_runs_is_there(hook: dict[str, Any], tiny: Base) -> None:
    program, *arguments = shlex.split(hook["entry"])
    assert program == "servebook"
    done = CliRunner().invoke(cli, ["--root", str(tiny.root), *arguments])
    assert done.exit_code == 0, done.output
