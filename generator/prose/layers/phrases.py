"""The phrases in which prose speaks of a list with one entry per layer."""

from __future__ import annotations

import re

NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_NTH = ["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
ORDINALS = dict(zip(_NTH, range(2, 11), strict=True))

_N, _FEW = r"\d{1,6}", r"\d{1,4}"
_LAYERS = r"(?:layers?|index|indices|indexes|entry|entries|positions?)"
_TO = r"\s*+(?:-|–|—|to|through|up\sto|\.\.)\s*+(?:(?:layer|index)\s++)?"
SET = rf"""
    \b(?:
        (?P<last>last|first|trailing)\s+(?:(?P<many>{_FEW}|{"|".join(NUMBERS)})\s+)?{_LAYERS}(?:\s*\((?P<named>{_N})\))?
      | {_LAYERS}\s+(?P<from>{_N})(?:{_TO}(?P<to>{_N})|(?P<more>(?:,\s*{_N})*(?:,?\s*and\s+{_N})?))
    )
"""
_RATIO = r"(?:(?:a\s+|the\s+|of\s+)?`?[a-z_]*ratios?`?\s*+(?:(?:of|=|is)\s*+)?)"
_VERBS = r"(?:has|have|is|are|with|at|all|both|again|each|goes\s+(?:back\s+)?to|returns?\s+to|back\s+to|uses?|takes?)"
_FILL = rf"(?:\s+of\s+`?\w+`?)?(?:\s*(?::|=|→)\s*|\s+(?:{_VERBS}\s+)*)"
_NO_MORE = r"(?![\w.]*\d|,\d)"
_NO_NOUN = r"(?!\s*(?:[x×*/+%]|entries|layers|tokens|bytes|scalars|heads|index|and\b|or\b|,\s*\d|[KMG]i?B|B\b))"
_TWO = r"(?P<a>\d{1,6})\s*(?:and|,|/)\s*(?P<b>\d{1,6})"


def _phrase(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.X | re.I)


IS = (
    _phrase(rf"{SET}{_FILL}{_RATIO}(?P<value>{_N}){_NO_MORE}(?!\s*(?:and|or|/)\s*\d)"),
    _phrase(rf"{SET}{_FILL}(?P<value>{_N}){_NO_MORE}{_NO_NOUN}"),
    _phrase(rf"\bratio\s+(?P<value>{_N})\s+(?:again\s+)?(?:in|for|on|at)\s+(?:all\s+|the\s+)*{SET}"),
)
"""layer 2 has ratio 0; indices 1-2 are 0; ratio 0 again in layer 42"""

AT = _phrase(r"\b(?:the|a)\s+(?P<value>\d{1,6})\s+(?:at|in)\s+(?:index|layer)\s+(?P<from>\d{1,6})")
"""the 0 at index 43"""

ALTERNATE = _phrase(
    rf"""\b{_LAYERS}\s+(?P<from>{_N})(?:{_TO}(?P<to>{_N})|\s+(?:on|onward|onwards))?[^.;\d]{{0,40}}?
    (?: alternat\w+\s+(?:strictly\s+)?(?P<loose>between\s+)?\(?{_TWO}
      | (?:ratios\s+)?(?P<c>{_N})\s+and\s+(?P<d>{_N})\s+alternate
      | \(\s*(?P<e>{_N})\s*,\s*(?P<f>{_N})\s*,\s*(?P=e)\b
    )"""
)
"""layers 3-41 alternate 4 and 128; from index 3 onward (4,128,4,...)"""

PARITY = _phrase(r"\b(?P<value>\d{1,6})\s+on\s+(?:the\s+)?(?P<which>even|odd)\b")
"""4 on the even layers and 128 on the odd ones"""

COUNT = _phrase(r"\b(?P<count>\d{1,6})\s+(?:layers?\s+)?with\s+ratio\s+(?P<value>\d{1,6})\b")
"""18 with ratio 2"""

EVERY = _phrase(
    rf"\b(?P<value>{_N})\s+(?:in\s+|on\s+)?every\s+(?P<nth>{_FEW}(?:st|nd|rd|th)|{'|'.join(ORDINALS)})\s+(?:layer|entry|index)"
)
"""128 every 5th layer"""

LENGTH = _phrase(
    r"""\b(?: length\s+(?:of\s+|is\s+|=\s*)?(?P<length>\d{1,6})
      | (?:has|holds|with|have|of)\s+(?P<entries>\d{1,6})\s+(?:entries|values|elements|items)
    )\b"""
)
"""length 43; has 44 entries"""

_ITEM = r"-?\d{1,6}(?:\s*[x×]\s*\d{1,4})?"
LITERAL = _phrase(rf"\[\s*(?P<items>{_ITEM}(?:\s*,\s*(?:{_ITEM}|…|\.\.\.))+)\s*\]")
"""[0, 0, 18x2, 20x1, 0]"""
