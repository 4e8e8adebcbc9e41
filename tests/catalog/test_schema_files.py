"""The files of `schema/`: whatever is wrong in them is told with its place, and nothing in them ends in a traceback."""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT, Base

from generator.catalog.read import NoKnowledgeBase, read

FILES = sorted(path.name for path in (ROOT / "schema").iterdir() if path.suffix in (".json", ".yaml"))
PLACE = re.compile(r"schema/[\w.]+:\d+:\d+: .")


@pytest.fixture
def own(tiny: Base) -> Base:
    """The tiny base with a schema/ of its own."""
    shutil.copytree(ROOT / "schema", tiny.root / "schema")
    return tiny


def told(base: Base) -> list[str]:
    """What is said of a broken schema/, line by line; none where it can be read."""
    try:
        read(base.root)
    except NoKnowledgeBase as problem:
        return str(problem).splitlines()
    return []


def test_the_real_one_keeps_to_its_forms(own: Base) -> None:
    assert told(own) == []


BROKEN = {
    "a type that is none": ("model.schema.json", '"type": "object"', '"type": "objekt"'),
    "a keyword that is none": ("model.schema.json", '"required":', '"requried":'),
    "a reference to nowhere": ("model.schema.json", "common.schema.json#/$defs/", "common.schema.json#/$defs/no-"),
    "a reference to no file": ("model.schema.json", "common.schema.json#", "nobody.schema.json#"),
    "a reference to the web": ("model.schema.json", "common.schema.json#", "https://example.org/common.schema.json#"),
    "a pattern that is none": ("source.schema.json", '"pattern": "', '"pattern": "('),
    "a key that stands twice": ("gpu.schema.json", '"title":', '"title": "x", "title":'),
    "JSON with a comma too many": ("gpu.schema.json", '"title":', ', "title":'),
    "a number that is none": ("gpu.schema.json", '"title":', '"minimum": NaN, "title":'),
    "YAML that ends early": ("families.yaml", "mha:", "mha: ["),
    "an anchor": ("families.yaml", "mha:", "mha: &mha"),
    "a class that no table has": ("families.yaml", "- [kc-gqa]", "- [kc-gqq]"),
    "a role that is none": ("config_keys.yaml", "role: identity", "role: identical"),
    "a key that is judged twice": ("config_keys.yaml", "keys: [architectures,", "keys: [architectures, architectures,"),
    "a number as text": ("rereading.yaml", "days: 180", 'days: "180"'),
    "days without end": ("rereading.yaml", "days: 180", "days: 99999999999"),
    "a kind without a folder": ("kinds.yaml", "  folder: records/models\n", ""),
    "a kind without a schema": ("kinds.yaml", "gotcha:\n", "gotchas:\n"),
    "a kind that is a text": ("kinds.yaml", "model:\n", "idea: x\nmodel:\n"),
    "two kinds in one folder": ("kinds.yaml", "folder: records/gpus", "folder: records/models"),
    "a template that is not there": ("kinds.yaml", "template: model.html", "template: modell.html"),
    "a list": ("layer_lists.yaml", "per_layer:\n", "- x\nper_layer:\n"),
}


@pytest.mark.parametrize(("name", "old", "new"), BROKEN.values(), ids=BROKEN)
def test_a_mistake_is_told_with_its_place(own: Base, name: str, old: str, new: str) -> None:
    text = (own.root / "schema" / name).read_text("utf-8")
    assert old in text
    own.lay({f"schema/{name}": text.replace(old, new, 1)})
    said = told(own)
    assert said
    for line in said:
        assert PLACE.match(line), line
        assert line.startswith(f"schema/{name}:"), line
    changed = text[: text.index(old)].count("\n") + 1
    assert any(abs(int(line.split(":")[1]) - changed) <= 2 for line in said), f"not on line {changed}: {said}"


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"null", b"7", b"\xff\xfe\x00", b"\xc3\x28", b"[" * 100_000, b"\x00"]
)
def test_a_file_that_holds_something_else_is_told(own: Base, name: str, data: bytes) -> None:
    own.lay({f"schema/{name}": data})
    said = told(own)
    assert said
    assert all(line.startswith(f"schema/{name}:") for line in said)


def test_a_circle_of_references_is_told(own: Base) -> None:
    common = json.loads((own.root / "schema/common.schema.json").read_text("utf-8"))
    common["$defs"]["egg"] = {"type": "object", "properties": {"of": {"$ref": "#/$defs/hen"}}}
    common["$defs"]["hen"] = {"type": "object", "properties": {"of": {"$ref": "common.schema.json#/$defs/egg"}}}
    own.lay({"schema/common.schema.json": json.dumps(common, indent=2)})
    said = told(own)
    assert len(said) == 2
    assert all("leads back to itself" in line for line in said)


def test_a_registry_that_is_not_there_and_a_folder_that_is_a_link(own: Base, tmp_path: Path) -> None:
    own.lay({"schema/kinds.yaml": None})
    assert told(own) == ["schema/kinds.yaml:1:1: YML001 this file does not exist; it declares the kinds of records"]
    (own.root / "schema").rename(tmp_path / "elsewhere")
    for target in (tmp_path / "elsewhere", tmp_path / "nowhere"):
        (own.root / "schema").symlink_to(target)
        assert told(own)[0].startswith("schema:1:1: YML001 this is a symbolic link")
        (own.root / "schema").unlink()


# --- every file, node by node ---------------------------------------------------------------------------------------

OTHERS: list[Any] = [None, True, 7, -1.5, "x", "", [], ["x"], [7], {}, {"x": "y"}, {"x": {}}]
TRIED = int(os.environ.get("SERVEBOOK_TRIED", "6"))
"""So many changes of each file are tried, spread over all of it."""


Change = tuple[tuple[Any, ...], Any]
"""A place in a document, and what is put there; `GONE` leaves the entry out."""
GONE = object()


def changes(data: Any) -> list[Change]:
    """Each value of a document as each of another type, and each of its entries left out."""
    return [(path, other) for path in _paths(data, ()) for other in (*OTHERS, GONE) if path or other is not GONE]


def _paths(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    yield path
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from _paths(value[key], (*path, key))


def changed(data: Any, path: tuple[Any, ...], other: Any) -> Any:
    """A document with one change."""
    if not path:
        return other
    at = data = copy.deepcopy(data)
    for part in path[:-1]:
        at = at[part]
    if other is GONE:
        del at[path[-1]]
    else:
        at[path[-1]] = other
    return data


def declared(name: str) -> Any:
    """What a file of the real schema/ holds."""
    text = (ROOT / "schema" / name).read_text("utf-8")
    return json.loads(text) if name.endswith(".json") else yaml.load(text, yaml.CSafeLoader)


@pytest.mark.parametrize("name", FILES)
def test_no_change_of_one_value_ends_in_a_traceback(
    own: Base, name: str, record_property: Callable[[str, object], None]
) -> None:
    data = declared(name)
    every = changes(data)
    chosen = every[len(every) % 7 :: max(1, len(every) // TRIED)]
    record_property("tried", len(chosen))
    for path, other in chosen:
        own.lay({f"schema/{name}": json.dumps(changed(data, path, other), indent=1)})  # which is YAML, too
        said = told(own)
        if not said:
            own.judge()
        assert all(PLACE.match(line) or line.startswith("and ") for line in said), (path, other)
