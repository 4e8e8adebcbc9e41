"""The phrases in which prose says to which attention family its subject belongs, or which kernels it needs.

Texts and words go in, places come out; whose family a word is, and what the model really is, is not asked here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

from generator.prose.reader import asserted

FAMILY, KERNELS = "family", "kernel class"

_KIND = r"(?:(?:pure|plain|dense|standard|classic|ordinary|single|dedicated|real|true)\s+)?"
_NOUN = r"(?:models?|checkpoints?|architectures?|design)\b"
_ENDS = rf"(?=[`*]*\s*(?:[.,;)]|$|attention\b|with\b|throughout\b|in\s+(?:all|every)\b|{_NOUN}))"
_OF_USE = r"(?:(?:decode|decoding|prefill|attention)\s+)*kernels?\b"
_NEEDED = (
    r"\b(?:(?:required|needed)\s+kernels?(?:\s+class(?:es)?)?|kernel(?:\s+class)?\s+(?:required|needed|it\s+needs)|"
    r"kernel\s+class(?:es)?)"
)
_NEAR = 60
"""Characters within which a subject stands before its predicate, beside twice the length of a name."""
_LINE = r"(?P<before>(?:^|[\n.])[ \t*-]*+)"


_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Characters `start` to `end` of a text name the family, or the kernels, by a word."""

    start: int
    end: int
    what: str
    word: str


def phrases(
    text: str, subject: Collection[str], families: Collection[str], kernels: Collection[str]
) -> Iterator[Phrase]:
    """What a text says outright of its subject, which goes by some names, in words for families and kernels."""
    for what, of_subject, pattern in _patterns(frozenset(families), frozenset(kernels)):
        for match in pattern.finditer(text):
            start = match.end("before") if "before" in pattern.groupindex else match.start()
            begin = _subject(text, start, subject) if of_subject else start
            if begin is not None and asserted(text, begin, match.end()):
                yield Phrase(begin, match.end(), what, match["word"])


def _subject(text: str, end: int, names: Collection[str]) -> int | None:
    """Where the subject that a predicate follows begins; None where it is another one.

    Looked for behind a predicate, of which there are few, and not before it: the names differ from record to record.
    """
    subject = rf"(?<![\w.-])(?:(?:this|the)\s+(?:model|checkpoint|architecture)|{any_of(names)})$"
    near = 2 * max(map(len, names), default=0) + _NEAR
    found = re.compile(subject, re.I).search(text, max(0, end - near), end)
    return found.start() if found else None


@lru_cache(maxsize=16)
def _patterns(families: frozenset[str], kernels: frozenset[str]) -> tuple[tuple[str, bool, re.Pattern[str]], ...]:
    """What each pattern is about, whether it is a predicate that wants a subject before it, and the pattern."""
    family, kernel = one_of(families), one_of(kernels)
    another = rf"`?\s*(?:,|/|\||\bor\b|\band\b)\s*`?(?:{any_of(families)})(?![\w-])"
    named, gloss = rf"{_KIND}{family}", rf"(?:\s*\((?:{any_of(families)})\))?{_ENDS}"
    key, a, the = r"[*]*\s*[=:][*]*\s*`?", r"(?:an?\s+)?", r"(?:an?\s+|the\s+)?"
    asked = rf"{_KIND}`?{kernel}"
    found = (
        (FAMILY, False, rf"\b(?:attention[ _])?family{key}(?P<word>[a-z][a-z0-9_]+)\b(?!{another})"),
        (FAMILY, False, rf"{_LINE}attention(?:\s+(?:type|kind|mechanism))?{key}{family}{gloss}"),
        (FAMILY, False, rf"\bfamily\s+is\s+`?{family}{gloss}"),
        (FAMILY, False, rf"\b(?:this|it)\s+is\s+{a}{named}\s+{_NOUN}"),
        (FAMILY, True, rf"(?<!\s)\s+(?:is|uses|employs|has)\s+{a}{named}{gloss}"),
        (KERNELS, False, rf"{_NEEDED}\s*(?:[:=]|\bis\b|\bare\b)\s*{the}{asked}(?:\s+{_OF_USE})?"),
        (KERNELS, True, rf"(?<!\s)\s+(?:needs|requires)\s+{the}{asked}\s+{_OF_USE}"),
        (KERNELS, False, rf"{_LINE}an?\s+{asked}\s+{_OF_USE}\s+is\s+(?:required|needed)\b"),
    )
    return tuple((what, of_subject, re.compile(pattern, re.I)) for what, of_subject, pattern in found)


def any_of(words: Collection[str]) -> str:
    """A pattern for one of some words, the longest that fits; spaces and hyphens in it are one."""
    longest_first = sorted((word for word in words if _WORD.search(word)), key=lambda word: (-len(word), word))
    return "|".join(r"[\s-]+".join(map(re.escape, re.split(r"[\s-]+", word))) for word in longest_first) or "(?!)"


def one_of(words: Collection[str]) -> str:
    """A pattern for one of some words, whole and in any case: "MLA" and "MLA-based", not "MLA-like" or "FlashMLA"."""
    return rf"(?<![\w-])(?P<word>(?i:{any_of(words)}))(?:-based)?(?![\w-])"
