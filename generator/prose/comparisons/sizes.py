"""Smaller and larger as a whole: in every size, or by parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from generator.derive.facts import Facts
from generator.derive.parameters import Parameters
from generator.prose.comparisons.reference import THAN, Beside, Reference, beside, compares, less
from generator.prose.comparisons.sentence import ADVERB, MODEL, JudgedComparison, Sentence

_AXES = (
    r"(?:(?:in|on|along|by)\s+(?:every|all|each)\s+(?:single\s+)?(?:axis|axes|dimensions?|sizes?|respects?|fields?)"
    r"|across\s+the\s+board)"
)
_WHOLE = (
    re.compile(rf"\b{THAN}\s+than\s+(?P<other>{MODEL})\s+{_AXES}\b", re.I),
    re.compile(rf"\b{THAN}\s+{_AXES}\s+than\s+(?P<other>{MODEL})(?!['’]s)", re.I),
    re.compile(rf"\b{_AXES}\s+{THAN}\s+than\s+(?P<other>{MODEL})(?!['’]s)", re.I),
)
_MODEL_SIZE = re.compile(
    rf"(?P<own>{MODEL}|\b(?:the|this)\s+model)\s+is\s+{ADVERB}(?P<cmp>smaller|larger|bigger)\s+than\s+"
    rf"(?P<other>{MODEL})(?=\s*(?:[,.;:)]|$))",
    re.I,
)
_OF_A_PART = re.compile(r"\b(?:of|for|with|in|per|by)\s+$", re.I)
_ABOUT_CACHE = re.compile(r"\b(?:cache\w*|KV|per\s+token|memory|bytes|[KMG]i?B|active|activated|latent|state)\b", re.I)
Span = tuple[int, int]
CLOSE = 0.05
"""Models nearer than this may be called the larger one for a vision tower or for padding."""

MANY_SIZES = 3
"""With fewer sizes in common, two configs say nothing about "every" one."""


def sizes(speech: Sentence, bench: Reference) -> Iterator[JudgedComparison]:
    """All that a sentence says of sizes."""
    if not speech.mentions:
        return
    yield from _every_size(speech, bench)
    yield from _model_sizes(speech, bench)


def _every_size(speech: Sentence, bench: Reference) -> Iterator[JudgedComparison]:
    for pattern in _WHOLE:
        for match in pattern.finditer(speech.text):
            other = speech.at(match, "other")
            facts = bench.both(speech.subject(match.start(), other), other) if speech.asserted(match) else None
            pairs = beside([field for field in bench.fields.fields if field.size], *facts) if facts else []
            if len(pairs) < MANY_SIZES:
                yield JudgedComparison(match.start(), match.end(), None)
                continue
            opposite = [each for each in pairs if not each.equal and not compares(match["cmp"], each.one, each.two)]
            equal = [each for each in pairs if each.equal]
            yield JudgedComparison(
                match.start(), match.end(), not opposite and not equal, _exceptions(match["cmp"], opposite, equal)
            )


def _exceptions(comparative: str, opposite: list[Beside], equal: list[Beside]) -> str:
    parts = []
    if opposite:
        parts.append(f"not {comparative.lower()} are {_list(opposite)}")
    if equal:
        parts.append(f"equal are {_list(equal)}")
    return "; ".join(parts)


def _list(pairs: list[Beside]) -> str:
    return ", ".join(map(str, pairs))


def _model_sizes(speech: Sentence, bench: Reference) -> Iterator[JudgedComparison]:
    """V4.1 is larger than V4-Flash: by parameters, unless the clause speaks of something else."""
    for match in _MODEL_SIZE.finditer(speech.text):
        clause = re.split(r"[;:]", speech.text[: match.start()])[-1]
        other = speech.at(match, "other")
        own = speech.at(match, "own") or speech.own
        facts = bench.both(own, other) if speech.asserted(match) else None
        about_else = _ABOUT_CACHE.search(clause + match[0]) or _OF_A_PART.search(clause)
        if facts is None or about_else or (sizes := _spans(facts)) is None:
            yield JudgedComparison(match.start(), match.end(), None)
            continue
        billions = [f"{low / 10**9:,.1f} billion parameters" for low, _ in sizes]
        right = f"{bench.title(facts[0])} has {billions[0]} and {bench.title(facts[1])} {billions[1]}"
        yield JudgedComparison(match.start(), match.end(), _larger(match["cmp"], *sizes), right)


def _spans(facts: tuple[Facts, Facts]) -> list[Span] | None:
    """How many parameters each model may be said to have: its language part, and all that stands beside it."""
    counted = [each.parameters for each in facts if isinstance(each.parameters, Parameters)]
    spans = [(each.total, each.total + sum(part.parameters or 0 for part in each.apart)) for each in counted]
    return spans if len(spans) == len(facts) else None


def _larger(comparative: str, one: Span, two: Span) -> bool | None:
    """Whether the one is smaller or larger in every way of counting; None where they are close, or it depends."""
    small, large = (one, two) if less(comparative) else (two, one)
    if small[1] * (1 + CLOSE) < large[0]:
        return True
    return False if large[1] * (1 + CLOSE) < small[0] else None
