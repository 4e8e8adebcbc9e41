"""The text of review stamps, as edits of the record that gets them: all its other characters stay."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import date

from generator.catalog.records import Record
from generator.catalog.schemas import Path as Place
from generator.findings import Edit
from generator.knowledge.evidence.reviews import Review, Stamp

WIDTH = 118
_PLAIN_KEY = re.compile(r"[A-Za-z_][\w.-]*")
_READ_AS_OTHER = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


def written(record: Record, due: Sequence[Review], today: date) -> list[Edit]:
    """The edits that stamp a record; of two at one place the later listed ends up in front."""
    renewed = [edit for review in due if review.index is not None for edit in _renewed(record, review, today)]
    new = [_block(review, today) for review in due if review.index is None]
    return [*(_added(record, new) if new else ()), *renewed]


def _block(review: Review, today: date) -> list[str]:
    """A new stamp, line by line."""
    assert review.stamp is not None
    lines = [f'  - cite: "[[{review.source}]]"', f"    on: {today}", f"    facts: {review.stamp.facts}"]
    return [*lines, *_keys(review.stamp).split("\n")]


def _keys(stamp: Stamp) -> str:
    """The short hashes in flow style, within the width of a record."""
    items = [f'{_key(name)}: "{digits}"' for name, digits in stamp.keys.items()]
    lines = ["    keys: {" + items[0]]
    for item in items[1:]:
        if len(lines[-1]) + len(item) + len(", ,") > WIDTH:
            lines[-1] += ","
            lines.append("      " + item)
        else:
            lines[-1] += f", {item}"
    return "\n".join(lines) + "}"


def _key(name: str) -> str:
    if _PLAIN_KEY.fullmatch(name) and name.lower() not in _READ_AS_OTHER:
        return name
    quoted = json.dumps(name, ensure_ascii=False)
    return "".join(each if each.isprintable() else f"\\U{ord(each):08x}" for each in quoted)


def _added(record: Record, stamps: Sequence[Sequence[str]]) -> list[Edit]:
    """New stamps behind the last one, or as a block of their own at the end of the file."""
    document, held = record.document, record.get("reviewed")
    newline = "\r\n" if "\r\n" in document.text else "\n"
    lines = [line for stamp in stamps for line in stamp]
    if held is None:
        end = document.position(len(document.text))
        lead = "" if document.text.endswith(("\n", "\r")) else newline
        return [Edit(record.location((*end, *end)), lead + "".join(line + newline for line in ("reviewed:", *lines)))]
    indent, cleared, span = "  ", [], record.span(("reviewed",))
    if held:
        begin = record.span(("reviewed", len(held) - 1))
        indent, last = " " * max(document.line(begin[0]).find("-"), 0), _last_line(record, ("reviewed", len(held) - 1))
    else:  # an empty list makes room, and what stands behind it on its line stays there
        after_colon = record.span(("reviewed",), at_key=True)[3] + 1
        cleared, last = [Edit(record.location((span[0], after_colon, *span[2:])), "")], span[2]
    where = (last, len(document.line(last)), last, len(document.line(last)))
    return [*cleared, Edit(record.location(where), "".join(f"{newline}{indent}{line[2:]}" for line in lines))]


def _last_line(record: Record, path: Place) -> int:
    """The last line of a value; the span of a block reaches to whatever comes next."""
    value, span = record.get(*path), record.span(path)
    if record.document.source(span)[:1] in ("{", "[") or not isinstance(value, dict | list):
        return span[2]
    return max(_last_line(record, (*path, part)) for part in (value if isinstance(value, dict) else range(len(value))))


def _renewed(record: Record, review: Review, today: date) -> list[Edit]:
    """The day and the hashes of a stamp that is there, each in the place of the old."""
    assert review.stamp is not None
    index = review.index or 0
    newline = "\r\n" if "\r\n" in record.document.text else "\n"
    keys = _keys(review.stamp).removeprefix("    keys: ").replace("\n", newline)
    edits = [
        Edit(record.at("reviewed", index, "on"), str(today)),
        Edit(record.at("reviewed", index, "facts"), review.stamp.facts),
    ]
    if record.get("reviewed", index, "keys") is not None:
        return [*edits, Edit(record.at("reviewed", index, "keys"), keys)]
    if record.document.source(record.span(("reviewed", index)))[:1] == "{":
        return [*edits[:1], Edit(edits[1].location, f"{review.stamp.facts}, keys: {keys}")]
    key = record.span(("reviewed", index, "facts"), at_key=True)
    end = (key[0], len(record.document.line(key[0])))
    return [*edits, Edit(record.location((*end, *end)), f"{newline}{' ' * key[1]}keys: {keys}")]
