"""``servebook diff``: two revisions by what they publish, read from git, in three forms; nothing is written or run."""

from __future__ import annotations

import json
import os
from pathlib import Path

import command
import pytest
from conftest import Base
from test_against import commit, git

A = "records/models/tiny-a.yaml"
REGISTRY = "sources/tiny-engine-registry.yaml"
HOSTILE = "Tiny <script>alert(1)</script> @team `x` ]] [a](http://b.example) \u202e"


@pytest.fixture
def base(tiny: Base) -> Base:
    """The clean base as a repository with one commit."""
    git(tiny.root, "init", "-q", "-b", "main")
    commit(tiny.root)
    return tiny


def diff(base: Base, *arguments: str) -> tuple[int, str]:
    done = command.run("diff", *arguments, cwd=base.root, environment=dict(os.environ))
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


def as_data(base: Base, *arguments: str) -> dict[str, object]:
    status, text = diff(base, *arguments, "--format", "json")
    assert status == 0, text
    return json.loads(text)


def state(root: Path) -> list[tuple[str, int, bytes]]:
    """Every file with its time and bytes, the index of git included."""
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return [(path.relative_to(root).as_posix(), path.stat().st_mtime_ns, path.read_bytes()) for path in files]


def test_nothing_that_changes_is_said_in_a_line(base: Base) -> None:
    assert diff(base, "HEAD") == (0, "HEAD -> the work tree: the records are the same\n")
    commit(base.edit(A, "The page", "This page").root)
    assert "nothing that is derived or cited changes" in diff(base, "HEAD~", "HEAD")[1]


def test_the_work_tree_and_a_revision_are_told_apart(base: Base) -> None:
    commit(base.edit(A, "num_hidden_layers: 4", "num_hidden_layers: 5").root)
    base.edit(A, "num_hidden_layers: 5", "num_hidden_layers: 8")
    rows = {
        arguments: next(each for each in as_data(base, *arguments)["facts"] if each["fact"] == "kv.growth.bf16")
        for arguments in [("HEAD~", "HEAD"), ("HEAD~",), ("HEAD",)]
    }
    told = {arguments: (row["before"], row["after"]) for arguments, row in rows.items()}
    assert told == {("HEAD~", "HEAD"): (320, 400), ("HEAD~",): (320, 640), ("HEAD",): (400, 640)}
    assert rows["HEAD",]["because"] == ["records/models/tiny-a.yaml: architecture.num_hidden_layers 5 -> 8"]


def test_the_counts_stand_on_top_and_the_worst_comes_first(base: Base) -> None:
    base.edit(A, "num_hidden_layers: 4", "num_hidden_layers: 5")
    base.edit(REGISTRY, "[OtherForCausalLM, TinyMlaForCausalLM]", "[OtherForCausalLM]")
    lines = diff(base, "HEAD")[1].splitlines()
    assert lines[0].startswith("HEAD -> the work tree: 2 cells, ")
    assert lines[0].endswith(", 2 records changed")
    assert lines[2:8] == [
        "cells, 2",
        "  2 on Tiny Engine: listed -> not listed",
        "      Tiny A, Tiny B, on sm_90",
        "      now listed: Tiny Engine's model registry is exhaustive and does not list TinyMlaForCausalLM",
        "      sources/tiny-engine-registry.yaml: facts.architectures lost TinyMlaForCausalLM",
        "",
    ]
    assert "      kv.growth.bf16  320 -> 400  +25.0 %" in lines


def test_nothing_is_written_and_no_index_is_touched(base: Base) -> None:
    base.edit(A, "num_hidden_layers: 4", "num_hidden_layers: 5")
    before = state(base.root)
    for form in ("text", "json", "markdown"):
        diff(base, "HEAD", "--format", form)
    assert state(base.root) == before


def test_nothing_of_the_other_revision_is_run(base: Base, tmp_path: Path) -> None:
    """A template, an attribute with a filter and a module of its own: each of them would leave a mark."""
    mark = tmp_path / "ran"
    base.lay(
        {
            "generator/__init__.py": f"open({str(mark)!r}, 'w')\n",
            "generator/cli/__init__.py": f"open({str(mark)!r}, 'w')\n",
            "templates/model.html": "{{ cycler.__init__.__globals__.os.system('touch " + str(mark) + "') }}",
            ".gitattributes": "*.yaml filter=mark diff=mark\n",
        }
    )
    commit(base.root)
    for key in ("filter.mark.smudge", "diff.mark.command", "diff.mark.textconv"):
        git(base.root, "config", key, f"touch {mark}")
    commit(base.edit(A, "num_hidden_layers: 4", "num_hidden_layers: 5").root)
    mark.unlink(missing_ok=True)
    status, text = diff(base, "HEAD~", "HEAD")
    assert (status, "kv.growth.bf16  320 -> 400" in text) == (0, True)
    assert not mark.exists()


def test_what_a_change_to_the_generator_does_is_said_to_be_left_out(base: Base) -> None:
    commit(base.lay({"generator/x.py": "x = 1\n"}).root)
    assert "note: generator/ differs" in diff(base, "HEAD~", "HEAD")[1]
    assert "note:" not in diff(base, "HEAD", "HEAD")[1]


def test_findings_are_told_where_they_are_asked_for(base: Base) -> None:
    base.edit(A, "see [[tiny-latent]]", "see [[nobody]]")
    assert as_data(base, "HEAD")["findings"] is None
    found = as_data(base, "HEAD", "--findings")["findings"]
    assert [each["code"] for each in found["new"]] == ["CIT101"]
    assert found["gone"] == []


def test_hostile_names_are_text_in_a_comment(base: Base) -> None:
    base.edit(A, "name: Tiny A", f"name: {json.dumps(HOSTILE)}")
    base.edit(A, "num_hidden_layers: 4", "num_hidden_layers: 5")
    text = diff(base, "HEAD", "--format", "markdown")[1]
    for line in text.splitlines():
        outside = "".join(line.split("`")[::2])
        assert not any(each in outside for each in ("<", "@", "http", "[[", "](")), line
    assert "\u202e" not in text
    assert "Tiny <script>" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "servebook: nowhere: git knows no revision `nowhere`"),
        (["HEAD", "nowhere"], "servebook: nowhere: git knows no revision `nowhere`"),
        (["--output=x"], "No such option"),
    ],
)
def test_mistakes_are_told_with_status_2(base: Base, arguments: list[str], said: str) -> None:
    status, text = diff(base, *arguments)
    assert status == 2
    assert said in text


def test_a_revision_without_a_knowledge_base_is_said_to_have_none(base: Base) -> None:
    empty = git(base.root, "commit-tree", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "-m", "empty").strip()
    status, text = diff(base, empty, "main")
    assert (status, f"{empty} holds no knowledge base" in text) == (2, True)
