"""``build``, ``materialise`` and MkDocs itself: no folder is emptied or written that is not ours."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import Base
from test_cli import ENVIRONMENT, refused, run

WRITERS = ("build", "materialise")


def call(command: str, out: str) -> list[str]:
    return [command, "--out", out] if command == "build" else [command, out]


def held(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("command", WRITERS)
@pytest.mark.parametrize("out", ["records", ".", "..", "docs/pages", "full", "/"])
def test_a_folder_that_is_not_ours_is_refused_in_one_line(tiny: Base, command: str, out: str) -> None:
    before = held(tiny.lay({"full/notes.txt": "mine"}).root)
    refused(run(*call(command, out), cwd=tiny.root), "name")
    assert held(tiny.root) == before


@pytest.mark.parametrize("command", WRITERS)
def test_a_link_named_site_leaves_its_target_alone(tiny: Base, tmp_path: Path, command: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/precious.txt").write_text("keep")
    (tiny.root / "site").symlink_to(tmp_path / "elsewhere")
    refused(run(*call(command, "site"), cwd=tiny.root), "symbolic link")
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["precious.txt"]


def test_a_site_is_built_where_it_belongs_and_built_again(tiny: Base) -> None:
    for _ in range(2):
        assert run("build", cwd=tiny.root).stdout == f"wrote the site to {tiny.root / 'site'}\n"
    assert (tiny.root / "site/models/tiny-a/index.html").is_file()
    assert not [path for path in tiny.root.iterdir() if path.name.startswith(".")]
    assert run("materialise", "plain", cwd=tiny.root).stdout.startswith("wrote ")
    assert (tiny.root / "plain/models/tiny-a.md").is_file()


@pytest.mark.parametrize("command", WRITERS)
def test_a_build_that_is_refused_leaves_the_site_as_it_was(tiny: Base, command: str) -> None:
    assert run(*call(command, "site"), cwd=tiny.root).returncode == 0
    before = held(tiny.root / "site")
    tiny.edit("records/models/tiny-a.yaml", 'config: "[[tiny-a-config]]"', 'config: "[[tiny-b-config]]"')
    assert run(*call(command, "site"), cwd=tiny.root).returncode != 0
    assert held(tiny.root / "site") == before
    assert not [path for path in tiny.root.iterdir() if path.name.startswith(".")]


STALLED = """
import os, pathlib, shutil, time
import mkdocs.utils
from generator import cli


def stalling(*arguments):
    pathlib.Path(os.environ["REACHED"]).touch()
    time.sleep(100)


{where} = stalling
cli.main()
"""
MOMENTS = {"build": "mkdocs.utils.write_file", "materialise": "shutil.copytree"}
"""What is called in the middle of it: MkDocs writes its first page then, and of the plain files all pages are there."""


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no such signal")
@pytest.mark.parametrize(
    ("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)], ids=["INT", "TERM", "KILL"]
)
@pytest.mark.parametrize("command", WRITERS)
def test_a_build_that_is_stopped_leaves_the_site_as_it_was(
    tiny: Base, tmp_path: Path, command: str, sent: signal.Signals, status: int
) -> None:
    assert run(*call(command, "site"), cwd=tiny.root).returncode == 0
    before, beside, reached = held(tiny.root / "site"), tiny.root / ".site.servebook", tmp_path / "reached"
    process = subprocess.Popen(
        [sys.executable, "-c", STALLED.format(where=MOMENTS[command]), *call(command, "site")],
        cwd=tiny.root,
        env={**ENVIRONMENT, "REACHED": str(reached)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while not reached.exists():
        assert process.poll() is None, "it was done before it could be stopped"
        time.sleep(0.02)
    assert [path for path in beside.rglob("*") if path.is_file()]
    process.send_signal(sent)
    _, err = process.communicate(timeout=600)
    assert process.returncode == status
    assert held(tiny.root / "site") == before
    if sent != signal.SIGKILL:
        assert err.strip().splitlines()[-1] == "servebook: interrupted; no file is half-written"
        assert "Traceback" not in err
        assert not beside.exists()
        return
    assert beside.exists()
    again = run(*call(command, "site"), cwd=tiny.root)
    assert again.returncode == 0
    assert "servebook: removed what an interrupted run has left" in again.stderr
    assert not beside.exists()
    assert (tiny.root / "site").is_dir()


def mkdocs(tiny: Base, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", *arguments],
        cwd=tiny.root,
        env={**ENVIRONMENT, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_mkdocs_itself_empties_no_folder_that_is_not_ours(tiny: Base, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/precious.txt").write_text("keep")
    (tiny.root / "linked").symlink_to(tmp_path / "elsewhere")
    before = held(tmp_path)
    for out in ("records", "linked", str(tmp_path / "elsewhere"), "templates"):
        done = mkdocs(tiny, "--site-dir", out)
        assert done.returncode != 0
        assert "servebook: " in done.stderr
        assert "Traceback" not in done.stderr
        assert held(tmp_path) == before
    for _ in range(2):
        assert mkdocs(tiny).returncode == 0, "its own folder it may"
    assert (tiny.root / "site/models/tiny-a/index.html").is_file()
