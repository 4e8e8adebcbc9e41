"""The outcome of a run as text for people and as JSON for programs. Text out; printing is the rim's business."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from generator.cli.output.to_json import to_json
from generator.findings import Finding, Location, Severity
from generator.notation.plain import CONTROL, plain

if TYPE_CHECKING:  # the JSON of `kv --config` needs neither
    from generator.checks.run import CheckRun
    from generator.knowledge.knowledge_base import KnowledgeBase


_COLOURS = {
    Severity.ERROR: "\x1b[31m",
    Severity.WARNING: "\x1b[33m",
    Severity.INFO: "\x1b[36m",
    Severity.OVERDUE: "\x1b[35m",
}
_DIM, _RESET = "\x1b[2m", "\x1b[0m"


@dataclass(frozen=True, slots=True)
class FindingStyle:
    """How findings are shown: colour, the prefix of their paths, whether infos are listed.

    On a terminal `line` reads a line of an authored file, for an excerpt of at most `width` characters.
    """

    colour: bool = False
    place: str = ""
    infos: bool = True
    line: Callable[[str, int], str] | None = None
    width: int = 120


def as_text(
    kb: KnowledgeBase, verdicts: CheckRun, shown: Iterable[Finding], strict: bool, view: FindingStyle | None = None
) -> str:
    """Findings as ``path:line:col CODE message``, what was checked, skipped and not checkable, then the verdict."""
    shown, view = list(shown), view or FindingStyle()
    listed = [finding for finding in shown if view.infos or finding.severity is not Severity.INFO]
    lines = [line for finding in listed for line in _finding_lines(finding, view)]
    if lines:
        lines.append("")
    if len(listed) < len(shown):
        codes = Counter(finding.code for finding in shown if finding.severity is Severity.INFO)
        kept_back = ", ".join(f"{count} {code}" for code, count in sorted(codes.items()))
        lines.append(f"infos not listed here ({kept_back}): see them with --info")
    records = Counter(record.kind for record in kb.catalog.records.values())
    held = ", ".join(f"{count} {_plural(kb, kind, count)}" for kind, count in sorted(records.items()))
    lines.append(f"read {held or 'nothing'}")
    lines.append(
        f"checked {verdicts.checked:,}, skipped {verdicts.skipped:,}, not checkable {verdicts.not_checkable:,}"
    )
    counts = [
        _many(verdicts.count(severity), severity) for severity in (Severity.ERROR, Severity.WARNING, Severity.INFO)
    ]
    overdue = f", {verdicts.count(Severity.OVERDUE)} overdue" if verdicts.count(Severity.OVERDUE) else ""
    waived = f", {len(verdicts.waived)} waived" if verdicts.waived else ""
    hidden = len(verdicts.findings) - len(shown)
    known = f", {verdicts.known} known before" if verdicts.known else ""
    aside = f"{known} ({hidden} outside the paths given)" if hidden else known
    lines.append(f"{', '.join(counts)}{overdue}{waived}{aside}: {'FAILED' if verdicts.failing(strict) else 'ok'}")
    return "\n".join(lines)


def _many(count: int, severity: Severity) -> str:
    return f"{count} {severity}{'' if count == 1 else 's'}"


def _plural(kb: KnowledgeBase, kind: str, count: int) -> str:
    name = kb.catalog.kinds[kind]
    return name.title.lower() if count == 1 else name.plural.lower()


def _finding_lines(finding: Finding, view: FindingStyle) -> Iterator[str]:
    colour = _COLOURS[finding.severity] if view.colour else ""
    code = f"{colour}{finding.code}{_RESET}" if colour else finding.code
    mark = "" if finding.severity is Severity.ERROR else f" [{finding.severity}]"
    yield f"{plain(f'{view.place}{finding.location}')} {code}{mark} {plain(finding.message)}"
    if view.line is not None:
        yield from _excerpt(finding.location, view.line(finding.location.path, finding.location.line), view, colour)
    for related in finding.related[:4]:
        yield plain(f"    {view.place}{related.location} {related.message}")
    if len(finding.related) > 4:
        yield f"    and {len(finding.related) - 4} more places"
    if finding.fix:
        yield plain(f"    fix{'' if finding.fix.safe else ' (look before you apply it)'}: {finding.fix.title}")


def _excerpt(where: Location, line: str, view: FindingStyle, colour: str) -> Iterator[str]:
    """The line that a finding is about, with carets under the place; nothing for an empty line."""
    if not line.strip():
        return
    begin = where.column - 1
    end = where.end_column - 1 if where.end_line == where.line else len(line.rstrip())
    gutter = f"{where.line:>5} | "
    first, last = _window(line, begin, max(end, begin + 1), view.width - len(gutter))
    ellipsis = ("…" if first else "", "…" if last < len(line) else "")
    shown = ellipsis[0] + _one_cell(line[first:last]) + ellipsis[1]
    room = view.width - len(gutter)
    before = min(_cells(ellipsis[0] + _one_cell(line[first:begin])), room - 1)
    carets = max(min(_cells(_one_cell(line[begin : min(end, last)])), room - before), 1)
    dim, reset = (_DIM, _RESET) if view.colour else ("", "")
    yield f"{dim}{gutter}{reset}{shown}"
    yield f"{dim}{' ' * (len(gutter) - 2)}| {reset}{' ' * before}{colour}{'^' * carets}{reset}"


def _window(line: str, begin: int, end: int, width: int) -> tuple[int, int]:
    """Which characters of a line are shown: all of them, or those around the place, with a little before it."""
    cells = _cells(_one_cell(line))
    if cells <= width:
        return 0, len(line)
    room = max(width - 2, 8) // (2 if cells > len(line) else 1)  # among wide characters each may take two cells
    first = max(0, min(begin - room // 4, len(line) - room)) if end > room else 0
    return first, min(first + room, len(line))


def _one_cell(text: str) -> str:
    """A text in which every character has a column of its own: a tab is a blank, a control character a mark."""
    return CONTROL.sub("\ufffd", text.replace("\t", " "))


def _cells(text: str) -> int:
    """The columns of a terminal that a text takes."""
    from wcwidth import wcswidth  # 40 ms, for the excerpt below a finding on a terminal

    return max(wcswidth(text), 0)


def as_json(kb: KnowledgeBase, verdicts: CheckRun, shown: Iterable[Finding], strict: bool, seconds: float) -> str:
    """The run as JSON with the keys that others build on."""
    records = {kind.name: len(kb.catalog.of(kind.name)) for kind in kb.catalog.kinds}
    return to_json(
        {
            "ok": not verdicts.failing(strict),
            "findings": [_finding_object(finding) for finding in shown],
            "summary": {
                "records": records,
                "checked": verdicts.checked,
                "skipped": verdicts.skipped,
                "not_checkable": verdicts.not_checkable,
                "errors": verdicts.count(Severity.ERROR),
                "warnings": verdicts.count(Severity.WARNING),
                "infos": verdicts.count(Severity.INFO),
                "overdue": verdicts.count(Severity.OVERDUE),
                "waived": len(verdicts.waived),
                "known": verdicts.known,
                "by_check": {
                    code: {"checked": tally.checked, "skipped": tally.skipped, "not_checkable": tally.not_checkable}
                    for code, tally in verdicts.by_check.items()
                },
                "seconds": round(seconds, 3),
            },
        }
    )


def _finding_object(finding: Finding) -> dict[str, Any]:
    fix = finding.fix and {
        "title": finding.fix.title,
        "safe": finding.fix.safe,
        "edits": [{**_place(edit), "text": edit.text} for edit in finding.fix.edits],
    }
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": str(finding.severity),
        "record": finding.record,
        **_place(finding),
        "message": finding.message,
        "related": [
            {
                "path": related.location.path,
                "line": related.location.line,
                "column": related.location.column,
                "message": related.message,
            }
            for related in finding.related
        ],
        "fix": fix,
        "data": dict(finding.data),
    }


def _place(where: Any) -> dict[str, Any]:
    location = where.location
    return {
        "path": location.path,
        "line": location.line,
        "column": location.column,
        "end_line": location.end_line,
        "end_column": location.end_column,
    }
