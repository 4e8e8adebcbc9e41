"""`kill -9` at any step of `fix`, `review` and `new`: nothing is lost, and the next run mends what is left."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import Base
from killing import killed_at_each_step

from generator.cli import cli

GUIDE, IDEA, MODEL = "docs/guide.md", "records/concepts/tiny-latent.yaml", "records/models/tiny-a.yaml"


def held(base: Base) -> dict[str, bytes]:
    files = [path for path in base.root.rglob("*") if path.is_file()]
    return {path.relative_to(base.root).as_posix(): path.read_bytes() for path in files}


def to_fix(base: Base) -> None:
    base.lay({"records/redirects.yaml": "old: tiny-latent\n", GUIDE: "[[old]]\n"})
    base.edit(MODEL, "see [[tiny-latent]]", "see [[old]]")


def config(base: Base) -> None:
    base.lay({"config.json": '{"model_type": "llama", "num_hidden_layers": 2, "time_step_limit": [0.0, Infinity]}'})


WORK: dict[str, tuple[Callable[[Base], None], list[str], set[str]]] = {
    "fix": (to_fix, ["fix"], {GUIDE, MODEL}),
    "review": (lambda base: None, ["review", "tiny-a", "tiny-b"], {"records/reviews.lock.yaml"}),
    "new": (
        config,
        ["new", "model", "fresh", "--config", "config.json"],
        {"records/models/fresh.yaml", "sources/hf-config-fresh.yaml"},
    ),
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.parametrize("command", WORK)
def test_a_kill_at_any_step_loses_nothing_and_the_next_run_mends(
    tiny: Base, command: str, monkeypatch: pytest.MonkeyPatch, record_property: Callable[[str, object], None]
) -> None:
    prepare, arguments, changing = WORK[command]
    prepare(tiny)
    before = held(tiny)
    monkeypatch.chdir(tiny.root)

    def run(*more: str) -> Any:
        done = CliRunner().invoke(cli, ["--root", str(tiny.root), *arguments, *more])
        assert done.exit_code in (0, 2), done.output
        return done

    def lay() -> None:
        for path in held(tiny).keys() - before.keys():
            (tiny.root / path).unlink()
        tiny.lay(before)

    lay()
    run()
    after = held(tiny)
    assert {path for path in after if after[path] != before.get(path)} == changing
    mended = []
    for number in killed_at_each_step(run, tiny.root, lay):
        now = held(tiny)
        for path in before | after:
            assert now.get(path) in (before.get(path), after.get(path)), f"{path} is half-written at step {number}"
        again = run()
        assert held(tiny) == after, f"step {number}: the next run neither completed nor mended it"
        mended.append("an earlier run was interrupted" in again.stderr)
        assert mended[-1] or now in (before, after), f"step {number}: nobody says that something was mended"
    record_property("tried", len(mended))
    assert len(mended) > 8
    assert sum(mended) > 5


def test_the_source_is_written_before_the_record_that_cites_it(tiny: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    config(tiny)
    renamed: list[str] = []
    replace = os.replace
    monkeypatch.setattr(os, "replace", lambda old, new: (renamed.append(str(new)), replace(old, new)))
    arguments = ["--root", str(tiny.root), "new", "model", "fresh", "--config", str(tiny.root / "config.json")]
    assert CliRunner().invoke(cli, arguments).exit_code == 0
    assert [path.rpartition("/")[2] for path in renamed] == ["hf-config-fresh.yaml", "fresh.yaml"]
