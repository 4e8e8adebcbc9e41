"""``servebook new check``: what it writes runs, stands in order, and waits for its author."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import ROOT, Base

from generator.cli import cli

LIST = "generator/checks/__init__.py"


def new(base: Base, name: str, status: int = 0, *more: str) -> str:
    result = CliRunner().invoke(cli, ["--root", str(base.root), "new", "check", name, *more])
    assert result.exit_code == status, result.output
    return result.output


@pytest.fixture
def repository(tiny: Base) -> Base:
    """The small base with Servebook's code and schemas beside it."""
    shutil.copytree(ROOT / "generator", tiny.root / "generator", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("schema", "templates"):
        shutil.copytree(ROOT / name, tiny.root / name)
    return tiny


def run(base: Base, *command: str) -> subprocess.CompletedProcess[str]:
    surroundings = {**os.environ, "PYTHONPATH": str(base.root)}
    return subprocess.run(
        [sys.executable, *command], cwd=base.root, env=surroundings, capture_output=True, text=True, check=False
    )


def test_it_runs_and_waits_for_its_author(repository: Base) -> None:
    said = new(repository, "citations/lost-figure")
    check, test = "generator/checks/citations/lost_figure.py", "tests/checks/test_lost_figure.py"
    assert said.splitlines()[:3] == [f"wrote {check}", f"wrote {test}", f"wrote {LIST}"]
    explained = run(repository, "-m", "generator", "explain", "lost-figure")
    assert explained.stdout.startswith("CIT114 lost-figure (warning)\n\nTODO: the fault in one sentence.\n")
    assert f"The check is written in {check}." in explained.stdout
    assert run(repository, "-m", "generator", "validate", "--strict").returncode == 0
    shutil.copy(ROOT / "tests/conftest.py", repository.root / "tests/conftest.py")
    shutil.copytree(ROOT / "tests/bases/tiny", repository.root / "tests/bases/tiny")
    tested = run(repository, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir=.", test)
    assert "1 failed, 1 passed" in tested.stdout, tested.stdout + tested.stderr


def test_it_is_clean_and_in_the_order_of_codes(repository: Base) -> None:
    new(repository, "numbers/lost-figure")
    new(repository, "form/odd-name")
    written = [LIST, "generator/checks/numbers/lost_figure.py", "generator/checks/form/odd_name.py"]
    for command in (["ruff", "check"], ["ruff", "format", "--check"]):
        done = run(repository, "-m", *command, "--config", str(ROOT / "pyproject.toml"), *written, "tests")
        assert done.returncode == 0, done.stdout
    listed = (repository.root / LIST).read_text("utf-8").split("CHECKS")[1]
    assert listed.index("    unbalanced_number,\n    lost_figure,\n    impossible_support,") > 0
    assert listed.index("    unfilled_skeleton,\n    odd_name,\n    unresolved_citation,") > 0


REFUSED = {
    "no folder": ("lost-figure", "is not FOLDER/NAME"),
    "no such folder": ("figures/lost-figure", "folders: form, citations, wiring"),
    "no name": ("numbers/Lost_Figure", "is not FOLDER/NAME"),
    "a name that is taken": ("numbers/orphan-source", "CIT102 is called `orphan-source` already"),
}


@pytest.mark.parametrize(("name", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(repository: Base, name: str, words: str) -> None:
    before = (repository.root / LIST).read_bytes()
    assert words in new(repository, name, 2)
    assert (repository.root / LIST).read_bytes() == before
    assert not (repository.root / "tests").exists()


def test_elsewhere_there_is_nothing_to_begin(tiny: Base) -> None:
    assert "run this in Servebook's own repository" in new(tiny, "numbers/lost-figure", 2)
    assert "no kind is called `check`" in new(tiny, "numbers/lost-figure", 2, "--url", "https://x.example")


def test_a_file_that_is_there_stays(repository: Base) -> None:
    path = repository.root / "tests/checks/test_lost_figure.py"
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    assert "exists already" in new(repository, "numbers/lost-figure", 2)
    assert path.read_text() == "mine"
    assert not Path(repository.root / "generator/checks/numbers/lost_figure.py").exists()
