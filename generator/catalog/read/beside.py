"""The file of a record's corrections, ``deepseek-v2.corrections.yaml`` beside ``deepseek-v2.yaml``: read behind it."""

from __future__ import annotations

from generator.catalog.records import Record
from generator.catalog.yaml.document import Document, SecondFile
from generator.findings import Fault

FIELD = "corrections"
SUFFIX = f".{FIELD}.yaml"


def joined(text: str, path: str, beside: str) -> tuple[str, SecondFile]:
    """A record's text with that of the file beside it, whose path is `path`, and where the second begins."""
    first = text if text.endswith("\n") else text + "\n"
    return first + beside, SecondFile(path, Document(first, None).position(len(first))[0])


def strange_field(record: Record) -> Fault | None:
    """A field in the file of corrections that belongs into the record's own."""
    beside = record.document.beside
    for key, span in getattr(record.document.data, "key_spans", {}).items():
        if beside and span[0] >= beside.line and key != FIELD:
            message = f"this file holds `{FIELD}` alone; move `{key}` to {record.path}"
            return Fault("SCH102", record.location(span), message, record.id)
    return None
