"""Ids, names, aliases and Hub repositories: each works wherever an id does, and what is unknown leads on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from conftest import Base

from generator.cli import cli


def run(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["--root", str(root), *arguments])


def stopped(done: Result) -> str:
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    return " ".join(done.stderr.split())


@pytest.mark.parametrize(
    "word", ["tiny-a", "TinyWorks/Tiny-A", "tinyworks/tiny-a", "Tiny A", "Tiny-A", "TINY A", "tinya"]
)
def test_a_model_by_any_of_its_names(tiny: Base, word: str) -> None:
    root = tiny.root
    assert json.loads(run(root, "kv", word, "--format", "json").stdout)["id"] == "tiny-a"
    assert json.loads(run(root, "show", word, "--format", "json").stdout)["id"] == "tiny-a"
    assert json.loads(run(root, "graph", word, "--format", "json").stdout)["id"] == "tiny-a"
    assert run(root, "why", word, "--engine", "tiny-engine", "--gpu", "tiny-gpu").stdout.startswith("Tiny A on Tiny")
    assert "--diff" not in run(root, "review", word, "--diff").stderr
    assert run(root, "review", word, "--diff").exit_code == 0
    assert "outside the paths given" not in run(root, "validate", word).stderr
    assert run(root, "validate", word).exit_code == 0
    assert run(root, "fix", word).exit_code == 0


def test_an_alias_and_an_old_id(tiny: Base) -> None:
    tiny.edit("records/models/tiny-a.yaml", "license: MIT", "license: MIT\naliases: [Tiniest]")
    tiny.lay({"records/redirects.yaml": "the-old-one: tiny-a\n"})
    for word in ("Tiniest", "tiniest", "the-old-one"):
        assert json.loads(run(tiny.root, "kv", word, "--format", "json").stdout)["id"] == "tiny-a"


def test_engines_and_gpus_by_name(tiny: Base) -> None:
    for engine, gpu in (("Tiny Engine", "Tiny GPU"), ("tiny engine", "tinygpu"), ("TinyEngine", "TINY-GPU")):
        done = run(tiny.root, "why", "tiny-a", "--engine", engine, "--gpu", gpu)
        assert done.exit_code in (0, 1), done.output


def test_a_name_of_several_records_is_told_with_their_ids(tiny: Base) -> None:
    for model in ("tiny-a", "tiny-b"):
        tiny.edit(f"records/models/{model}.yaml", "license: MIT", "license: MIT\naliases: [Both]")
    assert "`both` names 2 records; take the id: tiny-a, tiny-b" in stopped(run(tiny.root, "kv", "both"))


def test_an_unknown_id_leads_to_the_known_ones(tiny: Base) -> None:
    ask = ("why", "tiny-a", "--engine", "tiny-engine", "--gpu")
    assert "no record has the id `t4`, and no gpu goes by that name; known: tiny-gpu" in stopped(
        run(tiny.root, *ask, "t4")
    )
    assert "did you mean tiny-gpu? known: tiny-gpu" in stopped(run(tiny.root, *ask, "tiny-gup"))
    ask = ("why", "tiny-a", "--gpu", "tiny-gpu", "--engine")
    assert "and no engine goes by that name; known: tiny-engine" in stopped(run(tiny.root, *ask, "sglang"))
    assert "did you mean tiny-b" in stopped(run(tiny.root, "kv", "TinyWorks/Tiny-Bee"))
    assert "is of the kind gpu, but a model is expected; did you mean" in stopped(run(tiny.root, "kv", "tiny-gpu"))
    assert "did you mean tiny-latent" in stopped(run(tiny.root, "show", "Tiny Latnet"))
    assert "no record of that name" in stopped(run(tiny.root, "validate", "nowhere/at/all"))
    assert "no record of that name" in stopped(run(tiny.root, "fix", "nothing-of-the-kind"))


def test_of_many_only_the_nearest_are_listed(real_root: Path) -> None:
    said = stopped(run(real_root, "kv", "Qwen/Qwen3-31B"))
    assert "qwen3-32b" in said
    assert "are on record in records/models/" in said
    assert len(said) < 200


def test_an_engine_in_a_version(tiny: Base) -> None:
    ask = ("why", "tiny-a", "--gpu", "tiny-gpu", "--engine")
    own = next(
        line for line in (tiny.root / "records/engines/tiny-engine.yaml").read_text().splitlines() if "version:" in line
    )
    version = own.split(":")[1].strip().strip('"')
    for word in (f"tiny-engine@{version}", f"Tiny Engine@{version}", f"tiny-engine@v{version}"):
        assert run(tiny.root, *ask, word).exit_code in (0, 1)
    said = stopped(run(tiny.root, *ask, "tiny-engine@9.9"))
    assert f"9.9 is not on record; on record is version {version}: `tiny-engine`" in said
    other = (tiny.root / "records/engines/tiny-engine.yaml").read_text().replace(own, 'version: "9.9"')
    tiny.lay({"records/engines/tiny-engine-9-9.yaml": other})
    assert "9.9" in run(tiny.root, *ask, "tiny-engine@9.9").stdout.splitlines()[0]
    tiny.lay({"records/engines/tiny-engine-9-9.yaml": None})


def test_checks_near_what_was_typed(tiny: Base) -> None:
    assert "did you mean config-mismatch" in stopped(run(tiny.root, "explain", "config-mismatches"))
    assert "DRV has DRV301 to DRV3" in stopped(run(tiny.root, "explain", "DRV399"))
    assert "`servebook explain` lists all" in stopped(run(tiny.root, "explain", "zzz"))
