"""``servebook diff`` as JSON, whole."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from generator.cli.output.changes.shown import ChangedFindings, ShownChanges
from generator.cli.output.to_json import to_json
from generator.findings import Finding
from generator.knowledge.changes.cells import CellGroup
from generator.knowledge.changes.citations import CitationChange
from generator.knowledge.changes.figures import FactChange, Published
from generator.knowledge.changes.written import RecordChange
from generator.notation.units import number


def as_json(shown: ShownChanges) -> str:
    """Everything that changes; `findings` is null where the checks were not run."""
    return to_json(changes_object(shown))


def changes_object(shown: ShownChanges) -> dict[str, Any]:
    """The same as data."""
    found = shown.found
    counts = {
        "cells": found.cell_count,
        "facts": len(found.facts),
        "citations": len(found.citations),
        "orphans": len(found.orphans),
        "records": len(found.records),
    }
    return {
        "base": shown.base,
        "head": shown.head,
        "notes": list(shown.notes),
        "counts": counts,
        "facts": [_fact(each) for _, changes in found.models for each in changes],
        "cells": [_group(group) for group in found.cells],
        "citations": [_citation(each) for each in found.citations],
        "orphans": list(found.orphans),
        "broken": list(found.lost()),
        "records": [_record(each) for each in found.records],
        "tables": list(found.tables),
        "findings": _findings(shown.findings),
    }


def _fact(change: FactChange) -> dict[str, Any]:
    values = {"before": _value(change.before), "after": _value(change.after)}
    return {"record": change.record, "fact": change.fact, **values, "because": list(change.because)}


def _citation(change: CitationChange) -> dict[str, Any]:
    return {
        "change": str(change.fate),
        "record": change.citing,
        "field": change.place,
        "before": change.before,
        "after": change.after,
        "evidence": change.evidence,
    }


def _record(change: RecordChange) -> dict[str, Any]:
    fields = [{"field": one.place, "before": one.before, "after": one.after} for one in change.fields]
    return {"id": change.id, "kind": change.kind, "path": change.path, "change": str(change.fate), "fields": fields}


def _findings(found: ChangedFindings | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {name: [_finding(each) for each in rows] for name, rows in (("new", found.new), ("gone", found.gone))}


def _group(group: CellGroup) -> dict[str, Any]:
    steps = {"was": group.was, "now": group.now}
    return {
        "engine": group.engine or None,
        "before": str(group.before) if group.before else None,
        "after": str(group.after) if group.after else None,
        "because": list(group.because),
        "served_by": {"before": list(group.served), "after": list(group.serve)},
        "cells": [{"model": model, "engine": engine, "gpu": gpu} for model, engine, gpu in group.cells],
        **{name: {"rule": each.rule, "text": each.text} if each else None for name, each in steps.items()},
    }


def _finding(finding: Finding) -> dict[str, Any]:
    place = finding.location
    return {
        "code": finding.code,
        "severity": str(finding.severity),
        "record": finding.record,
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "message": finding.message,
    }


def _value(value: Published | None) -> int | float | str | None:
    return number(value) if isinstance(value, Fraction) else value
