"""CIT107: a claim, layout or restriction without a source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generator.catalog.schemas import Field, Path
from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("CIT107", Severity.ERROR)
def uncited_claim(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A claim, restriction, backend or cache format that names no source.

    Why it matters
    What nobody can look up, nobody can correct.

    Bad
    ```yaml records/gpus/tiny-gpu.yaml
    memory: {value: 80, unit: GB}
    ```

    Good
    ```yaml records/gpus/tiny-gpu.yaml
    memory: {value: 80, unit: GB, cite: "[[tiny-datasheet]]"}
    ```

    How to fix
    Add `cite: "[[source-id]]"`; if you have no source, remove the claim.
    """
    for record in kb.catalog.records.values():
        if record.id in kb.catalog.unsound:
            tally.skipped += 1
            continue
        for path, value, what in _claims((), record.document.data, kb.catalog.schemas.field(record.kind)):
            tally.checked += 1
            if not value.get("cite") and not value.get("cites"):
                yield this.finding(record.at(*path), f'this {what} names no source: add `cite: "[[id]]"`', record.id)


def _claims(path: Path, value: Any, field: Field | None) -> Iterator[tuple[Path, dict[str, Any], str]]:
    """The objects of a record that the schema marks as saying nothing without a source."""
    if field is None or value is None:
        return
    if isinstance(value, dict):
        if "x-needs-cite" in field.schema:
            yield path, value, field.schema["x-needs-cite"]
        for key, item in value.items():
            yield from _claims((*path, key), item, field.child(key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _claims((*path, index), item, field.child(index))
