"""The file of a record's corrections, ``deepseek-v2.corrections.yaml`` next to ``deepseek-v2.yaml``: read after it."""

from __future__ import annotations

from generator.catalog.records import Record
from generator.catalog.yaml.document import Document, SecondFile
from generator.findings import Fault

FIELD = "corrections"
SUFFIX = f".{FIELD}.yaml"


def joined(text: str, path: str, second: str) -> tuple[str, SecondFile]:
    """A record's text followed by that of its file of corrections at `path`, and where the second begins."""
    first = text if text.endswith("\n") else text + "\n"
    return first + second, SecondFile(path, Document(first, None).position(len(first))[0])


def strange_field(record: Record) -> Fault | None:
    """A field in the file of corrections that belongs into the record's own."""
    second = record.document.second
    for key, span in getattr(record.document.data, "key_spans", {}).items():
        if second and span[0] >= second.line and key != FIELD:
            message = f"this file may only hold `{FIELD}`; move `{key}` to {record.path}"
            return Fault("SCH102", record.location(span), message, record.id)
    return None
