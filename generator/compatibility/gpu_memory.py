"""A GPU's memory in bytes, and how they are known."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from generator.catalog.records import Record
from generator.notation.units import BYTES, grouped

DEVICE_UNITS = ("MiB", "GiB", "B")
DECIMAL_UNITS = ("MB", "GB", "TB")


def memory_of(gpu: Record) -> tuple[int | None, str]:
    """A GPU's memory in bytes, and how they are known.

    Vendors write GB where devices count MiB: a figure that a device reports beats one in a name, wherever the record
    has it, and decimal units are taken as such only where nothing else is on record, which the basis says.
    """
    row = gpu.get("memory")
    if not isinstance(row, Mapping):
        return None, (gpu.get("why_null") or {}).get("memory") or "no source on record states it"
    if isinstance(row.get("bytes"), int):
        return row["bytes"], str(row.get("basis") or "as its source states it")
    rows = [each for each in (row, *(gpu.get("memory_claims") or ())) if isinstance(each, Mapping)]
    reported = next((each for each in rows if each.get("unit") in DEVICE_UNITS), row)
    unit, value = reported.get("unit"), reported.get("value")
    if unit not in BYTES or isinstance(value, bool) or not isinstance(value, int | float):
        return None, "the record's figure has no unit that is known"
    size = int(Fraction(str(value)) * BYTES[unit])
    as_what = ", which may mean GiB" if unit in DECIMAL_UNITS else ""
    return size, f"{value} {unit} as its source says, taken as {grouped(size)} bytes{as_what}"
