"""``servebook new check``: the file of a check, its line in the list of all, and its test, each to be filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from generator.authoring.skeletons import CannotBegin
from generator.checks import CHECKS
from generator.checks.contract import Check
from generator.notation.citations import ID

LIST = PurePosixPath("generator/checks/__init__.py")
_CHECK = '''"""{code}: TODO."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("{code}", Severity.WARNING)
def {function}(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """TODO: the fault in one sentence.

    Why it matters
    TODO: who is led astray by it.

    Bad
    ```yaml records/models/tiny-a.yaml
    notes: |
      What is wrong.
    ```

    Good
    ```yaml records/models/tiny-a.yaml
    notes: |
      What is right.
    ```

    How to fix
    TODO: what to do.
    """
    for record in tally.sound(kb, "model"):
        tally.checked += 1
        if record.get("TODO"):
            message = "TODO: what was found, what was expected and what to do"
            yield this.finding(record.at("TODO"), message, record.id)
'''
_TEST = '''"""{code}: TODO. Silent rows first."""

from __future__ import annotations

import pytest
from conftest import Base

MODEL = "records/models/tiny-a.yaml"
SILENT = {{
    "TODO: what looks like it and is right": {{MODEL: "notes: |\\n  What is right.\\n"}},
}}
FOUND = {{
    "TODO: what is wrong": {{MODEL: "notes: |\\n  What is wrong.\\n"}},
}}


@pytest.mark.parametrize("files", SILENT.values(), ids=SILENT)
def test_what_is_right(tiny: Base, files: dict[str, str]) -> None:
    assert tiny.amend(files).findings() == []


@pytest.mark.parametrize("files", FOUND.values(), ids=FOUND)
def test_what_is_wrong(tiny: Base, files: dict[str, str]) -> None:
    assert [found.code for found in tiny.amend(files).findings()] == ["{code}"]
'''


def write_check(root: Path, wanted: str) -> list[PurePosixPath]:
    """Begin the check ``FOLDER/NAME`` under the next free code of its folder; the paths are root-relative."""
    if not (root / LIST).is_file():
        raise CannotBegin("there is no generator/checks here: run this in Servebook's own repository")
    folder, _, name = wanted.rpartition("/")
    peers = [check for check in CHECKS if check.file.parent.name == folder]
    if not peers or not re.fullmatch(ID, name):
        folders = dict.fromkeys(check.file.parent.name for check in CHECKS if check.file.parent != LIST.parent)
        raise CannotBegin(f"`{wanted}` is not FOLDER/NAME, as in numbers/lost-figure; folders: {', '.join(folders)}")
    if taken := next((check for check in CHECKS if check.name == name), None):
        raise CannotBegin(f"{taken.code} is called `{name}` already")
    last, function = peers[-1], name.replace("-", "_")
    words = {"code": f"{last.code[:3]}{int(last.code[3:]) + 1}", "function": function}
    paths = [LIST.parent / folder / f"{function}.py", PurePosixPath(f"tests/checks/test_{function}.py")]
    if there := next((path for path in paths if (root / path).exists()), None):
        raise CannotBegin(f"{there.as_posix()} exists already")
    for path, text in zip(paths, (_CHECK, _TEST), strict=True):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text.format(**words), "utf-8")
    lines = _listed((root / LIST).read_text("utf-8").splitlines(keepends=True), folder, function, last)
    (root / LIST).write_text("".join(lines), "utf-8")
    return [*paths, LIST]


def _listed(lines: list[str], folder: str, function: str, last: Check) -> Iterator[str]:
    """The list with the import in the order of names, and the check behind the last of its folder."""
    new, imported, behind = f"from generator.checks.{folder}.{function} import {function}\n", False, _function(last)
    for line in lines:
        if not imported and line.startswith("from generator.") and line > new:
            imported = True
            yield new
        yield line
        if re.match(rf"    {behind},", line):
            yield f"    {function},\n"


def _function(check: Check) -> str:
    return check.name.replace("-", "_")
