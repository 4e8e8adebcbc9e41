"""Headings in prose: the name by which each can be cited or included, and the text below it."""

from __future__ import annotations

import re

from generator.notation.code import CodeGaps, hidden

_HEADING = re.compile(r"^(#{1,6})[ \t]++([^\n]+)$", re.M)


def name_of(title: str) -> str:
    """The name of a heading: its words in lower case, joined.

    >>> name_of("Page size, on SM120")
    'page-size-on-sm120'
    """
    return "-".join(re.findall(r"[a-z0-9]+", title.lower()))


def below(text: str) -> dict[str, tuple[int, int]]:
    """The span of the text below each heading, up to the next one of its rank or above; the first of equals counts.

    >>> text = "Intro.\\n\\n# One\\n\\nText.\\n\\n## Inner\\n\\nMore.\\n\\n# Two\\n\\nEnd."
    >>> {name: text[start:end] for name, (start, end) in below(text).items()}["inner"]
    'More.'
    >>> list(below(text)), below("```\\n# a comment\\n```")
    (['one', 'inner', 'two'], {})
    """
    if "#" not in text:
        return {}
    apart = CodeGaps(hidden(text))
    found = [each for each in _HEADING.finditer(text) if not apart.hold(each.start())]
    spans: dict[str, tuple[int, int]] = {}
    for each, end in zip(found, _ends(found, len(text)), strict=True):
        body = text[each.end() : end]
        start = each.end() + len(body) - len(body.lstrip())
        spans.setdefault(name_of(each[2]), (start, start + len(body.strip())))
    spans.pop("", None)
    return spans


def _ends(found: list[re.Match[str]], last: int) -> list[int]:
    """Where the text below each heading ends: at the next one of its rank or above."""
    ends, open_ = [last] * len(found), list[int]()
    for number, each in enumerate(found):
        while open_ and len(found[open_[-1]][1]) >= len(each[1]):
            ends[open_.pop()] = each.start()
        open_.append(number)
    return ends
