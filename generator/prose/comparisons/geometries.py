"""The same cache: of two models as a whole, or of one layer of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from generator.derive.facts import Facts
from generator.notation.units import grouped
from generator.prose.comparisons.reference import Reference
from generator.prose.comparisons.sentence import MODEL, JudgedComparison, Sentence

_SAME = r"(?:identical|the\s+same|equal)"
_TWO = rf"(?:the\s+two(?:\s+(?:models|configs))?|both(?:\s+models)?|{MODEL}\s+and\s+{MODEL})"
_WHAT = r"(?:KV|cache|KV[\s-]cache)(?:[\s-](?:geometry|size|cache))?"
_END = r"(?:['’]s)?(?=\s*(?:[,.;:)]|$))"
_FORMS = (
    re.compile(rf"\b{_WHAT}\s+(?:is|are)\s+{_SAME}\s+(?:between|in|for|across|of)\s+{_TWO}{_END}", re.I),
    re.compile(rf"\b(?:same|identical)\s+(?:KV[\s-]|cache[\s-])?geometry\s+(?:as|to)\s+{MODEL}(?!['’]s\s+\w)", re.I),
    re.compile(rf"\b{_WHAT}\s+(?:of\s+{MODEL}\s+)?is\s+{_SAME}\s+(?:to|as)\s+(?:that\s+of\s+)?{MODEL}{_END}", re.I),
    re.compile(
        rf"(?<!\w){_TWO}\s+have\s+(?:the\s+same|an\s+identical|identical)\s+(?:KV[\s-](?:cache[\s-])?|cache[\s-])?geometry\b",
        re.I,
    ),
)
_ONE_LAYER = re.compile(
    r"\b(?:per|each|every|one|single|a)\s+(?:\w+\s+and\s+)?layer\b|\blayer\s+by\s+layer\b|\bper[\s-]layer\b", re.I
)
Stream = tuple[str, str, str, int, int]


def geometries(speech: Sentence, bench: Reference) -> Iterator[JudgedComparison]:
    """All that a sentence says of two models' caches being the same."""
    for form in _FORMS:
        for match in form.finditer(speech.text):
            pair = speech.pair() if speech.asserted(match) else None
            facts = bench.both(*pair) if pair else None
            one_layer = bool(_ONE_LAYER.search(speech.text))
            counted = not one_layer and re.search(r"\blayers?\b", speech.text)  # "identical; only the layers differ"
            if facts is None or facts[0].geometry is None or facts[1].geometry is None or counted:
                yield JudgedComparison(match.start(), match.end(), None)
                continue
            layers = [_layers(each) for each in facts]
            alike = set(layers[0]) == set(layers[1])
            holds = alike if one_layer else layers[0] == layers[1]
            yield JudgedComparison(match.start(), match.end(), holds, _tell(bench, *facts, alike=alike))


def _layers(facts: Facts) -> dict[Stream, int]:
    """How many layers keep which entries."""
    streams = facts.geometry.streams if facts.geometry else ()
    return {
        (each.role, each.layer_type, each.entries.rule, each.entries.n, each.scalars): each.layers for each in streams
    }


def _tell(bench: Reference, one: Facts, two: Facts, *, alike: bool) -> str:
    layers = [sum(each.geometry.layers.values()) if each.geometry else 0 for each in (one, two)]
    grown = [_growth(each) for each in (one, two)]
    figures = f", {grouped(grown[0])} and {grouped(grown[1])} B/token in bf16" if grown[0] and grown[1] else ""
    shape = (
        "what one layer keeps is the same"
        if alike
        else "one layer of the one does not keep what one of the other keeps"
    )
    return f"{bench.title(one)} has {layers[0]} layers and {bench.title(two)} {layers[1]}{figures}; {shape}"


def _growth(facts: Facts) -> Fraction | None:
    plain = facts.figure("bf16")
    return plain.growth if plain else None
