"""Editors: completion, hover and errors for records, from the real YAML language server over our schemas."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from conftest import HERE, ROOT, TINY, Base
from language_server import LanguageServer

from generator.knowledge.knowledge_base import KnowledgeBase

SERVER = HERE / "npm/node_modules/yaml-language-server/bin/yaml-language-server"
NODE = shutil.which("node")
LACKING = (
    "there is no Node here" if NODE is None else f"{SERVER.parent.parent.name} is not installed: run .ci/npm"
    if not SERVER.is_file() else ""
)  # fmt: skip

NUMBERS = count()
GOTCHA = "records/gotchas/tiny-crash.yaml"
MODEL = "records/models/tiny-a.yaml"
pytestmark = pytest.mark.skipif(bool(LACKING) and os.environ.get("CI") != "true", reason=LACKING)


def test_the_language_server_is_there() -> None:
    """CI promises it: there the tests below must not be passed over."""
    assert not LACKING


def settings(root: Path, **more: Any) -> dict[str, Any]:
    """What .vscode/settings.json says of YAML, as the server asks for it."""
    written = json.loads((root / ".vscode/settings.json").read_text("utf-8"))
    tree: dict[str, Any] = {}
    for key, value in written.items():
        if key.startswith("yaml."):
            branch, *parts = tree, *key.split(".")[1:]
            for part in parts[:-1]:
                branch = branch.setdefault(part, {})
            branch[parts[-1]] = value
    return {"yaml": {**tree, **more}, "http": {}, "[yaml]": {}, "editor": {}, "files": {}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The miniature base with the schemas beside it, as a record repository has them."""
    root = tmp_path_factory.mktemp("editor") / "base"
    shutil.copytree(TINY, root)
    shutil.copytree(ROOT / "schema", root / "schema")
    return root


@pytest.fixture(scope="module", params=["the first line", "the settings"])
def editor(request: pytest.FixtureRequest, folder: Path) -> Iterator[tuple[LanguageServer, Base, bool]]:
    """A server that learns a record's schema from its first line alone, or from .vscode/settings.json alone."""
    by_line = request.param == "the first line"
    known = settings(ROOT, **({"schemas": {}} if by_line else {}))
    with LanguageServer([str(NODE), str(SERVER), "--stdio"], folder, known) as server:
        yield server, Base(folder), by_line


def opened(editor: tuple[LanguageServer, Base, bool], name: str, text: str) -> tuple[Path, list[dict[str, Any]]]:
    """A new record as the editor has it, and what is underlined in it. Its name is new: no answer is an older one."""
    server, base, by_line = editor
    path = (base.root / name).with_name(f"new-{next(NUMBERS)}.yaml")
    lines = text.split("\n")
    assert lines[0].startswith("# yaml-language-server: $schema=")
    return path, server.open(path, text if by_line else "\n".join(["#", *lines[1:]]))


def text_of(editor: tuple[LanguageServer, Base, bool], name: str, old: str = "", new: str = "") -> str:
    text = (editor[1].root / name).read_text("utf-8")
    assert not old or text.count(old) == 1
    return text.replace(old, new) if old else text


@pytest.mark.parametrize("name", [path.relative_to(TINY).as_posix() for path in sorted((TINY).glob("[rs]*/**/*.yaml"))])
def test_nothing_is_underlined_in_a_clean_record(editor: tuple[LanguageServer, Base, bool], name: str) -> None:
    _, found = opened(editor, name, text_of(editor, name))
    assert found == []


COMPLETED = {
    "a field": (GOTCHA, "effect: blocked", "effect: blocked\nworkar", 6, {"fixed_in", "notes"}, {"effect", "symptom"}),
    "an enum": (GOTCHA, "effect: blocked", "effect: ", 8, {"blocked", "partial", "slow", "wrong-result"}, {"notes"}),
    "a field of an object in a list": (
        GOTCHA,
        '  - {engine: "[[tiny-engine]]", engine_versions: "<1.1"}',
        '  - engine: "[[tiny-engine]]"\n    ke',
        6,
        {"families", "kernel"},
        {"symptom"},
    ),
    "a config key": (
        MODEL,
        "  hidden_size: 256",
        "  hidden_size: 256\n  index_to",
        10,
        {"index_topk", "index_head_dim", "sliding_window"},
        {"license", "claims"},
    ),
    "a field of a model": (MODEL, "license: MIT", "license: MIT\nc", 1, {"claims", "corrections"}, {"name"}),
}


@pytest.mark.parametrize(("name", "old", "new", "column", "offered", "not_offered"), COMPLETED.values(), ids=COMPLETED)
def test_completion(
    editor: tuple[LanguageServer, Base, bool],
    name: str,
    old: str,
    new: str,
    column: int,
    offered: set[str],
    not_offered: set[str],
) -> None:
    text = text_of(editor, name, old, new)
    path, _ = opened(editor, name, text)
    line = text[: text.index(new) + len(new)].count("\n")
    labels = set(editor[0].complete(path, line, column))
    assert offered - labels == set()
    assert not labels & not_offered


UNDERLINED = {
    "an unknown field": (GOTCHA, "effect: blocked", "effect: blocked\nefect: x", 8, "efect"),
    "a word that is not allowed": (GOTCHA, "effect: blocked", "effect: blokced", 7, "blocked"),
    "a required field is missing": (GOTCHA, "effect: blocked\n", "", 1, "effect"),
    "null without its reason": (MODEL, "license: MIT", "license: null", 1, "why_null"),
    "the wrong kind of value": (MODEL, "released: 2026-01-02", "released: [2026]", 4, "string"),
    "a layer count in words": (MODEL, "num_hidden_layers: 4", "num_hidden_layers: sixty", 10, "integer"),
    "a number for a switch": (MODEL, "  hidden_size: 256", "  hidden_size: 256\n  use_mla: 1", 12, "boolean"),
    "no repository": (MODEL, "repo: TinyWorks/Tiny-A", "repo: Tiny-A", 3, "repo"),
}


@pytest.mark.parametrize(("name", "old", "new", "line", "said"), UNDERLINED.values(), ids=UNDERLINED)
def test_errors(editor: tuple[LanguageServer, Base, bool], name: str, old: str, new: str, line: int, said: str) -> None:
    _, found = opened(editor, name, text_of(editor, name, old, new))
    assert [each["range"]["start"]["line"] for each in found] == [line]
    assert said in json.dumps(found[0]) or said in new


def test_hover_shows_what_a_field_is_for(editor: tuple[LanguageServer, Base, bool]) -> None:
    text = text_of(editor, GOTCHA)
    path, _ = opened(editor, GOTCHA, text)
    line = text[: text.index("effect: blocked")].count("\n")
    shown = editor[0].hover(path, line, 2)
    assert "What it does to the user" in shown
    assert "wrong-result" in shown


def test_hover_shows_what_a_config_key_means_for_the_cache(editor: tuple[LanguageServer, Base, bool]) -> None:
    text = text_of(editor, MODEL)
    path, _ = opened(editor, MODEL, text)
    line = text[: text.index("kv_lora_rank: 32")].count("\n")
    shown = editor[0].hover(path, line, 4)
    assert "Shapes the cache" in shown
    assert "latent attention" in shown


def test_real_records_of_every_kind_are_clean_in_an_editor(real: KnowledgeBase, real_root: Path) -> None:
    """The server and `servebook validate` agree: what one takes, the other does not underline."""
    with LanguageServer([str(NODE), str(SERVER), "--stdio"], real_root, settings(real_root)) as server:
        for kind in real.catalog.kinds:
            for record in real.catalog.of(kind.name)[:: max(1, len(real.catalog.of(kind.name)) // 3)]:
                assert server.open(real_root / record.path, record.document.text) == [], record.path
