"""What extractors yield: on documents written for the purpose, then on those that were read, where they lie at hand.

`SERVEBOOK_PACKAGES` names a folder of wheels and source archives, `SERVEBOOK_MIRRORS` one of bare git repositories by
the names ``owner+repository``. A source whose document lies in neither is passed over, and counted.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import tarfile
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from conftest import Base
from safety.pattern_time import more_than_linear

from generator.authoring.extract.extraction import Extraction, extract, fact_changes, repeatable
from generator.authoring.extract.unparsable import Missing, Unparsable
from generator.catalog.records import Record
from generator.catalog.yaml.loader import load
from generator.knowledge.knowledge_base import KnowledgeBase


def source(kind: str, args: Any, facts: Any = None, **fields: Any) -> Record:
    """A source with an extractor."""
    extractor = {"type": kind, "args": args, **({"anchor": fields.pop("anchor")} if "anchor" in fields else {})}
    return Record(
        "x", "source", "sources/x.yaml", load(json.dumps({"extractor": extractor, "facts": facts or {}, **fields}))
    )


def python(text: str, **rows: Any) -> Extraction:
    return extract(source("python-literal", {"facts": rows}), text.encode())


# --- tables of Python, by their syntax ------------------------------------------------------------------------------

TABLES = {
    "a table": ('T = {"A": "a", "B": "b"}', {"A": "a", "B": "b"}),
    "a list": ("T = ['x', *['y'], 'z']", ["x", "y", "z"]),
    "a constant": ("T = 64", 64),
    "below zero": ("T = -1", -1),
    "annotated": ("T: Final[int] = 64", 64),
    "dict with keywords": ("T = dict(A='a', B='b')", {"A": "a", "B": "b"}),
    "pairs": ("T = OrderedDict([('A', 'a'), ('B', ('b', 'c'))])", {"A": "a", "B": ["b", "c"]}),
    "another table spread": ('S = {"A": 1}\nT = {**S, "B": 2}', {"A": 1, "B": 2}),
    "a list spread in pairs": ("S = {'A': 'a'}\nT = OrderedDict([*list(S.items()), ('B', 'b')])", {"A": "a", "B": "b"}),
    "filled later": ("T = dict()\nT.update({'A': 1})\nT.update({'B': 2})", {"A": 1, "B": 2}),
    "appended": ("T = ['a']\nT += ['b']\nT.append('c')", ["a", "b", "c"]),
    "choices": ("T = Literal['auto', 'fp8']", ["auto", "fp8"]),
    "a text of parts": (
        "P = 'a.b'\nT = {'X': f'{P}.c', 'Y': 'd' 'e', 'Z': P + '.f'}",
        {"X": "a.b.c", "Y": "de", "Z": "a.b.f"},
    ),
    "entries with a value": (
        "S = {'A': ('m', 'X'), 'B': ('n', 'Y')}\nT = {**{k: (m, c) for k, (m, c) in S.items() if c == 'Y'}}",
        {"B": ["n", "Y"]},
    ),
    "numbers as keys": ("T = {0: 'a', 4: 'b'}", {"0": "a", "4": "b"}),
    "a class": ("class T(Enum):\n    'doc'\n    A = 'a'\n    B = None\n    def f(self): pass", {"A": "a", "B": None}),
    "the last one counts": ("T = 1\nT = 2", 2),
    "what is not worked out is its text": ("T = {'A': torch.bfloat16, 'B': f()}", {"A": "torch.bfloat16", "B": "f()"}),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_read_without_running_anything(name: str) -> None:
    text, value = TABLES[name]
    assert python(text, it={"of": ["T"]}).facts == {"it": value}


def test_what_is_taken_of_a_table() -> None:
    text = "S = {'B': ('m', 'X'), 'A': ('n', 'Y'), 'C': ('n', 'Y')}\nU = {'D': ('o', 'Z')}\n"
    text += "class E(IntEnum):\n    P = auto()\n    Q = auto()\n"
    rows = {
        "names": {"of": ["S", "U"], "take": "keys", "sorted": True},
        "classes": {"of": ["S"], "take": "values", "join": ":", "sorted": True},
        "flat": {"of": ["S"], "take": "values"},
        "count": {"of": ["E"], "take": "count"},
        "side by side": {"of": ["S", "U"], "apart": True, "join": ":"},
        "part": {"of": ["S"], "only": ["C"]},
        "members": {"of": ["E"], "take": "keys"},
    }
    assert python(text, **rows).facts == {
        "names": ["A", "B", "C", "D"],
        "classes": ["m:X", "n:Y"],
        "flat": ["m", "X", "n", "Y", "n", "Y"],
        "count": 2,
        "side by side": {"S": {"B": "m:X", "A": "n:Y", "C": "n:Y"}, "U": {"D": "o:Z"}},
        "part": {"C": ["n", "Y"]},
        "members": ["P", "Q"],
    }


@pytest.mark.parametrize("text", ["U = 1", "T = f()", "T = [x for x in y()]", "def g():\n    T = 1"])
def test_a_table_that_is_not_there_or_not_plain_is_missing_and_never_empty(text: str) -> None:
    found = python(text, it={"of": ["T"], "take": "keys"})
    assert (found.facts, list(found.missing)) == ({}, ["it"])


def test_nothing_of_a_document_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    text = f"import os\nos.system('touch {mark}')\nT = {{'A': open({str(mark)!r}, 'w')}}\nexit()\n"
    assert list(python(text, it={"of": ["T"], "take": "keys"}).facts["it"]) == ["A"]
    assert not mark.exists()


# --- JSON, patterns, tables of Markdown -----------------------------------------------------------------------------


def test_the_members_of_an_object_are_facts_by_their_own_names() -> None:
    data = b'{"a": 1, "text": {"b": [2]}, "x/y": null}'
    assert extract(source("json", {"pointers": [""]}), data).facts == {"a": 1, "text": {"b": [2]}, "x/y": None}
    assert extract(source("json", {"pointers": ["/text"]}), data).facts == {"b": [2]}
    named = extract(source("json", {"pointers": {"first": "/text/b/0", "odd": "/x~1y", "no": "/c"}}), data)
    assert (named.facts, list(named.missing)) == ({"first": 2, "odd": None}, ["no"])


def test_patterns_work_on_lines() -> None:
    text = b"requires: a>=1\nrequires: b==2\nenum X {\n  { ONE, 1 },\n  { TWO, 2 },\n}\n  { LATER, 3 },\n"
    rows = {
        "first": r"^requires: (\w+)",
        "all": {"pattern": r"^requires: (\w+)", "take": "all"},
        "pairs": {"pattern": r"^requires: (\w+)(\S+)", "take": "pairs"},
        "one": {"pattern": r"^requires: (\w+)(\S+)", "take": "pairs", "only": ["b"]},
        "within": {"pattern": r"\{ (\w+),", "within": "enum X", "take": "all"},
    }
    assert extract(source("regex", {"facts": rows}), text).facts == {
        "first": "a",
        "all": ["a", "b"],
        "pairs": {"a": ">=1", "b": "==2"},
        "one": {"b": "==2"},
        "within": ["ONE", "TWO"],
    }
    assert extract(source("regex", {"facts": {"n": r"TWO, (\d)"}, "convert": "int"}), text).facts == {"n": 2}


PAGE = """\
# Models

| Name | Architecture | Note |
|------|:------------:|------|
| A \\| B | `AForCausalLM` [^1] | `x` |
| C | `CForCausalLM` | |
| D | not yet | |

## Others

| Architecture |
| --- |
| `OForCausalLM` |
"""


def test_a_column_of_the_table_below_a_heading() -> None:
    def cells(*tables: dict[str, str]) -> Any:
        found = extract(
            source("markdown-table", {"facts": {"it": {"tables": list(tables), "sorted": True}}}, anchor="#"),
            PAGE.encode(),
        )
        return found.facts.get("it")

    models, others = ({"heading": name, "column": "Architecture"} for name in ("Models", "Others"))
    assert cells(models) == ["AForCausalLM", "CForCausalLM"]
    assert cells(models, others) == ["AForCausalLM", "CForCausalLM", "OForCausalLM"]
    assert cells({"heading": "Models", "column": "Other"}) is None
    assert cells({"heading": "Nothing", "column": "Architecture"}) is None


# --- what says nothing, and what says no ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "args", "data"),
    [
        ("json", {"pointers": [""]}, b'{"a": 1, "b": '),
        ("json", {"pointers": [""]}, b"<!doctype html><title>502</title>"),
        ("json", {"pointers": [""]}, b"[1]"),
        ("json", {"pointers": [""]}, b'{"a": "\xff"}'),
        ("json", {"pointers": [""]}, b"[" * 100_000),
        ("python-literal", {"facts": {"a": {"of": ["T"]}}}, b"T = {'A': 1,"),
        ("python-literal", {"facts": {"a": {"of": ["T"]}}}, b"\x00\x01"),
        ("regex", {"facts": {"a": "x=(.)"}}, b"<html>not found</html>"),
        ("markdown-table", {"facts": {"a": {"tables": [{"heading": "H", "column": "C"}]}}}, b"<html>"),
    ],
)
def test_what_is_no_such_document_says_nothing(kind: str, args: Any, data: bytes) -> None:
    with pytest.raises(Unparsable):
        extract(source(kind, args, {"a": 1}), data)


def test_a_fact_is_gone_only_where_something_else_is_found() -> None:
    two = source("regex", {"facts": {"a": "^a=(.)", "b": "^b=(.)"}}, {"a": "1", "b": "2"})
    assert [each.told for each in fact_changes(two, extract(two, b"b=2\n"))] == ["a 1 -> none"]
    anchored = source("regex", {"facts": {"a": "^a=(.)"}}, {"a": "1"}, anchor="The manual")
    assert [each.told for each in fact_changes(anchored, extract(anchored, b"The manual\nc=3\n"))] == ["a 1 -> none"]


def test_of_a_part_of_a_config_only_what_is_stated_is_compared() -> None:
    data = b'{"layers": 61, "eps": 1e-06, "text": {"a": 1, "b": 2}}'
    stated = {"layers": 60, "text": {"a": 1}}
    part = source("json", {"pointers": [""]}, stated)
    assert [each.told for each in fact_changes(part, extract(part, data))] == ["layers 60 -> 61"]
    whole = source("json", {"pointers": [""]}, {**stated, "gone": 1}, complete=True)
    told = {each.told for each in fact_changes(whole, extract(whole, data))}
    assert told == {"layers 60 -> 61", "eps none -> 1e-06", "text.b none -> 2", "gone 1 -> none"}


def test_what_a_record_says_it_left_out_is_counted() -> None:
    stated = {"ignore": "<3 module names omitted>"}
    config = source("json", {"pointers": [""]}, stated, complete=True)
    assert not fact_changes(config, extract(config, b'{"ignore": ["a", "b", "c"]}'))
    assert fact_changes(config, extract(config, b'{"ignore": ["a", "b"]}'))


def test_a_reformatted_document_says_the_same() -> None:
    config = source("json", {"pointers": [""]}, {"a": 1, "b": [1.0, 2]}, complete=True)
    assert not fact_changes(config, extract(config, b'{\n   "b" : [1, 2.0],\n\n "a": 1.0}'))
    table = source("python-literal", {"facts": {"t": {"of": ["T"], "take": "keys", "sorted": True}}}, {"t": ["A", "B"]})
    assert not fact_changes(table, extract(table, b"# moved\n\nT = {\n  'B': 2,  # two\n  'A': 1\n}\n"))


# --- on record --------------------------------------------------------------------------------------------------------


def test_most_of_what_a_machine_can_read_again_it_does(real: KnowledgeBase) -> None:
    assert sum(map(repeatable, real.catalog.of("source"))) >= 200


def test_a_name_that_an_extractor_yields_is_a_fact_on_record(real: KnowledgeBase) -> None:
    for each in real.catalog.of("source"):
        rows = each.get("extractor", "args", "facts") if repeatable(each) else {}
        assert set(rows or ()) <= set(each.get("facts")), each.id


def test_patterns_on_record_take_time_in_proportion_to_the_text(real: KnowledgeBase) -> None:
    told = {}
    for each in real.catalog.of("source"):
        rows = each.get("extractor", "args", "facts") if each.get("extractor", "type") == "regex" else {}
        for row in (rows or {}).values():
            pattern = row if isinstance(row, str) else row["pattern"]
            if why := more_than_linear(pattern, re.M, False):
                told[pattern] = f"{each.id}: {why}"
    assert told == {}


def test_a_bad_instruction_is_a_finding(tiny: Base) -> None:
    tiny.edit("sources/tiny-engine-registry.yaml", "of: [MODELS], ", "off: [MODELS], ")
    (found,) = tiny.findings("SCH101")
    assert "unknown field `off`" in found.message


FOLDERS = {name: Path(os.environ.get(name, "nowhere")) for name in ("SERVEBOOK_PACKAGES", "SERVEBOOK_MIRRORS")}


def document(place: str) -> bytes | None:
    """The bytes of a document in a package or a repository at hand."""
    if found := re.fullmatch(r"pkg:pypi/([^@]+)@([^#]+)#([^!]+)(?:!\S+)?", place):
        return _in_package(f"{found[1].replace('-', '_')}-{found[2]}", found[3])
    if found := re.match(r"git\+https://github\.com/([^/]+)/([^@]+)@([^#]+)#([^!]+)", place):
        mirror = FOLDERS["SERVEBOOK_MIRRORS"] / f"{found[1]}+{found[2]}"
        for folder in (mirror, mirror / "repo"):
            asked = ["git", "-C", str(folder), "cat-file", "blob", f"{found[3]}:{unquote(found[4])}"]
            if folder.is_dir() and (done := subprocess.run(asked, capture_output=True)).returncode == 0:
                return done.stdout
    return None


def _in_package(stem: str, member: str) -> bytes | None:
    packages = FOLDERS["SERVEBOOK_PACKAGES"]
    for path in packages.glob(f"{stem}-*.whl"):
        with zipfile.ZipFile(path) as wheel:
            return wheel.read(member) if member in wheel.namelist() else None
    for path in packages.glob(f"{stem}.tar.gz"):
        with tarfile.open(path) as archive:
            file = archive.extractfile(f"{archive.getnames()[0].split('/')[0]}/{member}")
            return file.read() if file else None
    return None


@pytest.mark.skipif(
    not any(folder.is_dir() for folder in FOLDERS.values()),
    reason="neither SERVEBOOK_PACKAGES nor SERVEBOOK_MIRRORS names a folder",
)
def test_facts_are_what_their_extractor_yields(real: KnowledgeBase) -> None:
    told, seen = {}, Counter[str]()
    for each in filter(repeatable, real.catalog.of("source")):
        data = document(each.get("read_from", "locator") or each.get("locator"))
        seen["passed over" if data is None else "read"] += 1
        if data is not None:
            digest = each.get("read_from", "digest") or each.get("digest")
            assert digest in (None, f"sha256:{hashlib.sha256(data).hexdigest()}"), each.id
            told[each.id] = [change.told for change in fact_changes(each, extract(each, data))]
    assert seen["read"], "no document that an extractor reads is at hand"
    assert {id: changes for id, changes in told.items() if changes} == {}


def test_a_missing_fact_says_what_was_looked_for() -> None:
    assert isinstance(Missing("x"), str)
    assert "`T`" in python("U = 1", it={"of": ["T"]}).missing["it"]
