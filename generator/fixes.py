"""``servebook fix``: apply the edits that findings carry, and nothing else.

Edits splice characters: untouched lines, comments, line ends and a byte order mark stay as they are. The work is done
in a copy of the authored files, round by round until no fix is left, and only then written back, each file whole or not
at all. A file that cannot be read as YAML is never touched.
"""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from generator.checks import judge
from generator.findings import Edit, Finding, Fix
from generator.knowledge import assemble
from generator.read import read
from generator.report import within
from generator.spans import Document

AUTHORED = ("records", "sources", "schema", "docs")
ROUNDS = 10
_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Change:
    """One file before and after, and the titles of the fixes that made the difference."""

    path: str
    before: bytes
    after: bytes
    titles: tuple[str, ...]

    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = (text.decode("utf-8").splitlines(keepends=True) for text in (self.before, self.after))
        return "".join(difflib.unified_diff(old, new, f"a/{self.path}", f"b/{self.path}"))


@dataclass(frozen=True)
class Outcome:
    """What fixing did, and how many fixes are left: unsafe ones that were not asked for."""

    changes: tuple[Change, ...]
    left_unsafe: int
    converged: bool


def plan(root: Path, today: date, unsafe: bool, wanted: Sequence[str] = ()) -> Outcome:
    """Fix a copy until nothing is left to fix. `wanted` are root-relative paths; none means all."""
    with tempfile.TemporaryDirectory(prefix="servebook-fix-") as folder:
        copy = Path(folder)
        for name in AUTHORED:
            if (root / name).is_dir():
                shutil.copytree(root / name, copy / name, symlinks=True)
        titles: dict[str, list[str]] = {}
        for _ in range(ROUNDS):
            chosen = _chosen(copy, today, unsafe, wanted)
            if not chosen:
                break
            for path, fixes in chosen.items():
                _apply(copy / path, [edit for fix in fixes for edit in fix.edits])
                titles.setdefault(path, []).extend(fix.title for fix in fixes)
        converged = not _chosen(copy, today, unsafe, wanted)
        left = sum(1 for _ in _fixable(copy, today, wanted))
        changes = tuple(
            Change(path, (root / path).read_bytes(), (copy / path).read_bytes(), tuple(titles[path]))
            for path in sorted(titles)
        )
        return Outcome(tuple(change for change in changes if change.before != change.after), left, converged)


def write(root: Path, changes: Iterable[Change]) -> None:
    """Write changed files back, each whole or not at all."""
    for change in changes:
        target = root / change.path
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".fix-", suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(change.after)
            shutil.copymode(target, name)
            os.replace(name, target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _fixable(root: Path, today: date, wanted: Sequence[str]) -> Iterator[Finding]:
    for finding in judge(assemble(read(root), today)).findings:
        if finding.fix is not None and within(finding.location.path, wanted):
            yield finding


def _chosen(root: Path, today: date, unsafe: bool, wanted: Sequence[str]) -> dict[str, list[Fix]]:
    """Fixes of one round by file. No two of them touch: what another fix moves is looked at again in the next round."""
    chosen: dict[str, list[Fix]] = {}
    for finding in _fixable(root, today, wanted):
        fix = finding.fix
        paths = {edit.location.path for edit in fix.edits} if fix else set()
        if fix is None or not (fix.safe or unsafe) or len(paths) != 1:
            continue
        others = chosen.setdefault(paths.pop(), [])
        if not any(_touch(one, two) for other in others for one in other.edits for two in fix.edits):
            others.append(fix)
    return {path: fixes for path, fixes in chosen.items() if fixes}


def _touch(one: Edit, two: Edit) -> bool:
    """Whether two edits meet or overlap."""
    first, second = sorted((one.location, two.location))
    return (second.line, second.column) <= (first.end_line, first.end_column)


def _apply(path: Path, edits: list[Edit]) -> None:
    data = path.read_bytes()
    mark = _MARK if data.startswith(_MARK) else b""
    text = data[len(mark) :].decode("utf-8")
    places = Document(text, None)
    for edit in sorted(edits, key=lambda edit: edit.location, reverse=True):
        where = edit.location
        begin = places.offset(where.line - 1, where.column - 1)
        end = places.offset(where.end_line - 1, where.end_column - 1)
        text = text[:begin] + edit.text + text[end:]
    path.write_bytes(mark + text.encode("utf-8"))
