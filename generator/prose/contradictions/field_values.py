"""One field with two values: in prose and in the record's own config, or twice in its prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from generator.derive.config.keys import ConfigKeys
from generator.notation.units import grouped
from generator.prose.comparisons.sentence import Sentence
from generator.prose.contradictions.contradiction import Contradiction, Place
from generator.prose.reading.assertions import asserted

_VALUE = re.compile(
    r"(?<![\w.\-/])`?(?P<key>[a-z][a-z0-9]*+(?:_[a-z0-9]++)++)`?\s*+(?:(?:\b(?:is|of|has|equals)\b|=|:)\s*+)?`?"
    r"(?P<value>(?:\d{1,3}(?:,\d{3})+|\d[\d_]*)(?:\.\d+)?(?:e\d+)?)`?(?![\w%]|[.,]\d|\s*(?:[-–/x×*+(^]|(?:and|or|to|for|on|in|per|by)\b|[KMG]i?B?\b|here\b))"
)
_ELSEWHERE = re.compile(
    r"\b(?:draft|MTP|vision|encoder|decoder|indexer|default\w*|sets?|setting|with|when|at|until|from|revision|variant|base|"
    r"first|later|raw|old|new|now|was|were|had|cap(?:ped|s)?|override\w*|extend\w*|train\w*|layers?\s+\d)\b",
    re.I,
)
"""Words by which a sentence may speak of another part, another time or another setting."""


def field_values(speeches: list[Sentence], config: Mapping[str, Any], keys: ConfigKeys) -> Iterator[Contradiction]:
    """Every value of a config field in prose that another one contradicts."""
    first: dict[str, tuple[Place, Fraction]] = {}
    for speech in speeches:
        for match in _VALUE.finditer(speech.text):
            key, place = match["key"], Place(speech.passage, speech.begin + match.start(), speech.begin + match.end())
            around = speech.text[: match.start()] + speech.text[match.end() :]
            if (
                keys.role(key) is None
                or _ELSEWHERE.search(around)
                or not asserted(speech.text, match.start(), match.end())
            ):
                continue
            value, own = Fraction(re.sub("[,_]", "", match["value"])), config.get(key)
            if isinstance(own, int | float) and not isinstance(own, bool):
                if Fraction(str(own)) != value:
                    message = (
                        f"`{key}` is {grouped(value)} here and {grouped(Fraction(str(own)))} in this record's config"
                    )
                    yield Contradiction(place, message, ())
            elif own is None and first.setdefault(key, (place, value))[1] != value:
                earlier, other = first[key]
                message = f"`{key}` is {grouped(value)} here and {grouped(other)} elsewhere in this record"
                yield Contradiction(place, message, ((earlier, f"{grouped(other)} here"),))
