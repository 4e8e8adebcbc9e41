"""Where sentences and clauses end: two numbers belong together only inside one."""

from __future__ import annotations

import re
from functools import lru_cache

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
    spans, at = [], 0
    for match in _END.finditer(text):
        if _ABBREVIATION.search(text[max(0, match.start() - 8) : match.start() + 1]):
            continue
        spans.append((at, match.end()))
        at = match.end()
    spans.append((at, len(text)))
    return tuple(span for span in spans if text[span[0] : span[1]].strip())


def sentence_at(text: str, offset: int) -> tuple[int, int]:
    """The span of the sentence in which a character stands."""
    return next((span for span in sentences(text) if span[0] <= offset < span[1]), (0, len(text)))
