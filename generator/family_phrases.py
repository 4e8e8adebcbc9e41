"""The phrases in which prose says to which attention family its subject belongs, or which kernels it needs.

Texts and words go in, places come out; whose family a word is, and what the model really is, is not asked here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

from generator.arithmetic import asserted

FAMILY, KERNELS = "family", "kernel class"

_KIND = r"(?:(?:pure|plain|dense|standard|classic|ordinary|single|dedicated|real|true)\s+)?"
_NOUN = r"(?:models?|checkpoints?|architectures?|design)\b"
_ENDS = rf"(?=[`*]*\s*(?:[.,;)]|$|attention\b|with\b|throughout\b|in\s+(?:all|every)\b|{_NOUN}))"
_OF_USE = r"(?:(?:decode|decoding|prefill|attention)\s+)*kernels?\b"
_NEEDED = r"\b(?:(?:required|needed)\s+kernels?(?:\s+class(?:es)?)?|kernel\s+class(?:es)?)"


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
            start = _subject(text, match.start(), subject) if of_subject else match.start()
            if start is not None and asserted(text, start, match.end()):
                yield Phrase(start, match.end(), what, match["word"])


def _subject(text: str, end: int, names: Collection[str]) -> int | None:
    """Where the subject that a predicate follows begins; None where it is another one.

    Looked for behind a predicate, of which there are few, and not before it: the names differ from record to record.
    """
    subject = rf"(?<![\w.-])(?:(?:this|the)\s+(?:model|checkpoint|architecture)|{any_of(names)})$"
    found = re.search(subject, text[:end], re.I)
    return found.start() if found else None


@lru_cache(maxsize=16)
def _patterns(families: frozenset[str], kernels: frozenset[str]) -> tuple[tuple[str, bool, re.Pattern[str]], ...]:
    """What each pattern is about, whether it is a predicate that wants a subject before it, and the pattern."""
    family, kernel = one_of(families), one_of(kernels)
    another = rf"`?\s*(?:,|/|\||\bor\b|\band\b)\s*`?(?:{any_of(families)})(?![\w-])"
    return (
        (FAMILY, False, loose(rf"\b(?:attention[ _])?family\s*[=:]\s*`?(?P<word>[a-z][a-z0-9_]+)\b(?!{another})")),
        (FAMILY, False, loose(rf"\bfamily\s+is\s+`?{family}{_ENDS}")),
        (FAMILY, False, loose(rf"\b(?:this|it)\s+is\s+(?:an?\s+)?{_KIND}{family}\s+{_NOUN}")),
        (FAMILY, True, loose(rf"\s+(?:is|uses|employs|has)\s+(?:an?\s+)?{_KIND}{family}{_ENDS}")),
        (
            KERNELS,
            False,
            loose(rf"{_NEEDED}\s*(?:[:=]|\bis\b|\bare\b)\s*(?:an?\s+|the\s+)?{_KIND}`?{kernel}(?:\s+{_OF_USE})?"),
        ),
        (KERNELS, True, loose(rf"\s+(?:needs|requires)\s+(?:an?\s+|the\s+)?{_KIND}{kernel}\s+{_OF_USE}")),
    )


def any_of(words: Collection[str]) -> str:
    """A pattern for one of some words, the longest that fits; spaces and hyphens in it are one."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(r"[\s-]+".join(map(re.escape, re.split(r"[\s-]+", word))) for word in longest_first) or "(?!)"


def one_of(words: Collection[str]) -> str:
    """A pattern for one of some words, whole and in any case: "MLA" and "MLA-based", not "MLA-like" or "FlashMLA"."""
    return rf"(?<![\w-])(?P<word>(?i:{any_of(words)}))(?:-based)?(?![\w-])"


def loose(pattern: str) -> re.Pattern[str]:
    """A pattern in any case."""
    return re.compile(pattern, re.I)
