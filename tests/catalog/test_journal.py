"""The one writer of authored files: all files of a change or none, wherever the process is killed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Base
from killing import killed_at_each_step

from generator.catalog.disk import journal
from generator.catalog.disk.journal import JOURNAL, ChangedMeanwhile, mended, write_all
from generator.catalog.disk.output import mended as output_mended
from generator.catalog.disk.output import replaced
from generator.catalog.disk.runs import Busy, locked

OLD = {"records/a.yaml": b"a: old\n", "docs/b.md": b"old b\n"}
NEW = {"records/a.yaml": b"a: new\n", "docs/b.md": b"new b\n", "sources/deep/c.yaml": b"c: new\n"}
CHANGES = {path: (OLD.get(path), text) for path, text in NEW.items()}


@pytest.fixture
def base(tmp_path: Path) -> Base:
    return Base(tmp_path / "base").lay({**OLD})


def held(base: Base) -> dict[str, bytes]:
    """All files of a base but the journal, those that are hidden included."""
    files = {path.relative_to(base.root).as_posix(): path for path in base.root.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items()}


def test_all_files_are_written_and_nothing_is_left(base: Base) -> None:
    (base.root / "records/a.yaml").chmod(0o640)
    write_all(base.root, CHANGES)
    assert held(base) == NEW
    assert (base.root / "records/a.yaml").stat().st_mode & 0o777 == 0o640
    assert mended(base.root) == ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_kill_at_any_step_leaves_all_or_none_after_the_next_run(
    base: Base, record_property: Callable[[str, object], None]
) -> None:
    def lay() -> None:
        for path in held(base).keys() - OLD.keys():
            (base.root / path).unlink()
        base.lay({**OLD})

    ends = []
    for number in killed_at_each_step(lambda: write_all(base.root, CHANGES), base.root, lay):
        now = held(base)
        for path in NEW:
            assert now.get(path) in (OLD.get(path), NEW[path]), f"{path} is half-written at step {number}"
        said = mended(base.root)
        assert held(base) in (OLD, NEW), f"step {number}"
        assert now == held(base) or said.startswith("an earlier run was interrupted"), f"step {number}"
        assert mended(base.root) == ""
        ends.append(held(base) == NEW)
    record_property("tried", len(ends))
    assert len(ends) > 15
    assert ends == sorted(ends), "before the line that says so nothing is written, and everything afterwards"
    assert True in ends
    assert False in ends


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_kill_at_any_step_of_a_swap_leaves_the_old_folder_or_the_new(
    base: Base, record_property: Callable[[str, object], None]
) -> None:
    out = base.root / "site"

    def write(text: str) -> None:
        with replaced(base.root, out) as fresh:
            (fresh / "deep").mkdir()
            (fresh / "index.html").write_text(text)
            (fresh / "deep/index.html").write_text(text)

    def lay() -> None:
        output_mended(base.root, out)
        write("old")

    steps, ends = 0, set()
    for number in killed_at_each_step(lambda: write("new"), base.root, lay):
        here = out.exists()
        said = output_mended(base.root, out)
        texts = {(out / name).read_text() for name in ("index.html", "deep/index.html")}
        assert texts in ({"old"}, {"new"}), f"step {number}"
        assert here or "put" in said, f"step {number}: the folder was set aside, and nobody says so"
        assert [path.name for path in base.root.iterdir() if path.name.startswith(".")] == []
        steps, ends = steps + 1, ends | texts
    record_property("tried", steps)
    assert steps > 12
    assert ends == {"old", "new"}


def test_what_an_author_changed_after_a_kill_is_kept(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    replace, done = os.replace, []

    def stopped(source: Path, target: Path) -> None:
        if done:
            raise OSError(5, "Input/output error")
        done.append(target)
        replace(source, target)

    monkeypatch.setattr(os, "replace", stopped)
    with pytest.raises(OSError, match="Input"):
        write_all(base.root, CHANGES)
    monkeypatch.undo()
    base.lay({"docs/b.md": b"mine\n"})
    said = mended(base.root)
    assert "docs/b.md was changed since and stays as it is" in said
    assert "sources/deep/c.yaml is written now" in said
    assert held(base) == {**NEW, "docs/b.md": b"mine\n"}


def test_of_a_file_that_was_cut_short_nothing_is_taken(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    """A power cut may keep a journal and lose the text: the digest tells."""

    def stopped(source: Path, target: Path) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "replace", stopped)
    with pytest.raises(OSError, match="Input"):
        write_all(base.root, CHANGES)
    monkeypatch.undo()
    for staged in base.root.rglob(".servebook-*.tmp"):
        staged.write_bytes(b"")
    mended(base.root)
    assert held(base) == OLD


@pytest.mark.parametrize(
    "path", ["../out.yaml", "/tmp/out.yaml", "site/x.yaml", "records/../../x", "generator/x.py", ""]
)
def test_nothing_is_written_outside_the_authored_folders(base: Base, path: str) -> None:
    before = held(base)
    with pytest.raises(ChangedMeanwhile):
        write_all(base.root, {"records/a.yaml": (OLD["records/a.yaml"], b"x"), path: (None, b"x")})
    assert held(base) == before


@pytest.mark.parametrize("linked", ["records", "records/models", "records/models/x.yaml"])
def test_nothing_is_written_through_a_link(base: Base, tmp_path: Path, linked: str) -> None:
    outside = tmp_path / "outside"
    (outside / "models").mkdir(parents=True)
    (base.root / "records").rename(base.root / "was")
    (base.root / linked).parent.mkdir(parents=True, exist_ok=True)
    (base.root / linked).symlink_to(outside / "models" if linked == "records/models" else outside)
    with pytest.raises(ChangedMeanwhile, match="symbolic link"):
        write_all(base.root, {"records/models/x.yaml": (None, b"x")})
    assert [path.name for path in outside.rglob("*")] == ["models"]


FORGED = {
    "no JSON": b"{",
    "a number": b"5\nready\n",
    "rows that are none": b'[{"path": 1, "staged": 2, "before": null, "after": ""}]\nready\n',
    "outside": b'[{"path": "../o", "staged": "../.servebook-o", "before": null, "after": "%s"}]\nready\n',
    "of no record": b'[{"path": "tests/o", "staged": "tests/.servebook-o", "before": null, "after": "%s"}]\nready\n',
    "an authored file": b'[{"path": "docs/b.md", "staged": "records/a.yaml", "before": "", "after": ""}]\n',
}


@pytest.mark.parametrize("noted", FORGED.values(), ids=FORGED)
def test_a_journal_that_came_with_a_change_moves_and_removes_nothing(base: Base, tmp_path: Path, noted: bytes) -> None:
    digest = journal._digest(b"x").encode()
    for path in (tmp_path / ".servebook-o", base.root / "tests/.servebook-o"):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x")
    before = held(base)
    base.lay({JOURNAL: noted.replace(b"%s", digest)})
    mended(base.root)
    assert held(base) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == [".servebook-o", "base"]


def test_of_two_runs_at_a_time_the_second_is_told(base: Base) -> None:
    with locked(base.root / JOURNAL), pytest.raises(Busy, match="another run"):
        write_all(base.root, CHANGES)
    assert {path: text for path, text in held(base).items() if path != JOURNAL} == OLD


def test_a_journal_names_nothing_but_paths_and_digests(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    noted: list[bytes] = []
    monkeypatch.setattr(journal, "_note", lambda handle, data: noted.append(data))
    write_all(base.root, CHANGES)
    assert {row["path"] for row in json.loads(noted[0])} == NEW.keys()
    assert str(base.root) not in noted[0].decode()
