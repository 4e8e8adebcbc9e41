"""Why a field is null: a record that gives two reasons of different kinds has not found out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from generator.catalog.records import Record
from generator.prose.comparisons.sentence import Sentence
from generator.prose.contradictions.contradiction import Contradiction, Place

_FIELD = r"`?\b(?P<field>[a-z]+(?:_[a-z0-9]+)*)`?"
_NULL = re.compile(rf"{_FIELD}\s+(?:is|stays?|remains?|was\s+left|is\s+left|has\s+been\s+left)\s+\**null\b", re.I)
_UNDERIVED = re.compile(
    r"\b(?:(?:is|are)\s+not|cannot\s+be|can\s+not\s+be)\s+deriv(?:able|ed)\b(?:\s+to\s+a\s+single\s+number)?|\bunderivable\b",
    re.I,
)
KINDS = {
    "a field of the config is absent": re.compile(
        r"\b(?:no|without|lacks?|lacking|misses|missing)\s+(?:an?\s+|any\s+|the\s+)?`?[a-z]+(?:_[a-z0-9]+)+`?"
        r"|`?\b[a-z]+(?:_[a-z0-9]+)+`?\s+(?:is|are)\s+(?:absent|missing|not\s+(?:there|given|set|stated))",
        re.I,
    ),
    "it takes code to work out": re.compile(
        r"\b(?:modell?ing\s+code|the\s+code|implementation|accounting|config\s+arithmetic|no\s+closed\s+form)\b", re.I
    ),
    "no source says": re.compile(
        r"\b(?:no\s+(?:source|document|page|paper|report|licence|license)|(?:does|do|did)\s+not\s+(?:say|state|give|tell)|"
        r"(?:not|never|un)\s*(?:published|disclosed|fetched|opened))\b",
        re.I,
    ),
}
"""The kinds of reasons that are told apart; one text that gives several of them, or another, is not judged."""


@dataclass(frozen=True)
class _Reason:
    place: Place
    field: str
    kind: str


def null_reasons(speeches: list[Sentence], record: Record) -> Iterator[Contradiction]:
    """Each reason of another kind than the first one for the same field, or than the one in `why_null`."""
    first: dict[str, _Reason] = {}
    given = record.get("why_null")
    known = frozenset(given) if isinstance(given, dict) else frozenset()
    for reason in _reasons(speeches, known):
        written = given.get(reason.field) if isinstance(given, dict) else None
        kind = _kind(written) if isinstance(written, str) else None
        earlier = first.setdefault(reason.field, reason)
        if kind and kind != reason.kind:
            message = f"`{reason.field}` is null here because {reason.kind}, and `why_null` says: {written}"
            yield Contradiction(reason.place, message, ())
        elif earlier.kind != reason.kind:
            message = f"`{reason.field}` is null here because {reason.kind}, and elsewhere because {earlier.kind}"
            yield Contradiction(reason.place, message, ((earlier.place, f"here because {earlier.kind}"),))


def _reasons(speeches: list[Sentence], known: frozenset[str]) -> Iterator[_Reason]:
    """A sentence that says "not derivable" without a field speaks of the one that the record calls null."""
    fields = {field for speech in speeches for _, field in _nulls(speech, known)}
    for speech in speeches:
        found = list(_nulls(speech, known))
        if len(fields) == 1:
            found += [(match, min(fields)) for match in _UNDERIVED.finditer(speech.text)][: 0 if found else 1]
        kind = _kind(speech.text) if len(found) == 1 else None
        if kind:
            match, field = found[0]
            yield _Reason(Place(speech.passage, speech.begin + match.start(), speech.begin + match.end()), field, kind)


def _nulls(speech: Sentence, known: frozenset[str]) -> Iterator[tuple[re.Match[str], str]]:
    """The fields that a sentence calls null: keys by their look, or those that `why_null` has."""
    for match in _NULL.finditer(speech.text):
        if "_" in match["field"] or match["field"] in known:
            yield match, match["field"].lower()


def _kind(text: str) -> str | None:
    kinds = [kind for kind, pattern in KINDS.items() if pattern.search(text)]
    return kinds[0] if len(kinds) == 1 else None
