"""The first line of a record, which tells editors which schema applies."""

from __future__ import annotations

import re

from generator.catalog.kinds import Kind
from generator.catalog.records import Record
from generator.findings import Edit, Fault, Fix, Location


def misplaced(record: Record, kind: Kind) -> str | None:
    """The kind that the first line names, where it is not that of the folder."""
    named = re.search(r"\$schema=[^\s$]{0,200}?(?<![a-z])([a-z]{1,40})\.schema\.json", record.document.line(0))
    return named[1] if named and named[1] != kind.name else None


def modeline_fault(record: Record, kind: Kind) -> Fault | None:
    """What is wrong with the first line: it must name the folder's own schema."""
    up = "../" * (record.path.count("/"))
    wanted = f"# yaml-language-server: $schema={up}schema/{kind.name}.schema.json"
    first = record.document.line(0)
    if first.strip() == wanted:
        return None
    whole, insert = Location(record.path, 1, 1, 1, len(first) + 1), Location(record.path, 1, 1, 1, 1)
    other = misplaced(record, kind)
    if other:
        message = f"the first line names the schema of a {other}, but {kind.folder}/ is for {kind.plural.lower()}"
        return Fault("SCH102", whole, f"{message}; move the file or correct the line", record.id)
    line_break = "\r\n" if "\r\n" in record.document.text else "\n"
    fix = Fix("add the line", (Edit(insert, wanted + line_break),))
    if "yaml-language-server" in first:
        fix = Fix("correct the line", (Edit(whole, wanted),))
    message = f"the first line must tell editors which schema applies: {wanted}"
    return Fault("SCH101", insert, message, record.id, fix=fix)
