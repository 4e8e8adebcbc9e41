"""Facts from the tables of a Markdown page: the cells of a column of the table below a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from generator.authoring.extract.unparsable import Missing, decoded

_RULE = re.compile(r"\|?[ \t]*:?-{2,}:?[ \t]*\|")
_CELL = re.compile(r"(?<!\\)\|")
_CODE = re.compile(r"`([^`]+)`")


def facts(data: bytes, args: Mapping[str, Any]) -> dict[str, Any]:
    """``facts``: for each name the ``tables``, by ``heading`` and ``column``; of a cell the first code span counts."""
    lines = decoded(data).splitlines()
    return {name: _fact(lines, row) for name, row in args["facts"].items()}


def _fact(lines: list[str], row: Mapping[str, Any]) -> Any:
    found: list[str] = []
    for table in row["tables"]:
        cells = list(_column(lines, table["heading"], table["column"]))
        if not cells:
            return Missing(f"there is no table with a column `{table['column']}` below `{table['heading']}`")
        found += cells
    return sorted(dict.fromkeys(found)) if row.get("sorted") else found


def _column(lines: list[str], heading: str, column: str) -> Iterator[str]:
    """The cells of a column in the first table below a heading that has it."""
    below, number = False, None
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if line.lstrip().startswith("#"):
            if below and number is not None:
                return
            below = line.strip("# \t").strip() == heading
        elif below and number is None and "|" in line and _RULE.match(after.strip()):
            names = _cells(line)
            number = names.index(column) if column in names else None
        elif below and number is not None and "|" in line and not _RULE.match(line.strip()):
            cells = _cells(line)
            if number < len(cells) and (code := _CODE.search(cells[number])):
                yield code[1]
        elif below and number is not None and not line.strip():
            return


def _cells(line: str) -> list[str]:
    return [each.strip() for each in _CELL.split(line.strip().strip("|"))]
