"""Nothing that stands in a record orders anything of a terminal or a CI runner, in any command and any format."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from conftest import Base
from test_against import commit, git

from generator.catalog.records import Record
from generator.cli import COMMANDS
from generator.notation.plain import disarmed, in_json, plain

ORDERS = {
    "colours": "\x1b[8mhidden\x1b[0m",
    "title of the window": "\x1b]0;owned\x07",
    "cursor": "a\rb\x08\x08c",
    "C1 sequence": "\x9b31m",
    "direction": "\u202egnp.exe\u2066",
    "line separator": "a\u2028::error::x",
    "command": "a\n::error::pwned",
    "indented command": "a\n  ::set-output name=x::y",
    "command first": "::add-mask::x",
    "old command": "##[set-env name=PATH]x",
    "stop": "a\n::stop-commands::x",
    "next line": "a\x85::error::x",
}
TURNS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
ASKED = (
    ["validate", "--info"],
    ["validate", "--format", "json"],
    ["validate", "--format", "sarif"],
    ["validate", "--format", "github"],
    ["show", "tiny-a"],
    ["show", "tiny-a", "--format", "json"],
    ["show", "tiny-gpu"],
    ["graph", "tiny-a"],
    ["graph", "tiny-a", "--format", "json"],
    ["graph", "tiny-a-config"],
    ["why", "tiny-a", "--engine", "tiny-engine", "--gpu", "tiny-gpu"],
    ["why", "tiny-a", "--engine", "tiny-engine", "--gpu", "tiny-gpu", "--format", "json"],
    ["why", "tiny-a", "--engine", "tiny-engine", "--gpu", "nothing"],
    ["why", "tiny-a", "--engine", "tiny-engine", "--gpu", "tiny-gpu", "--context", "4096"],
    ["kv", "tiny-a", "--engine", "tiny-engine"],
    ["ask", "tiny-a", "--gpu", "tiny-gpu"],
    ["ask", "tiny-a", "--gpu", "tiny-gpu", "--format", "json"],
    ["ask", "tiny-a"],
    ["stats"],
    ["where", "model", "architecture.model_type!=none"],
    ["where", "model", "architecture.model_type!=none", "--format", "json"],
    ["gaps"],
    ["gaps", "--format", "json"],
    ["diff", "HEAD"],
    ["diff", "HEAD", "--findings", "--format", "json"],
    ["diff", "HEAD", "--format", "markdown"],
    ["review"],
    ["review", "--all", "--diff"],
    ["fix", "--diff", "--unsafe"],
    ["materialise", "{out}"],
    ["build", "--out", "{out}"],
)
FILES = (
    "records/models/tiny-a.yaml",
    "records/models/tiny-b.yaml",
    "records/gpus/tiny-gpu.yaml",
    "records/engines/tiny-engine.yaml",
    "sources/tiny-a-config.yaml",
    "sources/tiny-engine-registry.yaml",
)


def poisoned(base: Base, order: str) -> Base:
    """The base with an order in the names, notes and vendors of its records, and in a field that no schema knows."""
    for name in FILES:
        text = (base.root / name).read_text("utf-8")
        text = re.sub(
            r"(?m)^(name|title|vendor|publisher|locator): .*$", lambda m: f"{m[1]}: {json.dumps(f'Z {order}')}", text
        )
        base.lay({name: re.sub(r"(?ms)^notes: \|\n.*?(?=^\S|\Z)", lambda _: f"notes: {json.dumps(order)}\n", text)})
    return base


def asked(base: Base, arguments: list[str], out: Path) -> str:
    command = [
        sys.executable,
        "-m",
        "generator",
        "--root",
        str(base.root),
        *(each.format(out=out) for each in arguments),
    ]
    surroundings = {**os.environ, "GITHUB_ACTIONS": "true", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
    done = subprocess.run(command, capture_output=True, env=surroundings, cwd=base.root.parent, timeout=300)
    return (done.stdout + b"\n" + done.stderr).decode("utf-8")


def orders_in(text: str) -> set[str]:
    """The characters that a terminal obeys: controls, other ends of a line, and turned directions of writing."""
    controls = {char for char in text if unicodedata.category(char) in ("Cc", "Zl", "Zp")}
    return controls - {"\n", "\t"} | {char for char in text if unicodedata.bidirectional(char) in TURNS}


def commands_in(text: str) -> list[str]:
    """The lines that GitHub's runner obeys: it splits at line feeds, and takes blanks away."""
    lines = re.split(r"\r\n|\n|\r", text)
    return [line for line in lines if line.lstrip().startswith("::") or "##[" in line]


@pytest.mark.parametrize("arguments", ASKED, ids=" ".join)
def test_no_command_passes_an_order_on(tiny: Base, arguments: list[str], tmp_path: Path) -> None:
    if arguments[0] == "diff":
        git(tiny.root, "init", "-q")
        commit(tiny.root)
    base = poisoned(tiny, "\n".join(ORDERS.values()))
    text = asked(base, arguments, tmp_path / "out")
    assert "Traceback" not in text
    assert orders_in(text) == set()
    obeyed = commands_in(text)
    if "github" in arguments:
        ours = re.compile(r"::(?:error|warning|notice)(?: file=[^\n]*)?::")
        obeyed = [line for line in obeyed if not ours.match(line)]
    assert obeyed == []


def test_the_commands_were_all_asked() -> None:
    silent = {"explain", "new", "serve", "extract", "schema"}  # they print no text of a record, or never end
    silent |= {"drift"}  # which asks a host, and is tried where there is one on loopback
    assert {each.name for each in COMMANDS} - silent == {each[0] for each in ASKED}


def test_a_title_is_one_line(tiny: Base) -> None:
    record = poisoned(tiny, "a\n\n# b").read().catalog.records["tiny-a"]
    assert isinstance(record, Record)
    assert record.title == "Z a # b"


@pytest.mark.parametrize("text", ["plain", "a: b\n  c\n", "\tx", "::", "a::b", "std::vector", "é “x” × 漢", ""])
def test_what_orders_nothing_is_shown_as_it_is(text: str) -> None:
    assert disarmed(text, new_line=not text.startswith("::")) == text
    assert in_json(json.dumps(text, ensure_ascii=False)) == json.dumps(text, ensure_ascii=False)


@pytest.mark.parametrize("order", ORDERS.values())
def test_it_is_written_out_and_json_means_the_same(order: str) -> None:
    assert orders_in(plain(order)) == set()
    assert orders_in(disarmed(order).replace("\x1b[0m", "")) == set()  # which only takes back
    assert commands_in(disarmed(order)) == []
    written = in_json(json.dumps(order, ensure_ascii=False))
    assert json.loads(written) == order
    assert orders_in(written) == set()
    assert commands_in(written) == []


def test_our_own_colours_stay() -> None:
    assert disarmed("\x1b[31mCIT101\x1b[0m x") == "\x1b[31mCIT101\x1b[0m x"
    assert "\x1b" not in disarmed("\x1b[8mhidden")
