"""Tables in prose: which words stand above and before each of their cells."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from generator.prose.balance.numbers import words_of
from generator.prose.reading.quantities import Unit
from generator.prose.reading.tokens import tokens

_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_UNIT = re.compile(r"[\[(]?\b(?P<unit>(?:[KMGT]i?B|bytes|bits|B)(?:/\w+)*|%)[\])]?[ \t]*$")


@dataclass(frozen=True, slots=True)
class TableCell:
    """Characters `start` to `end` of a text, the words of the row's first cell and of the column's header, its unit."""

    start: int
    end: int
    row: tuple[str, ...]
    header: tuple[str, ...]
    unit: Unit | None


class Cells:
    """The cells of all tables of a text, headers left out, to ask for the one in which a character stands."""

    def __init__(self, text: str) -> None:
        self.cells: list[TableCell] = []
        headers: list[str] = []
        before, at = "", 0
        for line in text.split("\n") if "|" in text and "-|" in text.replace(" ", "").replace(":", "") else ():
            if _RULE.match(line) and "|" in before:
                headers = _split(before)
            elif "|" not in line:
                headers = []
            elif headers:
                self._row(line, at, headers)
            before, at = line, at + len(line) + 1
        self.starts = [cell.start for cell in self.cells]

    def _row(self, line: str, at: int, headers: list[str]) -> None:
        place = at + len(line) - len(line.lstrip(" \t|"))
        first = ""
        for number, cell in enumerate(_split(line)):
            header = headers[number] if number < len(headers) else ""
            found = _UNIT.search(header)
            (unit, *_) = [token.unit for token in tokens(f"1 {found['unit']}")] if found else [None]
            row = tuple(words_of(first)) if number else ()
            self.cells.append(TableCell(place, place + len(cell), row, tuple(words_of(header)), unit))
            first = first or cell
            place += len(cell) + 1

    def at(self, place: int) -> TableCell | None:
        """The cell in which a character stands."""
        number = bisect_right(self.starts, place) - 1
        return self.cells[number] if number >= 0 and place < self.cells[number].end else None


def _split(line: str) -> list[str]:
    """The cells of a row, with the blanks around them."""
    return line.strip(" \t").removeprefix("|").removesuffix("|").split("|")
