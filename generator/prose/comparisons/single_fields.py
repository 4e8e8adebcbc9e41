"""One field of two models: a smaller factor than V3's 40, as many heads as V3, one layer fewer, twice the experts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from generator.prose.comparisons.reference import THAN, Beside, Reference, beside, compares, less, number
from generator.prose.comparisons.sentence import ADVERB, MODEL, JudgedComparison, Sentence
from generator.prose.layers.phrases import NUMBERS

_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_COUNT = rf"(?:\d{{1,6}}|{'|'.join(NUMBERS[1:])})"
_TIMES = {
    "half": Fraction(1, 2),
    "twice": Fraction(2),
    "double": Fraction(2),
    "three times": Fraction(3),
    "four times": Fraction(4),
}
_NO_MORE = r"(?=\s*(?:[,.;:)–—]|$)|\s+(?:and|has|have|had)\b)"
_OTHER = rf"(?P<other>{MODEL})"
_ABOUT = re.compile(
    r"\b(?:about|roughly|nearly|almost|approximately|around|over|under|more\s+than|less\s+than)\s+$|~\s*$", re.I
)
_A_PART = re.compile(
    r"\b(?:draft|MTP|vision|indexer|encoder|decoder|dense|per\s+(?:GPU|device|rank|group|layer)|TP\d*)\b", re.I
)
_A_SIZE = re.compile(r"_|\b(?:size|count|number|width|rank|base|factor)\b", re.I)


def fields(speech: Sentence, bench: Reference) -> Iterator[JudgedComparison]:
    """All that a sentence says of one field in two models."""
    if not speech.mentions:
        return
    for form in _forms(bench.fields.field_words):
        for match in re.finditer(form, speech.text, re.I):
            pair = _pair(speech, bench, match)
            holds = _judged(match, pair) if pair and not _ABOUT.search(speech.text[: match.start()]) else None
            yield JudgedComparison(match.start(), match.end(), holds, str(pair) if pair else "")


def _forms(words: str) -> tuple[str, ...]:
    term = rf"(?P<term>{words})"
    than = rf"than\s+{_OTHER}"
    value = rf"(?:['’]s)?(?:\s+(?P<value>{_NUMBER})(?![\d%]|\.\d|\s*[x×]))?"
    by = rf"(?<![\d.,x×%-])\b(?P<by>{_COUNT})\s+"
    against = r"(?:and|but|against|versus|while)"
    here = rf"(?P<here>{_NUMBER})\s+here\s*+(?:,\s*+)?{against}\s+(?:it\s+is\s+)?(?P<there>{_NUMBER})"
    return (
        rf"(?:{by}|\b){THAN}\s+{term}\s+{than}{value}{_NO_MORE}",
        rf"{by}{term}\s+{THAN}\s+{than}{_NO_MORE}",
        rf"{term}\s+(?:is|are)\s+{ADVERB}{THAN}\s+{than}{value}{_NO_MORE}",
        rf"\b(?P<same>same|as\s+many)\s+{term}\s+as\s+{_OTHER}{_NO_MORE}",
        rf"\b(?P<times>{'|'.join(_TIMES)})\s+(?:as\s+many|the)\s+{term}\s+(?:as|of)\s+{_OTHER}{_NO_MORE}",
        rf"{term}\s+(?:is\s+)?{here}\s+(?:in|for|on)\s+{_OTHER}",
    )


def _pair(speech: Sentence, bench: Reference, match: re.Match[str]) -> Beside | None:
    """The field in both configs, where it is sure which models are meant and that no part of one is."""
    other, field = speech.at(match, "other"), bench.fields.field(match["term"])
    if field is None or not speech.asserted(match) or _A_PART.search(speech.text.replace(match["term"], "")):
        return None
    own = speech.own if "here" in match.groupdict() else speech.subject(match.start(), other)
    facts = bench.both(own, other)
    return next(iter(beside([field], *facts)), None) if facts else None


def _judged(match: re.Match[str], pair: Beside) -> bool | None:
    said = {name: text for name, text in match.groupdict().items() if text is not None}
    one, two = number(pair.one), number(pair.two)
    if one is None or two is None:
        return None
    if "here" in said:
        return _rounds(said["here"], one) and _rounds(said["there"], two)
    if "times" in said:
        return abs(one - two * _TIMES[" ".join(said["times"].lower().split())]) <= one / 20
    if "same" in said:  # "the same experts" need not be as many
        return one == two if _A_SIZE.search(said["term"]) or "many" in said["same"] else None
    holds = compares(said["cmp"], one, two) and ("value" not in said or _rounds(said["value"], two))
    if holds and "by" in said:
        return (two - one if less(said["cmp"]) else one - two) == _count(said["by"])
    return holds


def _rounds(written: str, value: Fraction) -> bool:
    """Whether a number is this value at the digits that are written."""
    plain = written.replace(",", "")
    return abs(Fraction(plain) - value) <= Fraction(1, 2 * 10 ** len(plain.partition(".")[2])) * ("." in plain)


def _count(written: str) -> int:
    return int(written) if written.isdigit() else NUMBERS.index(written.lower())
