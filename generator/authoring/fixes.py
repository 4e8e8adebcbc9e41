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
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path

from generator.catalog.disk.authored import AUTHORED, contents, tree
from generator.catalog.disk.journal import ChangedMeanwhile, write_all
from generator.catalog.read import read
from generator.catalog.yaml.document import Document, Unreadable
from generator.catalog.yaml.loader import load
from generator.checks import judge
from generator.findings import Edit, Finding, Fix, Location, within
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
            chosen = _harmless(copy, [fix for fix in fixes if fix.safe or unsafe])
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
    """Copy what is read; what is barred is replaced by a link to nowhere, which is barred as well."""
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


def _harmless(root: Path, fixes: Sequence[Fix]) -> list[Fix]:
    """The fixes of one round that leave every file readable."""
    while True:
        chosen = _chosen(fixes)
        bad = {id(fix) for fix in _unreadable_after(root, chosen)}
        if not bad:
            return chosen
        fixes = [fix for fix in fixes if id(fix) not in bad]


def _chosen(fixes: Iterable[Fix]) -> list[Fix]:
    """The fixes of one round. No two of them touch: what another fix moves is looked at again in the next round."""
    chosen: list[Fix] = []
    taken: list[Location] = []
    for fix in fixes:
        places = [edit.location for edit in fix.edits]
        if not any(_touched(taken, place) for place in places):
            chosen.append(fix)
            for place in places:
                insort(taken, place)
    return chosen


def _touched(taken: list[Location], place: Location) -> bool:
    """Whether a place meets or overlaps one of those in order, of which no two do."""
    number = bisect_left(taken, place)
    return any(
        first.path == second.path and (second.line, second.column) <= (first.end_line, first.end_column)
        for first, second in pairwise([*taken[max(0, number - 1) : number], place, *taken[number : number + 1]])
    )


def _by_file(fixes: Iterable[Fix]) -> dict[str, list[Edit]]:
    edits: dict[str, list[Edit]] = {}
    for fix in fixes:
        for edit in fix.edits:
            edits.setdefault(edit.location.path, []).append(edit)
    return edits


def _unreadable_after(root: Path, fixes: Sequence[Fix]) -> list[Fix]:
    """The fixes after which a file that they touch is not YAML: all are tried together, and split where that fails."""
    if _readable_after(root, fixes):
        return []
    if len(fixes) == 1:
        return list(fixes)
    half = len(fixes) // 2
    found = [*_unreadable_after(root, fixes[:half]), *_unreadable_after(root, fixes[half:])]
    return found or list(fixes)


def _readable_after(root: Path, fixes: Iterable[Fix]) -> bool:
    """Whether every YAML file that fixes touch is one afterwards, too."""
    for path, edits in _by_file(fixes).items():
        if path.endswith(".yaml"):
            try:
                load(spliced((root / path).read_bytes(), edits).removeprefix(_MARK).decode("utf-8"))
            except Unreadable:
                return False
    return True


def spliced(data: bytes, edits: Iterable[Edit]) -> bytes:
    """The bytes of a file with each edit's text in its place; no two places overlap."""
    mark = _MARK if data.startswith(_MARK) else b""
    text = data[len(mark) :].decode("utf-8")
    places = Document(text, None)
    parts, at = [], 0
    for edit in sorted(edits, key=lambda edit: edit.location):
        where = edit.location
        parts += [text[at : places.offset(where.line - 1, where.column - 1)], edit.text]
        at = places.offset(where.end_line - 1, where.end_column - 1)
    return mark + "".join([*parts, text[at:]]).encode("utf-8")
