"""The phrases in which prose speaks of a list with one entry per layer."""

from __future__ import annotations

import re

NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_NTH = ["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
ORDINALS = dict(zip(_NTH, range(2, 11), strict=True))

_LAYERS = r"(?:layers?|index|indices|indexes|entry|entries|positions?)"
_TO = r"\s*(?:-|–|—|to|through|up\sto|\.\.)\s*(?:(?:layer|index)\s+)?"
_SET = rf"""
    \b(?:
        (?P<last>last|first|trailing)\s+(?:(?P<many>\d+|{"|".join(NUMBERS)})\s+)?{_LAYERS}(?:\s*\((?P<named>\d+)\))?
      | {_LAYERS}\s+(?P<from>\d+)(?:{_TO}(?P<to>\d+)|(?P<more>(?:,\s*\d+)*(?:,?\s*and\s+\d+)?))
    )
"""
_RATIO = r"(?:(?:a\s+|the\s+|of\s+)?`?[a-z_]*ratios?`?\s*(?:of|=|is)?\s*)"
_VERBS = r"(?:has|have|is|are|with|at|all|both|again|each|goes|returns?|back|to|uses?|takes?)"
_FILL = rf"(?:\s*(?::|=|→)\s*|\s+(?:{_VERBS}\s+)*)"
_NO_MORE = r"(?![\w.]*\d|,\d)"
_NO_NOUN = r"(?!\s*(?:[x×*/+%]|entries|layers|tokens|bytes|scalars|heads|index|and\b|or\b|,\s*\d|[KMG]i?B|B\b))"
_TWO = r"(?P<a>\d+)\s*(?:and|,|/)\s*(?P<b>\d+)"


def _phrase(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.X)


IS = (
    _phrase(rf"{_SET}{_FILL}{_RATIO}(?P<value>\d+){_NO_MORE}(?!\s*(?:and|or|/)\s*\d)"),
    _phrase(rf"{_SET}{_FILL}(?P<value>\d+){_NO_MORE}{_NO_NOUN}"),
    _phrase(rf"\bratio\s+(?P<value>\d+)\s+(?:again\s+)?(?:in|for|on|at)\s+(?:all\s+|the\s+)*{_SET}"),
)
"""layer 2 has ratio 0; indices 1-2 are 0; ratio 0 again in layer 42"""

AT = _phrase(r"\b(?:the|a)\s+(?P<value>\d+)\s+(?:at|in)\s+(?:index|layer)\s+(?P<from>\d+)")
"""the 0 at index 43"""

ALTERNATE = _phrase(
    rf"""\b{_LAYERS}\s+(?P<from>\d+)(?:{_TO}(?P<to>\d+)|\s+(?:on|onward|onwards))?[^.;\d]{{0,40}}?
    (?: alternat\w+\s+(?:strictly\s+)?(?P<loose>between\s+)?\(?{_TWO}
      | (?:ratios\s+)?(?P<c>\d+)\s+and\s+(?P<d>\d+)\s+alternate
      | \(\s*(?P<e>\d+)\s*,\s*(?P<f>\d+)\s*,\s*(?P=e)\b
    )"""
)
"""layers 3-41 alternate 4 and 128; from index 3 onward (4,128,4,...)"""

PARITY = _phrase(r"\b(?P<value>\d+)\s+on\s+(?:the\s+)?(?P<which>even|odd)\b")
"""4 on the even layers and 128 on the odd ones"""

EVERY = _phrase(
    rf"\b(?P<value>\d+)\s+(?:in\s+|on\s+)?every\s+(?P<nth>\d+(?:st|nd|rd|th)|{'|'.join(ORDINALS)})\s+(?:layer|entry|index)"
)
"""128 every 5th layer"""

LENGTH = _phrase(
    r"""\b(?: length\s+(?:of\s+|is\s+|=\s*)?(?P<length>\d+)
      | (?:has|holds|with|have|of)\s+(?P<entries>\d+)\s+(?:entries|values|elements|items)
    )\b"""
)
"""length 43; has 44 entries"""

_ITEM = r"-?\d+(?:\s*[x×]\s*\d+)?"
LITERAL = _phrase(rf"\[\s*(?P<items>{_ITEM}(?:\s*,\s*(?:{_ITEM}|…|\.\.\.))+)\s*\]")
"""[0, 0, 18x2, 20x1, 0]"""
