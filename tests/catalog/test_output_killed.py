"""`kill -9` at any step of writing a folder of pages: the old one or the new one is whole, and the next run mends.

``build`` and ``materialise`` write through ``replaced``; what they write differs in the number of files alone.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from killing import killed_at_each_step

from generator.catalog.disk.output import MARKER, mark, mended, replaced

OLD = {"index.html": "old", "models/tiny.html": "old"}
NEW = {"index.html": "new", "engines/tiny.html": "new", "search.json": "new"}


def held(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != MARKER)
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


def fill(folder: Path, pages: dict[str, str]) -> None:
    for name, text in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_kill_at_any_step_leaves_one_whole_folder(tmp_path: Path) -> None:
    root, out = tmp_path, tmp_path / "site"
    scratch = tmp_path / ".site.servebook"

    def lay() -> None:
        for folder in (out, scratch):
            shutil.rmtree(folder, ignore_errors=True)
        mark(root, out)
        fill(out, OLD)

    def write() -> None:
        with replaced(root, out) as fresh:
            fill(fresh, NEW)

    aside, tried = 0, 0
    for number in killed_at_each_step(write, tmp_path, lay):
        if not out.exists():
            aside += 1
            assert held(scratch / "old") == OLD, f"step {number}: the old pages are lost"
        else:
            assert held(out) in (OLD, NEW), f"step {number}: half of one"
        had = scratch.exists()
        assert bool(mended(root, out)) == had, f"step {number}: nobody says that something was cleaned up"
        assert not scratch.exists()
        assert held(out) in (OLD, NEW), f"step {number}: the next run did not mend it"
        tried += 1
    assert held(out) == NEW
    assert aside == 1, "between the two renames of the swap"
    assert tried > 12
