"""Smaller and larger: one field, every size, or the whole model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction

from generator.comparisons.bench import Bench, Beside, beside, number
from generator.comparisons.speech import ADVERB, MODEL, Said, Speech
from generator.derive import Facts
from generator.parameters import Parameters

_LESS = r"smaller|fewer|lower|less|narrower|shorter|shallower"
_MORE = r"larger|bigger|higher|more|greater|wider|longer|deeper"
_THAN = rf"(?P<cmp>{_LESS}|{_MORE})"
_AXES = r"(?:in|on|along|by)\s+(?:every|all|each)\s+(?:single\s+)?(?:axis|axes|dimensions?|sizes?|respects?|fields?)"
_WHOLE = (
    re.compile(rf"\b{_THAN}\s+than\s+(?P<other>{MODEL})\s+{_AXES}\b", re.I),
    re.compile(rf"\b{_AXES}\s+{_THAN}\s+than\s+(?P<other>{MODEL})", re.I),
)
_MODEL_SIZE = re.compile(
    rf"(?P<own>{MODEL}|\b(?:the|this)\s+model)\s+is\s+{ADVERB}(?P<cmp>smaller|larger|bigger)\s+than\s+"
    rf"(?P<other>{MODEL})(?=\s*(?:[,.;:)]|$))",
    re.I,
)
_OF_A_PART = re.compile(r"\b(?:of|for|with|in|per|by)\s+$", re.I)
_ABOUT_CACHE = re.compile(r"\b(?:cache\w*|KV|per\s+token|memory|bytes|[KMG]i?B|active|activated|latent|state)\b", re.I)
_A_PART = re.compile(
    r"\b(?:draft|MTP|vision|indexer|encoder|decoder|dense|per\s+(?:GPU|device|rank|group|layer)|TP\d*)\b", re.I
)
_NO_MORE = r"(?=\s*(?:[,.;:)–—]|$)|\s+(?:and|has|have|had)\b)"
_A_SIZE = re.compile(r"_|\b(?:size|count|number|width|rank|base|factor)\b", re.I)
_NUMBER = r"\d[\d,]*(?:\.\d+)?"
Span = tuple[int, int]
CLOSE = 0.05
"""Models nearer than this may be called the larger one for a vision tower or for padding."""

MANY_SIZES = 3
"""With fewer sizes in common, two configs say nothing about "every" one."""


def sizes(speech: Speech, bench: Bench) -> Iterator[Said]:
    """All that a sentence says of sizes."""
    if not speech.mentions:
        return
    yield from _every_size(speech, bench)
    yield from _model_sizes(speech, bench)
    yield from _fields(speech, bench)
    yield from _here_and_there(speech, bench)


def _every_size(speech: Speech, bench: Bench) -> Iterator[Said]:
    for pattern in _WHOLE:
        for match in pattern.finditer(speech.text):
            other = speech.at(match, "other")
            facts = bench.both(speech.subject(match.start(), other), other) if speech.asserted(match) else None
            pairs = beside([field for field in bench.fields.fields if field.size], *facts) if facts else []
            if len(pairs) < MANY_SIZES:
                yield Said(match.start(), match.end(), None)
                continue
            opposite = [each for each in pairs if not each.equal and not _holds(match["cmp"], each.one, each.two)]
            equal = [each for each in pairs if each.equal]
            yield Said(
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


def _model_sizes(speech: Speech, bench: Bench) -> Iterator[Said]:
    """V4.1 is larger than V4-Flash: by parameters, unless the clause speaks of something else."""
    for match in _MODEL_SIZE.finditer(speech.text):
        clause = re.split(r"[;:]", speech.text[: match.start()])[-1]
        other = speech.at(match, "other")
        own = speech.at(match, "own") or speech.own
        facts = bench.both(own, other) if speech.asserted(match) else None
        about_else = _ABOUT_CACHE.search(clause + match[0]) or _OF_A_PART.search(clause)
        if facts is None or about_else or (sizes := _spans(facts)) is None:
            yield Said(match.start(), match.end(), None)
            continue
        billions = [f"{low / 10**9:,.1f} billion parameters" for low, _ in sizes]
        right = f"{bench.title(facts[0])} has {billions[0]} and {bench.title(facts[1])} {billions[1]}"
        yield Said(match.start(), match.end(), _larger(match["cmp"], *sizes), right)


def _spans(facts: tuple[Facts, Facts]) -> list[Span] | None:
    """How many parameters each model may be said to have: its language part, and all that stands beside it."""
    counted = [each.parameters for each in facts if isinstance(each.parameters, Parameters)]
    spans = [(each.total, each.total + sum(part.parameters or 0 for part in each.apart)) for each in counted]
    return spans if len(spans) == len(facts) else None


def _larger(comparative: str, one: Span, two: Span) -> bool | None:
    """Whether the one is smaller or larger in every way of counting; None where they are close, or it depends."""
    small, large = (one, two) if re.fullmatch(_LESS, comparative, re.I) else (two, one)
    if small[1] * (1 + CLOSE) < large[0]:
        return True
    return False if large[1] * (1 + CLOSE) < small[0] else None


def _fields(speech: Speech, bench: Bench) -> Iterator[Said]:
    """A smaller factor than V3's 40; the same number of experts as V3; its hidden size is larger than V3's."""
    words = bench.fields.field_words
    than = rf"than\s+(?P<other>{MODEL})(?:['’]s)?(?:\s+(?P<value>{_NUMBER})(?![\d%]|\.\d|\s*[x×]))?{_NO_MORE}"
    forms: tuple[tuple[str, Callable[[str], str]], ...] = (
        (rf"\b{_THAN}\s+(?P<term>{words})\s+{than}", lambda said: said),
        (rf"(?P<term>{words})\s+(?:is|are)\s+{ADVERB}{_THAN}\s+{than}", lambda said: said),
        (
            rf"\b(?P<cmp>same|as\s+many)\s+(?P<term>{words})\s+as\s+(?P<other>{MODEL})(?P<value>\b\B)?{_NO_MORE}",
            lambda _: "same",
        ),
    )
    for form, comparative in forms:
        for match in re.finditer(form, speech.text, re.I):
            other, field = speech.at(match, "other"), bench.fields.field(match["term"])
            sure = field and speech.asserted(match) and not _A_PART.search(speech.text.replace(match["term"], ""))
            facts = bench.both(speech.subject(match.start(), other), other) if sure else None
            pairs = beside([field], *facts) if facts and field else []
            yield _field(match, comparative(match["cmp"]), pairs[0] if pairs else None)


def _field(match: re.Match[str], comparative: str, pair: Beside | None) -> Said:
    if pair is None or number(pair.one) is None or number(pair.two) is None:
        return Said(match.start(), match.end(), None)
    if comparative == "same" and not (_A_SIZE.search(match["term"]) or "many" in match["cmp"]):
        return Said(match.start(), match.end(), None)  # the same experts need not be as many
    holds = pair.equal if comparative == "same" else _holds(comparative, pair.one, pair.two)
    stated = match["value"]
    if stated and Fraction(stated.replace(",", "")) != number(pair.two):
        holds = False
    return Said(match.start(), match.end(), holds, str(pair))


def _here_and_there(speech: Speech, bench: Bench) -> Iterator[Said]:
    """mscale is 0.707 here and 1.0 in V3."""
    form = (
        rf"(?P<term>{bench.fields.field_words})\s+(?:is\s+)?(?P<here>{_NUMBER})\s+here\s*,?\s*"
        rf"(?:and|but|against|versus|while)\s+(?:it\s+is\s+)?(?P<there>{_NUMBER})\s+(?:in|for|on)\s+(?P<other>{MODEL})"
    )
    for match in re.finditer(form, speech.text, re.I):
        other, field = speech.at(match, "other"), bench.fields.field(match["term"])
        facts = bench.both(speech.own, other) if field and speech.asserted(match) else None
        pair = next(iter(beside([field], *facts)), None) if facts and field else None
        if pair is None:
            yield Said(match.start(), match.end(), None)
            continue
        stated = [Fraction(match[side].replace(",", "")) for side in ("here", "there")]
        yield Said(match.start(), match.end(), stated == [number(pair.one), number(pair.two)], str(pair))


def _holds(comparative: str, one: object, two: object) -> bool:
    less = bool(re.fullmatch(_LESS, comparative, re.I))
    first, second = number(one), number(two)
    return first is not None and second is not None and (first < second if less else first > second)
