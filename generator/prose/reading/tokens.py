"""Prose to tokens. What looks like arithmetic and is none ends here: versions, dates, ids, paths, ranges, model names.

Line breaks inside a paragraph are blanks; in a code block each line is a statement of its own, unless it goes on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction
from functools import lru_cache

from generator.notation.code import CodeGaps, fences
from generator.prose.reading.quantities import UNIT, Quantity, Unit, unit


class TokenKind(Enum):
    """What a token is to arithmetic."""

    NUMBER = auto()
    PLURAL = auto()
    """A number as a noun: the 128s."""
    UNIT = auto()
    """A unit behind a bracket."""
    OPERATOR = auto()
    OPEN = auto()
    CLOSE = auto()
    RELATION = auto()
    VERB = auto()
    """A word that may stand for an equals sign."""
    ABOUT = auto()
    WORD = auto()
    NAME = auto()
    """An identifier, or a word with capitals or digits in it."""
    OTHER = auto()
    BREAK = auto()
    """The end of a paragraph, list item, table cell or line of code."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a text."""

    kind: TokenKind
    start: int
    end: int
    text: str
    quantity: Quantity | None = None
    unit: Unit | None = None


LONGEST = 40
"""Digits of the longest number that is one."""

# A number may begin at each of its characters, so all that stands in a row is bounded: D digits, L characters.
_D, _L = rf"\d{{1,{LONGEST}}}", rf"{{0,{LONGEST}}}"
_NUMBER = (
    rf"(?<!\d,)(?<!\[)\d{{1,3}}(?:,\d{{3}}){{1,13}}(?!,?\d)(?:\.{_D})?|{_D}(?:_\d{{3}}){{1,13}}(?!\d)"
    rf"|{_D}(?:\.{_D})?(?:e[+-]?{_D}(?!\w))?"
)
_GROUPED = rf"\d{{1,3}}(?:(?:\{{,\}}|['’])\d{{3}}){{1,13}}(?!\d)(?:\.{_D})?"
"""Digits grouped as LaTeX and the Swiss do: ``69{,}120``, ``69'120``."""
_TOKEN = re.compile(
    rf"""
    (?P<nothing>
        \[\[[^\[\]\n]{{0,300}}\]\]+                        # citations
      | \{{\{{[^{{}}\n]{{0,300}}\}}\}}                      # expressions, which are computed
      | \]\([^()\s]{{0,2000}}\) | [a-z][a-z0-9+.-]{{0,20}}://\S+ | pkg:\S+   # addresses
      | \d{{4}}-\d\d(?:-\d\d)?(?![\d-])                   # dates
      | v?{_D}(?:\.{_D}){{2,}}[\w.+-]*                     # versions
      | {_D}x{_D}(?:\.{_D})?(?!x\d)[A-Za-z][\w.-]*           # 8x7B
      | \d[\d,.]{_L}(?::{_D})+                            # 4:1, 12:30
      | \d[\d,.]{_L}[-–]\d[\d,.]{_L}[\w.-]{_L}\b           # ranges
      | \#\d+ | {_D}(?:st|nd|rd|th)\b | 0x[0-9a-fA-F]{{1,{LONGEST}}}\b
      | [<>!=:]=+ | [-=]> | <- | &\w{{1,{LONGEST}}};         # comparisons, arrows
      | %%?[\w.]+ | \.\.+ | …
    )
  | (?P<plural>{_D}s\b)
  | (?P<number>\$?(?:{_GROUPED}|{_NUMBER})(?P<unit>{UNIT})?(?!(?!x\d)[A-Za-z_\d]|\.\d))
  | (?P<behind>(?<=\))(?:{UNIT}))
  | (?P<tight>(?<=\d)x(?=\d))
  | (?P<jumble>\d[\w.]*)                                  # commits, 3d445e75
  | (?P<name>[A-Za-z_]\w*(?:[.-]\w+)*(?:/[\w.\#-]+)*)
  | (?P<relation>=|≈|≃|≅|~=)
  | (?P<about>[~∼])
  | (?P<operator>//|\*\*|[×·⋅*÷/+−^-])
  | (?P<open>\() | (?P<close>\))
  | (?P<other>[^\s`"“”$\\])
    """,
    re.X,
)
_BREAKS = re.compile(r"\n[ \t]*\n|\n[ \t]*(?:[-*+]|\d+\.)[ \t]|\n[ \t]*\||\|")
_CODE_BREAK = re.compile(r"\n(?![^\S\n]*[=+\-×*/÷)])|(?<=\S) {2,}")
_OPERATORS = {"×": "*", "·": "*", "⋅": "*", "÷": "/", "**": "^"}
_SPOKEN = {"x": "*", "times": "*", "plus": "+", "minus": "-"}


def words(text: str) -> frozenset[str]:
    """The words of a text, to look others up in."""
    return frozenset(text.split())


_VERBS = words("is are gives give makes make yields equals")
_ABOUT = words("about roughly approximately around nearly almost circa")


@lru_cache(maxsize=2048)
def tokens(text: str) -> tuple[Token, ...]:
    """All tokens of a text, in order."""
    found: list[Token] = []
    breaks = _breaks(text)
    at = 0
    for match in _TOKEN.finditer(text):
        while at < len(breaks) and breaks[at] <= match.start():
            found.append(Token(TokenKind.BREAK, breaks[at], breaks[at], _wrapped(text, breaks[at])))
            at += 1
        token = _token(text, match)
        if token is not None:
            found.append(token)
    return tuple(found)


_SIGN_FIRST = re.compile(r"\n[ \t]*+([-*+])[ \t]++[\d(]")


def _wrapped(text: str, at: int) -> str:
    """The sign at the head of a line that Markdown takes for a bullet, and a reader for the rest of a calculation.

    It is one or the other where the line before it is no list item and does not end its sentence.
    """
    sign = _SIGN_FIRST.match(text, at)
    if sign is None:
        return ""
    before = text[text.rfind("\n", 0, at) + 1 : at].strip()
    return sign[1] if before and not before.startswith(f"{sign[1]} ") and before[-1] not in ".:;!?|" else ""


def _breaks(text: str) -> list[int]:
    blocks = fences(text)
    inner = CodeGaps((each.inner_start, each.inner_end) for each in blocks)
    edges = [place for each in blocks for place in (each.start, each.end)]
    inside = [
        match.start() for each in blocks for match in _CODE_BREAK.finditer(text, each.inner_start, each.inner_end)
    ]
    prose = [match.start() for match in _BREAKS.finditer(text) if not inner.hold(match.start())]
    return sorted({*edges, *inside, *prose})


def _token(text: str, match: re.Match[str]) -> Token | None:
    group, raw, start, end = match.lastgroup or "", match[0], match.start(), match.end()
    if match["number"] is not None:
        return _number(text, match)
    if match["behind"] is not None:
        return Token(TokenKind.UNIT, start, end, raw, unit=unit(raw))
    if match["name"] is not None:
        return _word(raw, start, end)
    if match["tight"] is not None:
        return Token(TokenKind.OPERATOR, start, end, "*")
    if match["operator"] is not None:
        return _operator(text, raw, start, end)
    kind = {
        "plural": TokenKind.PLURAL,
        "relation": TokenKind.RELATION,
        "about": TokenKind.ABOUT,
        "open": TokenKind.OPEN,
        "close": TokenKind.CLOSE,
        "jumble": TokenKind.NAME,
    }.get(group, TokenKind.OTHER)
    return Token(kind, start, end, raw)


def _number(text: str, match: re.Match[str]) -> Token:
    written = match["unit"] or ""
    digits = match["number"].removesuffix(written) if written else match["number"]
    plain = re.sub(r"[,_{}'’$]", "", digits)
    mantissa, _, exponent = plain.partition("e")
    if len(mantissa) > LONGEST or len(exponent) > 3:
        return Token(TokenKind.NAME, match.start(), match.end(), match[0])
    step = Fraction(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    before = text[max(0, match.start() - 24) : match.start()].rstrip()
    about = before.endswith(("~", "∼", "≈")) or before.rpartition(" ")[2].strip('`"“(').lower() in _ABOUT
    quantity = Quantity(Fraction(plain), step, match[0], match.start(), match.end(), unit(written), about)
    return Token(TokenKind.NUMBER, match.start(), match.end(), match[0], quantity, quantity.unit)


def _word(raw: str, start: int, end: int) -> Token:
    if raw in _SPOKEN:
        return Token(TokenKind.OPERATOR, start, end, _SPOKEN[raw])
    if raw in _VERBS:
        return Token(TokenKind.VERB, start, end, raw)
    if raw.lower() in _ABOUT:
        return Token(TokenKind.ABOUT, start, end, raw)
    plain = raw.isalpha() and (raw.islower() or raw.istitle())
    return Token(
        TokenKind.WORD if plain or re.fullmatch(r"[a-z]+(?:-[a-z]+)+", raw) else TokenKind.NAME, start, end, raw
    )


def _operator(text: str, raw: str, start: int, end: int) -> Token | None:
    before, after = text[start - 1 : start], text[end : end + 1]
    if raw == "//" and not text[text.rfind("\n", 0, start) + 1 : start].strip():
        return Token(TokenKind.BREAK, start, end, raw)  # a comment in code
    spaced = (not before or before.isspace()) and (not after or after.isspace())
    between = bool(re.match(r"[\d)]", before) and re.match(r"[\d(]", after))
    if raw in ("*", "**") and not (between or (spaced and raw == "*")):
        return None  # emphasis
    if raw == "-" and not spaced:
        sign = after.isdigit() and (not before or before in " (=\n")
        return Token(TokenKind.OPERATOR if sign or before == ")" else TokenKind.OTHER, start, end, raw)
    return Token(TokenKind.OPERATOR, start, end, _OPERATORS.get(raw, raw))
