"""Where prose gives architecture classes, or models, to an attention family: by a label before a list, or one by one.

"MLA rows: DeepseekV3ForCausalLM, Glm4MoeForCausalLM", "`Glm4MoeForCausalLM` is an MLA row".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

from generator.prose.families.phrases import any_of, one_of
from generator.prose.reader import asserted

_CLASS = r"(?<!\w)[A-Z]\w{0,60}?(?:For[A-Z]\w{1,60}|LMHeadModel)"
_NOUN = r"(?:[Rr]ows?|[Cc]lass(?:es)?|[Aa]rchitectures?|[Mm]odels?|[Ee]ntries)"
_WHERE = r"(?:\s+(?:of|in|on)\s+[\w.'’-]+(?:\s[\w.'’-]+)?|\s*+\([^()]*\))?"
_LEADS = rf"{_WHERE}\s*+(?::|=|\bare\b|\binclude\b|\bfor\b|\bsuch\s+as\b|(?:,\s*+)?\bnamely\b)"
_NEXT = r"\s*+(?:,|/|&|\band\b)\s*+(?:and\s++)?|[^\S\n]*+\n\s*+[-*+]\s++"
_NEAR = 200
"""Characters before a label within which a word may be joined to it."""
_ENDS = r"(?=\s*(?:[.,;)]|$|(?:row|class|model|architecture|entry)\b|with\b))"


@dataclass(frozen=True, slots=True)
class Labelled:
    """Characters `start` to `end` of a text are a name of a class or a model, and stand under a word for a family."""

    start: int
    end: int
    name: str
    word: str


def labelled(text: str, models: Collection[str], families: Collection[str]) -> Iterator[Labelled]:
    """All of them that a text says outright; the gloss behind a name may correct the label: "X (GQA)"."""
    grammar = _grammar(frozenset(models), frozenset(families))
    for match in grammar.single.finditer(text):
        if asserted(text, match.start(), match.end()):
            yield Labelled(*match.span("name"), match["name"], match["word"])
    for pattern in grammar.labels:
        for label in pattern.finditer(text):
            start = label.start("word")
            joined = grammar.joined.search(text, max(0, start - _NEAR), start)
            if asserted(text, label.start(), label.end()) and not joined:
                yield from _items(text, label, grammar)


@dataclass(frozen=True, slots=True)
class _Grammar:
    labels: tuple[re.Pattern[str], ...]
    first: re.Pattern[str]
    next: re.Pattern[str]
    single: re.Pattern[str]
    joined: re.Pattern[str]
    words: re.Pattern[str]


@lru_cache(maxsize=16)
def _grammar(models: frozenset[str], families: frozenset[str]) -> _Grammar:
    word = one_of(families)
    name = rf"[`*]*(?:\[\[)?(?P<name>{_CLASS}|{any_of(models)})(?!\w|[.-]\w)(?:\|[^\[\]\n]{{0,300}})?(?:\]\])?[`*]*"
    item = rf"(?:the\s+)?{name}(?:\s*\((?P<gloss>[^()]*)\))?"
    return _Grammar(
        labels=(
            re.compile(rf"{word}\s+{_NOUN}{_LEADS}"),
            re.compile(rf"\b{_NOUN}\s+(?:for|with|labelled|marked)\s+{word}{_LEADS}"),
        ),
        first=re.compile(rf"(?:[^\S\n]*+\n\s*+[-*+])?\s*+{item}"),
        next=re.compile(rf"(?:{_NEXT}){item}"),
        single=re.compile(
            rf"(?<![\w.`*-])[`*]*+(?P<name>{_CLASS})[`*]*(?:\s*+\([^()]*\))?\s+(?:is|as)\s+(?:an?\s+)?{word}{_ENDS}"
        ),
        joined=re.compile(rf"(?i:{any_of(families)})\s*(?:,|/|\+|\b(?:and|or|with)\b)\s*$"),
        words=re.compile(word),
    )


def _items(text: str, label: re.Match[str], grammar: _Grammar) -> Iterator[Labelled]:
    """The names behind a label, up to the first thing that is none."""
    found = grammar.first.match(text, label.end())
    while found:
        if not grammar.words.search(found["gloss"] or ""):
            yield Labelled(*found.span("name"), found["name"], label["word"])
        found = grammar.next.match(text, found.end())
