"""House rules: docs/architecture.md says which module may lean on which, and this reads it."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from conftest import ROOT

CODE = ROOT / "generator"
FILES = sorted(CODE.rglob("*.py"))
UNITS = {path.stem if path.is_file() else path.name for path in CODE.iterdir() if path.suffix == ".py" or path.is_dir()}
UNITS -= {"__init__", "__main__", "__pycache__", "_shipped"}


def unit(path: Path) -> str:
    """The module or package right below generator/ to which a file belongs."""
    return path.relative_to(CODE).parts[0].removesuffix(".py")


@cache
def syntax(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Dotted names of all that a file imports, wherever in the file it does so."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative imports hide where a thing comes from"
            yield node.module or ""
            if node.module == "generator" or str(node.module) in {f"generator.{name}" for name in UNITS}:
                yield from (f"{node.module}.{each.name}" for each in node.names)


ROOMS = (
    {"findings", "notation"},
    {"catalog"},
    {"derive"},
    {"compatibility"},
    {"knowledge"},
    {"prose"},
    {"checks"},
    {"site", "authoring"},
    {"upstream"},
    {"cli"},
)
LEVEL = {name: level for level, names in enumerate(ROOMS) for name in names} | {"__main__": len(ROOMS)}


def test_the_rooms_are_those_of_the_house() -> None:
    assert set(LEVEL) - {"__main__"} == UNITS


def test_the_package_itself_holds_rooms_and_the_findings_they_share() -> None:
    assert {path.name for path in CODE.glob("*.py")} == {"__init__.py", "__main__.py", "findings.py"}


def test_a_class_name_means_one_thing() -> None:
    defined = Counter(node.name for path in FILES for node in syntax(path).body if isinstance(node, ast.ClassDef))
    assert not [name for name, times in defined.items() if times > 1]


def test_files_and_functions_hold_one_idea() -> None:
    long = []
    for path in FILES:
        text = path.read_text("utf-8")
        if text.count("\n") > 300:
            long.append(f"{path.relative_to(CODE)}: {text.count(chr(10))} lines")
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.FunctionDef):
                manual = node.body[0] if ast.get_docstring(node) else None  # of a check it is the page of the manual
                lines = node.end_lineno - node.lineno + 1 - (manual.end_lineno - manual.lineno if manual else 0)
                if lines > 40:
                    long.append(f"{path.relative_to(CODE)}: {node.name}, {lines} lines")
    assert not long


def test_a_room_leans_on_the_ones_below_it() -> None:
    wrong = []
    for path in FILES:
        for name in imports(path):
            target = name.split(".")[1] if name.startswith("generator.") else ""
            if target in LEVEL and unit(path) in LEVEL and target != unit(path) and LEVEL[target] >= LEVEL[unit(path)]:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong


FENCES = {
    "yaml": {"catalog"},
    "jsonschema": {"catalog"},
    "referencing": {"catalog"},
    "networkx": {"knowledge"},
    "jinja2": {"site"},
    "markdown_it": {"notation", "site"},
    "mkdocs": {"site", "cli"},
    "ruamel": {"authoring"},
    "click": {"cli"},
    "packaging": {"notation"},
    "subprocess": {"cli"},
    "httpx2": {"upstream"},
    "sqlite3": {"upstream"},
    "urllib.request": set(),
    "http": set(),
    "socket": set(),
    "pickle": set(),
}


@pytest.mark.parametrize("library", FENCES)
def test_a_library_is_known_to_its_own_module_only(library: str) -> None:
    users = {unit(path) for path in FILES for name in imports(path) if f"{name}.".startswith(f"{library}.")}
    assert users <= FENCES[library]


def test_the_fences_stand_around_what_is_there() -> None:
    used = {name.split(".")[0] for path in FILES for name in imports(path)}
    assert {"yaml", "jsonschema", "networkx", "jinja2", "markdown_it", "mkdocs", "ruamel", "click"} <= used


def test_pages_do_not_lean_on_each_other() -> None:
    for path in (CODE / "site/pages").glob("*.py"):
        if path.stem != "__init__":
            assert not [name for name in imports(path) if name.startswith("generator.site.pages.")], path.name


OUTSIDE = re.compile(
    r"(?:^|\.)(?:open|read_text|read_bytes|write_text|write_bytes|glob|rglob|iterdir|today|now|time|perf_counter|print|echo|getenv)$"
)


@pytest.mark.parametrize("package", ["checks", "site/pages", "derive", "prose", "notation"])
def test_what_is_computed_comes_from_what_is_passed_in(package: str) -> None:
    for path in (CODE / package).rglob("*.py"):
        assert not {"os", "sys", "time", "random", "logging"} & set(imports(path)), path.name
        assert not re.search(r"\bpathlib(?: import .*\bPath\b|\.Path\b)", path.read_text("utf-8")), path.name
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert not OUTSIDE.search(called), f"{path.name} calls {called}"


def test_the_clock_is_read_at_the_rim() -> None:
    users = {
        unit(path)
        for path in FILES
        if re.search(r"\b(?:date\.today|datetime\.now|time\.time)\(", path.read_text("utf-8"))
    }
    assert users <= {"cli", "site"}


def test_nothing_that_is_read_is_ever_executed() -> None:
    for path in FILES:
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in ("eval", "exec", "compile", "__import__", "yaml.load", "yaml.safe_load"), path.name


def test_every_module_says_what_it_is() -> None:
    for path in FILES:
        tree = syntax(path)
        assert ast.get_docstring(tree), path.name
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                assert ast.get_docstring(node), f"{path.name}: {node.name}"


# --- what is in the repository ----------------------------------------------------------------------------------------


def tracked() -> list[Path]:
    """The files of the repository; in a copy without git, all that are not generated."""
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        tops = ("generator", "records", "sources", "schema", "templates", "docs", "tests")
        return [path for top in tops for path in (ROOT / top).rglob("*") if path.is_file()]
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def texts() -> Iterator[tuple[str, str]]:
    for path in tracked():
        try:
            yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")
        except UnicodeDecodeError:
            continue


def test_nothing_names_a_machine_or_a_registry() -> None:
    here = Path(__file__).name
    machine = re.compile(
        r"(?<![\w.])/(?:home|Users|root|work|opt)/\w+/|--?(?:extra-)?index-url|--find-links|--trusted-host"
    )
    ours = ((name, text) for name, text in texts() if not name.startswith("sources/") and not name.endswith(here))
    found = [f"{name}: {hit[0]}" for name, text in ours if (hit := machine.search(text))]
    assert not found


def test_nothing_is_left_to_do() -> None:
    left = re.compile(r"#\s*(?:TODO|FIXME|XXX|HACK)\b")
    found = [name for name, text in texts() if name.endswith((".py", ".yaml", ".yml", ".toml")) and left.search(text)]
    assert not found


def test_no_test_is_put_off_without_a_reason() -> None:
    for path in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.Call) and re.search(r"\bmark\.(?:skip|skipif|xfail)$", ast.unparse(node.func)):
                assert any(keyword.arg == "reason" for keyword in node.keywords), path.name
            if isinstance(node, ast.Attribute) and node.attr in ("skip", "xfail") and "mark" in ast.unparse(node.value):
                assert f"{ast.unparse(node)}(" in path.read_text("utf-8"), f"{path.name}: a reason is wanted"
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.skip":
                assert node.args, path.name


def test_every_record_begins_with_its_schema() -> None:
    for top, up in (("records", "../../"), ("sources", "../")):
        for path in (ROOT / top).rglob("*.yaml"):
            if path.name not in ("redirects.yaml", "reviews.lock.yaml"):
                first = path.read_text("utf-8").split("\n")[0]
                named = re.fullmatch(
                    rf"# yaml-language-server: \$schema={re.escape(up)}schema/([a-z]+)\.schema\.json", first
                )
                assert named, path.name
                assert (ROOT / "schema" / f"{named[1]}.schema.json").is_file()


def test_records_are_written_in_literal_blocks_without_tabs() -> None:
    for top in ("records", "sources"):
        for path in (ROOT / top).rglob("*.yaml"):
            data = path.read_bytes()
            assert b"\r" not in data, path.name
            assert b"\t" not in data, path.name
            assert not data.startswith(b"\xef\xbb\xbf"), path.name
            assert data.endswith(b"\n"), path.name
            assert not re.search(rb"^ *[\w-]+: >", data, re.M), f"{path.name}: a folded text"
