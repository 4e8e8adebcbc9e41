"""Where sentences and clauses end: two numbers belong together only inside one."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

LONGEST = 2000
"""Characters of the longest sentence. What goes on without an end is read in parts: readers look at each of its words,
and at all that stands around it."""

_END = re.compile(
    r"""[.!?]["”’)`*]*(?=\s+[A-Z\[`"“(*~\d])
      | \n(?=[ \t]*(?:\n|(?:[-*+]|\d+\.)[ \t]|\||```|~~~))
    """,
    re.X,
)
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|vs|ca|cf|approx|resp|incl|No|Fig|Sec))\.$")


@lru_cache(maxsize=2048)
def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """The spans of a text's sentences, list items and table rows."""
    spans: list[tuple[int, int]] = []
    at = 0
    for match in _END.finditer(text):
        if _ABBREVIATION.search(text[max(0, match.start() - 8) : match.start() + 1]):
            continue
        spans += _parts(text, at, match.end())
        at = match.end()
    spans += _parts(text, at, len(text))
    return tuple(span for span in spans if text[span[0] : span[1]].strip())


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence; one without an end in parts that are cut at blanks, where there are any."""
    while end - start > LONGEST:
        cut = text.rfind(" ", start + LONGEST // 2, start + LONGEST) + 1 or start + LONGEST
        yield start, cut
        start = cut
    yield start, end


def sentence_at(text: str, offset: int) -> tuple[int, int]:
    """The span of the sentence in which a character stands."""
    spans = sentences(text)
    number = bisect_right(spans, offset, key=lambda span: span[0]) - 1
    return spans[number] if number >= 0 and offset < spans[number][1] else (0, min(len(text), LONGEST))
