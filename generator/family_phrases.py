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
    for what, pattern in _patterns(frozenset(subject), frozenset(families), frozenset(kernels)):
        for match in pattern.finditer(text):
            if asserted(text, match.start(), match.end()):
                yield Phrase(match.start(), match.end(), what, match["word"])


@lru_cache(maxsize=512)
def _patterns(
    names: frozenset[str], families: frozenset[str], kernels: frozenset[str]
) -> tuple[tuple[str, re.Pattern[str]], ...]:
    family, kernel = one_of(families), one_of(kernels)
    another = rf"`?\s*(?:,|/|\||\bor\b|\band\b)\s*`?(?:{any_of(families)})(?![\w-])"
    subject = rf"(?<![\w.-])(?:(?:this|the)\s+(?:model|checkpoint|architecture)|{any_of(names)})"
    return (
        (FAMILY, loose(rf"\b(?:attention[ _])?family\s*[=:]\s*`?(?P<word>[a-z][a-z0-9_]+)\b(?!{another})")),
        (FAMILY, loose(rf"\bfamily\s+is\s+`?{family}{_ENDS}")),
        (FAMILY, loose(rf"\b(?:this|it)\s+is\s+(?:an?\s+)?{_KIND}{family}\s+{_NOUN}")),
        (FAMILY, loose(rf"{subject}\s+(?:is|uses|employs|has)\s+(?:an?\s+)?{_KIND}{family}{_ENDS}")),
        (
            KERNELS,
            loose(rf"{_NEEDED}\s*(?:[:=]|\bis\b|\bare\b)\s*(?:an?\s+|the\s+)?{_KIND}`?{kernel}(?:\s+{_OF_USE})?"),
        ),
        (KERNELS, loose(rf"{subject}\s+(?:needs|requires)\s+(?:an?\s+|the\s+)?{_KIND}{kernel}\s+{_OF_USE}")),
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
