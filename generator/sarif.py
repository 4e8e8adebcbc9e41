"""Findings as SARIF 2.1.0, for code scanning and other readers of that format."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from generator import __version__
from generator.findings import Edit, Finding, Related, Severity
from generator.judgement import Check
from generator.spans import Location

VERSION = "2.1.0"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def as_sarif(findings: Iterable[Finding], checks: Iterable[Check]) -> str:
    """One run: every check as a rule, every finding as a result. Paths are relative to the root of the base."""
    rules = list(checks)
    places = {check.code: index for index, check in enumerate(rules)}
    run = {
        "tool": {
            "driver": {"name": "servebook", "semanticVersion": __version__, "rules": [_rule(check) for check in rules]}
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"ROOT": {"description": {"text": "the root of the knowledge base"}}},
        "results": [_result(finding, places) for finding in findings],
    }
    return json.dumps({"version": VERSION, "runs": [run]}, indent=2, ensure_ascii=False)


def _rule(check: Check) -> dict[str, Any]:
    return {
        "id": check.code,
        "name": "".join(word.title() for word in check.name.split("-")),
        "shortDescription": {"text": check.summary},
        "help": {"text": check.doc, "markdown": check.doc},
        "defaultConfiguration": {"level": _LEVELS[check.severity]},
    }


def _result(finding: Finding, places: dict[str, int]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": places[finding.code],
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": _physical(finding.location)}],
        "partialFingerprints": {"servebook/v1": _fingerprint(finding)},
    }
    if finding.related:
        result["relatedLocations"] = [_related(number, each) for number, each in enumerate(finding.related)]
    if finding.fix:
        result["fixes"] = [{"description": {"text": finding.fix.title}, "artifactChanges": _changes(finding.fix.edits)}]
    return result


def _physical(location: Location) -> dict[str, Any]:
    return {"artifactLocation": _artifact(location.path), "region": _region(location)}


def _artifact(path: str) -> dict[str, str]:
    return {"uri": path, "uriBaseId": "ROOT"}


def _region(location: Location) -> dict[str, int]:
    return {
        "startLine": location.line,
        "startColumn": location.column,
        "endLine": location.end_line,
        "endColumn": location.end_column,
    }


def _related(number: int, related: Related) -> dict[str, Any]:
    return {"id": number, "message": {"text": related.message}, "physicalLocation": _physical(related.location)}


def _changes(edits: Iterable[Edit]) -> list[dict[str, Any]]:
    by_path: dict[str, list[Edit]] = {}
    for edit in edits:
        by_path.setdefault(edit.location.path, []).append(edit)
    return [
        {
            "artifactLocation": _artifact(path),
            "replacements": [
                {"deletedRegion": _region(edit.location), "insertedContent": {"text": edit.text}} for edit in group
            ],
        }
        for path, group in by_path.items()
    ]


def _fingerprint(finding: Finding) -> str:
    """What stays the same when lines move: the check, the file and the words."""
    return hashlib.sha256("\x00".join(finding.identity).encode("utf-8")).hexdigest()[:32]
