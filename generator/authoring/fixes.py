"""``servebook fix``: apply the edits that findings carry, and nothing else.

Edits splice characters: untouched lines, comments, line ends and a byte order mark stay as they are. The work is done
in a copy of the authored files, round by round until no fix is left, and only then written back: all files, or none. A
file that cannot be read as YAML is never touched, and no fix is taken that would make it one.
"""

from __future__ import annotations

import difflib
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from generator.catalog.disk.authored import AUTHORED, contents, tree
from generator.catalog.disk.journal import ChangedMeanwhile, write_all
from generator.catalog.read import read
from generator.catalog.yaml.document import Document, Unreadable
from generator.catalog.yaml.loader import load
from generator.checks import judge
from generator.findings import Edit, Finding, Fix, within
from generator.knowledge.knowledge_base import assemble

ROUNDS = 10
_MARK = b"\xef\xbb\xbf"
_LINE = re.compile(r"[^\n]+\n?|\n")
__all__ = ["Change", "ChangedMeanwhile", "FixPlan", "plan", "spliced", "write"]


@dataclass(frozen=True)
class Change:
    """One file before (None: not there) and after, and the titles of the fixes that made the difference."""

    path: str
    before: bytes | None
    after: bytes
    titles: tuple[str, ...]

    def diff(self) -> str:
        """The change as a unified diff that `git apply` takes."""
        old, new = (_LINE.findall(text.decode("utf-8")) for text in (self.before or b"", self.after))
        tab = "\t" if " " in self.path else ""
        above = "/dev/null" if self.before is None else f"a/{self.path}{tab}"
        lines = difflib.unified_diff(old, new, above, f"b/{self.path}{tab}")
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


@dataclass(frozen=True)
class FixPlan:
    """What fixing would do, and how many fixes are left: unsafe ones that were not asked for."""

    changes: tuple[Change, ...]
    left_unsafe: int
    converged: bool


def plan(root: Path, today: date, unsafe: bool, wanted: Sequence[str] = ()) -> FixPlan:
    """Fix a copy until nothing is left to fix. `wanted` are root-relative paths; none means all."""
    with tempfile.TemporaryDirectory(prefix="servebook-fix-") as folder:
        copy = Path(folder)
        _mirror(root, copy)
        titles: dict[str, list[str]] = {}
        for rounds in range(ROUNDS + 1):
            fixes = list(_fixes(copy, today, wanted))
            chosen = _chosen(fix for fix in fixes if (fix.safe or unsafe) and _readable_after(copy, fix))
            if not chosen or rounds == ROUNDS:
                break
            for path, edits in _by_file(chosen).items():
                (copy / path).write_bytes(spliced((copy / path).read_bytes(), edits))
            for fix in chosen:
                for path in _by_file([fix]):
                    titles.setdefault(path, []).append(fix.title)
        changes = (
            Change(path, contents(root, path), (copy / path).read_bytes(), tuple(titles[path]))
            for path in sorted(titles)
        )
        left = 0 if unsafe else sum(not fix.safe for fix in fixes)
        return FixPlan(tuple(change for change in changes if change.before != change.after), left, not chosen)


def write(root: Path, changes: Iterable[Change]) -> None:
    """Write changed files back: all of them, or none where one cannot be written or somebody interrupts.

    Raises `ChangedMeanwhile` where a file was edited meanwhile.
    """
    write_all(root, {change.path: (change.before, change.after) for change in changes})


def _mirror(root: Path, copy: Path) -> None:
    """Copy what is read; in the place of what is barred stands a link to nowhere, which is barred as well."""
    for name in AUTHORED:
        found = tree(root, name)
        for path in (*found.files, *(barred.path for barred in found.barred)):
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
        for path in found.files:
            shutil.copyfile(root / path, copy / path, follow_symlinks=False)
        for barred in found.barred:
            (copy / barred.path).symlink_to("nowhere")


def _fixes(root: Path, today: date, wanted: Sequence[str]) -> Iterator[Fix]:
    """The fixes of all findings that touch wanted files only."""
    findings: Iterable[Finding] = judge(assemble(read(root), today)).findings
    for finding in findings:
        paths = _by_file([finding.fix]) if finding.fix else {}
        if finding.fix and all(within(path, wanted) for path in paths):
            yield finding.fix


def _chosen(fixes: Iterable[Fix]) -> list[Fix]:
    """The fixes of one round. No two of them touch: what another fix moves is looked at again in the next round."""
    chosen: list[Fix] = []
    for fix in fixes:
        taken = [edit for other in chosen for edit in other.edits]
        if not any(_touch(one, two) for one in taken for two in fix.edits):
            chosen.append(fix)
    return chosen


def _touch(one: Edit, two: Edit) -> bool:
    """Whether two edits meet or overlap."""
    first, second = sorted((one.location, two.location))
    return first.path == second.path and (second.line, second.column) <= (first.end_line, first.end_column)


def _by_file(fixes: Iterable[Fix]) -> dict[str, list[Edit]]:
    edits: dict[str, list[Edit]] = {}
    for fix in fixes:
        for edit in fix.edits:
            edits.setdefault(edit.location.path, []).append(edit)
    return edits


def _readable_after(root: Path, fix: Fix) -> bool:
    """Whether every YAML file that a fix touches is one afterwards, too."""
    for path, edits in _by_file([fix]).items():
        if path.endswith(".yaml"):
            try:
                load(spliced((root / path).read_bytes(), edits).removeprefix(_MARK).decode("utf-8"))
            except Unreadable:
                return False
    return True


def spliced(data: bytes, edits: Iterable[Edit]) -> bytes:
    """The bytes of a file with each edit's text in its place, last place first."""
    mark = _MARK if data.startswith(_MARK) else b""
    text = data[len(mark) :].decode("utf-8")
    places = Document(text, None)
    for edit in sorted(edits, key=lambda edit: edit.location, reverse=True):
        where = edit.location
        begin = places.offset(where.line - 1, where.column - 1)
        end = places.offset(where.end_line - 1, where.end_column - 1)
        text = text[:begin] + edit.text + text[end:]
    return mark + text.encode("utf-8")
