"""The forms of output: SARIF as its own schema has it, GitHub's commands as its runner reads them, text."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import command
import pytest
from click.testing import CliRunner
from conftest import HERE, ROOT, Base
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from generator.checks import CHECKS, internal_error
from generator.checks.contract import Check
from generator.checks.manual import examples
from generator.checks.run import CheckRun
from generator.cli import cli
from generator.cli.output.github import SHOWN, as_annotations
from generator.cli.output.sarif import as_sarif
from generator.cli.output.validation import FindingStyle, _cells, _excerpt, as_text, plain
from generator.findings import Edit, Finding, Fix, Location, Related, Severity
from generator.knowledge.knowledge_base import KnowledgeBase

IDEA = "records/concepts/tiny-latent.yaml"
MODEL = "records/models/tiny-a.yaml"
GOTCHA = "records/gotchas/tiny-crash.yaml"
PROSE = "Keys and values of all heads are kept as one latent row, as in [[tiny-a|Tiny A]]."
each_check = pytest.mark.parametrize(
    "check", [check for check in CHECKS if check is not internal_error], ids=lambda check: f"{check.code}-{check.name}"
)


def found(
    message: str = "it is wrong",
    path: str = IDEA,
    severity: Severity = Severity.ERROR,
    place: tuple[int, int, int, int] = (2, 3, 2, 5),
    **more: Any,
) -> Finding:
    return Finding("CIT101", "unresolved-citation", severity, message, Location(path, *place), **more)


def output(base: Base, *arguments: str, cwd: Path | None = None) -> str:
    """What the command writes, run as it is run in a CI job."""
    where = ["--root", str(base.root)] if cwd is None else []
    done = command.run(*where, "validate", *arguments, cwd=cwd or ROOT, environment=os.environ)
    assert done.returncode in (0, 1), done.stderr
    assert not done.stderr
    return done.stdout


# --- SARIF -----------------------------------------------------------------------------------------------------------

SCHEMA = json.loads((HERE / "data/sarif-2.1.0-rtm.5.json").read_text("utf-8"))
VALIDATOR = Draft4Validator(SCHEMA, format_checker=Draft4Validator.FORMAT_CHECKER)


def sarif(findings: Iterable[Finding], place: str = "") -> dict[str, Any]:
    """The run of a log that its schema allows."""
    log = json.loads(as_sarif(findings, CHECKS, place))
    errors = [f"{list(error.absolute_path)}: {error.message}" for error in VALIDATOR.iter_errors(log)]
    assert errors == []
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    return dict(run)


def test_the_schema_is_the_real_one_and_does_refuse() -> None:
    Draft4Validator.check_schema(SCHEMA)
    log = json.loads(as_sarif([found()], CHECKS))
    log["runs"][0]["results"][0]["level"] = "fatal"
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert len(list(VALIDATOR.iter_errors(log))) == 2


def test_a_log_without_findings_is_valid_and_holds_every_check_as_a_rule() -> None:
    run = sarif([])
    assert run["results"] == []
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [check.code for check in CHECKS]
    assert all(rule["shortDescription"]["text"] and rule["help"]["markdown"] for rule in rules)
    levels = {rule["id"]: rule["defaultConfiguration"]["level"] for rule in rules}
    assert (levels["YML001"], levels["CIT106"], levels["CIT108"]) == ("error", "warning", "note")


@each_check
def test_what_each_check_finds_is_valid_and_stands_where_it_should(check: Check, tiny: Base) -> None:
    (finding,) = tiny.amend(examples(check.doc, "Bad")).findings()
    run = sarif([finding])
    (result,) = run["results"]
    assert result["ruleId"] == run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == check.code
    assert result["message"]["text"] == finding.message
    place = result["locations"][0]["physicalLocation"]
    assert unquote(place["artifactLocation"]["uri"]) == finding.location.path
    assert place["region"] == region(finding.location)
    assert len(result.get("relatedLocations", [])) == len(finding.related)
    changes = [change for fix in result.get("fixes", []) for change in fix["artifactChanges"]]
    edits = {
        (change["artifactLocation"]["uri"], json.dumps(each["deletedRegion"]), each["insertedContent"]["text"])
        for change in changes
        for each in change["replacements"]
    }
    expected = finding.fix.edits if finding.fix else ()
    assert edits == {(edit.location.path, json.dumps(region(edit.location)), edit.text) for edit in expected}


def region(where: Location) -> dict[str, int]:
    return {
        "startLine": where.line,
        "startColumn": where.column,
        "endLine": where.end_line,
        "endColumn": where.end_column,
    }


def test_columns_count_characters_and_the_log_says_so(tiny: Base) -> None:
    tiny.edit(IDEA, PROSE, "\U0001f600\U0001f600 [[nobody]]")
    (finding,) = tiny.findings()
    run = sarif([finding])
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["results"][0]["locations"][0]["physicalLocation"]["region"]["startColumn"] == 6


ADDRESSES = {
    "an id": ("records/models/tiny-a.yaml", "records/models/tiny-a.yaml"),
    "blanks and a hash": ("docs/a page #1.md", "docs/a%20page%20%231.md"),
    "percent": ("docs/100%25.md", "docs/100%2525.md"),
    "another alphabet": ("docs/ü.md", "docs/%C3%BC.md"),
    "no UTF-8": ("docs/\udcff.md", "docs/%FF.md"),
}


@pytest.mark.parametrize(("path", "uri"), ADDRESSES.values(), ids=ADDRESSES)
def test_a_path_is_an_address_below_the_repository(path: str, uri: str) -> None:
    edit = Edit(Location(path), "x")
    finding = found(path=path, related=(Related(Location(path), "here"),), fix=Fix("x", (edit,)))
    (result,) = sarif([finding], "some where/")["results"]
    assert set(re.findall(r'"uri": "([^"]*)"', json.dumps(result))) == {f"some%20where/{uri}"}


def test_a_fingerprint_outlives_moved_lines_and_differs_between_files() -> None:
    def fingerprint(finding: Finding) -> str:
        return str(sarif([finding])["results"][0]["partialFingerprints"]["servebook/v1"])

    assert fingerprint(found()) == fingerprint(found(place=(9, 1, 9, 2)))
    assert fingerprint(found("it stands on line 3")) == fingerprint(found("it stands on line 4"))
    assert len({fingerprint(each) for each in (found(), found("other"), found(path=MODEL))}) == 3


TEXTS = st.text(st.characters(codec=None), max_size=30)


@given(TEXTS, TEXTS, TEXTS)
def test_any_text_makes_a_valid_log_and_one_annotation(message: str, path: str, text: str) -> None:
    finding = found(message or "x", path or "x", fix=Fix(text, (Edit(Location(path or "x"), text),)))
    assert len(sarif([finding])["results"]) == 1
    as_annotations([finding]).encode("utf-8")
    assert len(re.split(r"[\r\n]", as_annotations([finding]))) == 1


def test_the_command_writes_it_for_a_base_of_any_kind(tiny: Base) -> None:
    for check in CHECKS:
        if not check.code.startswith("YML"):
            tiny.amend(examples(check.doc, "Bad"))
    log = json.loads(output(tiny, "--format", "sarif"))
    assert list(VALIDATOR.iter_errors(log)) == []
    assert len({result["ruleId"] for result in log["runs"][0]["results"]}) >= 5


# --- GitHub ----------------------------------------------------------------------------------------------------------


def parsed(line: str) -> tuple[str, dict[str, str], str]:
    """A command as GitHub's runner reads it: (command, properties, message)."""
    shape = re.fullmatch(r"::([a-z]+)(?: ([^\n]*?))?::(.*)", line)
    assert shape
    properties = dict(part.split("=", 1) for part in (shape[2] or "").split(",") if part)

    def text(escaped: str, more: tuple[tuple[str, str], ...] = ()) -> str:
        for code, sign in (("%0D", "\r"), ("%0A", "\n"), *more, ("%25", "%")):
            escaped = escaped.replace(code, sign)
        return escaped

    colon_comma = (("%3A", ":"), ("%2C", ","))
    return shape[1], {name: text(value, colon_comma) for name, value in properties.items()}, text(shape[3])


MESSAGES = {
    "plain": "it is wrong",
    "percent": "100% of 50%0A",
    "lines": "one\r\ntwo\nthree",
    "a command in it": "x\n::set-output name=a::b",
    "commas and colons": "a, b: c::d,e=f",
    "other alphabets": "größer \U0001f600",
    "empty": "",
}


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
@pytest.mark.parametrize("name", ["a.yaml", "a,b:c%.yaml", "a::b,line=9.yaml", "a=b\n.yaml"])
def test_an_annotation_is_read_as_it_was_meant(message: str, name: str) -> None:
    (line,) = as_annotations([found(message, name, place=(3, 4, 3, 9))], "base/").split("\n")
    assert parsed(line) == (
        "error",
        {
            "file": f"base/{name}",
            "line": "3",
            "endLine": "3",
            "col": "4",
            "endColumn": "9",
            "title": "CIT101 unresolved-citation",
        },
        message,
    )


def test_columns_are_left_out_where_the_place_has_several_lines() -> None:
    _, properties, _ = parsed(as_annotations([found(place=(3, 4, 5, 9))]))
    assert properties.keys() == {"file", "line", "endLine", "title"}


def test_the_worst_come_first_and_no_kind_has_more_than_github_shows() -> None:
    many = [
        found(f"{number}", severity=severity, place=(number, 1, number, 2))
        for number in range(1, SHOWN + 4)
        for severity in (Severity.INFO, Severity.WARNING, Severity.ERROR)
    ]
    lines = [parsed(line) for line in as_annotations(many).split("\n")]
    assert [command for command, _, _ in lines] == ["error"] * SHOWN + ["warning"] * SHOWN + ["notice"] * SHOWN
    for begin in range(0, 3 * SHOWN, SHOWN):
        assert [message for _, _, message in lines[begin : begin + SHOWN - 1]] == [str(n) for n in range(1, SHOWN)]
        assert lines[begin + SHOWN - 1][1:] == ({}, "+4 more findings of this kind: see the log of this step")


def test_what_is_overdue_is_a_notice_before_the_infos() -> None:
    lines = as_annotations([found("i", severity=Severity.INFO), found("o", severity=Severity.OVERDUE)]).split("\n")
    assert [parsed(line)[::2] for line in lines] == [("notice", "o"), ("notice", "i")]


def test_ten_are_shown_without_a_word_about_more() -> None:
    lines = as_annotations([found()] * SHOWN).split("\n")
    assert len(lines) == SHOWN
    assert "more" not in lines[-1]


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)


@pytest.mark.parametrize(
    "below", ["", "bases/my base"], ids=["the base is the repository", "the base is a folder in it"]
)
def test_paths_begin_at_the_top_of_the_repository_wherever_one_stands(tiny: Base, tmp_path: Path, below: str) -> None:
    repository = tmp_path / "repository"
    base = Base(repository / below)
    base.root.parent.mkdir(parents=True, exist_ok=True)
    tiny.root.rename(base.root)
    git(repository, "init", "-q")
    base.edit(GOTCHA, "effect: blocked", "effect: x")
    wanted = f"{below}/{GOTCHA}" if below else GOTCHA
    for here in (repository, base.root, base.root / "records/models"):
        arguments = [] if here.is_relative_to(base.root) else ["--root", below]
        done = command.run(*arguments, "validate", "--format", "github", cwd=here, environment=os.environ)
        assert done.returncode == 1, done.stderr
        assert (here / done.stdout.split(":")[0]).resolve() == base.root / GOTCHA
        (line,) = [line for line in done.stdout.splitlines() if line.startswith("::")]
        assert parsed(line)[1]["file"] == wanted
    log = json.loads(output(base, "--format", "sarif", cwd=base.root))
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert unquote(place["artifactLocation"]["uri"]) == wanted


def test_without_a_repository_paths_begin_where_one_stands(tiny: Base, tmp_path: Path) -> None:
    tiny.edit(GOTCHA, "effect: blocked", "effect: x")
    done = CliRunner(env={"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})
    result = done.invoke(cli, ["--root", str(tiny.root), "validate", "--format", "github"])
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("::")]
    assert (Path.cwd() / parsed(line)[1]["file"]).resolve() == tiny.root / GOTCHA


def test_infos_are_annotated_only_where_they_are_asked_for(tiny: Base) -> None:
    tiny.edit("sources/tiny-datasheet.yaml", "retrieval: read-not-hashed", "retrieval: excerpt")
    assert "::notice" not in output(tiny, "--format", "github")
    assert output(tiny, "--format", "github", "--info").count("::notice ") == 1


def test_no_record_gives_orders_to_the_runner_or_the_terminal(tiny: Base) -> None:
    name = "records/concepts/a\n::error::b\x1b[31m.yaml"
    tiny.lay({name: "name: x\n", "records/concepts/c.yaml": 'name: "x\\n::add-mask::y\\e[2J"\n"\\n::x::y\\e[2J": 1\n'})
    for form in ("text", "github", "sarif", "json"):
        text = output(tiny, "--format", form)
        assert "\x1b" not in text
        commands = [line for line in text.splitlines() if line.lstrip().startswith("::")]
        assert all(line.startswith("::error file=") for line in commands)
        assert bool(commands) is (form == "github")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux takes any bytes for a name")
def test_a_file_name_that_is_no_text_is_a_finding_and_no_traceback(tiny: Base) -> None:
    (tiny.root / os.fsdecode(b"records/concepts/\xff.yaml")).write_text("name: x\n")
    for form in ("text", "github", "sarif", "json"):
        assert "SCH102" in output(tiny, "--format", form)


# --- text on a terminal ----------------------------------------------------------------------------------------------


@pytest.fixture
def kb(tiny: Base) -> KnowledgeBase:
    return tiny.read()


def shown(kb: KnowledgeBase, finding: Finding, line: str, **view: Any) -> list[str]:
    """The lines of a finding's text, with the excerpt from a file in which all lines are the same."""
    text = as_text(kb, CheckRun((finding,), 1, 0, 0), [finding], False, FindingStyle(line=lambda *_: line, **view))
    return text.split("\n\n")[0].split("\n")[1:]


PLACES = {
    "a word": ("name: [[nobody]] x", (7, 17), "    2 | name: [[nobody]] x", "      |       ^^^^^^^^^^"),
    "no extent": ("name: x", (7, 7), "    2 | name: x", "      |       ^"),
    "behind the end": ("name:", (6, 6), "    2 | name:", "      |      ^"),
    "beyond the end": ("name:", (9, 40), "    2 | name:", "      |      ^"),
    "after wide characters": ("\U0001f600日 x", (4, 5), "    2 | \U0001f600日 x", "      |      ^"),
    "wide characters": ("x 日本", (3, 5), "    2 | x 日本", "      |   ^^^^"),
    "after an accent of its own": ("e\u0301 x", (4, 5), "    2 | e\u0301 x", "      |   ^"),
    "after a tab": ("\tx", (2, 3), "    2 |  x", "      |  ^"),
    "an order to the terminal": ("\x1b[2Jx", (5, 6), "    2 | \ufffd[2Jx", "      |     ^"),
    "text that runs backwards": ("\u202ex", (2, 3), "    2 | \ufffdx", "      |  ^"),
}


@pytest.mark.parametrize(("line", "columns", "source", "carets"), PLACES.values(), ids=PLACES)
def test_carets_stand_under_the_place(
    kb: KnowledgeBase, line: str, columns: tuple[int, int], source: str, carets: str
) -> None:
    finding = found(place=(2, columns[0], 2, columns[1]))
    assert shown(kb, finding, line) == [source, carets]


def test_a_place_of_several_lines_is_marked_to_the_end_of_the_first(kb: KnowledgeBase) -> None:
    assert shown(kb, found(place=(2, 3, 4, 1)), "a: b c  ") == ["    2 | a: b c  ", "      |   ^^^^"]


def test_an_empty_line_has_no_excerpt(kb: KnowledgeBase) -> None:
    assert shown(kb, found(), "   ") == []


@given(
    st.text(st.characters(codec="utf-8"), max_size=300), st.integers(1, 300), st.integers(0, 300), st.integers(30, 200)
)
def test_an_excerpt_fits_the_terminal_and_shows_the_place(line: str, column: int, length: int, width: int) -> None:
    finding = found(place=(2, column, 2, column + length))
    view = FindingStyle(line=lambda *_: line, width=width)
    lines = list(_excerpt(finding.location, line, view, ""))
    assert all(_cells(each) <= width for each in lines)
    assert len(lines) in (0, 2)
    if lines:
        assert "^" in lines[1]
        assert set(lines[1]) <= {" ", "|", "^"}


def test_a_long_line_is_cut_around_the_place(kb: KnowledgeBase) -> None:
    line = "".join(chr(97 + number % 26) for number in range(1000))
    source, carets = shown(kb, found(place=(2, 501, 2, 504)), line, width=60)
    assert source.startswith("    2 | …")
    assert source.endswith("…")
    assert len(source) <= 60
    at = carets.index("^")
    assert source[at : at + 3] == line[500:503]
    assert carets.count("^") == 3


def test_colour_marks_the_code_and_the_carets_and_is_switched_off_again(kb: KnowledgeBase) -> None:
    finding = found(place=(2, 1, 2, 2))
    lines = shown(kb, finding, "x", colour=True)
    assert lines[1].endswith("\x1b[31m^\x1b[0m")
    for line in lines:
        assert line.count("\x1b[0m") == len(re.findall(r"\x1b\[[1-9]\d*m", line))
    assert "\x1b" not in "".join(shown(kb, finding, "x"))


def terminal(base: Base, *arguments: str, **environment: str | None) -> list[str]:
    """What the command writes to a terminal of 100 columns."""
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    fcntl, termios, struct = (__import__(name) for name in ("fcntl", "termios", "struct"))
    own, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    plain_environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    settings = {"TERM": "xterm", "PYTHONPATH": str(ROOT), **environment}
    child = subprocess.Popen(
        [sys.executable, "-m", "generator", "validate", *arguments],
        cwd=base.root,
        stdout=theirs,
        env={**plain_environment, **{name: value for name, value in settings.items() if value is not None}},
    )
    os.close(theirs)
    data = b""
    while True:
        try:
            part = os.read(own, 4096)
        except OSError:  # Linux says so when the last writer has gone
            break
        if not part:
            break
        data += part
    os.close(own)
    child.wait()
    return data.decode("utf-8").replace("\r\n", "\n").split("\n")


@pytest.fixture
def wrong(tiny: Base) -> Base:
    return tiny.edit(IDEA, PROSE, "See [[nobody]] of \U0001f600.")


def test_a_terminal_shows_the_line_with_carets_in_colour(wrong: Base) -> None:
    lines = terminal(wrong)
    assert lines[0].startswith(f"{IDEA}:4:7 \x1b[31mCIT101\x1b[0m ")
    assert lines[1] == "\x1b[2m    4 | \x1b[0m  See [[nobody]] of \U0001f600."
    assert lines[2] == "\x1b[2m      | \x1b[0m      \x1b[31m^^^^^^^^^^\x1b[0m"


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "a dumb terminal"])
def test_no_colour_where_it_is_not_wanted_but_the_line_all_the_same(wrong: Base, environment: dict[str, str]) -> None:
    lines = terminal(wrong, **environment)
    assert "\x1b" not in "".join(lines)
    assert lines[1:3] == ["    4 |   See [[nobody]] of \U0001f600.", "      |       ^^^^^^^^^^"]


def test_an_empty_no_color_is_none(wrong: Base) -> None:
    assert "\x1b[31m" in "".join(terminal(wrong, NO_COLOR=""))


def test_nothing_of_it_goes_into_a_pipe(wrong: Base) -> None:
    text = output(wrong)
    assert "\x1b" not in text
    assert "4 |" not in text


UNREADABLE: dict[str, tuple[str | bytes, str]] = {
    "a tab": ("name: x\n\ty: 1\n", "    2 |  y: 1"),
    "a control character": (b"name: \x07x\n", "    1 | name: \ufffdx"),
    "not UTF-8": (b"name: \xff\n", "    1 | name: \ufffd"),
    "UTF-16": ("name: x\n".encode("utf-16"), "    1 | "),
}


@pytest.mark.parametrize(("content", "source"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_file_that_cannot_be_read_is_shown_all_the_same(tiny: Base, content: str | bytes, source: str) -> None:
    lines = terminal(tiny.lay({"records/concepts/broken.yaml": content}), NO_COLOR="1")
    assert "YML001" in lines[0]
    assert lines[1].startswith(source)


def test_a_file_that_is_gone_or_a_folder_has_no_excerpt(tiny: Base) -> None:
    (tiny.root / "records/concepts/folder.yaml").mkdir()
    lines = terminal(tiny, NO_COLOR="1")
    assert "YML001" in lines[0]
    assert lines[1] == ""


@given(st.text(st.characters(codec=None)))
def test_plain_text_is_one_line_that_steers_nothing(text: str) -> None:
    written = plain(text)
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff]", written)
    assert written == text or "\\" in written
    written.encode("utf-8")
