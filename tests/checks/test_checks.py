"""The contract of every check, with its own examples as the evidence; then the edge cases, silent rows first."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXED, TINY, TODAY, Base
from hypothesis import given
from hypothesis import strategies as st

import generator.checks
from generator.catalog.read import read
from generator.checks import CHECKS, internal_error, unused_waiver
from generator.checks.contract import Check
from generator.checks.manual import SECTIONS, examples, sections
from generator.checks.run import judge_all
from generator.findings import Edit, Finding, Severity
from generator.knowledge.knowledge_base import assemble
from generator.notation.addresses import floats, repositories
from generator.notation.digests import facts_digest

FOLDER = Path(generator.checks.__file__).parent
ORDER = ("YML", "SCH", "CIT", "WIR", "DRV", "NUM", "CMP", "DRF", "INT", "MET")
each_check = pytest.mark.parametrize(
    "check", [check for check in CHECKS if check is not internal_error], ids=lambda check: f"{check.code}-{check.name}"
)


def apply(root: Path, edits: Iterable[Edit]) -> None:
    """Put the texts of edits in their places, byte for byte, last place first."""
    for edit in sorted(edits, key=lambda edit: edit.location, reverse=True):
        path, where = root / edit.location.path, edit.location
        data = path.read_bytes()
        mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
        lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", data.removeprefix(mark).decode("utf-8"))
        starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
        begin, end = starts[where.line - 1] + where.column - 1, starts[where.end_line - 1] + where.end_column - 1
        text = "".join(lines)
        path.write_bytes(mark + (text[:begin] + edit.text + text[end:]).encode("utf-8"))


def codes(found: Iterable[Finding]) -> list[str]:
    return [each.code for each in found]


# --- the contract ---------------------------------------------------------------------------------------------------


def test_the_list_is_the_folder() -> None:
    files = {path.stem: path for path in FOLDER.glob("*/*.py") if path.stem != "__init__"} | {
        name: FOLDER / f"{name}.py" for name in ("internal_error", "unused_waiver")
    }
    assert {check.name.replace("-", "_") for check in CHECKS} == set(files)
    assert len(CHECKS) == len(files)
    for check in CHECKS:
        path = files[check.name.replace("-", "_")].relative_to(FOLDER.parent.parent).with_suffix("")
        module = __import__(".".join(path.parts), fromlist=["x"])
        made = [value for value in vars(module).values() if isinstance(value, Check)]
        assert made == [check], "one check per file"
        assert str(module.__doc__).startswith(f"{check.code}: ")


def test_codes_are_unique_and_in_order() -> None:
    listed = codes(CHECKS)
    assert len(set(listed)) == len(listed)
    assert all(re.fullmatch(r"[A-Z]{3}[0-9]{3}", code) for code in listed)
    assert listed == sorted(listed, key=lambda code: (ORDER.index(code[:3]), code))


def test_a_clean_base_is_silent(tiny: Base) -> None:
    assert tiny.judge().findings == ()
    assert tiny.judge().checked > 100


@each_check
def test_the_docstring_is_a_manual_page(check: Check) -> None:
    parts = sections(check.doc)
    assert tuple(parts) == ("", *SECTIONS)
    assert all(parts.values())
    assert check.summary.endswith(".")
    assert "\n" not in check.summary
    for section in ("Bad", "Good"):
        files = examples(check.doc, section)
        assert files
        assert parts[section].count("```") == 2 * len(files), "each example names its file"


@each_check
def test_the_bad_example_is_one_finding_of_this_code(check: Check, tiny: Base) -> None:
    bad = examples(check.doc, "Bad")
    found = tiny.amend(bad).findings()
    assert codes(found) == [check.code]
    assert (found[0].name, found[0].severity) == (check.name, check.severity)
    lines = (tiny.root / found[0].location.path).read_text("utf-8").split("\n")
    assert 1 <= found[0].location.line <= len(lines)
    assert 1 <= found[0].location.column <= len(lines[found[0].location.line - 1]) + 1
    assert not found[0].message.endswith(".")


@each_check
def test_the_good_example_is_silent(check: Check, tiny: Base) -> None:
    assert tiny.amend(examples(check.doc, "Good")).findings() == []


@each_check
def test_a_fix_settles_it_and_nothing_else(check: Check, tiny: Base) -> None:
    (found,) = tiny.amend(examples(check.doc, "Bad")).findings()
    assert (found.fix is not None) is (check.code in FIXED)
    if found.fix is not None:
        before = {path: path.read_bytes() for path in tiny.root.rglob("*.yaml")}
        apply(tiny.root, found.fix.edits)
        changed = {path.relative_to(tiny.root).as_posix() for path in before if path.read_bytes() != before[path]}
        assert changed == {edit.location.path for edit in found.fix.edits}
        left = codes(tiny.findings())
        assert check.code not in left
        assert not (found.fix.safe and left), "a safe fix makes no other mistake"


def test_no_check_imports_another() -> None:
    shared = {"generator.checks.contract", "generator.checks.texts", "generator.checks.false_statements"}
    for path in FOLDER.glob("*/*.py"):
        if path.stem != "__init__":
            names = [
                node.module or "" for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)
            ]
            assert not [name for name in names if name.startswith("generator.checks") and name not in shared], path.name


def test_a_finding_stands_once_and_in_order_of_place(tiny: Base) -> None:
    for check in CHECKS:
        if not check.code.startswith("YML"):
            tiny.amend(examples(check.doc, "Bad"))
    found = tiny.findings()
    assert len({(each.code, each.location, each.message) for each in found}) == len(found)
    assert [each.order for each in found] == sorted(each.order for each in found)


# --- counting and waivers -------------------------------------------------------------------------------------------


def test_counts_are_of_each_check_and_subject(tiny: Base) -> None:
    tallies = tiny.judge().by_check
    assert tallies["CIT102"].checked == 6
    assert tallies["WIR202"].checked == 20
    assert tallies["WIR202"].not_checkable == 0
    tiny.edit("sources/tiny-a-config.yaml", "  v_head_dim: 16\n", "")
    tiny.edit("sources/tiny-a-config.yaml", "facts_digest", "# facts_digest")
    tallies = tiny.judge().by_check
    assert (tallies["WIR202"].checked, tallies["WIR202"].not_checkable) == (19, 1), "an absent key is no mismatch"


def test_what_depends_on_a_broken_record_is_skipped(tiny: Base) -> None:
    tiny.edit("records/models/tiny-a.yaml", "vendor: Tiny Works\n", "")
    verdicts = tiny.judge()
    assert codes(verdicts.findings) == ["SCH101"]
    assert verdicts.by_check["WIR202"].skipped == 1
    assert verdicts.by_check["WIR201"].skipped == 1
    assert verdicts.by_check["DRV302"].skipped == 1


WAIVER = "waivers:\n  - {{code: {code}, reason: it is being read again, until: {until}}}\n"
DATASHEET = "sources/tiny-datasheet.yaml"
EXCERPT = (DATASHEET, "retrieval: read-not-hashed", "retrieval: excerpt")

WAIVERS = {
    "on its last day": ("CIT108", TODAY.isoformat(), []),
    "for another code": ("CIT110", "2099-01-01", ["CIT108", "MET901"]),
    "for a code that does not exist": ("ZZZ999", "2099-01-01", ["CIT108", "MET901"]),
}


@pytest.mark.parametrize(("code", "until", "expected"), WAIVERS.values(), ids=WAIVERS)
def test_waivers(tiny: Base, code: str, until: str, expected: list[str]) -> None:
    gpu = "records/gpus/tiny-gpu.yaml"
    text = (tiny.root / gpu).read_text("utf-8")
    tiny.edit(*EXCERPT).lay({gpu: text + WAIVER.format(code=code, until=until)})
    verdicts = tiny.judge()
    assert sorted(codes(verdicts.findings)) == expected
    assert codes(verdicts.waived) == ([] if expected else ["CIT108"])


def test_a_waiver_whose_time_is_over_still_excuses_and_is_overdue(tiny: Base) -> None:
    gpu = "records/gpus/tiny-gpu.yaml"
    text = (tiny.root / gpu).read_text("utf-8")
    tiny.edit(*EXCERPT).lay({gpu: text + WAIVER.format(code="CIT108", until="2026-06-30")})
    for day, expected in ((date(2026, 6, 30), []), (date(2026, 7, 1), [("MET901", "overdue")])):
        verdicts = judge_all(assemble(read(tiny.root), day), CHECKS, unused_waiver)
        assert [(found.code, str(found.severity)) for found in verdicts.findings] == expected
        assert codes(verdicts.waived) == ["CIT108"]
        assert not verdicts.failing(strict=True)
        assert verdicts.pressing(lambda path: path == gpu).failing(strict=False) == bool(expected)
        assert not verdicts.pressing(lambda path: path == DATASHEET).failing(strict=True)


# --- edge cases, check by check: silent rows first --------------------------------------------------------------------

IDEA = "records/concepts/tiny-latent.yaml"
MODEL = "records/models/tiny-a.yaml"
CLOSED = "records/models/tiny-b.yaml"
ENGINE = "records/engines/tiny-engine.yaml"
GPU = "records/gpus/tiny-gpu.yaml"
GOTCHA = "records/gotchas/tiny-crash.yaml"
CONFIG = "sources/tiny-a-config.yaml"
ISSUE = "sources/tiny-engine-issue.yaml"
PROSE = "Keys and values of all heads are kept as one latent row, as in [[tiny-a|Tiny A]]."
A = "https://huggingface.co/TinyWorks/Tiny-A"

Row = tuple[str, str, str, list[str]]
CITES = 'cites: ["[[tiny-engine-issue]]"]'
PINNED = f"locator: {A}/raw/0123456789012345678901234567890123456789/config.json"
ROWS: dict[str, Row] = {
    "CIT101 silent: in code": (IDEA, PROSE, "In `[[nobody]]`, and\n\n      [[nobody]]\n", []),
    "CIT101 silent: a kind that fits": (IDEA, PROSE, "See [[model/tiny-a]] and [[source/tiny-a-config]].", []),
    "CIT101 silent: another document's words": (DATASHEET, "{memory: 80 GB}", "{memory: '[[nobody]]'}", ["DRF604"]),
    "CIT101 a kind that does not fit": (IDEA, PROSE, "See [[engine/tiny-a]].", ["CIT101"]),
    "CIT101 three times": (IDEA, PROSE, "See [[nobody]], [[nobody]] and [[nobody]].", ["CIT101"] * 3),
    "CIT101 in a field": (GOTCHA, '"[[tiny-engine]]"', '"[[tiny-engin]]"', ["CIT101"]),
    "CIT101 in docs": ("docs/guide.md", "[[tiny-a|the model]]", "[[nobody]]", ["CIT101"]),
    "CIT102 silent: cited in prose": (GPU, "form: null", "notes: See [[tiny-engine-issue]].\nform: null", []),
    "CIT102 silent: a citation is misspelt": (GOTCHA, "[[tiny-engine-issue]]", "[[tiny-engine-isue]]", ["CIT101"]),
    "CIT102 no longer cited": (GOTCHA, CITES, 'cites: ["[[tiny-engine-registry]]"]', ["CIT102"]),
    "CIT103 silent: escaped": (IDEA, PROSE, "Write \\[[ x ]] for it.", []),
    "CIT103 bash": (IDEA, PROSE, "If [[ -f x ]] then.", ["CIT103"]),
    "CIT103 capitals": (IDEA, PROSE, "See [[tiny-A]].", ["CIT103"]),
    "CIT103 not closed": (IDEA, PROSE, "See [[tiny-a].", ["CIT103"]),
    "CIT103 a field that says more": (MODEL, '"[[tiny-a-config]]"', '"see [[tiny-a-config]]"', ["CIT103"]),
    "CIT103 a field that cites nothing": (GOTCHA, '"[[tiny-engine]]"', "tiny-engine", ["CIT103"]),
    "CIT103 a field in code": (GOTCHA, '"[[tiny-engine]]"', '"`[[tiny-engine]]`"', ["CIT103"]),
    "CIT104 silent: any kind in prose": (IDEA, PROSE, "See [[tiny-engine]] and [[tiny-gpu]].", []),
    "CIT104 an engine for a source": (GOTCHA, CITES, CITES.replace(']]"', ']]", "[[tiny-engine]]"'), ["CIT104"]),
    "CIT105 silent: a field": (IDEA, PROSE, "See [[tiny-a#architecture]].", []),
    "CIT105 silent: an entry": (IDEA, PROSE, "See [[tiny-engine#fp8_latent]].", []),
    "CIT105 silent: a fact": (IDEA, PROSE, "See [[tiny-a-config#kv_lora_rank]].", []),
    "CIT105 a fact of another": (IDEA, PROSE, "See [[tiny-datasheet#kv_lora_rank]].", ["CIT105"]),
    "CIT105 a layout's format": (ENGINE, "kv: tiny-engine#fp8_latent", "kv: tiny-engine#fp8_latnet", ["CIT105"]),
    "CIT107 a claim": (
        MODEL,
        "notes: |",
        "claims:\n  - {field: x, value: 4, unit: y, basis: vendor}\nnotes: |",
        ["CIT107"],
    ),
    "CIT107 a layout": (ENGINE, 'cache-dtype fp8\n    cite: "[[tiny-engine-registry]]"', "cache-dtype fp8", ["CIT107"]),
    "CIT108 secondary": (ISSUE, "retrieval: read-not-hashed", "retrieval: secondary", ["CIT108"]),
    "CIT108 unreadable": (ISSUE, "retrieval: read-not-hashed", "retrieval: unreadable", ["CIT108"]),
    "CIT108 two values, told once": (*EXCERPT, ["CIT108"]),
    "CIT110 silent: words": (DATASHEET, "locator: page 2", "locator: the table on the main page", []),
    "CIT110 a branch": (CONFIG, PINNED, f"locator: {A}/raw/main/config.json", ["CIT110"]),
    "CIT110 silent: a branch, and the copy that was read": (
        CONFIG,
        PINNED,
        f"locator: {A}/raw/main/config.json\nread_from: {{locator: {A}/raw/0123456789/config.json}}",
        [],
    ),
    "CIT111 silent: a name in plain text": (IDEA, PROSE, "Both tiny-a and tiny-engine do, and tiny-gpu.", []),
    "CIT111 silent: a name in code that is cited": (IDEA, PROSE, "`tiny-a` is [[tiny-a]].", []),
    "CIT111 silent: an engine in code": (IDEA, PROSE, "Start `tiny-engine` with it.", []),
    "CIT111 silent: longer code": (IDEA, PROSE, "`serve tiny-b`, `tiny-b:latest`, `x/tiny-b`, `--m=tiny-b`.", []),
    "CIT111 silent: its own id": (IDEA, PROSE, "This is concept-tiny-latent, or tiny-latent.yaml.", []),
    "CIT111 silent: two words": (IDEA, PROSE, "A tiny-crash happens.", []),
    "CIT111 silent: a part of a longer word": (IDEA, PROSE, "tiny-a-config-v2, x-tiny-a-config, tiny-a-configs", []),
    "CIT111 silent: in an address": (IDEA, PROSE, "https://x.example/tiny-a-config and a/tiny-a-config/b", []),
    "CIT111 silent: in a link": (IDEA, PROSE, "[tiny-a-config](tiny-a-config.yaml)", []),
    "CIT111 silent: in a block of code": (IDEA, PROSE, "```\n  cat tiny-a-config.yaml tiny-a-config\n  ```", []),
    "CIT111 silent: in an expression": (IDEA, PROSE, "{{ model('tiny-b').kv.growth('bf16') }}", []),
    "CIT111 silent: in a label": (IDEA, PROSE, "[[tiny-b|the tiny-b-config]]", []),
    "CIT111 silent: what was wrong": (CLOSED, "of [[tiny-a]].", "of [[tiny-a]], or tiny-a-config.", []),
    "CIT111 a source": (IDEA, PROSE, "As tiny-a-config says.", ["CIT111"]),
    "CIT111 at the end of a sentence, twice": (IDEA, PROSE, "See tiny-a-config. See tiny-a-config", ["CIT111"] * 2),
    "CIT111 with underscores": (IDEA, PROSE, "See tiny_a_config, too.", ["CIT111"]),
    "CIT111 in code": (IDEA, PROSE, "See `tiny-a-config`.", ["CIT111"]),
    "CIT111 a model in code": (IDEA, PROSE, "See `tiny-b`.", ["CIT111"]),
    "CIT111 behind its kind": (IDEA, PROSE, "See gotcha-tiny-crash beside [[tiny-crash]].", ["CIT111"]),
    "CIT111 a file": (IDEA, PROSE, "See tiny-b.yaml, records/gpus/tiny-gpu.yaml.", ["CIT111"] * 2),
    "CIT112 silent: another subject": (IDEA, PROSE, "Every head reads it, and only the first layer keeps it.", []),
    "CIT112 silent: too far away": (IDEA, PROSE, "All heads of a layer share a row in the kernel.", []),
    "CIT112 silent: cited in the sentence": (
        MODEL,
        "Keeps one",
        "Every engine takes it ([[tiny-engine]]). Keeps one",
        [],
    ),
    "CIT112 silent: a source of the object": (GOTCHA, "divides by", "hits every GPU: it divides by", []),
    "CIT112 silent: what was read": (MODEL, "Keeps one", "No backend was read. Keeps one", []),
    "CIT112 silent: in code": (MODEL, "Keeps one", "`any engine` is a flag. Keeps one", []),
    "CIT112 silent: what was wrong": (CLOSED, "Tiny B was said to have", "Every GPU was said to have", []),
    "CIT112 silent: a part of a word": (MODEL, "Keeps one", "Many engines, and any-engine. Keeps one", []),
    "CIT112 every": (MODEL, "Keeps one", "Every engine takes it. Keeps one", ["CIT112"]),
    "CIT112 only, behind": (MODEL, "Keeps one", "It runs on SM100 and SM103 only. Keeps one", ["CIT112"]),
    "CIT112 cannot": (MODEL, "Keeps one", "Hopper cannot take it. Keeps one", ["CIT112"]),
    "CIT112 a name on record": (MODEL, "Keeps one", "Only Tiny Engine takes it. Keeps one", ["CIT112"]),
    "CIT112 the fastest": (MODEL, "Keeps one", "It is the fastest kernel. Keeps one", ["CIT112"]),
    "CIT112 twice in a sentence is one": (MODEL, "Keeps one", "No GPU and no engine takes it. Keeps one", ["CIT112"]),
    "CIT112 the citation is in the next": (
        MODEL,
        "Keeps one",
        "Any GPU will do. See [[tiny-gpu]]. Keeps one",
        ["CIT112"],
    ),
    "DRV302 an unknown key": (MODEL, "v_head_dim: 16", "v_head_dim: 16\n  cache_of_a_new_kind: 3", ["DRV302"]),
    "DRV302 a key of the source is left out": (MODEL, "  v_head_dim: 16\n", "", ["DRV302"]),
    "DRV306 the parts": (ENGINE, "dtype: fp32, bytes: 4", "dtype: fp32, bytes: 8", ["DRV306"]),
    "DRV306 the widths": (ENGINE, "count: 40,", "count: 39,", ["DRV306"]),
    "DRF604 silent: no digest is claimed": (CONFIG, "facts_digest: ", "# facts_digest: ", []),
    "DRF604 a fact was edited": (CONFIG, "vocab_size: 1000", "vocab_size: 1001", ["DRF604"]),
    "DRF604 an integer became a fraction": (CONFIG, "vocab_size: 1000", "vocab_size: 1000.0", ["DRF604"]),
    "SCH101 silent: a month": (MODEL, "released: 2026-01-02", "released: 2026-01", []),
    "SCH101 silent: a year": (MODEL, "released: 2026-01-02", 'released: "2026"', []),
    "SCH101 null without its reason": (CLOSED, "why_null:\n  released: no source states the day\n", "", ["SCH101"]),
    "SCH101 a reason for another field": (CLOSED, "  released: no source", "  license: no source", ["SCH101"]),
    "SCH101 an unknown word": (GOTCHA, "effect: blocked", "effect: blokced", ["SCH101"]),
    "SCH101 a month that is none": (MODEL, "released: 2026-01-02", "released: 2026-13-02", ["SCH101"]),
    "silent: a range of versions, and GPUs": (
        GOTCHA,
        'engine_versions: "<1.1"',
        'engine_versions: ">=0.5, <1.1", gpus: [sm_90, SM10x, sm_75+, tiny-gpu]',
        [],
    ),
    "silent: build tags": (GOTCHA, 'engine_versions: "<1.1"', "engine_versions: <b7000", []),
    "CMP504 versions in words": (GOTCHA, 'engine_versions: "<1.1"', "engine_versions: under 1.1", ["CMP504"]),
    "CMP504 a version that is not a range": (GOTCHA, 'engine_versions: "<1.1"', 'engine_versions: "1.1"', ["CMP504"]),
    "CMP504 a GPU by a name that is not an id": (GOTCHA, 'engine_versions: "<1.1"', "gpus: [rtx]", ["CMP504"]),
    "silent: a text that speaks of a TODO": (GOTCHA, "Send at least", "The code has a TODO here. Send at least", []),
    "SCH103 a reason that is still to be found": (
        "records/gpus/tiny-gpu.yaml",
        "form: the datasheet does not say",
        "form: 'TODO: say why'",
        ["SCH103"],
    ),
    "SCH103 an address that is not whole": (
        "sources/tiny-datasheet.yaml",
        "url: https://tiny.example/gpu",
        "url: https://tiny.example/TODO-gpu",
        ["SCH103"],
    ),
    "SCH101 a day that is none": (MODEL, "released: 2026-01-02", "released: 2026-02-29", ["SCH101"]),
}


@pytest.mark.parametrize(("path", "old", "new", "expected"), ROWS.values(), ids=ROWS)
def test_edge_cases(tiny: Base, path: str, old: str, new: str, expected: list[str]) -> None:
    found = tiny.edit(path, old, new).findings()
    assert codes(found) == expected


def test_an_unknown_field_is_told_with_the_nearest_known_one(tiny: Base) -> None:
    (found,) = tiny.edit(GOTCHA, "effect: blocked", "efect: blocked\neffect: blocked").findings()
    assert found.message == "unknown field `efect`; did you mean `effect`?"
    (found,) = tiny.edit(GOTCHA, "efect: blocked\neffect: blocked", "efect: blocked").findings()
    assert found.message == "unknown field `efect`; did you mean `effect`?"  # not also that `effect` is lacking
    (found,) = tiny.edit(GOTCHA, "efect: blocked", "effect: partail").findings()
    assert found.message.endswith("allowed: blocked, partial, wrong-result, slow, null; did you mean `partial`?")


NEAR = {
    "a slip": ("[[tiny-latnet]]", ["tiny-latent"], "[[tiny-latent]]"),
    "a slip, with a fragment and a label": ("[[tiny-latnet#cites|it]]", ["tiny-latent"], "[[tiny-latent#cites|it]]"),
    "a kind that does not fit": ("[[engine/tiny-gpu|it]]", ["tiny-gpu"], "[[tiny-gpu|it]]"),
    "a part of two": ("[[config]]", ["tiny-a-config", "tiny-b-config"], None),
    "nothing like it": ("[[nobody]]", [], None),
}


@pytest.mark.parametrize(("written", "near", "fixed"), NEAR.values(), ids=NEAR)
def test_an_unknown_id_is_told_with_what_may_have_been_meant(
    tiny: Base, written: str, near: list[str], fixed: str | None
) -> None:
    (found,) = tiny.edit(IDEA, PROSE, f"See {written}.").findings()
    assert found.data["near"] == near
    assert all(f"[[{id}]]" in found.message for id in near)
    assert (found.fix.edits[0].text if found.fix else None) == fixed
    assert found.fix is None or not found.fix.safe, "only the author knows what was meant"


def test_only_kinds_that_fit_the_field_are_offered(tiny: Base) -> None:
    (found,) = tiny.edit(GOTCHA, '"[[tiny-engine]]"', '"[[tiny-engin]]"').findings()
    assert found.data["near"] == ["tiny-engine"], "and no source, though tiny-engine-issue is near"


def test_an_orphan_names_the_records_that_it_is_about(tiny: Base) -> None:
    tiny.edit(GOTCHA, CITES, 'cites: ["[[tiny-engine-registry]]"]')
    (found,) = tiny.findings()
    assert found.data["about"] == ["tiny-engine"]
    assert "the subject of tiny-engine" in found.message


def test_a_page_of_docs_saves_no_source_from_being_an_orphan(tiny: Base) -> None:
    tiny.edit(GOTCHA, CITES, 'cites: ["[[tiny-engine-registry]]"]').lay({"docs/x.md": "[[tiny-engine-issue]]\n"})
    assert codes(tiny.findings()) == ["CIT102"]


def test_a_second_source_that_was_read_whole_is_evidence(tiny: Base) -> None:
    tiny.edit(ISSUE, "retrieval: read-not-hashed", "retrieval: secondary")
    tiny.edit(GOTCHA, CITES, 'cites: ["[[tiny-engine-issue]]", "[[tiny-engine-registry]]"]')
    assert tiny.findings() == []


def test_a_class_stands_for_a_config_where_the_record_says_so(tiny: Base) -> None:
    tiny.edit(CONFIG, "type: hf-config", "type: source-code")
    assert codes(tiny.findings()) == ["CIT104"]
    tiny.edit(MODEL, "architecture:\n", "evidence_basis: class-defaults\narchitecture:\n")
    assert tiny.findings() == []
    tiny.edit(CONFIG, "type: source-code", "type: blog")
    assert codes(tiny.findings()) == ["CIT104"]


RENAMED = {
    "an id": ("[[old]]", "[[tiny-latent]]"),
    "with all its parts": ("[[concept/old#cites|old/old]]", "[[concept/tiny-latent#cites|old/old]]"),
}


@pytest.mark.parametrize(("written", "fixed"), RENAMED.values(), ids=RENAMED)
def test_a_renamed_id_is_replaced_and_nothing_else(tiny: Base, written: str, fixed: str) -> None:
    tiny.lay({"records/redirects.yaml": "old: tiny-latent\n"})
    (found,) = tiny.edit(MODEL, "see [[tiny-latent]]", f"`{written}`, see {written}").findings()
    assert found.fix is not None
    apply(tiny.root, found.fix.edits)
    assert f"`{written}`, see {fixed}." in (tiny.root / MODEL).read_text("utf-8"), "code stays code"
    assert tiny.findings() == []


REDIRECTS = {
    "silent: an id that nobody has any more": ("old: tiny-latent\n", []),
    "silent: two old ids of one record": ("old: tiny-latent\nolder: tiny-latent\n", []),
    "silent: a comment": ("# renamed in 2026\nold: tiny-latent # here\n", []),
    "to nothing": ("old: nobody\n", [("SCH101", 1, 6, "`old` is redirected to `nobody`, and no record has that id")]),
    "in a chain": ("old: older\nolder: tiny-latent\n", [("SCH101", 1, 6, "write `old: tiny-latent`")]),
    "in a chain to nothing": ("old: older\nolder: nobody\n", [("SCH101", 2, 8, "`older` is redirected to `nobody`")]),
    "to itself": ("old: old\n", [("SCH101", 1, 6, "leads back to `old`")]),
    "in a circle": ("old: older\nolder: old\n", [("SCH101", 1, 6, "leads back to `old`")]),
    "into a circle": ("x: older\nolder: old\nold: older\n", [("SCH101", 3, 6, "leads back to `old`")]),
    "of a living id": ("tiny-a: tiny-b\n", [("SCH102", 1, 1, "the id `tiny-a` was given up, but")]),
    "of a living id to nothing": ("tiny-a: nobody\n", [("SCH102", 1, 1, "has it again")]),
    "of what is no id": ("Old Id: tiny-b\n", [("SCH101", 1, 1, "`Old Id` is not an id")]),
    "to a citation": ('old: "[[tiny-latent]]"\n', [("SCH101", 1, 6, "an id is expected here, as in `old: new-id`")]),
    "to a list": ("old: [tiny-latent]\n", [("SCH101", 1, 6, "an id is expected here")]),
    "to nothing at all": ("old:\n", [("SCH101", 1, 5, "an id is expected here")]),
    "twice": ("old: tiny-latent\nold: tiny-a\n", [("YML002", 2, 1, "key `old` appears here and on line 1")]),
    "a list": ("- old\n", [("SCH101", 1, 1, "the file must map old ids to new ones")]),
    "no YAML": ("old: [\n", [("YML001", 2, 1, "")]),
}


@pytest.mark.parametrize(("text", "expected"), REDIRECTS.values(), ids=REDIRECTS)
def test_redirects(tiny: Base, text: str, expected: list[tuple[str, int, int, str]]) -> None:
    found = tiny.lay({"records/redirects.yaml": text}).findings()
    places = [(each.code, each.location.line, each.location.column) for each in found]
    assert places == [where[:3] for where in expected]
    for each, (_, _, _, said) in zip(found, expected, strict=True):
        assert each.location.path == "records/redirects.yaml"
        assert said in each.message


@pytest.mark.parametrize("text", ["old: nobody\n", "old: old\n", "old: [x]\n", "old: older\nolder: nobody\n"])
def test_what_cites_a_broken_redirect_is_not_at_fault(tiny: Base, text: str) -> None:
    tiny.lay({"records/redirects.yaml": text}).edit(IDEA, PROSE, "See [[old]].")
    assert [each.location.path for each in tiny.findings()] == ["records/redirects.yaml"]


def test_a_chain_is_followed_and_made_short_by_its_fix(tiny: Base) -> None:
    tiny.lay({"records/redirects.yaml": "old: older\nolder: tiny-latent\n"}).edit(IDEA, PROSE, "See [[old]].")
    found = tiny.findings()
    assert codes(found) == ["CIT106", "SCH101"]
    assert all(each.fix and each.fix.safe for each in found)
    for each in found:
        apply(tiny.root, each.fix.edits if each.fix else ())
    assert tiny.findings() == []
    assert (tiny.root / "records/redirects.yaml").read_text() == "old: tiny-latent\nolder: tiny-latent\n"


@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["no mark", "BOM"])
def test_edits_splice_bytes(tiny: Base, line_end: str, mark: bytes) -> None:
    text = (
        (tiny.root / IDEA)
        .read_text("utf-8")
        .replace(PROSE, "\U0001f600 é [[tiny-latnet]]  # x")
        .replace("\n", line_end)
    )
    (found,) = tiny.lay({IDEA: mark + text.encode("utf-8")}).findings()
    assert found.fix is not None
    apply(tiny.root, found.fix.edits)
    expected = mark + text.replace("latnet", "latent").encode("utf-8")
    assert (tiny.root / IDEA).read_bytes() == expected


SHA = "0123456789012345678901234567890123456789"
ADDRESSES = {
    "silent: a commit": (f"https://github.com/o/r/blob/{SHA}/a.py", None),
    "silent: a commit of a folder main": (f"https://github.com/o/r/blob/{SHA}/examples/main/README.md", None),
    "silent: a tag": ("https://github.com/o/r/tree/v1.0/dev", None),
    "silent: a commit in git's own form": (f"git+https://github.com/o/r@{SHA}#configs/main/x.json", None),
    "silent: an owner named dev": (f"https://github.com/dev/stable/blob/{SHA}/a.py", None),
    "silent: a thread": ("https://github.com/o/r/issues/7#issuecomment-1", None),
    "silent: a release": ("https://github.com/o/r/releases/tag/v1.0", None),
    "silent: a revision of the Hub": (f"https://huggingface.co/o/r/resolve/{SHA}/config.json", None),
    "silent: a version of docs": ("https://docs.example/en/v1.0/page.html", None),
    "silent: a package with its version": ("pkg:pypi/x@1.0#x/main/y.py!Z", None),
    "a branch": ("https://github.com/o/r/blob/main/a.py", "it follows `main`"),
    "a branch of the Hub": ("https://huggingface.co/o/r/raw/main/config.json", "it follows `main`"),
    "a branch in git's own form": ("git+https://github.com/o/r@master#a.py", "it follows `master`"),
    "no branch in git's own form": ("git+https://github.com/o/r#a.py", "it is the root of a repository"),
    "a repository": ("https://github.com/o/r", "it is the root of a repository"),
    "a heading of a repository": ("https://github.com/o/r#readme", "it is the root of a repository"),
    "a tab of a repository": ("https://github.com/o/r?tab=readme-ov-file", "it is the root of a repository"),
    "the latest release": ("https://github.com/o/r/releases/latest", "it follows `latest`"),
    "the latest docs": ("https://docs.example/en/latest/page.html", "it follows `latest`"),
    "a site": ("https://docs.example/", "it is the root of a site"),
    "a package without its version": ("pkg:pypi/x", "it names no version"),
    "HEAD of raw files": ("https://raw.githubusercontent.com/o/r/HEAD/a.py", "it follows `HEAD`"),
}


@pytest.mark.parametrize(("address", "why"), ADDRESSES.values(), ids=ADDRESSES)
def test_whether_an_address_can_change(address: str, why: str | None) -> None:
    assert floats(address) == why


NAMED = {
    f"https://github.com/o/r/blob/{SHA}/a.py": {"github:o/r"},
    f"git+https://github.com/o/r.git@{SHA}#a.py": {"github:o/r"},
    "https://github.com/o/r?tab=readme": {"github:o/r"},
    "https://raw.githubusercontent.com/o/r/v1/a.py": {"github:o/r"},
    "https://huggingface.co/Org/Name-1.0": {"hf:Org/Name-1.0"},
    f"git+https://github.com/o/r@{SHA}#c/Org--Name-1.0_config.json": {"github:o/r", "hf:Org/Name-1.0"},
    "pkg:pypi/flash-mla@1.0#x.py": {"pypi:flash-mla"},
    "https://huggingface.co/blog/x": set(),
    "https://huggingface.co/docs/transformers/main/en/index": set(),
    "https://huggingface.co/api/models/o/r": set(),
    "https://github.com/advisories/GHSA-x": set(),
    "https://example.org/github.com/x": set(),
    "page 2": set(),
}


@pytest.mark.parametrize("address", NAMED)
def test_what_an_address_names(address: str) -> None:
    assert set(repositories(address)) == NAMED[address]


# --- one mistake, one finding, however much depends on the file that it is in -----------------------------------------


def _first_key(text: str) -> str:
    return text.split("\n")[1]


MISTAKES = {
    "no YAML": ("YML001", lambda text: text + "\tx: [\n"),
    "two documents": ("YML001", lambda text: text + "---\nx: 1\n"),
    "empty": ("YML001", lambda _: ""),
    "no text": ("YML001", lambda text: text + "x: \x07\n"),
    "a repeated key": ("YML002", lambda text: text + _first_key(text) + "\n"),
    "an unknown field": ("SCH101", lambda text: text + "unknown_field: 1\n"),
    "a field is missing": ("SCH101", lambda text: text.replace(_first_key(text) + "\n", "", 1)),
    "a value of the wrong kind": ("SCH101", lambda text: text.replace(_first_key(text), "# gone", 1) + _emptied(text)),
    "no first line": ("SCH101", lambda text: text.split("\n", 1)[1]),
}


def _emptied(text: str) -> str:
    return f"{_first_key(text).split(':')[0]}: []\n"


AUTHORED = [path.relative_to(TINY).as_posix() for path in sorted(TINY.rglob("*.yaml"))]


@pytest.mark.parametrize(("code", "spoil"), MISTAKES.values(), ids=MISTAKES)
@pytest.mark.parametrize("name", AUTHORED)
def test_a_mistake_in_any_file_is_one_finding(tiny: Base, name: str, code: str, spoil: Callable[[str], str]) -> None:
    tiny.lay({name: spoil((tiny.root / name).read_text("utf-8"))})
    found = tiny.findings()
    assert [(each.code, each.location.path) for each in found] == [(code, name)], [each.message for each in found]


# --- no record, however broken, stops a run ---------------------------------------------------------------------------

JUNK = st.sampled_from(
    [
        "",
        "~",
        "5",
        "1.5",
        "true",
        "x",
        "[]",
        "{}",
        "[5]",
        "[[x]]",
        "[~]",
        "{a: 5}",
        '"[[tiny-b]]"',
        '["[[x]]", 5, {a: b}]',
    ]
)
FILES = sorted(path for path in (TINY).rglob("*.yaml") if "docs" not in path.parts)


@given(st.sampled_from(FILES), st.data())
def test_no_value_in_any_field_ends_in_a_traceback(tiny: Base, file: Path, data: st.DataObject) -> None:
    lines = file.read_text("utf-8").split("\n")
    keys = [number for number, line in enumerate(lines) if re.match(r"[ -]*[a-z_]+:( |$)", line)]
    number, junk = data.draw(st.sampled_from(keys)), data.draw(JUNK)
    key = lines[number].split(":")[0]
    indent = len(key) - len(key.lstrip(" -"))
    rest = number + 1
    while rest < len(lines) and lines[rest].strip() and len(lines[rest]) - len(lines[rest].lstrip()) > indent:
        rest += 1
    text = "\n".join([*lines[:number], f"{key}: {junk}", *lines[rest:]])
    name = file.relative_to(TINY).as_posix()
    was = (tiny.root / name).read_bytes()
    verdicts = tiny.lay({name: text}).judge()
    tiny.lay({name: was})
    assert verdicts.checked > 0
    assert all(finding.message for finding in verdicts.findings)
    assert "INT901" not in [finding.code for finding in verdicts.findings], "a check failed inside"


def test_the_digest_of_facts_is_of_their_canonical_json() -> None:
    facts: dict[str, Any] = {"b": [1, 2.5, None, True], "a": {"ü": "x"}}
    again = {"a": {"ü": "x"}, "b": [1, 2.5, None, True]}
    assert facts_digest(facts) == facts_digest(again)
    assert facts_digest(facts) != facts_digest({**facts, "b": [1, 2.5, None, 1]})
    assert facts_digest(facts) != facts_digest({**facts, "b": [2.5, 1, None, True]})


def test_severities_fail_as_they_should(tiny: Base) -> None:
    assert not tiny.judge().failing(strict=True)
    info = tiny.edit(*EXCERPT).judge()
    assert (info.count(Severity.INFO), info.failing(strict=True)) == (1, False)
    warning = tiny.edit(CONFIG, PINNED, f"locator: {A}/raw/main/config.json").judge()
    assert (warning.failing(strict=False), warning.failing(strict=True)) == (False, True)
    assert tiny.edit(GOTCHA, "effect: blocked", "effect: x").judge().failing(strict=False)
