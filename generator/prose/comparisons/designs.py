"""Parts of a design that one model is said to have dropped, held against its config."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from generator.derive.facts import Facts
from generator.prose.comparisons.reference import Reference, yarn_temperature
from generator.prose.comparisons.sentence import MODEL, JudgedComparison, Sentence

_LACKS = (
    r"(?:has\s+|have\s+)?(?:dropped|drops|lacks|removed|removes|abandoned|abandons|gave\s+up|gives\s+up|does\s+without|"
    r"does\s+not\s+have|no\s+longer\s+has|got\s+rid\s+of)"
)
_GONE = r"(?:dropped|removed|abandoned|gone|absent|missing|given\s+up)"
_DETERMINER = r"(?:(?:the|a|an|its|any|this)\s+)?"
_END = r"(?=\s*(?:[,.;:)]|$|and\b))"
_STRENGTHS: Mapping[str, Callable[[Facts], str]] = {"yarn_temperature": yarn_temperature}


def designs(speech: Sentence, bench: Reference) -> Iterator[JudgedComparison]:
    """What a sentence says that a named model lacks."""
    words = bench.fields.design_words
    forms = (
        rf"(?P<term>{words})\s+(?:that|which)\s+(?P<model>{MODEL})\s+{_LACKS}{_END}",
        rf"(?P<term>{words})\s+(?:is|was|has\s+been)\s+{_GONE}\s+(?:in|by|from)\s+(?P<model>{MODEL}){_END}",
        rf"(?P<model>{MODEL})\s+(?:{_LACKS}|has\s+no)\s+{_DETERMINER}(?P<term>{words}){_END}",
    )
    for form in forms:
        for match in re.finditer(form, speech.text, re.I):
            facts = bench.facts(speech.at(match, "model")) if speech.asserted(match) else None
            design = bench.fields.design(match["term"])
            if facts is None or design is None:
                yield JudgedComparison(match.start(), match.end(), None)
                continue
            kept = [key for key in design.keys if _stated(facts, key)]
            yield JudgedComparison(
                match.start(), match.end(), not kept, _tell(speech, bench, facts, kept, design.strength)
            )


def _stated(facts: Facts, key: str) -> object:
    value: object = facts.config
    for part in key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _tell(speech: Sentence, bench: Reference, facts: Facts, kept: list[str], strength: str | None) -> str:
    if not kept:
        return ""
    stated = " and ".join(f"`{key}` {_stated(facts, key)}" for key in kept)
    return f"{bench.title(facts)} keeps it, with {stated}{_strengths(speech, bench, facts, strength)}"


def _strengths(speech: Sentence, bench: Reference, facts: Facts, strength: str | None) -> str:
    """How strong it is there, and in the model that it is compared with."""
    measure = _STRENGTHS.get(strength or "")
    if measure is None or not (own := measure(facts)):
        return ""
    compared = bench.facts(next((each.id for each in speech.mentions if each.id not in (None, facts.id)), speech.own))
    beside = f" ({bench.title(compared)}: {measure(compared)})" if compared and compared is not facts else ""
    return f": {own}{beside}"
