"""Findings as SARIF 2.1.0, for code scanning and other readers of that format."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from generator import __version__
from generator.checks.contract import Check
from generator.cli.output.to_json import dumped
from generator.findings import Edit, Finding, Location, Related, Severity

VERSION = "2.1.0"
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note", Severity.OVERDUE: "note"}


def as_sarif(findings: Iterable[Finding], checks: Iterable[Check], place: str = "") -> str:
    """One run: every check as a rule, every finding as a result. `place` comes before each path."""
    rules = list(checks)
    places = {check.code: index for index, check in enumerate(rules)}
    run = {
        "tool": {
            "driver": {"name": "servebook", "semanticVersion": __version__, "rules": [_rule(check) for check in rules]}
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"ROOT": {"description": {"text": "the root of the repository"}}},
        "results": [_Results(place).of(finding, places[finding.code]) for finding in findings],
    }
    return dumped({"$schema": SCHEMA, "version": VERSION, "runs": [run]})


def _rule(check: Check) -> dict[str, Any]:
    return {
        "id": check.code,
        "name": "".join(word.title() for word in check.name.split("-")),
        "shortDescription": {"text": check.summary},
        "help": {"text": check.doc, "markdown": check.doc},
        "defaultConfiguration": {"level": _LEVELS[check.severity]},
    }


def _address(path: str) -> str:
    """A path as an address: the bytes that it has on disk, percent-encoded."""
    try:
        return quote(path, errors="surrogateescape")
    except UnicodeEncodeError:
        return quote(path, errors="surrogatepass")


@dataclass(frozen=True, slots=True)
class _Results:
    """Findings as results, their paths below `place`."""

    place: str

    def of(self, finding: Finding, rule: int) -> dict[str, Any]:
        result: dict[str, Any] = {
            "ruleId": finding.code,
            "ruleIndex": rule,
            "level": _LEVELS[finding.severity],
            "message": {"text": finding.message},
            "locations": [{"physicalLocation": self._physical(finding.location)}],
            "partialFingerprints": {"servebook/v1": _fingerprint(finding)},
        }
        if finding.related:
            result["relatedLocations"] = [self._related(number, each) for number, each in enumerate(finding.related)]
        if finding.fix:
            changes = self._changes(finding.fix.edits)
            result["fixes"] = [{"description": {"text": finding.fix.title}, "artifactChanges": changes}]
        return result

    def _physical(self, location: Location) -> dict[str, Any]:
        return {"artifactLocation": self._artifact(location.path), "region": _region(location)}

    def _artifact(self, path: str) -> dict[str, str]:
        return {"uri": _address(self.place + path), "uriBaseId": "ROOT"}

    def _related(self, number: int, related: Related) -> dict[str, Any]:
        where = self._physical(related.location)
        return {"id": number, "message": {"text": related.message}, "physicalLocation": where}

    def _changes(self, edits: Iterable[Edit]) -> list[dict[str, Any]]:
        by_path: dict[str, list[Edit]] = {}
        for edit in edits:
            by_path.setdefault(edit.location.path, []).append(edit)
        return [
            {
                "artifactLocation": self._artifact(path),
                "replacements": [
                    {"deletedRegion": _region(edit.location), "insertedContent": {"text": edit.text}} for edit in group
                ],
            }
            for path, group in by_path.items()
        ]


def _region(location: Location) -> dict[str, int]:
    return {
        "startLine": location.line,
        "startColumn": location.column,
        "endLine": location.end_line,
        "endColumn": location.end_column,
    }


def _fingerprint(finding: Finding) -> str:
    """What stays the same when lines move: the check, the file and the words."""
    return hashlib.sha256("\x00".join(finding.identity).encode("utf-8", "backslashreplace")).hexdigest()[:32]
