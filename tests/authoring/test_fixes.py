"""``servebook fix``: what is fixed, what stays as it was to the byte, and what is never touched."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from conftest import FIXED, TODAY, Base

from generator.authoring import fixes
from generator.checks import CHECKS
from generator.checks.contract import Check
from generator.checks.manual import examples
from generator.checks.run import CheckRun
from generator.cli import cli
from generator.findings import Edit, Finding, Fix, Location, Severity

IDEA = "records/concepts/tiny-latent.yaml"
MODEL = "records/models/tiny-a.yaml"
OTHER = "records/models/tiny-b.yaml"
GUIDE = "docs/guide.md"
PROSE = "Keys and values of all heads are kept as one latent row, as in [[tiny-a|Tiny A]]."
RENAMED: dict[str, str | bytes | None] = {"records/redirects.yaml": "old: tiny-latent\n"}


def run(base: Base, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["--root", str(base.root), "fix", *arguments])


def held(base: Base) -> dict[str, bytes]:
    """All files of a base, so that nothing can change unseen."""
    return {
        path.relative_to(base.root).as_posix(): path.read_bytes() for path in base.root.rglob("*") if path.is_file()
    }


def changed(base: Base, before: dict[str, bytes]) -> set[str]:
    after = held(base)
    return {name for name in before | after if before.get(name) != after.get(name)}


# --- to the byte ------------------------------------------------------------------------------------------------------

ENDS = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}
MARKS = {"no mark": b"", "BOM": b"\xef\xbb\xbf"}
SURROUNDINGS = {
    "ascii": "See [[old]] and [[old|it]].",
    "characters beyond 16 bits": "\U0001f600\U0001f680 é e\u0301 [[old]] \U0001f600 [[old|\U0001f600]]  .",
    "code beside it": "`[[old]]` [[old]] `[[old]]`",
    "breaks that git does not count": "a\u2028  b [[old]] \u2029  [[old]]",
}


@pytest.mark.parametrize("prose", SURROUNDINGS.values(), ids=SURROUNDINGS)
@pytest.mark.parametrize("mark", MARKS.values(), ids=MARKS)
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_only_what_is_fixed_changes(tiny: Base, end: str, mark: bytes, prose: str) -> None:
    text = (tiny.root / IDEA).read_text("utf-8").replace(PROSE, prose)
    text = text.replace("families: [mla]", "# a comment,   with blanks   \nfamilies:   [mla]   # and another\t")
    text = text.replace("\n", end)
    before = held(tiny.lay({**RENAMED, IDEA: mark + text.encode("utf-8")}))
    assert run(tiny).exit_code == 0
    expected = text.replace("[[old", "[[tiny-latent").replace("`[[tiny-latent]]`", "`[[old]]`")
    assert (tiny.root / IDEA).read_bytes() == mark + expected.encode("utf-8")
    assert changed(tiny, before) == {IDEA}
    assert tiny.findings() == []


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_file_without_a_last_line_end_gets_none(tiny: Base, end: str) -> None:
    text = (tiny.root / IDEA).read_text("utf-8").replace(PROSE, "[[old]]").rstrip("\n").replace("\n", end)
    tiny.lay({**RENAMED, IDEA: text})
    assert run(tiny).exit_code == 0
    assert (tiny.root / IDEA).read_bytes() == text.replace("old", "tiny-latent").encode("utf-8")


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_page_of_docs_is_fixed_too(tiny: Base, end: str) -> None:
    page = f"# A\u2028guide{end}{end}\x85 [[old]]{end}{end}    [[old]]{end}{end}\U0001f600 [[old|it]]{end}"
    tiny.lay({**RENAMED, GUIDE: page})
    assert run(tiny).exit_code == 0
    expected = page.replace("[[old", "[[tiny-latent").replace("    [[tiny-latent", "    [[old")
    assert (tiny.root / GUIDE).read_bytes() == expected.encode("utf-8")


def test_the_mode_of_a_file_stays(tiny: Base) -> None:
    tiny.lay(RENAMED).edit(IDEA, PROSE, "[[old]]")
    (tiny.root / IDEA).chmod(0o640)
    run(tiny)
    assert "tiny-latent" in (tiny.root / IDEA).read_text("utf-8")
    assert (tiny.root / IDEA).stat().st_mode & 0o777 == 0o640


# --- each fix that there is -------------------------------------------------------------------------------------------


each_fix = pytest.mark.parametrize(
    "check", [check for check in CHECKS if check.code in FIXED], ids=lambda check: f"{check.code}-{check.name}"
)


def laid(check: Check, tiny: Base) -> Fix:
    """The fix of a check's bad example, laid over the base."""
    (found,) = tiny.amend(examples(check.doc, "Bad")).findings()
    assert found.fix is not None
    return found.fix


@each_fix
def test_every_fix_of_a_check_settles_and_the_second_run_does_nothing(check: Check, tiny: Base) -> None:
    fix = laid(check, tiny)
    before = held(tiny)
    assert run(tiny, "--unsafe").exit_code == 0
    assert changed(tiny, before) == {edit.location.path for edit in fix.edits}
    assert tiny.findings(check.code) == []
    before = held(tiny)
    again = run(tiny, "--unsafe")
    assert (again.exit_code, again.output) == (0, "0 files changed\n")
    assert changed(tiny, before) == set()


@each_fix
def test_an_unsafe_fix_waits_until_it_is_asked_for(check: Check, tiny: Base) -> None:
    fix = laid(check, tiny)
    before = held(tiny)
    done = run(tiny)
    assert done.exit_code == 0
    if fix.safe:
        assert changed(tiny, before)
        assert "--unsafe" not in done.output
    else:
        assert not changed(tiny, before)
        assert "1 fix needs a look at the result: --unsafe" in done.output


@each_fix
def test_the_diff_says_the_same_and_writes_nothing(check: Check, tiny: Base) -> None:
    laid(check, tiny)
    before = held(tiny)
    shown = run(tiny, "--unsafe", "--diff")
    assert shown.exit_code == 0
    assert not changed(tiny, before)
    run(tiny, "--unsafe")
    wanted = held(tiny)
    for name in set(wanted) - set(before):
        (tiny.root / name).unlink()
    tiny.lay(dict(before))
    subprocess.run(["git", "apply", "-"], input=shown.stdout_bytes, cwd=tiny.root, check=True)
    assert held(tiny) == wanted


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_git_takes_the_diff_of_an_odd_file(tiny: Base, end: str) -> None:
    text = f"﻿a\u2028b \x0c [[old]]{end}{end}\x85[[old]]{end}c{end}[[old]]"
    name = "docs/a page.md"
    before = held(tiny.lay({**RENAMED, name: text}))
    shown = run(tiny, "--diff")
    assert "\\ No newline at end of file" in shown.stdout
    assert not changed(tiny, before)
    subprocess.run(["git", "apply", "-"], input=shown.stdout_bytes, cwd=tiny.root, check=True)
    assert (tiny.root / name).read_bytes() == text.replace("old", "tiny-latent").encode("utf-8")


QUOTED = {
    "a block": (
        "notes: |\n  In bf16 it takes 320 B/token.\n",
        "notes: |\n  In bf16 it takes {{ kv.growth('bf16') }}.\n",
    ),
    "double quotes": (
        'notes: "In bf16 it takes 320 B/token."\n',
        "notes: \"In bf16 it takes {{ kv.growth('bf16') }}.\"\n",
    ),
    "single quotes": (
        "notes: 'In bf16 it takes 320 B/token.'\n",
        "notes: 'In bf16 it takes {{ kv.growth(\"bf16\") }}.'\n",
    ),
    "no quotes": ("notes: In bf16 it takes 320 B/token.\n", "notes: In bf16 it takes 320 B/token.\n"),
    "no quotes, at the start": (
        "notes: 320 B/token is what it takes in bf16.\n",
        "notes: 320 B/token is what it takes in bf16.\n",
    ),
}


@pytest.mark.parametrize(("written", "expected"), QUOTED.values(), ids=QUOTED)
def test_an_expression_is_written_so_that_the_file_stays_yaml(tiny: Base, written: str, expected: str) -> None:
    text = (tiny.root / MODEL).read_text("utf-8").split("notes:")[0]
    tiny.lay({MODEL: text + written})
    assert run(tiny).exit_code == 0
    assert (tiny.root / MODEL).read_text("utf-8") == text + expected
    assert tiny.findings("YML001", "NUM409") == []


# --- rounds -----------------------------------------------------------------------------------------------------------


def stub(monkeypatch: pytest.MonkeyPatch, *found: Fix) -> None:
    """Let a base have these findings, whatever it holds, while their first edit still finds an ``x`` in its place."""

    def judge(kb: object) -> CheckRun:
        return CheckRun(tuple(finding(kb)), 1, 0, 0)

    def finding(kb: object) -> Iterator[Finding]:
        for fix in found:
            where = fix.edits[0].location
            document = next(
                record.document
                for record in kb.catalog.records.values()  # type: ignore[attr-defined]
                if record.path == where.path
            )
            span = (where.line - 1, where.column - 1, where.end_line - 1, where.end_column - 1)
            if document.source(span).startswith("x"):
                yield Finding("ZZZ999", "stub", Severity.ERROR, "stub", where, fix=fix)

    monkeypatch.setattr(fixes, "judge", judge)


def edit(begin: int, end: int, text: str, path: str = IDEA) -> Edit:
    return Edit(Location(path, 4, begin, 4, end), text)


@pytest.fixture
def row(tiny: Base) -> Base:
    """A base with a line of twenty x, columns 3 to 23 of line 4 of two files."""
    text = (tiny.root / OTHER).read_text("utf-8").split("\n")
    text[3] = "# " + "x" * 20
    return tiny.edit(IDEA, PROSE, "x" * 20).lay({OTHER: "\n".join(text)})


def line(base: Base, path: str = IDEA) -> str:
    return (base.root / path).read_text("utf-8").split("\n")[3][2:]


def test_fixes_that_overlap_are_taken_one_after_the_other(row: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    stub(
        monkeypatch,
        Fix("first", (edit(5, 9, "AAAA"),)),
        Fix("overlaps, and is gone after the first", (edit(7, 12, "BBBBB"),)),
        Fix("meets the first, and comes in the second round", (edit(9, 11, "CC"),)),
        Fix("stands apart", (edit(20, 22, "D"),)),
    )
    outcome = fixes.plan(row.root, TODAY, unsafe=False)
    assert outcome.converged
    (change,) = outcome.changes
    assert change.titles == ("first", "stands apart", "meets the first, and comes in the second round")
    assert change.after == change.before.replace(b"x" * 20, b"xxAAAACC" + b"x" * 9 + b"D" + b"x")


def test_a_fix_of_two_files_is_taken_whole_or_not_at_all(row: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    both = Fix("both", (edit(5, 9, "BOTH"), edit(5, 9, "BOTH", OTHER)))
    stub(monkeypatch, both)
    for wanted in ([IDEA], [OTHER], ["records/concepts"], ["sources"]):
        assert fixes.plan(row.root, TODAY, unsafe=False, wanted=wanted).changes == ()
    outcome = fixes.plan(row.root, TODAY, unsafe=False, wanted=["records"])
    fixes.write(row.root, outcome.changes)
    assert line(row) == line(row, OTHER) == "xxBOTH" + "x" * 14


def test_a_fix_after_which_the_file_would_not_parse_is_not_taken(row: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    stub(monkeypatch, Fix("break it", (edit(3, 23, "x\n]: ["),)), Fix("unsafe", (edit(3, 4, "y"),), safe=False))
    outcome = fixes.plan(row.root, TODAY, unsafe=False)
    assert (outcome.changes, outcome.left_unsafe, outcome.converged) == ((), 1, True)


def test_fixes_that_never_settle_write_nothing(row: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    stub(monkeypatch, Fix("and again", (edit(5, 6, "xx"),)))
    assert not fixes.plan(row.root, TODAY, unsafe=False).converged
    before = held(row)
    done = run(row)
    assert done.exit_code == 2
    assert "do not settle" in done.stderr
    assert not changed(row, before)


# --- what is left alone -----------------------------------------------------------------------------------------------


def test_a_file_that_is_no_yaml_is_never_touched(tiny: Base) -> None:
    broken = "# yaml-language-server: $schema=../../schema/concept.schema.json\nname: [[old]]\nversion: 1.10\n\tx: [\n"
    before = held(tiny.lay({**RENAMED, "records/concepts/broken.yaml": broken}).edit(IDEA, PROSE, "See [[old]]."))
    assert run(tiny, "--unsafe").exit_code == 0
    assert changed(tiny, before) == {IDEA}


def test_only_wanted_files_are_touched(tiny: Base) -> None:
    tiny.lay({**RENAMED, GUIDE: "[[old]]\n"}).edit(IDEA, PROSE, "[[old]]")
    tiny.edit(MODEL, "see [[tiny-latent]]", "see [[old]]")
    for wanted, expected in (
        ("sources", set()),
        ("docs", {GUIDE}),
        (IDEA, {IDEA}),
        (str(tiny.root / "records/models"), {MODEL}),
    ):
        before = held(tiny)
        done = run(tiny, wanted)
        assert done.exit_code == 0
        assert changed(tiny, before) == expected
    assert "nowhere.yaml: no such file" in run(tiny, "nowhere.yaml").stderr
    assert "is not in the knowledge base" in run(tiny, "/etc/hostname").stderr


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="this system has no symbolic links")
def test_nothing_is_written_through_a_link(tiny: Base, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "models").mkdir(parents=True)
    (outside / "page.md").write_text("[[old]]\n")
    for path in (tiny.root / "records/models").iterdir():
        path.rename(outside / "models" / path.name)
    (tiny.root / "records/models").rmdir()
    (tiny.root / "records/models").symlink_to(outside / "models")
    (tiny.root / "docs/linked.md").symlink_to(outside / "page.md")
    (tiny.root / "docs/loop").symlink_to(tiny.root / "docs")
    tiny.lay({**RENAMED, GUIDE: "[[old]]\n"}).edit(MODEL, "see [[tiny-latent]]", "see [[old]]")
    before = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    assert "+[[tiny-latent]]" in run(tiny, "--diff").stdout
    assert run(tiny).exit_code == 0
    assert (tiny.root / GUIDE).read_text() == "[[tiny-latent]]\n", "what is no link is fixed"
    assert {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()} == before
    assert (tiny.root / "docs/linked.md").is_symlink()


def test_a_file_that_was_edited_meanwhile_is_not_overwritten(tiny: Base) -> None:
    tiny.lay({**RENAMED, GUIDE: "[[old]]\n"}).edit(IDEA, PROSE, "[[old]]")
    outcome = fixes.plan(tiny.root, TODAY, unsafe=False)
    before = held(tiny.edit(IDEA, "[[old]]", "[[old]], said somebody"))
    with pytest.raises(fixes.ChangedMeanwhile, match="tiny-latent"):
        fixes.write(tiny.root, outcome.changes)
    assert not changed(tiny, before), "and no other file either, nor is anything left beside them"


def test_a_full_disk_leaves_every_file_as_it_was(tiny: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny.lay({**RENAMED, GUIDE: "[[old]]\n"}).edit(IDEA, PROSE, "[[old]]")
    before, opened = held(tiny), os.open

    def refused(path: Path, flags: int, *more: int, **named: int) -> int:
        if str(path).startswith(f"{tiny.root}/records/concepts/") and flags & os.O_CREAT:
            raise OSError(28, "No space left on device")
        return opened(path, flags, *more, **named)

    monkeypatch.setattr(os, "open", refused)
    done = run(tiny)
    assert done.exit_code == 2
    assert "No space left" in done.stderr
    assert not changed(tiny, before)


INTERRUPTED = """
import os, signal, sys
from generator import cli
from generator.authoring import fixes

replaced = os.replace


def replace(source, target):
    os.kill(os.getpid(), signal.SIGINT)
    replaced(source, target)


{where}
sys.argv = ["servebook", "--root", sys.argv[1], "fix"]
cli.main()
"""
MOMENTS = {
    "while the fixes are worked out": ("fixes.judge = lambda kb: os.kill(os.getpid(), signal.SIGINT)", False),
    "while the first file is put in its place": ("os.replace = replace", True),
}


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no such signal")
@pytest.mark.parametrize(("where", "done"), MOMENTS.values(), ids=MOMENTS)
def test_an_interrupt_leaves_all_files_or_none(tiny: Base, where: str, done: bool) -> None:
    before = held(tiny.lay({**RENAMED, GUIDE: "[[old]]\n"}).edit(IDEA, PROSE, "[[old]]"))
    code = INTERRUPTED.format(where=where)
    ended = subprocess.run(
        [sys.executable, "-c", code, str(tiny.root)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert (ended.returncode, "Traceback" in ended.stderr) == (130, False)
    assert "no file is half-written" in ended.stderr
    assert changed(tiny, before) == ({GUIDE, IDEA} if done else set())


def test_the_real_base_needs_no_safe_fix_and_a_dry_run_leaves_it_alone(real_copy: Base) -> None:
    outcome = fixes.plan(real_copy.root, TODAY, unsafe=False)
    assert outcome.converged
    assert outcome.changes == ()
