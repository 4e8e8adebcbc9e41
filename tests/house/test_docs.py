"""What the docs say is tried: examples are run, commands and files that they name exist, figures are recomputed.

A block of ``console`` that begins with ``$ servebook`` is run in the real base. The lines below it are what it prints;
a line ``...`` stands for any lines, ``...`` inside a line for any text.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest
from conftest import ROOT

from generator.catalog.yaml.loader import load
from generator.checks import CHECKS
from generator.cli import cli
from generator.compatibility import GLYPHS, MEANINGS
from generator.knowledge.knowledge_base import KnowledgeBase

PAGES = [
    path
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
    if path.is_file()
]
BLOCK = re.compile(r"^( *)```(\S*)([^\n]*)\n(.*?)^\1```$", re.M | re.S)


def blocks(*languages: str) -> list[tuple[str, str, str]]:
    """(where, info, text) of fenced blocks."""
    found = []
    for page in PAGES:
        text = page.read_text("utf-8")
        for block in BLOCK.finditer(text):
            if block[2] in languages:
                where = f"{page.name}:{text.count(chr(10), 0, block.start()) + 1}"
                inner = re.sub(rf"^{block[1]}", "", block[4], flags=re.M)
                found.append((where, block[3].strip(), inner))
    return found


def examples() -> list[tuple[str, str, str]]:
    """(where, command, what it prints) of all that is run."""
    found = []
    for where, _, text in blocks("console", "sh", "text"):
        for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            found.append((where, command, output))
    return found


def pattern(output: str) -> re.Pattern[str]:
    """Expected output as a pattern, with its elisions."""
    lines = [
        r"(?:.*\n)*?" if line.strip() == "..." else r".*".join(map(re.escape, line.split("..."))) + r"[ ]*\n"
        for line in output.rstrip("\n").split("\n")
    ]
    return re.compile("".join(lines) + r"\s*\Z")


EXAMPLES = examples()


def test_the_docs_have_examples_that_are_run() -> None:
    assert PAGES
    assert [command for _, command, _ in EXAMPLES if command.startswith("servebook ")]


@pytest.mark.parametrize(("where", "command", "output"), EXAMPLES, ids=[f"{row[0]}-{row[1][:30]}" for row in EXAMPLES])
def test_an_example_prints_what_the_docs_show(where: str, command: str, output: str) -> None:
    words = shlex.split(command)
    assert words[0] == "servebook", f"{where}: only our own command is tried"
    done = subprocess.run(
        [sys.executable, "-m", "generator", *words[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert pattern(output).match(done.stdout + "\n"), f"{where}:\n{done.stdout}{done.stderr}"


def test_elisions_elide_and_nothing_else_does() -> None:
    assert pattern("a\n...\nd\n").match("a\nb\nc\nd\n")
    assert pattern("a ... c\n").match("a bb c\n")
    assert not pattern("a\nd\n").match("a\nb\nd\n")
    assert not pattern("a\n").match("a\nb\n")
    assert not pattern("a.c\n").match("abc\n")


def test_examples_of_yaml_can_be_read() -> None:
    found = blocks("yaml")
    assert found
    for where, _, text in found:
        faults = load(text).faults
        assert not faults, f"{where}: {[fault.message for fault in faults]}"


def test_examples_of_records_fit_their_schema(real: KnowledgeBase) -> None:
    found = [(where, text) for where, _, text in blocks("yaml") if "$schema=" in text]
    assert found
    for where, text in found:
        kind = text.split("/schema/")[1].split(".schema.json")[0]
        violations = real.catalog.schemas.violations(kind, load(text).data)
        assert not violations, f"{where}: {violations}"


def test_the_states_are_told_in_the_words_of_the_code() -> None:
    text = (ROOT / "docs/how-a-cell-is-decided.md").read_text("utf-8")
    for state, meaning in MEANINGS.items():
        assert f"| {GLYPHS[state]} | {str(state).replace('-', ' ')} | {meaning} |" in text


def test_commands_that_are_named_exist() -> None:
    for page in PAGES:
        for name in re.findall(r"servebook ([a-z]+)", page.read_text("utf-8")):
            assert name in cli.commands, f"{page.name} names `servebook {name}`"


def test_every_command_is_named_somewhere() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    for name in cli.commands:
        assert f"servebook {name}" in text, name


def test_options_that_are_named_exist() -> None:
    known = {option for command in [cli, *cli.commands.values()] for each in command.params for option in each.opts}
    for page in PAGES:
        for line in re.findall(r"servebook [a-z]+[^`\n|]*", page.read_text("utf-8")):
            for option in re.findall(r"(?<=\s)--[a-z][a-z-]*", line):
                assert option in known | {"--help"}, f"{page.name}: {line}"


def test_targets_of_make_that_are_named_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    for page in PAGES:
        for name in re.findall(r"(?:`|^)make ([a-z]+)", page.read_text("utf-8"), re.M):
            assert name in targets, f"{page.name} names `make {name}`"


def test_codes_that_are_named_exist() -> None:
    known = {check.code for check in CHECKS}
    for page in PAGES:
        for code in re.findall(r"\b(?:YML|SCH|CIT|WIR|DRV|NUM|CMP|DRF|MET)[0-9]{3}\b", page.read_text("utf-8")):
            assert code in known, f"{page.name} names {code}"


def test_files_that_are_linked_exist() -> None:
    generated = {path.stem for path in (ROOT / "generator/site/pages").glob("*.py")}
    generated |= {f"{name.replace('_', '-')}.md" for name in generated}
    for page in PAGES:
        for address in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
            target = address.split("#")[0]
            if page.parent.name == "docs" and target.split("/")[0] in generated:
                continue  # such as checks/index.md, which the site makes
            if target and not re.match(r"[a-z]+:", target):
                assert (page.parent / target).exists(), f"{page.name} links {address}"


def test_files_that_are_named_exist() -> None:
    places = re.compile(r"`((?:generator|schema|records|sources|tests|templates|docs)/[\w./-]*?)`")
    for page in PAGES:
        for name in places.findall(page.read_text("utf-8")):
            made = "node_modules" in name  # what an installation makes is not in a fresh clone
            assert made or (ROOT / name).exists(), f"{page.name} names {name}"


def test_what_the_architecture_names_in_a_file_is_defined_there() -> None:
    named = re.findall(r"`([\w/]+\.py)`: `(\w+)`", (ROOT / "docs/architecture.md").read_text("utf-8"))
    assert len(named) > 8
    for file, name in named:
        defined = rf"(?m)^(?:\s*(?:def|class) {name}\b|{name}\b.* = )"
        assert re.search(defined, (ROOT / file).read_text("utf-8")), f"{file} defines no {name}"


def test_the_figures_of_the_readme_are_those_of_the_base(real: KnowledgeBase) -> None:
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    for id, words in (
        ("deepseek-v2", "{} times too high on DeepSeek-V2"),
        ("deepseek-v4-flash", "{} times on DeepSeek-V4-Flash"),
    ):
        facts = real.facts[id]
        plain = facts.figure("bf16")
        assert plain is not None
        assert facts.geometry is not None
        assert facts.geometry.naive_gqa_bytes_per_token is not None
        assert words.format(f"{float(facts.geometry.naive_gqa_bytes_per_token / plain.growth):.1f}") in text


def test_the_figures_of_the_geometry_page_are_those_of_the_base(real: KnowledgeBase) -> None:
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| ([0-9,]+) \|", (ROOT / "docs/kv-geometry.md").read_text("utf-8"), re.M)
    assert len(rows) >= 15
    for id, figure in rows:
        plain = real.facts[id].figure("bf16")
        assert plain is not None
        assert plain.growth == int(figure.replace(",", "")), id


def test_anchors_of_docs_that_the_code_names_exist() -> None:
    for path in (ROOT / "generator").rglob("*.py"):
        for page, anchor in re.findall(r"docs/([a-z-]+\.md)#([a-z0-9-]+)", path.read_text("utf-8")):
            heads = re.findall(r"^#+ (.+)$", (ROOT / "docs" / page).read_text("utf-8"), re.M)
            known = {re.sub(r"[^a-z0-9]+", "-", head.lower()).strip("-") for head in heads}
            assert anchor in known, f"{path.name} names {page}#{anchor}"
