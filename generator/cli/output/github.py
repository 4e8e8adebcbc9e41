"""Findings as GitHub workflow commands: the worst first, within what GitHub shows, and a word about the rest."""

from __future__ import annotations

from collections.abc import Iterable

from generator.findings import Finding, Severity
from generator.notation.plain import plain

SHOWN = 10
"""GitHub shows so many annotations of each kind in a step; more are dropped in silence."""

_COMMANDS = {"error": [Severity.ERROR], "warning": [Severity.WARNING], "notice": [Severity.OVERDUE, Severity.INFO]}


def as_annotations(findings: Iterable[Finding], place: str = "") -> str:
    """``::error file=...::message`` lines; `place` comes before each path, since GitHub knows the repository's."""
    lines: list[str] = []
    listed = list(findings)
    for command, severities in _COMMANDS.items():
        group = [finding for severity in severities for finding in listed if finding.severity is severity]
        room = SHOWN if len(group) <= SHOWN else SHOWN - 1
        lines += [_line(command, finding, place) for finding in group[:room]]
        if len(group) > room:
            lines.append(f"::{command}::+{len(group) - room} more findings of this kind: see the log of this step")
    return "\n".join(lines)


def _line(command: str, finding: Finding, place: str) -> str:
    where = finding.location
    columns = {"col": where.column, "endColumn": where.end_column} if where.line == where.end_line else {}
    properties = {
        "file": place + where.path,
        "line": where.line,
        "endLine": where.end_line,
        **columns,  # GitHub refuses columns of several lines
        "title": f"{finding.code} {finding.name}",
    }
    stated = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{command} {stated}::{_message(finding.message)}"


def _message(text: str) -> str:
    """A line of text that ends no command and begins none."""
    text = "\n".join("\r".join(map(plain, line.split("\r"))) for line in text.split("\n"))
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
