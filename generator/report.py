"""The outcome of a run as text for people and as JSON for programs. Text out; printing is the rim's business."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from generator.findings import Finding, Severity

if TYPE_CHECKING:  # the JSON of `kv --config` needs neither
    from generator.judgement import Verdicts
    from generator.knowledge import KnowledgeBase

SCHEMA_VERSION = 1

_COLOURS = {Severity.ERROR: "\x1b[31m", Severity.WARNING: "\x1b[33m", Severity.INFO: "\x1b[36m"}
_RESET = "\x1b[0m"


def within(path: str, wanted: Sequence[str]) -> bool:
    """Whether a root-relative path lies in one of the wanted ones; no wish is every path's."""
    return not wanted or any(each in (".", path) or path.startswith(f"{each}/") for each in wanted)


@dataclass(frozen=True, slots=True)
class View:
    """How findings are shown in a terminal: colour, what stands before their paths, and whether infos are listed."""

    colour: bool = False
    place: str = ""
    infos: bool = True


def as_text(
    kb: KnowledgeBase, verdicts: Verdicts, shown: Iterable[Finding], strict: bool, view: View | None = None
) -> str:
    """Findings as ``path:line:col CODE message``, what was checked, skipped and not checkable, then the verdict."""
    shown, view = list(shown), view or View()
    listed = [finding for finding in shown if view.infos or finding.severity is not Severity.INFO]
    lines = [line for finding in listed for line in _finding_lines(finding, view.colour, view.place)]
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
        f"{verdicts.count(severity)} {severity}{'' if verdicts.count(severity) == 1 else 's'}" for severity in Severity
    ]
    waived = f", {len(verdicts.waived)} waived" if verdicts.waived else ""
    hidden = len(verdicts.findings) - len(shown)
    aside = f" ({hidden} outside the paths given)" if hidden else ""
    lines.append(f"{', '.join(counts)}{waived}{aside}: {'FAILED' if verdicts.failing(strict) else 'ok'}")
    return "\n".join(lines)


def _plural(kb: KnowledgeBase, kind: str, count: int) -> str:
    name = kb.catalog.kinds[kind]
    return name.title.lower() if count == 1 else name.plural.lower()


def _finding_lines(finding: Finding, colour: bool, place: str) -> Iterable[str]:
    code = f"{_COLOURS[finding.severity]}{finding.code}{_RESET}" if colour else finding.code
    mark = "" if finding.severity is Severity.ERROR else f" [{finding.severity}]"
    yield f"{place}{finding.location} {code}{mark} {finding.message}"
    for related in finding.related[:4]:
        yield f"    {place}{related.location} {related.message}"
    if len(finding.related) > 4:
        yield f"    and {len(finding.related) - 4} more places"
    if finding.fix:
        yield f"    fix{'' if finding.fix.safe else ' (look before you apply it)'}: {finding.fix.title}"


def as_json(kb: KnowledgeBase, verdicts: Verdicts, shown: Iterable[Finding], strict: bool, seconds: float) -> str:
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
                "waived": len(verdicts.waived),
                "by_check": {
                    code: {"checked": tally.checked, "skipped": tally.skipped, "not_checkable": tally.not_checkable}
                    for code, tally in verdicts.by_check.items()
                },
                "seconds": round(seconds, 3),
            },
        }
    )


def to_json(payload: dict[str, Any]) -> str:
    """A payload as JSON, led by the version of its keys."""
    return json.dumps({"schema_version": SCHEMA_VERSION, **payload}, indent=2, ensure_ascii=False)


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
