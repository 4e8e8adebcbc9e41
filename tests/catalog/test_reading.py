"""Reading YAML: every trap has a file in reading/, and what is read is exactly what was typed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import HERE, Base
from hypothesis import example, given
from hypothesis import strategies as st
from work import assert_linear

from generator.catalog.read import MAX_BYTES, NoKnowledgeBase, find_root, read
from generator.catalog.yaml.document import Document, Mapping, Sequence, Unreadable
from generator.catalog.yaml.loader import MAX_DEPTH, load
from generator.catalog.yaml.scalars import scalar
from generator.findings import Location

FILES = HERE / "data/reading"
CASE = "records/concepts/case.yaml"
MODELINE = "# yaml-language-server: $schema=../../schema/concept.schema.json\n"
CONCEPT = MODELINE + 'name: An idea\ndefinition: |\n  An idea.\ncites: ["[[tiny-a-config]]"]\n'


# --- the traps, one file each ---------------------------------------------------------------------------------------

# First what must stay silent, with what it reads as.
SILENT: dict[str, dict[str, Any]] = {
    "plain": {
        "aliases": [
            *("2026-11-29", "v1.10", "1.10.0", "2026.09.30", "yes please", "C#", "a#b", "NO", "0123", "see #3"),
            *("true story", "nullable", "it's", "http://x.example/a:b", "12345678f9", "-x"),
        ]
    },
    "comments": {"name": "An idea", "aliases": ["x"]},
    "literal-hyphen": {"definition": "A key of each head, in the well-\nknown way, and many-\nfold.\n"},
    "folded-well": {"definition": "A key of each head - and a value - as [[tiny-latent]] says; C-\nstyle."},
    "escaped-break": {"definition": "in the well-known way"},
    "indented-indicator": {"definition": "known as this or that"},
    "crlf": {"name": "An idea", "definition": "An idea.\n"},
    "bom": {"name": "An idea"},
    "non-bmp": {"definition": "\U0001d68a\U0001f600 ist größer.\n"},
}

# Then what must not: (code, line, column) of each finding.
FOUND: dict[str, list[tuple[str, int, int]]] = {
    "repeated-key": [("YML002", 6, 1)],
    "repeated-key-in-flow": [("YML002", 6, 31)],
    "versions": [("YML003", line, 5) for line in range(7, 12)],
    "words": [("YML003", line, 5) for line in range(7, 11)],
    "octal": [("YML003", line, 5) for line in range(7, 11)],
    "exponents": [("YML003", line, 5) for line in range(7, 10)],
    "base-60": [("YML003", line, 5) for line in range(7, 10)],
    "separators": [("YML003", line, 5) for line in range(7, 9)],
    "not-finite": [("YML003", line, 5) for line in range(7, 10)],
    "too-many-digits": [("YML003", line, 5) for line in range(7, 10)],
    "numbers-for-text": [("SCH101", line, 5) for line in range(7, 12)],
    "cut-by-hash": [("YML003", 2, 7)],
    "cut-by-hash-behind-tab": [("YML003", 2, 7)],
    "cut-by-hash-in-flow": [("YML003", 6, 11)],
    "unquoted-citation": [("YML004", 6, 5)],
    "unquoted-citation-in-flow": [("YML004", 5, 10)],
    "unquoted-citation-in-text": [("YML001", 3, 24)],
    "broken-fold-citation": [("YML005", 4, 1)],
    "broken-fold-word": [("YML005", 6, 1)],
    "broken-fold-plain": [("YML005", 3, 1)],
    "broken-fold-quoted": [("YML005", 3, 1)],
    "broken-fold-double": [("YML005", 3, 1)],
    "bad-day": [("SCH101", 7, 11)],
    "two-unknown-fields": [("SCH101", 6, 1), ("SCH101", 7, 1)],
    "tab": [("YML001", 7, 1)],
    "merge-key": [("YML001", 7, 3)],
    "anchor": [("YML001", 2, 7)],
    "alias": [("YML001", 2, 7)],
    "alias-bomb": [("YML001", 1, 4)],
    "tag": [("YML001", 2, 7)],
    "two-documents": [("YML001", 6, 1)],
    "empty": [("YML001", 1, 1)],
    "only-comments": [("YML001", 1, 1)],
    "null": [("YML001", 1, 1)],
    "list": [("SCH101", 2, 1)],
    "scalar": [("SCH101", 2, 1)],
    "utf-16": [("YML001", 1, 1)],
    "utf-16-unmarked": [("YML001", 1, 2)],
    "latin-1": [("YML001", 4, 13)],
    "latin-1-after-bom": [("YML001", 1, 9)],
    "nul": [("YML001", 4, 5)],
    "control": [("YML001", 4, 7)],
    "binary": [("YML001", 1, 1)],
    "unclosed": [("YML001", 7, 1)],
    "colon": [("YML001", 2, 10)],
    "list-as-key": [("YML001", 6, 3)],
    "lone-cr": [("YML003", 7, 11)],
}

# And what each finding has to tell, in its own words.
SAID = {
    "repeated-key": "line 2",
    "versions": "1.10",
    "numbers-for-text": 'quote it: "0.33"',
    "unquoted-citation": 'write "[[tiny-a-config]]"',
    "unquoted-citation-in-text": "needs quotes",
    "cut-by-hash": "`#3`",
    "broken-fold-citation": "literal block",
    "tab": "indents with spaces",
    "merge-key": "write the fields out",
    "alias": "anchors and aliases are not read",
    "two-documents": "one record per file",
    "empty": "the file is empty",
    "utf-16": "save it as UTF-8",
    "latin-1": "byte 0xf6 is not UTF-8",
    "latin-1-after-bom": "byte 0xf6",
    "nul": "U+0000",
    "two-unknown-fields": "did you mean `families`?",
    "bad-day": "`2026-02-30`",
}


def lay(tiny: Base, name: str) -> Base:
    return tiny.lay({CASE: (FILES / f"{name}.yaml").read_bytes()})


def test_every_file_has_its_row() -> None:
    assert {path.stem for path in FILES.glob("*.yaml")} == {*SILENT, *FOUND}
    assert {*SAID} <= {*FOUND}


@pytest.mark.parametrize("name", SILENT)
def test_well_written_text_is_read_as_typed(tiny: Base, name: str) -> None:
    assert lay(tiny, name).findings() == []
    data = tiny.read().catalog.records["case"].data
    assert {key: data[key] for key in SILENT[name]} == SILENT[name]


@pytest.mark.parametrize("name", FOUND)
def test_a_trap_is_found_where_it_stands(tiny: Base, name: str) -> None:
    found = lay(tiny, name).findings()
    assert [(each.code, each.location.line, each.location.column) for each in found] == FOUND[name]
    assert {(each.location.path, each.record) for each in found} == {(CASE, "case")}
    assert SAID.get(name, "") in found[0].message


@pytest.mark.parametrize("name", [name for name in FOUND if FOUND[name][0][0] == "YML003"])
def test_an_ambiguous_value_stays_the_text_that_was_typed(tiny: Base, name: str) -> None:
    lay(tiny, name)
    found, lines = tiny.findings(), re.split(r"\r\n?|\n", (FILES / f"{name}.yaml").read_text("utf-8"))
    for each in found:
        assert each.fix is not None
        edit = each.fix.edits[0]
        typed = lines[edit.location.line - 1][edit.location.column - 1 : edit.location.end_column - 1]
        assert edit.text == f'"{typed}"'


def test_text_that_a_hash_cut_off_is_not_safely_quoted(tiny: Base) -> None:
    fixes = {name: lay(tiny, name).findings()[0].fix for name in ("cut-by-hash", "words")}
    assert {name: fix.safe for name, fix in fixes.items() if fix} == {"cut-by-hash": False, "words": True}


def test_a_repeated_key_keeps_its_first_value_and_both_places(tiny: Base) -> None:
    found = lay(tiny, "repeated-key").findings()[0]
    assert [related.location.line for related in found.related] == [2]
    assert tiny.read().catalog.records["case"].title == "An idea"


def test_what_cannot_be_read_is_not_taken_for_empty(tiny: Base) -> None:
    lay(tiny, "tab").lay({"docs/more.md": "See [[case]].\n"})
    catalog = tiny.read().catalog
    assert "case" not in catalog.records
    assert "case" in catalog.unreadable
    assert [each.code for each in tiny.findings()] == ["YML001"], "whoever cites it is not to blame"
    assert tiny.judge().skipped == 1


def test_tags_run_nothing(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    for tag in ("!!python/object/apply:os.mkdir", "!!python/object/new:os.mkdir", "!!python/name:os.mkdir"):
        with pytest.raises(Unreadable, match="tags are not read"):
            load(f'x: {tag} ["{mark}"]\n')
    assert not mark.exists()


def test_nesting_ends_somewhere() -> None:
    levels = 0
    data = load("[" * MAX_DEPTH + "]" * MAX_DEPTH).data
    while data:
        data, levels = data[0], levels + 1
    assert levels == MAX_DEPTH - 1
    with pytest.raises(Unreadable, match=f"nested deeper than {MAX_DEPTH} levels") as refusal:
        load("x: " + "[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert refusal.value.span[:2] == (0, 3 + MAX_DEPTH - 1)


# --- names and places of files --------------------------------------------------------------------------------------

MISPLACED = {
    "a name with capitals": "records/concepts/Case.yaml",
    "a name with underscores": "records/concepts/a_case.yaml",
    "a name outside of ASCII": "records/concepts/größe.yaml",
    "a name with blanks": "records/concepts/a case.yaml",
    "the ending .yml": "records/concepts/case.yml",
    "an ending in capitals": "records/concepts/case.YAML",
    "no kind's folder": "records/case.yaml",
    "an unknown folder": "records/ideas/case.yaml",
    "a nested folder": "records/concepts/more/case.yaml",
    "a folder below sources": "sources/more/case.yaml",
}


@pytest.mark.parametrize("path", MISPLACED.values(), ids=MISPLACED)
def test_a_file_that_would_be_passed_over_is_a_finding(tiny: Base, path: str) -> None:
    found = tiny.lay({path: CONCEPT}).findings()
    assert [(each.code, each.location.path) for each in found] == [("SCH102", path)]


@pytest.mark.parametrize("path", ["records/concepts/.#case.yaml", "records/.trash/case.yaml", "records/readme.md"])
def test_what_editors_leave_behind_is_no_record(tiny: Base, path: str) -> None:
    assert tiny.lay({path: CONCEPT}).findings() == []


def test_two_names_that_differ_in_case_only(tiny: Base) -> None:
    found = tiny.lay({"records/concepts/tiny-Latent.yaml": CONCEPT}).findings()
    assert [(each.code, each.location.path) for each in found] == [("SCH102", "records/concepts/tiny-Latent.yaml")]


def test_citing_a_misplaced_record_is_not_a_second_mistake(tiny: Base) -> None:
    tiny.lay({"records/case.yaml": CONCEPT, "docs/more.md": "See [[case]].\n"})
    assert [each.code for each in tiny.findings()] == ["SCH102"]


def test_one_id_in_two_folders(tiny: Base) -> None:
    gpu = (tiny.root / "records/gpus/tiny-gpu.yaml").read_text("utf-8")
    found = tiny.lay({"records/gpus/tiny-a.yaml": gpu}).findings()
    assert [(each.code, each.location.path) for each in found] == [("SCH102", "records/gpus/tiny-a.yaml")]
    assert "records/models/tiny-a.yaml" in found[0].message


def test_a_record_in_the_folder_of_another_kind_is_one_mistake(tiny: Base) -> None:
    engine = (tiny.root / "records/engines/tiny-engine.yaml").read_text("utf-8")
    tiny.lay({"records/engines/tiny-engine.yaml": None, "records/gpus/tiny-engine.yaml": engine})
    found = tiny.findings()
    assert [(each.code, each.location.path) for each in found] == [("SCH102", "records/gpus/tiny-engine.yaml")]
    assert "schema of a engine" in found[0].message


def test_a_wrong_first_line_alone_is_one_mistake(tiny: Base) -> None:
    found = tiny.lay({CASE: CONCEPT.replace("concept.schema", "gpu.schema")}).findings()
    assert [(each.code, each.location.line) for each in found] == [("SCH102", 1)]


@pytest.mark.parametrize(
    ("first", "edit"),
    [("", (1, 1)), (MODELINE.replace("../../schema", "../schema"), (1, len(MODELINE) - 3))],
    ids=["no first line", "a first line with the wrong path"],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_the_first_line_is_told_and_mended(tiny: Base, first: str, edit: tuple[int, int], line_end: str) -> None:
    body = CONCEPT.removeprefix(MODELINE)
    found = tiny.lay({CASE: (first + body).replace("\n", line_end)}).findings()
    assert [each.code for each in found] == ["SCH101"]
    fix = found[0].fix
    assert fix is not None
    assert (fix.edits[0].location.end_line, fix.edits[0].location.end_column) == edit
    assert fix.edits[0].text == MODELINE.rstrip("\n") + ("" if first else line_end)


def test_a_link_a_folder_and_a_device_are_no_records(tiny: Base) -> None:
    folder = tiny.root / "records/concepts"
    (folder / "link.yaml").symlink_to(folder / "tiny-latent.yaml")
    (folder / "dangling.yaml").symlink_to(folder / "nothing.yaml")
    (folder / "folder.yaml").mkdir()
    os.mkfifo(folder / "pipe.yaml")
    os.mkfifo(tiny.root / "docs" / "pipe.md")
    found = {Path(each.location.path).name: (each.code, each.message) for each in tiny.findings()}
    assert {code for code, _ in found.values()} == {"YML001"}
    assert found.keys() == {"link.yaml", "dangling.yaml", "folder.yaml", "pipe.yaml", "pipe.md"}
    assert "symbolic link" in found["link.yaml"][1]
    assert "a named pipe" in found["pipe.md"][1]


def test_a_file_that_the_system_refuses(tiny: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def refuse(path: str, *more: int) -> int:
        if str(path).endswith("/tiny-latent.yaml"):
            raise PermissionError(13, "Permission denied")
        return opened(path, *more)

    monkeypatch.setattr(os, "open", refuse)
    found = tiny.findings()
    assert [(each.code, each.message) for each in found] == [("YML001", "cannot be read: Permission denied")]


def test_a_file_of_more_than_four_megabytes_is_not_opened(tiny: Base) -> None:
    tiny.lay({CASE: CONCEPT + "# " + "x" * MAX_BYTES})
    (found,) = tiny.findings()
    assert (found.code, found.location.line) == ("YML001", 1)
    assert f"more than {MAX_BYTES:,}" in found.message


# --- redirects ------------------------------------------------------------------------------------------------------

REDIRECTS = {
    "a good one": ("old-id: tiny-a\n", []),
    "to nothing": ("old-id: tiny-z\n", [("SCH101", 1, 9)]),
    "of an id that a record has": ("tiny-a: tiny-b\n", [("SCH102", 1, 1)]),
    "twice": ("old-id: tiny-a\nold-id: tiny-b\n", [("YML002", 2, 1)]),
    "a list": ("- old-id\n", [("SCH101", 1, 1)]),
    "not YAML": ("old-id: [\n", [("YML001", 2, 1)]),
}


@pytest.mark.parametrize(("text", "expected"), REDIRECTS.values(), ids=REDIRECTS)
def test_redirects(tiny: Base, text: str, expected: list[tuple[str, int, int]]) -> None:
    found = tiny.lay({"records/redirects.yaml": text}).findings()
    assert [(each.code, each.location.line, each.location.column) for each in found] == expected


def test_a_redirect_never_takes_the_id_of_a_record(tiny: Base) -> None:
    tiny.lay({"records/redirects.yaml": "tiny-a: tiny-b\n"})
    assert "tiny-a" in tiny.read().graph.neighbours("tiny-latent")[1]


# --- the knowledge base as a whole ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["records", "sources"])
def test_a_lacking_folder_is_said(tiny: Base, name: str) -> None:
    (tiny.root / name).rename(tiny.root / "elsewhere")
    with pytest.raises(NoKnowledgeBase, match=f"no folder {name}/"):
        read(tiny.root)
    with pytest.raises(NoKnowledgeBase, match="no knowledge base at or above"):
        find_root(tiny.root)


def test_empty_folders_are_no_success(tmp_path: Path) -> None:
    for name in ("records", "sources"):
        (tmp_path / name).mkdir()
    with pytest.raises(NoKnowledgeBase, match="nothing to check"):
        read(tmp_path)


SCHEMAS = {
    "no registry of kinds": {"schema/model.schema.json": "{}"},
    "a kind without its schema": {
        "schema/kinds.yaml": "idea: {title: Idea, plural: Ideas, folder: records/ideas, path: ideas, about: x}\n"
    },
    "a kind without a folder": {"schema/kinds.yaml": "idea: {title: Idea}\n"},
    "a registry that is a list": {"schema/kinds.yaml": "- idea\n"},
    "a registry that is no YAML": {"schema/kinds.yaml": "{"},
    "a schema that is no JSON": {
        "schema/kinds.yaml": "idea: {title: Idea, plural: Ideas, folder: records/ideas, path: ideas, about: x}\n",
        "schema/idea.schema.json": "{",
    },
}


@pytest.mark.parametrize("files", SCHEMAS.values(), ids=SCHEMAS)
def test_a_broken_schema_folder_is_one_clear_message(tiny: Base, files: dict[str, str | bytes | None]) -> None:
    with pytest.raises(NoKnowledgeBase, match="schema"):
        read(tiny.lay(files).root)


def test_a_new_kind_needs_data_only(tiny: Base, real_root: Path) -> None:
    kinds = (real_root / "schema/kinds.yaml").read_text("utf-8")
    files: dict[str, str | bytes | None] = {
        f"schema/{path.name}": path.read_bytes() for path in (real_root / "schema").iterdir()
    }
    files["schema/kinds.yaml"] = (
        kinds + "recipe: {title: Recipe, plural: Recipes, folder: records/recipes, path: recipes, about: How to.}\n"
    )
    files["schema/recipe.schema.json"] = (
        '{"type": "object", "properties": {"name": {"type": "string"}, "steps": {"type": "string"}},'
        ' "required": ["name"], "additionalProperties": false}'
    )
    line = "# yaml-language-server: $schema=../../schema/recipe.schema.json\n"
    files["records/recipes/soup.yaml"] = line + "name: Soup\nsteps: See [[tiny-a]] and [[tiny-zzzz]].\n"
    found = tiny.lay(files).findings()
    assert [(each.code, each.location.line, each.location.column) for each in found] == [("CIT101", 3, 27)]
    assert tiny.read().catalog.of("recipe")[0].title == "Soup"


# --- scalars, against the YAML 1.2 core schema as the specification words it ------------------------------------------

CORE = (
    (re.compile(r"null|Null|NULL|~|"), lambda text: None),
    (re.compile(r"true|True|TRUE"), lambda text: True),
    (re.compile(r"false|False|FALSE"), lambda text: False),
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"0o[0-7]+"), lambda text: int(text[2:], 8)),
    (re.compile(r"0x[0-9a-fA-F]+"), lambda text: int(text[2:], 16)),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
    (re.compile(r"[-+]?(\.inf|\.Inf|\.INF)"), lambda text: float(text.replace(".", ""))),
    (re.compile(r"\.nan|\.NaN|\.NAN"), lambda text: float("nan")),
)


def core(text: str) -> Any:
    return next((read(text) for form, read in CORE if form.fullmatch(text)), text)


NUMERALS = st.text("0123456789.eE+-_:xo", min_size=1, max_size=12)
WORDS = st.sampled_from(["null", "Null", "NULL", "nUll", "~", "", "true", "True", "TRUE", "tRue", "false", "FALSE"])
READ_AS = {
    "61": 61,
    "-7": -7,
    "+5": 5,
    "0": 0,
    "0.33": 0.33,
    "1.0": 1.0,
    "10000.0": 10000.0,
    "1e-06": 1e-06,
    "2.5E+3": 2500.0,
    "0.707": 0.707,
    "true": True,
    "False": False,
    "~": None,
    "null": None,
}


@pytest.mark.parametrize("text", READ_AS)
def test_a_plain_number_is_a_number(text: str) -> None:
    value, why = scalar(text)
    assert (value, type(value), why) == (READ_AS[text], type(READ_AS[text]), None)


@given(NUMERALS | WORDS | st.text(max_size=12))
@example("01.5")
@example("1.e+3")
@example("1e+999")
@example("9" * 5000)
@example("0.1000000000000000055511151231257827")
def test_scalars_are_those_of_yaml_1_2_or_the_text_with_a_reason(text: str) -> None:
    value, why = scalar(text)
    if why is not None:
        assert value == text
    else:
        assert (value, type(value)) == (core(text), type(core(text)))
        if isinstance(value, float):
            assert float(repr(value)) == float(text)


@given(NUMERALS)
def test_what_a_reader_of_yaml_1_1_sees_otherwise_is_never_silent(text: str) -> None:
    try:
        other = yaml.safe_load(f"x: {text}")["x"]
    except (yaml.YAMLError, ValueError, TypeError):
        return
    value, why = scalar(text)
    if isinstance(other, int | float) and not (value == other and type(value) is type(other)):
        assert why is not None or isinstance(value, float)  # 1e-06 is text to PyYAML, and a number by YAML 1.2


# --- places ---------------------------------------------------------------------------------------------------------

LETTERS = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"), exclude_characters="\ufeff\ufffe\uffff"))
NUMBERS = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | LETTERS | st.lists(LETTERS).map("\n".join),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(LETTERS, inner, max_size=4),
    max_leaves=12,
)


def scalars(value: Any) -> list[tuple[Any, Any]]:
    """(span, value) of each scalar in a document's data."""
    if isinstance(value, Mapping):
        pairs = [(value.spans[key], value[key]) for key in value]
    elif isinstance(value, Sequence):
        pairs = list(zip(value.spans, value, strict=True))
    else:
        return []
    return [pair for pair in pairs if not isinstance(pair[1], dict | list)] + [
        found for _, inner in pairs for found in scalars(inner)
    ]


@given(
    st.dictionaries(LETTERS, VALUES, min_size=1, max_size=4),
    st.sampled_from([None, "'", '"', "|", ">"]),
    st.sampled_from([True, False, None]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_the_span_of_a_scalar_holds_the_scalar(data: Any, style: str | None, flow: bool | None, line_end: str) -> None:
    text = yaml.safe_dump(data, default_style=style, default_flow_style=flow, allow_unicode=True, width=30)
    text = re.sub(r"!!\w+ ", "", text).replace("\n", line_end)
    try:
        document = load(text)
    except Unreadable:
        return
    for span, value in scalars(document.data):
        typed = document.source(span)
        if typed and not re.match(r"[|>][0-9]", typed):  # such a number counts from the indentation around it
            assert value in [read_again(form.format(typed)) for form in ("x: {}", "x: {}\n", "x: [ {}\n  ]\n")]


def read_again(text: str) -> Any:
    try:
        value = load(text).data["x"]
    except Unreadable:
        return Ellipsis
    return value[0] if isinstance(value, list) else value


BLOCKS = {
    "in a literal block": ("x: |\n  see [[a]],\n  or [[b]]\n", "[[b]]", (3, 6, 3, 11)),
    "behind characters that take two code units": ("x: |\n  \U0001f600\U0001d68a [[b]]\n", "[[b]]", (2, 6, 2, 11)),
    "with CRLF": ("x: |\r\n  see [[a]],\r\n  or [[b]]\r\n", "[[b]]", (3, 6, 3, 11)),
    "deeper in a list": ("aliases:\n  - |\n    see\n      [[b]]\n", "[[b]]", (4, 7, 4, 12)),
    "in double quotes behind an escape": ('x: "\\u00e9 [[b]]"\n', "[[b]]", (1, 12, 1, 17)),
    "in single quotes behind a quote": ("x: 'it''s [[b]]'\n", "[[b]]", (1, 11, 1, 16)),
    "in a folded block": ("x: >-\n  a\n  [[b]]\n", "[[b]]", (3, 3, 3, 8)),
    "the second of two that read the same": ("x: |\n  `[[b]]` [[b]]\n", "[[b]]", (2, 11, 2, 16)),
    "in a table": ("x: |\n  | a |\n  |---|\n  | [[b\\|c]] |\n", "[[b\\|c]]", (4, 5, 4, 13)),
}


@pytest.mark.parametrize(("text", "token", "place"), BLOCKS.values(), ids=BLOCKS)
def test_a_citation_in_a_text_has_its_own_column(
    tiny: Base, text: str, token: str, place: tuple[int, int, int, int]
) -> None:
    tiny.lay({CASE: CONCEPT + text.replace("x:", "notes:").replace("[[b", "[[tiny-zzzz").replace("[[a", "[[tiny-a")})
    shift, wide = CONCEPT.count("\n"), len("[[tiny-zzzz") - len("[[b")
    found = tiny.findings("CIT101")
    where = found[0].location
    before = text.splitlines()[place[0] - 1][: place[1] - 1].count("[[b") * wide
    before += len("notes:") - len("x:") if place[0] == 1 else 0
    assert len(found) == 1
    assert (where.line, where.column) == (place[0] + shift, place[1] + before)
    assert (where.end_line, where.end_column) == (place[2] + shift, place[3] + before + wide)
    assert (where.end_column - where.column) == len(token) + wide


def test_a_citation_that_is_not_typed_in_so_many_words_has_no_fix(tiny: Base) -> None:
    tiny.lay({CASE: CONCEPT + 'notes: "see [[tiny-latnet|it\\u0020is]] here"\n'})
    found = tiny.findings("CIT101")
    assert [(each.location.column, each.fix) for each in found] == [(8, None)]


@given(st.text(max_size=200), st.data())
def test_offsets_and_places_are_inverse(text: str, data: st.DataObject) -> None:
    document = Document(text, None)
    offset = data.draw(st.integers(0, len(text)))
    line, column = document.position(offset)
    assert document.offset(line, column) == offset
    assert "".join(document.line(number) for number in range(len(document._starts))) == re.sub(
        "[\r\n\x85\u2028\u2029]", "", text
    )


# --- hostile input --------------------------------------------------------------------------------------------------

YAMLISH = st.text("ab01 \n\t:-?,[]{}#&*!|>'\"%@`~.\\\r_<", max_size=80)


def source(document: Document, place: Location) -> str:
    """What stands in a place, whose lines and columns count from 1."""
    return document.source((place.line - 1, place.column - 1, place.end_line - 1, place.end_column - 1))


@given(YAMLISH | st.text(max_size=80) | st.text(st.characters(), max_size=40))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    lines = len(re.findall("\r\n|[\n\r\x85\u2028\u2029]", text)) + 1
    try:
        document = load(text)
    except Unreadable as error:
        refusal = error
        document = None
    if document is None:
        assert refusal.message
        assert 0 <= refusal.span[0] <= lines
    else:
        assert document.data is not None
        assert all(source(document, fault.location) for fault in document.faults)


@given(st.binary(max_size=200) | YAMLISH.map(lambda text: text.encode("utf-16")))
def test_any_bytes_give_findings_and_no_traceback(tiny: Base, data: bytes) -> None:
    tiny.lay({CASE: data})
    assert {each.code for each in tiny.findings()} & {"YML001", "SCH101", "SCH102"}


HOSTILE: dict[str, Callable[[int], str]] = {
    "brackets": lambda n: "[" * n,
    "braces": lambda n: "{" * n,
    "nested blocks": lambda n: "\n".join(" " * i + "a:" for i in range(int(n**0.5) * 4)),
    "dashes": lambda n: "- " * n,
    "question marks": lambda n: "? " * n,
    "colons": lambda n: ": " * n,
    "keys on one line": lambda n: "a: " * n,
    "an alias bomb": lambda n: (FILES / "alias-bomb.yaml").read_text(),
    "a number of many digits": lambda n: "x: " + "9" * n,
    "many underscores": lambda n: "x: 1" + "_" * n + "x",
    "many zeros": lambda n: "x: 1." + "0" * n + "x",
    "a sexagesimal snake": lambda n: "x: 1" + ":11" * n + "x",
    "many folded texts": lambda n: "x:\n" + "  - a\n    b\n" * n,
    "many cut texts on one line": lambda n: "x: [" + "a, " * n + "b #c\n]",
    "many repeated keys": lambda n: "a: 1\n" * n,
    "many words that mean no": lambda n: "x:\n" + "  - NO\n" * n,
    "many unquoted citations": lambda n: "x:\n" + "  - [[a]]\n" * n,
    "one long quoted text": lambda n: "x: '" + "a\n " * n + "'",
    "an unclosed quote": lambda n: 'x: "' + "a\n" * n,
    "percent signs": lambda n: "%" * n,
    "a long comment": lambda n: "#" * n,
    "a control character at the end": lambda n: "x: |\n" + "  a\n" * n + "  \x07",
}


@pytest.mark.parametrize("shape", HOSTILE.values(), ids=HOSTILE)
def test_the_work_for_hostile_text_grows_with_its_length_only(shape: Callable[[int], str]) -> None:
    assert_linear(said, shape, 500)
    assert len(said(shape(5_000))) < 500


def said(text: str) -> str:
    try:
        return "".join(fault.message for fault in load(text).faults[:1])
    except Unreadable as refusal:
        return refusal.message


def test_the_work_for_many_mistakes_in_one_file_grows_with_their_number_only(tiny: Base) -> None:
    model = (tiny.root / "records/models/tiny-a.yaml").read_text("utf-8")

    def rows(count: int) -> str:
        return "".join(f"  - {{field: {n}, bad: NO, value: [[tiny-zzz{n}]]}}\n" for n in range(count))

    def judged(text: str) -> None:
        found = tiny.lay({"records/models/tiny-a.yaml": model + "claims:\n" + text}).findings()
        assert len(found) >= 3 * text.count("\n")

    assert_linear(judged, rows, 150)


def test_the_work_for_prose_of_citations_alone_grows_with_their_number_only(tiny: Base) -> None:
    def placed(text: str) -> None:
        graph = tiny.lay({CASE: CONCEPT + f"notes: |\n  {text}\n"}).read().graph
        assert len(graph.cites("case")) == text.count("` [[") + 1

    assert_linear(placed, lambda n: "`[[tiny-a]]` [[tiny-a]] " * n, 200)
