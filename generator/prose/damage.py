"""Damage in prose: where a value was lost, a word doubled, a bracket left open, a placeholder never filled.

Text in, places out. Only what is never right in English prose is told; code, addresses and expressions are blind spots
on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from generator.notation.code import blanked, code, comments

_HIDDEN = re.compile(r"\{\{[^{}]{0,300}\}\}|[a-z][a-z0-9+.-]{0,20}://[^\s)\"”>|]+|\]\([^()\s]*\)")
_CITED = re.compile(r"\[\[[^\[\]\n]*\]\]")
_INTERVAL = re.compile(
    r"\[\s*-?[\w.+-]{1,12}\s*,\s*-?[\w.+-]{1,12}\s*\)|\(\s*-?[\w.+-]{1,12}\s*,\s*-?[\w.+-]{1,12}\s*\]"
)
_BLIND = "\x02"
_NEAR = 60
"""Characters before a gap that are looked at for its last words."""
_LAST_WORDS = re.compile(r"(?:\b(?!(?i:and|or|the|a|an|with)\b)[\w'’-]{1,60}[ \t]{1,60})?[\w'’)%-]{1,60}[ \t]{0,60}\Z")

THINGS = r"parameters|layers|experts|heads|tokens|entries|bytes"
_LABEL = r"[ \t]*[:=]"
_GAPS = (
    (re.compile(r"(?<=[A-Za-z)%])[ \t]+[,;](?=\s|$)"), "a value is missing before the {stop}"),
    (re.compile(r"(?<=[A-Za-z)%])[ \t]+\.(?=\s|$)(?!\s*\.)"), "a value is missing before the full stop"),
    (
        re.compile(rf"(?<=\w){_LABEL}[ \t]*[,;](?=\s|$)|(?<=\w){_LABEL}[ \t]+(?:(?=\))|\.(?=\s|$))"),
        "the label has no value",
    ),
    (
        re.compile(rf"\b(?:has|have|with|contains?|uses?)\s+(?P<thing>{THINGS})\s+in\s+total\b"),
        "how many {thing} is missing",
    ),
    (
        re.compile(
            rf"\b(?:with|about|has|have|activates?|roughly|approximately|uses?|takes?|keeps?|reaches)\s+of\s+"
            rf"(?P<thing>{THINGS})\b"
        ),
        "how many {thing} is missing",
    ),
    (re.compile(r"(?<=[a-z])\s+…\s+per\b"), "a value is missing before per"),
)
_SCARS = (
    (
        re.compile(r"(?<![/-])\b(and|or|the|an|than)[ \t]*(?=[.;](?:\s|$))|\b(the|an)[ \t]*(?=,\s)"),
        "the sentence breaks off",
    ),
    (re.compile(r"(?<![/-])\b(?:and|or|the|an|than|per)\s*\Z"), "the text breaks off"),
    (re.compile(r"(?<=\w)[ \t]*(?:…|\.\.\.)\s*\Z"), "the text was cut"),
    (
        re.compile(
            r"\b(the|of|a|an|to|and|for|with|at|by|from|or|as|than|its|per|about)(?:[ \t]++\n?[ \t]*+|\n[ \t]*+)\1\b"
        ),
        "a word stands twice, perhaps around something lost",
    ),
    (re.compile(r"(?<![\w%\"'])%%?(?:\(\w+\))?[sd](?!\w)|\[object Object\]"), "a placeholder was never filled"),
    (re.compile("\ufffd|â€.|Ã[\u0080-\u00bf]"), "characters were read in the wrong encoding"),
    (re.compile(r"\]\](?:\.(?=[A-Za-z]{2})|(?=[A-Z]{2}))[\w.]*\w"), "text is joined to a citation"),
)


@dataclass(frozen=True, slots=True)
class Damage:
    """A damaged place, and what is wrong there. If a value was lost (`gap`), `thing` is what it would have counted."""

    start: int
    end: int
    what: str
    gap: bool = False
    thing: str = ""


def damages(text: str) -> list[Damage]:
    """All damaged places, in order; of two that overlap the first.

    >>> [each.what for each in damages("It has layers in total, and the the rest.")]
    ['how many layers is missing', 'a word stands twice, perhaps around something lost']
    """
    plain = blanked(text, (*code(text), *comments(text)), _BLIND)
    plain = _HIDDEN.sub(lambda match: _BLIND * len(match[0]), plain)
    found: list[Damage] = []
    for each in sorted((*_gaps(plain), *_scars(plain), *_open(plain)), key=lambda each: (each.start, each.end)):
        if not found or each.start >= found[-1].end:
            found.append(each)
    return found


def _gaps(plain: str) -> Iterator[Damage]:
    for pattern, what in _GAPS:
        for match in pattern.finditer(plain):
            thing = match.groupdict().get("thing") or ""
            start = _with_words_before(plain, match.start()) if not thing else match.start()
            stop = "semicolon" if ";" in match[0] else "comma"
            yield Damage(start, match.end(), what.format(stop=stop, thing=thing), True, thing)


def _with_words_before(plain: str, at: int) -> int:
    """The place from the last two words before a gap on: a gap alone has nothing to show."""
    words = _LAST_WORDS.search(plain, max(0, at - _NEAR), at)
    return words.start() if words else at


def _scars(plain: str) -> Iterator[Damage]:
    for pattern, what in _SCARS:
        for match in pattern.finditer(plain):
            yield Damage(match.start(), match.end(), what)


def _open(plain: str) -> Iterator[Damage]:
    """An opening bracket that nothing closes, and a quotation mark without its partner."""
    cited = _CITED.sub(lambda match: _BLIND * len(match[0]), plain)
    readable = _INTERVAL.sub(lambda match: _BLIND * len(match[0]), cited)
    open_brackets: list[int] = []
    for match in re.finditer(r"[()]", readable):
        if match[0] == "(":
            open_brackets.append(match.start())
        elif open_brackets:
            open_brackets.pop()
    yield from (Damage(at, at + 1, "the bracket is never closed") for at in open_brackets)
    if (at := _lone_mark(readable)) is not None:
        yield Damage(at, at + 1, "the quotation mark has no partner")


def _lone_mark(text: str) -> int | None:
    """Where the last quotation mark stands, if they do not pair; one behind a digit may be an inch."""
    marks = text.count('"')
    inches = len(re.findall(r'\d"', text))
    if marks % 2 and (marks - inches) % 2:
        return text.rindex('"')
    return text.rindex("“") if text.count("“") > text.count("”") else None
