"""``validate --against REF``: old debt does not fail a change, new debt does, and git's work tree is left alone."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import command
import pytest
from conftest import ROOT, Base

from generator.cli import revision as history

IDEA = "records/concepts/tiny-latent.yaml"
MODEL = "records/models/tiny-a.yaml"
GOTCHA = "records/gotchas/tiny-crash.yaml"
PROSE = "Keys and values of all heads are kept as one latent row, as in [[tiny-a|Tiny A]]."
IDENTITY = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")


def git(root: Path, *arguments: str, **more: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *IDENTITY, *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **more},
    )
    return done.stdout


def commit(root: Path, message: str = "x") -> str:
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message)
    return git(root, "rev-parse", "HEAD").strip()


@pytest.fixture
def base(tiny: Base) -> Base:
    """The clean base as a repository with one commit."""
    git(tiny.root, "init", "-q", "-b", "main")
    commit(tiny.root)
    return tiny


def against(base: Base, reference: str, *arguments: str, **environment: str) -> tuple[int, str]:
    return validated(base, "--against", reference, *arguments, **environment)


def validated(base: Base, *arguments: str, **environment: str) -> tuple[int, str]:
    done = command.run("validate", *arguments, cwd=base.root, environment={**os.environ, **environment})
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


def found(text: str) -> list[str]:
    return re.findall(r"^\S+:\d+:\d+ ([A-Z]{3}\d{3})", text, re.M)


# --- old and new -----------------------------------------------------------------------------------------------------


def test_old_debt_does_not_fail_and_is_counted(base: Base) -> None:
    commit(base.edit(IDEA, PROSE, "See [[nobody]].").root)
    status, text = against(base, "HEAD")
    assert (status, found(text)) == (0, [])
    assert "0 errors, 0 warnings, 0 infos, 1 known before: ok" in text


def test_new_debt_fails(base: Base) -> None:
    base.edit(IDEA, PROSE, "See [[nobody]].")
    status, text = against(base, "HEAD")
    assert (status, found(text)) == (1, ["CIT101"])


def test_only_the_new_debt_is_told(base: Base) -> None:
    commit(base.edit(IDEA, PROSE, "See [[nobody]].").root)
    base.edit(MODEL, "[[tiny-latent]]", "[[somebody]]")
    status, text = against(base, "HEAD")
    assert (status, found(text)) == (1, ["CIT101"])
    assert "somebody" in text
    assert "nobody" not in text


MOVES = {
    "lines before it": (IDEA, "name: Latent rows\n", "# one\n# two\nname: Latent rows\n"),
    "words before it": (IDEA, "See [[nobody]]", "Long before it, see [[nobody]]"),
    "another field before it": (IDEA, "name: Latent rows\n", "families: [mla]\nname: Latent rows\n"),
}


@pytest.mark.parametrize(("path", "old", "new"), MOVES.values(), ids=MOVES)
def test_what_has_moved_is_not_new(base: Base, path: str, old: str, new: str) -> None:
    commit(base.edit(IDEA, PROSE, "See [[nobody]].").edit(IDEA, "\nfamilies: [mla]", "").root)
    status, text = against(base.edit(path, old, new), "HEAD")
    assert (status, found(text)) == (0, [])


def test_a_message_that_names_a_line_is_the_same_after_the_line_has_moved(base: Base) -> None:
    base.edit(GOTCHA, "status: open\n", "status: open\nstatus: open\n")
    commit(base.root)
    base.edit(GOTCHA, "title:", "# one more line\ntitle:")
    status, text = against(base, "HEAD")
    assert (status, found(text)) == (0, []), text


def test_the_same_finding_a_second_time_is_new(base: Base) -> None:
    commit(base.edit(IDEA, PROSE, "See [[nobody]].").root)
    base.edit(IDEA, "See [[nobody]].", "See [[nobody]], and [[nobody]].")
    status, text = against(base, "HEAD")
    assert (status, found(text)) == (1, ["CIT101"])


def test_less_of_the_same_is_fine(base: Base) -> None:
    commit(base.edit(IDEA, PROSE, "See [[nobody]], and [[nobody]].").root)
    assert against(base.edit(IDEA, "See [[nobody]], and", "See"), "HEAD")[0] == 0


def test_the_same_words_in_another_file_are_new(base: Base) -> None:
    commit(base.edit(IDEA, PROSE, "See [[nobody]].").root)
    assert against(base.edit(MODEL, "[[tiny-latent]]", "[[nobody]]"), "HEAD")[0] == 1


def test_warnings_are_held_to_it_under_strict(base: Base) -> None:
    base.lay({"records/redirects.yaml": "old: tiny-latent\n"})
    commit(base.root)
    base.edit(IDEA, PROSE, "See [[old]].")
    assert against(base, "HEAD")[0] == 0
    assert against(base, "HEAD", "--strict")[0] == 1
    commit(base.root)
    assert against(base, "HEAD", "--strict")[0] == 0


def test_a_rule_that_became_stricter_finds_new_debt(base: Base) -> None:
    """The revision is read with the rules that it holds itself."""
    base.lay({f"schema/{path.name}": path.read_bytes() for path in (ROOT / "schema").iterdir()})
    commit(base.root)
    assert against(base, "HEAD")[0] == 0
    rules = (base.root / "schema/gotcha.schema.json").read_text("utf-8")
    base.lay({"schema/gotcha.schema.json": rules.replace('"blocked",', "")})
    status, text = against(base, "HEAD")
    assert (status, found(text)) == (1, ["SCH101"])


# --- what the clock alone brings -------------------------------------------------------------------------------------

OLD = """# yaml-language-server: $schema=../schema/source.schema.json
title: a thread
publisher: tiny
type: issue
url: https://github.com/tiny/engine/issues/9
locator: https://github.com/tiny/engine/issues/9
subjects: [engine:tiny-engine]
retrieved: 2020-01-01
upstream_date: 2020-01-01
retrieval: read-not-hashed
digest: null
license: null
facts: {state: open}
why_null: {digest: it changes with every comment, license: none is stated}
"""
EVIDENCE = (IDEA, 'cites: ["[[tiny-a-config]]"]', 'cites: ["[[tiny-a-config]]", "[[old-thread]]"]')
ENDED = "waivers:\n  - {code: CIT108, reason: it is being read again, until: 2020-01-01}\n"


@pytest.fixture
def aged(base: Base) -> Base:
    """A clean base, committed, in which one source was to be read again long ago, and one waiver has ended."""
    base.lay({"sources/old-thread.yaml": OLD}).edit(*EVIDENCE)
    base.edit("sources/tiny-datasheet.yaml", "retrieval: read-not-hashed", "retrieval: excerpt")
    gpu = "records/gpus/tiny-gpu.yaml"
    base.lay({gpu: (base.root / gpu).read_text("utf-8") + ENDED})
    commit(base.root)
    return base


def test_what_is_overdue_is_told_and_fails_where_it_is_asked_for(aged: Base) -> None:
    status, text = validated(aged, "--strict")
    assert (status, found(text)) == (0, ["MET901", "DRF601"])
    assert text.count("[overdue]") == 2
    assert "0 errors, 0 warnings, 0 infos, 2 overdue, 1 waived: ok" in text
    status, text = validated(aged, "--overdue")
    assert (status, found(text)) == (1, ["MET901", "DRF601"])
    assert "2 errors" in text


def test_what_is_overdue_fails_a_change_of_that_very_file_only(aged: Base) -> None:
    assert against(aged, "HEAD", "--strict")[0] == 0
    aged.edit(MODEL, "name:", "# a remark\nname:")
    assert against(aged, "HEAD", "--strict")[0] == 0, "another file"
    aged.edit("sources/old-thread.yaml", "title: a thread", "title: a thread about prompts")
    status, text = against(aged, "HEAD")
    assert (status, found(text)) == (1, ["DRF601"])
    commit(aged.root)
    assert against(aged, "HEAD", "--strict")[0] == 0
    gpu = (aged.root / "records/gpus/tiny-gpu.yaml").read_text("utf-8")
    status, text = against(aged.lay({"records/gpus/tiny-gpu.yaml": f"{gpu}# a remark\n"}), "HEAD")
    assert (status, found(text)) == (1, ["MET901"])


def test_a_value_that_begins_to_rest_on_old_evidence_fails_no_file_but_the_sources_own(base: Base) -> None:
    commit(base.lay({"sources/old-thread.yaml": OLD}).root)
    status, text = against(base.edit(*EVIDENCE), "HEAD", "--strict")
    assert (status, found(text)) == (0, ["DRF601"])


# --- revisions -------------------------------------------------------------------------------------------------------


def test_any_name_of_a_revision_does(base: Base) -> None:
    first = git(base.root, "rev-parse", "HEAD").strip()
    git(base.root, "tag", "-a", "v1", "-m", "x")
    git(base.root, "branch", "feature/a.b")
    commit(base.edit(IDEA, PROSE, "See [[nobody]].").root)
    for name in (first, first[:8], "HEAD~1", "v1", "feature/a.b", "HEAD^"):
        assert against(base, name)[0] == 1, name
    for name in ("HEAD", "main", "@"):
        assert against(base, name)[0] == 0, name


REFUSED = {
    "no such name": "nowhere",
    "empty": "",
    "an option": "--output=/tmp/x",
    "a range": "HEAD..HEAD",
    "a tree": "HEAD:records",
    "a file": "HEAD:docs/guide.md",
    "two lines": "HEAD\nHEAD",
    "a command": "$(touch /tmp/x)",
}


@pytest.mark.parametrize("reference", REFUSED.values(), ids=REFUSED)
def test_what_is_no_revision_is_one_line_and_status_2(base: Base, reference: str) -> None:
    status, text = against(base, reference)
    assert status == 2
    assert f"--against {reference}: git knows no revision `{reference}`" in text


def test_a_folder_that_is_no_repository_is_said_to_be_none(tiny: Base, tmp_path: Path) -> None:
    status, text = against(tiny, "HEAD", GIT_CEILING_DIRECTORIES=str(tmp_path))
    assert status == 2
    assert "not a git repository" in text
    assert text.count("\n") == 1


def test_without_git_it_says_so(base: Base) -> None:
    status, text = against(base, "HEAD", PATH="/nowhere")
    assert status == 2
    assert "git cannot be run" in text


def test_a_shallow_clone_is_told_what_to_fetch(base: Base, tmp_path: Path) -> None:
    first = git(base.root, "rev-parse", "HEAD").strip()
    commit(base.edit(IDEA, PROSE, "See [[nobody]].").root)
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", base.root.as_uri(), str(tmp_path / "clone")],
        check=True,
        capture_output=True,
    )
    clone = Base(tmp_path / "clone")
    status, text = against(clone, first)
    assert status == 2
    assert "this clone is shallow" in text
    assert against(clone, "HEAD")[0] == 0
    git(clone.root, "fetch", "-q", "--depth", "1", "origin", first)
    assert against(clone, first)[0] == 1


def test_a_revision_that_held_no_base_had_no_findings(tiny: Base) -> None:
    git(tiny.root, "init", "-q")
    git(tiny.root, "commit", "-q", "--allow-empty", "-m", "empty")
    commit(tiny.edit(IDEA, PROSE, "See [[nobody]].").root)
    assert against(tiny, "HEAD~1")[0] == 1
    assert against(tiny, "HEAD")[0] == 0


# --- a base below the top of its repository --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "below", ["base", "bases/ä b/*", "-x/:(top)"], ids=["plain", "odd", "what git has a meaning for"]
)
def test_a_base_in_a_folder_of_its_repository(tiny: Base, tmp_path: Path, below: str) -> None:
    top = tmp_path / "top"
    base = Base(top / below)
    base.root.parent.mkdir(parents=True)
    tiny.root.rename(base.root)
    decoy = top / IDEA
    decoy.parent.mkdir(parents=True)
    decoy.write_text("name: [[nobody]]\n")
    git(top, "init", "-q")
    commit(top)
    assert against(base, "HEAD")[0] == 0
    base.edit(IDEA, PROSE, "See [[nobody]].")
    assert against(base, "HEAD")[0] == 1
    commit(top)
    assert against(base, "HEAD")[0] == 0


def test_a_folder_that_the_revision_did_not_have(tiny: Base, tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    git(top, "init", "-q")
    git(top, "commit", "-q", "--allow-empty", "-m", "empty")
    tiny.edit(IDEA, PROSE, "See [[nobody]].").root.rename(top / "base")
    assert against(Base(top / "base"), "HEAD")[0] == 1


# --- nothing is touched ----------------------------------------------------------------------------------------------


def test_work_tree_and_index_stay_as_they_are(base: Base) -> None:
    commit(base.edit(IDEA, PROSE, "See [[nobody]].").root)
    base.edit(IDEA, "[[nobody]]", "[[nobody]], [[somebody]]")
    base.edit(MODEL, "[[tiny-latent]]", "[[tiny-latent|it]]")
    git(base.root, "add", MODEL)
    base.lay({"records/new.txt": "x", "docs/guide.md": None})
    before = (git(base.root, "status", "--porcelain=v2", "--branch"), git(base.root, "diff"), refs(base))
    names = sorted(path.relative_to(base.root).as_posix() for path in base.root.rglob("*"))
    index = (base.root / ".git/index").read_bytes()
    assert against(base, "HEAD")[0] == 1
    assert (base.root / ".git/index").read_bytes() == index
    assert sorted(path.relative_to(base.root).as_posix() for path in base.root.rglob("*")) == names
    assert (git(base.root, "status", "--porcelain=v2", "--branch"), git(base.root, "diff"), refs(base)) == before


def refs(base: Base) -> str:
    return git(base.root, "for-each-ref") + git(base.root, "stash", "list") + git(base.root, "worktree", "list")


def test_nothing_is_left_in_the_temporary_folder(base: Base, tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    assert against(base, "HEAD", TMPDIR=str(room))[0] == 0
    assert list(room.iterdir()) == []


def test_inside_a_hook_of_git_it_is_the_same(base: Base) -> None:
    """Git sets variables for its hooks, and they must not lead to another repository or index."""
    commit(base.edit(IDEA, PROSE, "See [[nobody]].").root)
    environment = {"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/index.lock", "GIT_PREFIX": "docs/", "GIT_WORK_TREE": "/"}
    assert against(base, "HEAD", **environment)[0] == 0
    assert against(base, "HEAD~1", **environment)[0] == 1


def test_attributes_do_not_change_what_was_committed(base: Base) -> None:
    """An archive would leave out what is marked so, and fill in what is asked for."""
    base.lay({".gitattributes": "records/** export-ignore\n*.yaml export-subst ident filter=none\n"})
    commit(base.edit(IDEA, PROSE, "See [[nobody]] $Format:%H$ $Id$.").root)
    assert against(base, "HEAD")[0] == 0
    with history.checkout(base.root, "HEAD") as folder:
        assert "$Format:%H$ $Id$" in (folder / IDEA).read_text("utf-8")


def test_it_is_read_as_it_is_typed_in_git_whatever_the_line_ends_here(base: Base) -> None:
    git(base.root, "config", "core.autocrlf", "true")
    commit(base.edit(IDEA, PROSE, "See [[nobody]].").root)
    (base.root / IDEA).write_bytes((base.root / IDEA).read_bytes().replace(b"\n", b"\r\n"))
    assert against(base, "HEAD")[0] == 0


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="this system has no symbolic links")
def test_links_lead_nowhere_and_are_old_debt_like_any_other(base: Base, tmp_path: Path) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text("name: a secret\n")
    for name, target in {
        "records/concepts/outside.yaml": str(secret),
        "records/concepts/up.yaml": "../../../secret.yaml",
        "docs/page.md": str(secret),
        "docs/below.yaml": "../records",
    }.items():
        (base.root / name).symlink_to(target)
    commit(base.root)
    with history.checkout(base.root, "HEAD") as folder:
        links = [path for path in folder.rglob("*") if path.is_symlink()]
        assert len(links) == 4
        assert not any(link.exists() for link in links)
    status, text = against(base, "HEAD")
    assert status == 0, text


def crafted(base: Base, *entries: tuple[str, str, str]) -> str:
    """A commit whose tree has entries that git itself would not write."""
    raw = b"".join(f"{mode} {name}".encode() + b"\0" + bytes.fromhex(hashed) for mode, name, hashed in entries)
    tree = subprocess.run(
        ["git", "-C", str(base.root), "hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
        input=raw,
        check=True,
        capture_output=True,
    ).stdout.decode()
    return git(base.root, "commit-tree", tree.strip(), "-m", "x").strip()


def blob(base: Base, text: str) -> str:
    (base.root / "x.tmp").write_text(text)
    hashed = git(base.root, "hash-object", "-w", "x.tmp").strip()
    (base.root / "x.tmp").unlink()
    return hashed


def test_a_tree_that_climbs_out_of_the_folder_is_not_followed(base: Base) -> None:
    inner = crafted(base, ("100644", "pwned.yaml", blob(base, "x: 1\n")))
    tree = git(base.root, "rev-parse", f"{inner}^{{tree}}").strip()
    climbing = crafted(base, ("40000", "..", tree), ("100644", "fine.yaml", blob(base, "x: 1\n")))
    outer = crafted(base, ("40000", "records", git(base.root, "rev-parse", f"{climbing}^{{tree}}").strip()))
    with history.checkout(base.root, outer) as folder:
        assert [path.name for path in folder.rglob("*.yaml")] == ["fine.yaml"]
        assert not (folder.parent / "pwned.yaml").exists()


def test_a_submodule_and_a_file_that_is_no_record_are_passed_over(base: Base) -> None:
    base.lay({"docs/picture.png": b"\x89PNG", "records/notes.txt": "x"})
    git(base.root, "add", "-A")
    git(base.root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},records/sub.yaml")
    git(base.root, "commit", "-q", "-m", "x")
    with history.checkout(base.root, "HEAD") as folder:
        names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert IDEA in names
    assert not names & {"docs/picture.png", "records/notes.txt", "records/sub.yaml"}


def test_a_blob_that_is_missing_is_told(base: Base) -> None:
    hashed = git(base.root, "rev-parse", f"HEAD:{IDEA}").strip()
    (base.root / ".git/objects" / hashed[:2] / hashed[2:]).unlink()
    status, text = against(base, "HEAD")
    assert status == 2
    assert f"{IDEA} is not in this clone" in text


def test_the_real_base_has_nothing_new_against_itself(real_root: Path) -> None:
    with history.checkout(real_root, "HEAD") as folder:
        assert len(list(folder.rglob("*.yaml"))) > 900


# --- numbers that balance with nothing -------------------------------------------------------------------------------


def test_a_number_is_an_error_in_lines_that_were_written(base: Base) -> None:
    """Known and moved it is none; in a line that was touched it is one, though it stood there before."""
    commit(base.edit(IDEA, PROSE, f"It serves 40 requests.\n  {PROSE}").root)
    assert validated(base)[0] == 0, "a warning"
    base.edit(IDEA, "definition: |\n", "definition: |\n  First of all:\n\n")
    assert (against(base, "HEAD")[0], found(against(base, "HEAD")[1])) == (0, [])
    status, text = against(base.edit(IDEA, "It serves 40", "It may serve 40"), "HEAD")
    assert (status, found(text)) == (1, ["NUM414"])
