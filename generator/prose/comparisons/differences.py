"""What tells two configs apart: "differ only in A and B", "every field disagrees"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from generator.prose.comparisons.reference import Beside, Reference, beside
from generator.prose.comparisons.sentence import JudgedComparison, Sentence

_TELL = (
    r"(?:would\s+have\s+(?:exposed|shown|told|revealed|betrayed)|would\s+(?:expose|show|tell|reveal)|"
    r"expos(?:es?|ed)|reveal(?:s|ed)?|differ(?:s|ed)?|disagree[sd]?|tell(?:s)?|distinguish(?:es)?)"
)
_DIFFER = r"(?:differ(?:s|ed)?|disagree[sd]?)"
_EVERY = re.compile(
    r"\b(?P<all>every|each|all)\s+(?:of\s+the\s+)?(?:single\s+)?fields?\s+(?P<verb>disagrees?|differs?|(?:is|are)\s+different"
    r"|agrees?|match(?:es)?|(?:is|are)\s+(?:equal|the\s+same|identical))",
    re.I,
)
_NARROWED = re.compile(
    r"\b(?:of|among|from)\s+(?:the|these|those|its|them|all)\b|\b(?:that|which)\s+(?:shape|size|matter|decide|count|are|were)|"
    r"\brel(?:y|ies|ied)\b|\b(?:listed|named|read|checked|above|below|following)\b|\bhere\b",
    re.I,
)
_ABOUT_CACHE = re.compile(r"\b(?:cache\w*|KV|latent|per[\s-](?:layer|token)|bytes|geometry|memory)\b", re.I)
"""Where a sentence speaks of the cache, "only the layers differ" is said of the cache."""

MANY_FIELDS = 4
"""With fewer fields in common, "every field" says too little to be judged."""
_SHOWN = 9
_MOST = 12
"""Fields of the longest list that is read: it would be tried from each of them."""


def differences(speech: Sentence, bench: Reference) -> Iterator[JudgedComparison]:
    """All that a sentence says of which fields differ, and which do not."""
    if re.search(r"\bonly\b|\bbut\b", speech.text):
        yield from _only(speech, bench)
    if re.search(r"\bfields?\b", speech.text):
        yield from _every(speech, bench)


def _only(speech: Sentence, bench: Reference) -> Iterator[JudgedComparison]:
    one = rf"(?:the\s+|by\s+|in\s+){{0,3}}{bench.fields.field_words}(?:\s*+\([^()]*\))?"
    fields = rf"(?P<list>{one}(?:(?:\s*+,\s*+(?:and\s++)?|\s++and\s++|\s++or\s++){one}){{0,{_MOST - 1}}})"
    no_more = r"(?!\s*+(?:,\s*+)?(?:and|or)\b|\s*,\s*`|\w)"
    forms = (
        rf"\bonly\s+{fields}\s+{_TELL}\b",
        rf"\b{_DIFFER}\s+only\s+(?:in|by)\s+{fields}{no_more}",
        rf"\b{_DIFFER}\s+in\s+{fields}\s+only\b",
        rf"\b{_DIFFER}\s+in\s+nothing\s+but\s+{fields}{no_more}",
    )
    for form in forms:
        for match in re.finditer(form, speech.text, re.I):
            narrowed = _NARROWED.search(speech.text) or _ABOUT_CACHE.search(speech.text.replace(match["list"], ""))
            of_these = bool(re.search(_DIFFER, match[0], re.I))
            pair = speech.pair(named=of_these) if speech.asserted(match) and not narrowed else None
            facts = bench.both(*pair) if pair else None
            named = {bench.fields.field(word[0]) for word in re.finditer(bench.fields.field_words, match["list"], re.I)}
            pairs = beside(bench.fields.fields, *facts) if facts else []
            if not {each.field for each in pairs} & named:
                yield JudgedComparison(match.start(), match.end(), None)
                continue
            unsaid = [each for each in pairs if not each.equal and each.field not in named]
            equal = [each for each in pairs if each.equal and each.field in named]
            yield JudgedComparison(match.start(), match.end(), not unsaid and not equal, _tell(unsaid, equal))


def _tell(unsaid: list[Beside], equal: list[Beside]) -> str:
    parts = []
    if unsaid:
        parts.append(f"the two configs also differ in {_list(unsaid)}")
    if equal:
        parts.append(f"they agree in {_list(equal)}")
    return "; ".join(parts)


def _list(pairs: list[Beside]) -> str:
    more = f" and {len(pairs) - _SHOWN} more" if len(pairs) > _SHOWN else ""
    return ", ".join(map(str, pairs[:_SHOWN])) + more


def _every(speech: Sentence, bench: Reference) -> Iterator[JudgedComparison]:
    """Of all fields; a sentence that names some of them speaks of those."""
    for match in _EVERY.finditer(speech.text):
        rest = speech.text.replace(match[0], "")
        named = re.search(bench.fields.field_words, rest, re.I)
        narrowed = named or _NARROWED.search(rest) or _ABOUT_CACHE.search(rest)
        pair = speech.pair() if speech.asserted(match) and not narrowed else None
        facts = bench.both(*pair) if pair else None
        pairs = beside(bench.fields.fields, *facts) if facts else []
        if len(pairs) < MANY_FIELDS:
            yield JudgedComparison(match.start(), match.end(), None)
            continue
        differ = bool(re.match(r"disagree|differ|(?:is|are)\s+different", match["verb"], re.I))
        against = [each for each in pairs if each.equal == differ]
        yield JudgedComparison(
            match.start(), match.end(), not against, f"{'equal' if differ else 'different'} are {_list(against)}"
        )
