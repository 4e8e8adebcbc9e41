"""``servebook drift`` as a user runs it: what it says and ends with, what it keeps, and what --accept writes."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import command
import pytest
from conftest import ROOT, Base
from fake_host import FakeHost, Said, fake_host

from generator.authoring.yaml_writer import GONE, rewritten
from generator.catalog.records import Record
from generator.catalog.yaml.loader import load
from generator.cli.drift import _looked
from generator.notation.digests import facts_digest
from generator.upstream.places import locator_of
from generator.upstream.states import Drift, DriftOutcome
from generator.upstream.store import Store

REGISTRY = "sources/tiny-engine-registry.yaml"
FILE = "tiny_engine/registry.py"
OLD = b"MODELS = {'OtherForCausalLM': 1, 'TinyMlaForCausalLM': 2}\n"
NEW = b"MODELS = {'OtherForCausalLM': 1, 'ThirdForCausalLM': 3}\n"


@pytest.fixture
def host() -> Iterator[FakeHost]:
    with fake_host() as running:
        running.project("pip", {"1.0": {"pip/x.py": b""}})
        running.project("tiny-engine", {"1.0": {FILE: OLD}, "1.1": {FILE: NEW}})
        yield running


def drift(base: Base, host: FakeHost, *arguments: str) -> tuple[int, str, str]:
    environment = {**os.environ, "PIP_INDEX_URL": f"{host.url}/simple", "PIP_EXTRA_INDEX_URL": "", "NO_COLOR": "1"}
    done = command.run("drift", "--pace", "0", *arguments, cwd=base.root, environment=environment)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


def test_what_drifted_and_what_it_would_change(tiny: Base, host: FakeHost) -> None:
    status, text, _ = drift(tiny, host, "tiny-engine-registry")
    assert status == 1
    assert re.sub(r" \(\d+ requests, [\d,]+ bytes\)", "", text).splitlines() == [
        "1 source: 1 superseded",
        "",
        "tiny-engine-registry: superseded (1.1)",
        "  tiny-engine 1.1 says otherwise",
        "  architectures lost TinyMlaForCausalLM and gained ThirdForCausalLM",
        "  would change 2 cells, 1 record changed",
        "  2 on Tiny Engine: listed -> not listed, Tiny A, Tiny B, on sm_90",
    ]
    assert drift(tiny, host, "tiny-engine-registry", "--to", "1.0")[0] == 0


def test_the_same_for_programs_and_for_a_comment(tiny: Base, host: FakeHost) -> None:
    found = json.loads(drift(tiny, host, "tiny-engine-registry", "--format", "json")[1])
    (row,) = found["sources"]
    assert (found["ok"], found["counts"], row["state"], row["edition"]) == (
        False,
        {"superseded": 1},
        "superseded",
        "1.1",
    )
    assert row["would_change"] == {"cells": 2, "facts": 0}
    text = drift(tiny, host, "tiny-engine-registry", "--format", "markdown")[1]
    for line in text.splitlines()[1:]:
        assert not re.search(r"[<@\[]", "".join(line.split("`")[::2])), line


def ask_here(base: Base, host: FakeHost) -> None:
    """Let the base's own schema/hosts.yaml name the host on loopback for all forges."""
    shutil.copytree(ROOT / "schema", base.root / "schema")
    hosts = base.root / "schema/hosts.yaml"
    text = hosts.read_text("utf-8")
    for name in ("raw.githubusercontent.com", "huggingface.co", "github.com"):
        text = text.replace(f"https://{name}", host.url)
    hosts.write_text(text, "utf-8")


def test_a_run_over_all_sources_goes_on_where_it_was(tiny: Base, host: FakeHost) -> None:
    ask_here(tiny, host)
    host.says["/"] = Said(b"", 404)
    status, text, _ = drift(tiny, host)
    assert (status, "tiny-engine-registry: superseded" in text) == (1, True)
    assert "unreachable" in text, "configs are asked for at the host that schema/hosts.yaml names, which has none"
    before = len(host.asked)
    again = json.loads(drift(tiny, host, "--since", "2d", "--format", "json")[1])
    assert {row["source"]: row["state"] for row in again["sources"]}["tiny-engine-registry"] == "superseded"
    asked = host.paths()[before:]
    assert asked, "what was out of reach is asked for again"
    assert not [path for path in asked if "tiny-engine" in path]


def test_accept_rewrites_the_source_and_nothing_else(tiny: Base, host: FakeHost) -> None:
    text = (
        (tiny.root / REGISTRY).read_text("utf-8").replace("facts:\n", "# as the package has them\nfacts:\n  # sorted\n")
    )
    tiny.lay({REGISTRY: text})
    before = {path: path.read_bytes() for path in tiny.root.rglob("*.yaml")}
    status, said, _ = drift(tiny, host, "tiny-engine-registry", "--accept")
    assert status == 0
    assert said.startswith(f"{REGISTRY}: rewritten")
    changed = {path for path, data in before.items() if path.read_bytes() != data}
    assert changed == {tiny.root / REGISTRY}
    new = (tiny.root / REGISTRY).read_text("utf-8")
    data = load(new).data
    assert data["locator"] == f"pkg:pypi/tiny-engine@1.1#{FILE}!MODELS"
    assert data["facts"] == {"architectures": ["OtherForCausalLM", "ThirdForCausalLM"], "fp8_latent_bytes": 44}
    assert data["digest"] == f"sha256:{hashlib.sha256(NEW).hexdigest()}"
    assert data["facts_digest"] == facts_digest(data["facts"])
    assert data["upstream_date"] == "2026-10-01"
    assert ["# as the package has them" in new, "# sorted" in new] == [True, True]
    kept = ("title:", "publisher:", "extractor:", "license:", "exhaustive:", "list_key:", "  fp8_latent_bytes:")
    for line in text.splitlines():
        assert line in new.splitlines() or not line.startswith(kept), line
    assert drift(tiny, host, "tiny-engine-registry")[0] == 0
    assert tiny.findings("SCH101", "DRF604") == []


def test_accept_of_a_file_in_a_repository_pins_the_commit_of_today(tiny: Base, host: FakeHost) -> None:
    ask_here(tiny, host)
    config, commit = "sources/tiny-a-config.yaml", "89abcdef" * 5
    facts = {**load((tiny.root / config).read_text("utf-8")).data["facts"], "num_hidden_layers": 6, "not on record": 1}
    host.says["/TinyWorks/Tiny-A/raw/main/config.json"] = Said(json.dumps(facts).encode())
    tiny.edit(config, "license: MIT\n", "license: MIT\nextractor: {type: json, args: {pointers: ['']}}\n")
    assert drift(tiny, host, "tiny-a-config", "--accept")[0] == 2, "the host does not name a commit"
    refs = f"001e# service=git-upload-pack\n00000155{commit} HEAD\0multi_ack\n003d{'1' * 40} refs/heads/main\n"
    host.says["/TinyWorks/Tiny-A/info/refs?service=git-upload-pack"] = Said(refs.encode())
    host.says[f"/TinyWorks/Tiny-A/raw/{commit}/config.json"] = Said(b"{}")
    assert drift(tiny, host, "tiny-a-config", "--accept")[0] == 2, "the branch has moved on meanwhile"
    host.says[f"/TinyWorks/Tiny-A/raw/{commit}/config.json"] = Said(json.dumps(facts).encode())
    assert drift(tiny, host, "tiny-a-config", "--accept")[0] == 0
    data = load((tiny.root / config).read_text("utf-8")).data
    assert data["locator"] == f"https://huggingface.co/TinyWorks/Tiny-A/raw/{commit}/config.json"
    assert (data["facts"]["num_hidden_layers"], "not on record" in data["facts"]) == (6, False)
    assert (data["upstream_date"], list(data["why_null"])) == (None, ["upstream_date"])
    assert tiny.findings("SCH101", "DRF604") == []


def test_what_was_reviewed_is_suspect_after_it(tiny: Base, host: FakeHost) -> None:
    stamped = command.run("review", "tiny-engine", cwd=tiny.root, environment=dict(os.environ))
    assert (stamped.returncode, tiny.findings("DRF602")) == (0, [])
    assert drift(tiny, host, "tiny-engine-registry", "--accept")[0] == 0
    (found, *_) = tiny.findings("DRF602")
    assert (found.record, "architectures" in found.message) == ("tiny-engine", True)


def test_a_run_that_is_interrupted_keeps_what_it_has_found(tiny: Base, host: FakeHost, tmp_path: Path) -> None:
    sources = [tiny.read().catalog.records[id] for id in ("tiny-engine-registry", "tiny-dtypes")]
    store = Store(tmp_path / "drift.sqlite3")

    class Interrupted:
        to = None

        def look(self, source: Record) -> DriftOutcome:
            if source.id == "tiny-dtypes":
                raise KeyboardInterrupt
            return DriftOutcome(source.id, Drift.SAME, "as it was")

    with pytest.raises(KeyboardInterrupt):
        _looked(Interrupted(), store, sources, "9", False)  # type: ignore[arg-type]
    again = Store(tmp_path / "drift.sqlite3")
    held = again.outcome("tiny-engine-registry", f"{locator_of(sources[0])} ", "2000")
    assert DriftOutcome.of(held).state is Drift.SAME
    for each in (store, again):
        each.close()


def test_accept_refuses_what_it_cannot_vouch_for(tiny: Base, host: FakeHost) -> None:
    before = (tiny.root / REGISTRY).read_bytes()
    assert drift(tiny, host, "--accept")[0] == 2
    host.says["/simple/tiny-engine/"] = Said(b"", 500)
    status, _, said = drift(tiny, host, "tiny-engine-registry", "--accept")
    assert (status, "nothing that could be accepted" in said) == (2, True)
    assert (tiny.root / REGISTRY).read_bytes() == before


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_what_a_document_says_is_text(tiny: Base, host: FakeHost, form: str) -> None:
    """A class whose name hides what follows, begins a command of CI and calls a team."""
    host.project("tiny-engine", {"1.0": {FILE: OLD}, "1.1": {FILE: b"MODELS = {'\\x1b[8m@team <b>\\n::error::`x': 1}"}})
    text = drift(tiny, host, "tiny-engine-registry", "--format", form)[1]
    assert "@team" in text
    assert "\x1b" not in text
    assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]
    outside = "".join("".join(line.split("`")[::2]) for line in text.splitlines())
    assert form != "markdown" or not re.search(r"[@<]", outside)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "no record has the id `nothing`"),
        (["tiny-a"], "source"),
        (["--since", "soon"], "a number of days is wanted"),
        (["--type", "gossip"], "no source has the type `gossip`"),
        (["--store", REGISTRY], "name another with --store"),
    ],
)
def test_mistakes_are_told_with_status_2(tiny: Base, host: FakeHost, arguments: list[str], said: str) -> None:
    status, _, error = drift(tiny, host, *arguments)
    assert (status, said in error) == (2, True), error


def test_nothing_but_drift_reaches_the_network() -> None:
    """What validates and builds knows neither an HTTP client nor the room that has one."""
    code = (
        "import sys, generator.cli, generator.checks, generator.site.plugin, generator.authoring.fixes\n"
        "print([name for name in sys.modules if name.startswith(('httpx', 'sqlite3', 'generator.upstream'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


# --- rewriting --------------------------------------------------------------------------------------------------------

TEXT = """\
# a head
title: "Old 1.0"   # quoted
facts:   # all of them
  # the first
  a: [x, y]  # two
  b:
    c: 1
  long: [
    aaa, bbb
  ]
digest: null
commit: abc
notes: |
  Text with a: colon.
"""


@pytest.mark.parametrize(
    ("changes", "gone", "come"),
    [
        ({("title",): "New: 1.1"}, ['title: "Old 1.0"   # quoted'], ["title: 'New: 1.1'   # quoted"]),
        ({("digest",): "sha256:0"}, ["digest: null"], ["digest: sha256:0"]),
        ({("commit",): GONE}, ["commit: abc"], []),
        ({("commit",): None}, ["commit: abc"], ["commit: null"]),
        ({("why",): {"commit": "not stated"}}, [], ["why:", "  commit: not stated"]),
        (
            {("facts",): {"a": ["x"], "b": {"c": 1}, "long": ["aaa", "bbb"]}},
            ["  a: [x, y]  # two"],
            ["  a: [x]     # two"],
        ),
        ({("facts", "b", "c"): 2}, ["    c: 1"], ["    c: 2"]),
    ],
)
def test_other_lines_stay_as_they_are(changes: Any, gone: list[str], come: list[str]) -> None:
    text = rewritten(TEXT, changes)
    before, after = TEXT.splitlines(), text.splitlines()
    assert [line for line in before if line not in after] in (gone, [*gone, "  long: [", "    aaa, bbb", "  ]"])
    assert [line for line in after if line not in before and "aaa" not in line] == come
    for path, value in changes.items():
        held: Any = load(text).data
        for part in path:
            held = held.get(part)
        assert held == (None if value is GONE else value)


# --- for real ---------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not os.environ.get("SERVEBOOK_ONLINE"), reason="SERVEBOOK_ONLINE is not set: no index is asked")
@pytest.mark.parametrize(("version", "count"), [("0.18.0", 122), ("0.19.0", 126)])
def test_the_architectures_of_gguf_grow(tiny: Base, version: str, count: int, tmp_path: Path) -> None:
    text = (tiny.root / REGISTRY).read_text("utf-8")
    text = text.replace("tiny_engine/registry.py!MODELS", "gguf/constants.py!MODEL_ARCH").replace(
        "tiny-engine@1.0", "gguf@0.17.1"
    )
    text = re.sub(r"facts: \{architectures.*?\}\}", "facts: {count: {of: [MODEL_ARCH], take: count}}", text)
    text = re.sub(r"(?s)\nfacts:.*?\nexhaustive", "\nfacts: {count: 71}\nexhaustive", text)
    tiny.lay({"sources/gguf.yaml": re.sub(r"facts_digest.*\n", "", text)})
    done = command.run(
        "drift", "gguf", "--to", version, "--format", "json", cwd=tiny.root, environment=dict(os.environ)
    )
    found = json.loads(done.stdout)
    assert found["sources"][0]["changes"] == [{"fact": "count", "before": 71, "after": count}]
    assert found["bytes"] < 2_000_000
