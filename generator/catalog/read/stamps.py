"""The stamps of reviews: one file that ``servebook review`` writes, record -> source -> stamp."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from generator.catalog.yaml.document import Document, Mapping
from generator.findings import Fault, Location

STAMPS = "records/reviews.lock.yaml"
_FACTS, _DIGITS, _DAY = (re.compile(form) for form in (r"v[1-9]\d*:[0-9a-f]{12}", r"[0-9a-f]{4}", r"\d{4}-\d\d-\d\d"))

Stamps = dict[str, dict[str, Any]]


def stamps_of(document: Document, known: Callable[[str], str | None]) -> tuple[Stamps, list[Fault]]:
    """The stamps under the ids that records have now (`known`: None where no record has one), and what is wrong."""
    stamps: Stamps = {}
    faults = list(document.faults)
    rows = document.data
    if not isinstance(rows, Mapping) or not all(isinstance(row, Mapping) for row in rows.values()):
        return {}, [Fault("SCH101", Location(STAMPS), "the file must hold stamps, `record: {source: stamp}`")]
    for id, source in ((id, source) for id, row in rows.items() for source in row):
        lost = next((each for each in (id, source) if known(each) is None), None)
        if lost or not _is_stamp(rows[id][source]):
            message = f"no record has the id `{lost}`" if lost else "this is not a stamp"
            place = Location.of(STAMPS, rows[id].key_spans[source])
            faults.append(Fault("SCH101", place, f"{message}; remove the line, and compare the two again"))
        else:
            stamps.setdefault(str(known(id)), {})[str(known(source))] = rows[id][source]
    return stamps, faults


def _is_stamp(stamp: Any) -> bool:
    """Whether it has a day, a hash with the version of its recipe, and short hashes by name."""
    if not isinstance(stamp, Mapping):
        return False
    keys = stamp.get("keys")
    return bool(
        _DAY.fullmatch(str(stamp.get("on")))
        and _FACTS.fullmatch(str(stamp.get("facts")))
        and isinstance(keys, Mapping)
        and all(_DIGITS.fullmatch(str(digits)) for digits in keys.values())
    )
