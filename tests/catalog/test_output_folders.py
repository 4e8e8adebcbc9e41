"""Folders that commands write: whose they are, and what an interrupted run leaves of them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Base

from generator.catalog.disk.output import MARKER, Occupied, mark, mended, refuse_foreign, replaced
from generator.catalog.disk.runs import Busy, locked


def held(folder: Path) -> dict[str, str]:
    """All files below a folder, with their text."""
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def write(root: Path, out: Path, text: str) -> None:
    with replaced(root, out) as fresh:
        (fresh / "models").mkdir()
        (fresh / "models/index.html").write_text(text)


FREE = ("site", "a folder/with a name", "build/site", "../site", "public/docs")


@pytest.mark.parametrize("name", FREE)
def test_a_folder_of_its_own_is_written_and_written_again(tiny: Base, name: str) -> None:
    out = tiny.root / name
    for text in ("once", "again"):
        write(tiny.root, out, text)
        assert held(out).keys() == {"models/index.html", MARKER}
        assert held(out)["models/index.html"] == text
    assert [path.name for path in out.parent.iterdir() if path.name.startswith(".")] == []


def test_an_empty_folder_is_free(tiny: Base, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write(tiny.root, tmp_path / "out", "x")
    assert "models/index.html" in held(tmp_path / "out")


def test_a_folder_of_ours_is_replaced_as_a_whole(tiny: Base) -> None:
    write(tiny.root, tiny.root / "site", "x")
    (tiny.root / "site/models/gone.html").write_text("x")
    write(tiny.root, tiny.root / "site", "x")
    assert "models/gone.html" not in held(tiny.root / "site")


AUTHORED = ("records", "sources", "docs", "schema", "templates", "generator", "tests")
FOREIGN = (
    *AUTHORED,
    *(f"{name}/site" for name in AUTHORED),
    "Records",
    "docs/../records",
    ".",
    "site/..",
    "..",
    "../..",
    "/",
    ".git",
    ".git/refs/tags",
    ".github/pages",
    "mkdocs.yml",
    "full",
)


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_not_ours_is_refused_and_stays(tiny: Base, name: str) -> None:
    tiny.lay({"full/notes.txt": "mine", ".git/refs/tags/.keep": ""})
    before = held(tiny.root.parent)
    with pytest.raises(Occupied):
        write(tiny.root, tiny.root / name, "x")
    assert held(tiny.root.parent) == before


@pytest.mark.parametrize("name", ["records", "records/models", ".", "docs"])
def test_a_marker_makes_no_authored_folder_ours(tiny: Base, name: str) -> None:
    mark(tiny.root, tiny.root / name)
    with pytest.raises(Occupied):
        write(tiny.root, tiny.root / name, "x")
    assert (tiny.root / "records/models/tiny-a.yaml").is_file()


def test_a_marker_of_another_base_a_forged_or_a_linked_one_is_none(tiny: Base, tmp_path: Path) -> None:
    other = Base(shutil.copytree(tiny.root, tmp_path / "other"))
    write(other.root, tmp_path / "theirs", "theirs")
    write(tiny.root, tmp_path / "ours", "ours")
    for name, text in (("old", "Written by `servebook materialise`.\n"), ("forged", "base: sha256:0\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / MARKER).write_text(text)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / MARKER).symlink_to(tmp_path / "ours" / MARKER)
    os.mkfifo(tmp_path / "forged/pipe")
    for name in ("theirs", "old", "forged", "linked"):
        before = sorted((tmp_path / name).rglob("*"))
        with pytest.raises(Occupied, match="not ours"):
            write(tiny.root, tmp_path / name, "x")
        assert sorted((tmp_path / name).rglob("*")) == before


def linked(tiny: Base, outside: Path) -> Path:
    (tiny.root / "site").symlink_to(outside)
    return tiny.root / "site"


def below_a_link(tiny: Base, outside: Path) -> Path:
    (tiny.root / "build").symlink_to(outside)
    return tiny.root / "build/empty"


def beside_a_link(tiny: Base, outside: Path) -> Path:
    (tiny.root / f".site{MARKER}").symlink_to(outside)
    return tiny.root / "site"


@pytest.mark.parametrize("laid", [linked, below_a_link, beside_a_link])
def test_nothing_is_written_or_emptied_through_a_link(
    tiny: Base, tmp_path: Path, laid: Callable[[Base, Path], Path]
) -> None:
    outside = tmp_path / "elsewhere"
    (outside / "empty").mkdir(parents=True)
    (outside / "precious.txt").write_text("keep")
    mark(tiny.root, outside)  # even if it was ours once
    before = sorted(outside.rglob("*"))
    with pytest.raises(Occupied, match=r"link|in the way"):
        write(tiny.root, laid(tiny, outside), "x")
    assert sorted(outside.rglob("*")) == before


def test_a_run_that_fails_leaves_the_old_folder_and_nothing_beside_it(tiny: Base) -> None:
    out = tiny.root / "site"
    write(tiny.root, out, "old")

    def stopped() -> None:
        with replaced(tiny.root, out) as fresh:
            (fresh / "half.html").write_text("x")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert held(out)["models/index.html"] == "old"
    assert not [path for path in tiny.root.iterdir() if path.name.startswith(".")]


def test_what_a_kill_leaves_is_put_right_by_the_next_run(tiny: Base) -> None:
    out, beside = tiny.root / "site", tiny.root / f".site{MARKER}"
    assert mended(tiny.root, out) == ""
    write(tiny.root, out, "old")
    (beside / "new").mkdir(parents=True)
    assert "removed what an interrupted run has left" in mended(tiny.root, out)
    assert held(out)["models/index.html"] == "old"
    (beside / "new").mkdir(parents=True)
    out.rename(beside / "old")
    assert "back, which an interrupted run had set aside" in mended(tiny.root, out)
    assert held(out)["models/index.html"] == "old"
    assert not beside.exists()


def test_of_two_runs_at_a_time_the_second_is_told(tiny: Base) -> None:
    out = tiny.root / "site"
    with replaced(tiny.root, out) as fresh:
        (fresh / "index.html").write_text("first")
        with pytest.raises(Busy, match="another run"):
            write(tiny.root, out, "second")
    assert held(out)["index.html"] == "first"
    with locked(tiny.root / "lock"), pytest.raises(Busy), locked(tiny.root / "lock"):
        pass


def test_a_folder_that_somebody_fills_meanwhile_is_kept(tiny: Base) -> None:
    out = tiny.root / "site"

    def late() -> None:
        with replaced(tiny.root, out):
            out.mkdir()
            (out / "mine.txt").write_text("keep")

    with pytest.raises(Occupied):
        late()
    assert held(out) == {"mine.txt": "keep"}


def test_a_swap_that_fails_half_way_leaves_the_old_folder(tiny: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    out, rename = tiny.root / "site", os.rename
    write(tiny.root, out, "old")

    def refused(source: Path, target: Path) -> None:
        if source.name == "new":
            raise OSError(28, "No space left on device")
        rename(source, target)

    monkeypatch.setattr(os, "rename", refused)
    with pytest.raises(OSError, match="No space"):
        write(tiny.root, out, "new")
    assert held(out)["models/index.html"] == "old"


def test_a_folder_without_a_base_above_it_is_judged_like_any(tiny: Base, tmp_path: Path) -> None:
    refuse_foreign(tiny.root, tmp_path / "new/deep")
    assert not (tmp_path / "new").exists()
