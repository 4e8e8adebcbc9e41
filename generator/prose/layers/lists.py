"""What prose says about a list with one entry per layer: which layer has which ratio, how long the list is.

"layer 2 has ratio 0", "layers 3-41 alternate 4 and 128", "128 every 5th layer", "length 43". Layers count from 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from generator.prose.layers.per_layer import PerLayer
from generator.prose.layers.phrases import ALTERNATE, AT, COUNT, EVERY, IS, LENGTH, LITERAL, NUMBERS, ORDINALS, PARITY
from generator.prose.reading.sentences import sentences
from generator.prose.statements import NOTHING, NamedValues, Statement, StatementKind

DRAFT_ENTRIES = 8
"""A list with a few more entries than layers is still one entry per layer: the rest belongs to draft layers."""


def layer_statements(text: str, names: NamedValues = NOTHING) -> Iterator[Statement]:
    """All statements about a per-layer list of `names`; none where two lists could be meant."""
    lists = [
        PerLayer(name, values, names.layers)
        for name, values in names.lists.items()
        if names.layers and 0 <= len(values) - names.layers <= DRAFT_ENTRIES and all(isinstance(v, int) for v in values)
    ]
    if len(lists) != 1:
        return
    (one,) = lists
    for begin, end in sentences(text):
        sentence = text[begin:end]
        if not _is_about(sentence, text, one):
            continue
        for reader in _READERS:
            for match, holds, right in reader(sentence, one):
                start, stop = begin + match.start(), begin + match.end()
                yield Statement(StatementKind.PARTITION, start, stop, holds, right, names=(one.name,))


def _is_about(sentence: str, text: str, one: PerLayer) -> bool:
    if one.name in sentence or re.search(rf"\b{one.noun}s?\b", sentence, re.I):
        return True
    named = one.name in text or one.noun in text
    return named and bool(re.search(r"\b(?:index|indices|entries|length|every)\b", sentence))


Found = Iterator[tuple[re.Match[str], bool, str]]


def _number(text: str) -> int:
    return int(text) if text.isdigit() else NUMBERS.index(text)


def _indices(match: re.Match[str], one: PerLayer) -> list[int]:
    """The entries that a phrase speaks of."""
    if match["last"]:
        many = _number(match["many"] or "1")
        if match["named"]:
            return [int(match["named"])]
        return list(range(many)) if match["last"] == "first" else list(range(len(one.values) - many, len(one.values)))
    first = int(match["from"])
    if match["to"]:
        return list(range(first, int(match["to"]) + 1))
    return [first, *(int(each) for each in re.findall(r"\d+", match["more"] or ""))]


def _values(sentence: str, one: PerLayer) -> Found:
    for pattern in IS:
        for match in pattern.finditer(sentence):
            indices, value = _indices(match, one), int(match["value"])
            wrong = [at for at in indices if one.at(at) != value]
            if indices and len(indices) <= len(one.values):
                yield match, not wrong, one.tell(wrong)
    for match in AT.finditer(sentence):
        at = int(match["from"])
        yield match, one.at(at) == int(match["value"]), one.tell([at])


def _alternations(sentence: str, one: PerLayer) -> Found:
    for match in ALTERNATE.finditer(sentence):
        first, last = int(match["from"]), int(match["to"]) if match["to"] else one.layers - 1
        pair = (int(match["a"] or match["c"] or match["e"]), int(match["b"] or match["d"] or match["f"]))
        orders = (pair, pair[::-1]) if match["loose"] else (pair,)
        held = [one.at(at) for at in range(first, last + 1)]
        holds = any(held == [order[at % 2] for at in range(len(held))] for order in orders)
        yield match, holds and bool(held), f"{one.tell([first, last])}{one.alternating(pair)}"
    for match in PARITY.finditer(sentence):
        odd, places = match["which"].lower() == "odd", one.places(int(match["value"]))
        holds = bool(places) and all(at % 2 == odd for at in places)
        yield match, holds, one.tell(places[:2])
        if not holds:
            return  # the other half of the sentence is the same mistake


def _repetitions(sentence: str, one: PerLayer) -> Found:
    for match in EVERY.finditer(sentence):
        value = int(match["value"])
        nth = ORDINALS.get(match["nth"]) or int(re.sub(r"\D", "", match["nth"]))
        steps = {b - a for a, b in pairwise(one.places(value))}
        held = one.values[: one.layers]
        counts = ", ".join(f"{held.count(each)} of {each}" for each in [value, *sorted(set(held) - {value})])
        step = f"{value} stands in every {_nth(min(steps))} layer; " if len(steps) == 1 else ""
        yield match, steps == {nth}, f"{step}the {one.layers} layers hold {counts}"


def _nth(number: int) -> str:
    return next((word for word, n in ORDINALS.items() if n == number), f"{number}th")


def _counts(sentence: str, one: PerLayer) -> Found:
    for match in COUNT.finditer(sentence):
        stated, value = int(match["count"]), int(match["value"])
        right = len(one.places(value))
        if abs(stated - right) <= max(2, right // 5):
            yield match, stated == right, f"{right} layers have {value}"
            if stated != right:
                return  # the other counts of the sentence are the same mistake


def _lengths(sentence: str, one: PerLayer) -> Found:
    for match in LENGTH.finditer(sentence):
        stated = int(match["length"] or match["entries"])
        if abs(stated - len(one.values)) <= max(DRAFT_ENTRIES, len(one.values) // 10):
            yield match, stated == len(one.values), one.length()


def _literals(sentence: str, one: PerLayer) -> Found:
    for match in LITERAL.finditer(sentence):
        if one.name not in sentence[: match.start()]:
            continue
        readings = [_spelled(match["items"], value_first) for value_first in (True, False)]
        listed, goes_on = readings[0]
        if len(listed) > len(one.values) // 2 or goes_on:
            held = list(one.values[: len(listed)]) if goes_on else list(one.values)
            wrong = next((at for at, (a, b) in enumerate(zip(listed, held, strict=False)) if a != b), None)
            holds = any(items == held for items, _ in readings)
            yield match, holds, one.length() if wrong is None else one.tell([wrong])


def _spelled(items: str, value_first: bool) -> tuple[list[int], bool]:
    """The entries of a list as typed, and whether it goes on; 2x18 is eighteen twos, or the other way round."""
    listed: list[int] = []
    for item in re.split(r"\s*,\s*", items):
        if item in ("…", "..."):
            return listed, True
        one, _, other = re.sub(r"\s*[x×]\s*", "x", item).partition("x")
        value, times = (one, other or "1") if value_first or not other else (other, one)
        listed += [int(value)] * min(int(times), 1000)
    return listed, False


_READERS: tuple[Callable[[str, PerLayer], Found], ...] = (
    _values,
    _alternations,
    _repetitions,
    _counts,
    _lengths,
    _literals,
)
