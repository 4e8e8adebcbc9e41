"""Where a Markdown text is code or a comment: one scan that all readers share, in time proportional to the text.

As CommonMark has it: a fence of three marks or more is closed by a line of at least as many, else by the end of the
text; a code span is closed by a run of exactly as many backticks in its paragraph; a comment by ``-->``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

_FENCE = re.compile(r"^[ \t]*(`{3,}+|~{3,}+)([^\n]*)$", re.M)
_RUN = re.compile(r"`++|\n[ \t]*+\n")
_OPEN, _CLOSE = "<!--", "-->"

Gap = tuple[int, int]
"""Characters from, to."""


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block: characters `start` to `end`, its lines of code `inner_start` to `inner_end`."""

    start: int
    end: int
    inner_start: int
    inner_end: int


@lru_cache(maxsize=4096)
def fences(text: str) -> tuple[Fence, ...]:
    """All fenced blocks, in order.

    >>> [text[each.inner_start : each.inner_end] for text in ["a\\n```py\\nb\\n```\\nc"] for each in fences(text)]
    ['b\\n']
    """
    found: list[Fence] = []
    opened: re.Match[str] | None = None
    for line in _FENCE.finditer(text) if "```" in text or "~~~" in text else ():
        mark, rest = line[1], line[2]
        if opened is None:
            opened = None if mark[0] == "`" and "`" in rest else line
        elif mark.startswith(opened[1]) and not rest.strip():
            found.append(Fence(opened.start(), line.end(), min(opened.end() + 1, line.start()), line.start()))
            opened = None
    if opened is not None:
        found.append(Fence(opened.start(), len(text), min(opened.end() + 1, len(text)), len(text)))
    return tuple(found)


@lru_cache(maxsize=4096)
def code(text: str) -> tuple[Gap, ...]:
    """All code, blocks and spans, in order.

    >>> [text[start:end] for text in ["see `a`, ``b ` c`` and ` d"] for start, end in code(text)]
    ['`a`', '``b ` c``']
    """
    blocks = [(each.start, each.end) for each in fences(text)]
    return tuple(sorted([*blocks, *_spans(text, CodeGaps(blocks))])) if "`" in text else tuple(blocks)


def _spans(text: str, blocks: CodeGaps) -> Iterator[Gap]:
    """Each run of backticks with the next one of its length, where no paragraph ends between the two."""
    waiting: dict[int, list[int]] = {}
    runs = [run for run in _RUN.finditer(text) if not blocks.hold(run.start())]
    closing: dict[int, int] = {}
    for number in reversed(range(len(runs))):
        run = runs[number]
        size = run.end() - run.start()
        if run[0][0] != "`":
            waiting.clear()
        else:
            later = waiting.setdefault(size, [])
            if later:
                closing[number] = later[-1]
            later.append(number)
    number = 0
    while number < len(runs):
        last = closing.get(number)
        if last is not None:
            yield runs[number].start(), runs[last].end()
            number = last
        number += 1


def comments(text: str) -> Iterator[Gap]:
    """All HTML comments that are closed, in order.

    >>> list(comments("a <!-- b --> c <!-- d"))
    [(2, 12)]
    """
    start = text.find(_OPEN)
    while start >= 0:
        end = text.find(_CLOSE, start + len(_OPEN))
        if end < 0:
            return
        yield start, end + len(_CLOSE)
        start = text.find(_OPEN, end)


def hidden(text: str) -> tuple[Gap, ...]:
    """All code and all comments, in order; a comment that stays open hides all that follows.

    >>> [text[start:end] for text in ["`<!--` a <!-- `b` --> c <!-- d"] for start, end in hidden(text)]
    ['`<!--`', '<!-- `b` -->', '<!-- d']
    """
    found: list[Gap] = []
    at, opened = 0, text.find(_OPEN)
    for start, end in (*code(text), (len(text), len(text))):
        while at <= opened < start:
            closed = text.find(_CLOSE, opened + len(_OPEN))
            at = closed + len(_CLOSE) if closed >= 0 else len(text)
            found.append((opened, at))
            opened = text.find(_OPEN, at)
        if start >= at and end > start:
            found.append((start, end))
            at = end
            opened = text.find(_OPEN, at) if 0 <= opened < at else opened
    return tuple(found)


class CodeGaps:
    """Places in a text that do not overlap, to ask of a character whether it is in one."""

    def __init__(self, gaps: Iterable[Gap]) -> None:
        self.gaps = sorted(gaps)
        self._starts = [start for start, _ in self.gaps]

    def hold(self, at: int) -> bool:
        """Whether a character is in one of them."""
        number = bisect_right(self._starts, at) - 1
        return number >= 0 and at < self.gaps[number][1]


def blanked(text: str, gaps: Iterable[Gap], instead: str = " ") -> str:
    """A text with `instead` for every character of some gaps, which may overlap; all others keep their places.

    >>> blanked("abcdef", [(1, 3), (2, 4)])
    'a   ef'
    """
    parts, at = [], 0
    for start, end in sorted(gaps):
        start, end = max(start, at), max(end, at)
        parts += [text[at:start], instead * (end - start)]
        at = end
    return "".join([*parts, text[at:]])
