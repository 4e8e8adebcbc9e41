"""Layers told one by one, which imply how many there are of each ratio, against a count of them elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from generator.prose.comparisons.sentence import Sentence
from generator.prose.contradictions.contradiction import Contradiction, Place
from generator.prose.layers.phrases import ALTERNATE, IS, NUMBERS
from generator.prose.named_values import KINDS
from generator.prose.reading.assertions import asserted
from generator.prose.statements import NamedValues

_KIND = "|".join(re.escape(word) for words in KINDS.values() for word in words)
_COUNTS = re.compile(
    rf"\b\d{{1,4}}\s+(?:{_KIND})(?:(?:\s*+[/,+]\s*+(?:and\s++)?|\s++and\s++)\d{{1,4}}\s+(?:{_KIND})){{1,3}}(?:\s+layers)?"
    r"(?:\s+(?:over|of)\s+(?P<whole>\d{1,4}))?",
    re.I,
)
_COUNT = re.compile(rf"\d{{1,4}}(?=\s+(?:{_KIND}))", re.I)
_TOTALS = 4
"""A text that counts this many different totals of layers speaks of several models."""
_SHOWN = 8
"""So many of the places that a count contradicts are shown."""
_ABOUT_RATIOS = re.compile(r"\bratios?\b|_ratios\b", re.I)
_ABOUT_ENTRIES = re.compile(r"\b(?:index|indices|entr(?:y|ies))\b", re.I)


@dataclass(frozen=True)
class _Layers:
    """What one phrase says of some layers. An open one, "from 3 onward", gives way to what is said of single layers."""

    place: Place
    values: dict[int, int]
    open: bool


def layer_counts(speeches: list[Sentence], names: NamedValues) -> Iterator[Contradiction]:
    """Every count that disagrees with the layers as they are told.

    Where the config decides and one side is right, the other is told as false by itself.
    """
    known: dict[int, list[_Layers]] = {}
    for speech in speeches:
        for match in _COUNTS.finditer(speech.text):
            whole = int(match["whole"]) if match["whole"] else None
            layers = names.layers or whole
            if layers is None or whole not in (None, layers) or not asserted(speech.text, *match.span()):
                continue
            if layers not in known:
                if len(known) == _TOTALS:
                    return
                known[layers] = list(_phrases(speeches, layers))
            phrases = known[layers]
            stated, told = sorted(int(each) for each in _COUNT.findall(match[0])), _told(phrases, layers)
            implied = sorted(Counter(told).values()) if told else []
            if len(implied) == len(stated) and implied != stated and not _one_is_right(stated, told or [], names):
                yield _contradiction(speech, match, told or [], phrases, names)


def _contradiction(
    speech: Sentence, match: re.Match[str], told: list[int], phrases: list[_Layers], names: NamedValues
) -> Contradiction:
    counts = sorted(Counter(told).items())
    implied = (
        f"{' / '.join(str(count) for _, count in counts)} with ratio {' / '.join(str(value) for value, _ in counts)}"
    )
    start = speech.begin + len(speech.text) - len(speech.text.lstrip())
    place = Place(speech.passage, start, speech.begin + match.end())
    known = ", ".join(f"{count} {kind}" for kind, count in names.kinds.items())
    message = (
        f'the layers told one by one elsewhere make {implied}, and here they are "{" ".join(match[0].split())}"'
        + (f"; by the config they are {known}" if known else "")
    )
    return Contradiction(place, message, tuple((each.place, f'"{each.place.words}"') for each in phrases[:_SHOWN]))


def _phrases(speeches: list[Sentence], layers: int) -> Iterator[_Layers]:
    """All that is said of single layers, in the order of the text; the same said twice counts once."""
    said: set[tuple[tuple[int, int], ...]] = set()
    spoken = False
    for speech in speeches:
        about = bool(_ABOUT_RATIOS.search(speech.text))
        spoken = spoken or about
        if not about and not (spoken and _ABOUT_ENTRIES.search(speech.text)):
            continue
        for match, values, is_open in _read(speech.text, layers):
            if not asserted(speech.text, *match.span()):
                continue
            key = tuple(sorted(values.items()))
            if values and key not in said:
                said.add(key)
                place = Place(speech.passage, speech.begin + match.start(), speech.begin + match.end())
                yield _Layers(place, values, is_open)


def _read(text: str, layers: int) -> Iterator[tuple[re.Match[str], dict[int, int], bool]]:
    for pattern in IS:
        for match in pattern.finditer(text):
            yield match, dict.fromkeys(_indices(match, layers), int(match["value"])), False
    for match in ALTERNATE.finditer(text):
        pair = int(match["a"] or match["c"] or match["e"]), int(match["b"] or match["d"] or match["f"])
        first, last = int(match["from"]), int(match["to"]) if match["to"] else layers - 1
        values = {at: pair[(at - first) % 2] for at in range(first, min(last, layers - 1) + 1)}
        yield match, values, not match["to"]


def _indices(match: re.Match[str], layers: int) -> list[int]:
    groups = match.groupdict()
    if groups.get("last"):
        many = groups["many"] or "1"
        count = int(many) if many.isdigit() else NUMBERS.index(many.lower())
        if groups["named"]:
            return [int(groups["named"])]
        return list(range(count)) if groups["last"].lower() == "first" else list(range(layers - count, layers))
    first = int(groups["from"])
    if groups["to"]:
        return list(range(first, min(int(groups["to"]), layers) + 1))
    return [first, *(int(each) for each in re.findall(r"\d+", groups["more"] or ""))]


def _told(phrases: list[_Layers], layers: int) -> list[int] | None:
    """The ratio of each layer as the phrases have it; None where one is left out, or told twice and differently."""
    told: dict[int, int] = {}
    for each in (phrase for phrase in phrases if phrase.open):
        told |= each.values
    fixed: dict[int, int] = {}
    for each in (phrase for phrase in phrases if not phrase.open):
        if any(fixed.get(at, value) != value for at, value in each.values.items()):
            return None
        fixed |= each.values
    told |= fixed
    found = [told.get(at) for at in range(layers)]
    return None if None in found else [each for each in found if each is not None]


def _one_is_right(stated: list[int], told: list[int], names: NamedValues) -> bool:
    """Whether the config decides, and one side agrees with it: then the other is told as false by itself."""
    if names.kinds and stated == sorted(names.kinds.values()):
        return True
    return any(list(values[: len(told)]) == told for values in names.lists.values())
