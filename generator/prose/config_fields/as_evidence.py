"""The phrases in which prose takes fields of a config as evidence about the cache, or a window for what it is not.

"`num_hash_layers` 3 is paired with the KV ratios", "expert_dtype fp4 and hc_mult 4 show a compressed cache", "the cache
is hashed by num_hash_layers". Fields and cache stand on both sides of one verb; what stands farther apart is not read.
Texts go in, places come out; what a field really decides is not asked here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from generator.prose.reader import asserted, doubted
from generator.prose.reading.sentences import sentences

_KEY = r"`?(?<![\w.-])[a-z][a-z0-9]*+(?:_[a-z0-9]++)++`?(?![\w-])"
_VALUE = r"(?:\s*+(?:[=:]\s*+)?(?:(?:of|is|at)\s+)?`?(?:\d[\d.,]*(?<=\d)|(?:nv|mx|b)?fp?\d+|int\d|true|false)`?(?!\w))?"
_AND = r"\s*+(?:,\s*+and\s++|,|/|&|\+|\band\b|\bor\b|\bwith\b)\s*+"
_FIELDS = rf"(?P<fields>(?>{_KEY}{_VALUE})(?:(?>{_AND})(?>{_KEY}{_VALUE})){{0,11}})"
"""A dozen fields at most: a long list would be tried from each of its fields."""


_ADJECTIVES = (
    r"compressed|quanti[sz]ed|hashed|smaller|small|reduced|latent|low-rank|compact|cheaper|shared|pooled|sparse|"
    r"(?:nv|mx)?fp[48]|[48]-bit|key-value"
)
_CACHE = r"(?:(?:KV|key-value)[\s-]+(?:caches?|ratios?|rows?|entr(?:y|ies))|caches?|KV)(?![\w-])(?!\s+heads?\b)"
_OF_IT = r"(?:(?:that|how|what|the|an?|its|this|model['’]s|of|size|width|bytes?|growth|large|much)\s+)*"
_OBJECT = rf"{_OF_IT}(?:(?:{_ADJECTIVES})(?:\s*[/,]\s*|\s+(?:and\s+|or\s+)?))*{_CACHE}"

_SHOW = r"show|indicate|mean|imply|suggest|prove|signal|reveal|confirm|point\s+(?:to|at)|hint\s+at|give|make|lead\s+to"
_SHOWS = (
    r"shows|indicates|means|implies|suggests|proves|signals|reveals|confirms|points\s+(?:to|at)|hints\s+at|gives|makes|"
    r"leads\s+to"
)
_DO = (
    r"compress|shrink|reduce|shape|size|determine|decide|control|quanti[sz]e|hash|halve|double|scale|govern|affect|"
    r"enter|go\s+into|feed(?:\s+into)?|count\s+(?:toward|for)|belong\s+to"
)
_DOES = (
    r"compresses|shrinks|reduces|shapes|sizes|determines|decides|controls|quanti[sz]es|hashes|halves|doubles|scales|"
    r"governs|affects|enters|goes\s+into|feeds(?:\s+into)?|counts\s+(?:toward|for)|belongs\s+to"
)
_SIGN = r"(?:evidence|proof|(?:an?\s+)?(?:sign|mark|hallmark|indication)s?)\s+(?:of|for|that)"
_PAIRED = r"(?:paired|coupled|tied|linked|combined)\s+(?:with|to)"
_MANNER = r"(?:(?:also|both|all|together|here|directly|clearly|then)\s+)*"
_MANY = rf"(?:which\s+|that\s+)?(?:{_MANNER}(?:{_SHOW}|{_DO})|(?:are\s+)?{_MANNER}(?:as\s+)?(?:{_SIGN}|{_PAIRED}))"
_ONE = rf"(?:which\s+|that\s+)?(?:{_MANNER}(?:{_SHOWS}|{_DOES})|is\s+{_MANNER}(?:{_SIGN}|{_PAIRED}))"
_MADE = (
    r"(?:compressed|hashed|quanti[sz]ed|reduced|sized|set|decided|determined|shaped|governed|controlled|shrunk|halved|"
    r"shown)"
)
_STOP = r"(?=[`*]*\s*(?:[.;,)]|$))"

_FORWARD = re.compile(
    rf"{_FIELDS}(?:\s*+\([^()]*\))?\s*+(?:[,:–—]\s*+)?(?:(?P<many>{_MANY})|(?P<one>{_ONE}))\s+{_OBJECT}", re.I
)
_BACKWARD = (
    re.compile(rf"{_CACHE}\s+(?:is|are)\s+{_MADE}\s+(?:by|through|via|from)\s+(?:the\s+)?{_FIELDS}{_STOP}", re.I),
    re.compile(rf"{_CACHE}\s+(?:is|are)\s+{_MADE}(?:\s*[/,]\s*{_MADE})*\s*(?::|\()\s*{_FIELDS}{_STOP}", re.I),
    re.compile(rf"{_CACHE}\s+shows?\s+in\s+{_FIELDS}{_STOP}", re.I),
    re.compile(rf"\b(?:{_ADJECTIVES})\s+{_CACHE}\s*\(\s*{_FIELDS}\s*\)", re.I),
    re.compile(rf"{_FIELDS}\s*\(\s*(?:an?\s+)?(?:(?:{_ADJECTIVES})(?:\s*[/,]\s*|\s+))+{_CACHE}\s*\)", re.I),
    re.compile(rf"{_SIGN}\s+{_OBJECT}\s*+(?::|\bare\b|\bis\b|(?:,\s*+)?\bsuch\s+as\b)\s*+{_FIELDS}{_STOP}", re.I),
)
_THEN = rf"(?:the|its)\s+(?:model['’]s\s+)?{_CACHE}\s+(?:is|are|gets?|becomes?)\s+(?:{_ADJECTIVES})(?![\w-])"
_SO = (
    re.compile(rf"{_FIELDS}\s*+(?:,\s*+)?(?:and\s++)?(?:so|hence|thus|therefore)\s+{_THEN}", re.I),
    re.compile(rf"\b(?:with|given|by)\s+{_FIELDS}\s*+(?:,\s*+)?{_THEN}", re.I),
)
_SUBJECT = re.compile(
    r"(?:^|[.,;:(—–-]|\b(?:the|that|and|because|since|fields?|keys?|both|also|here|its))[\s`*]*$", re.I
)
"""What may stand before fields that are the subject of their verb: "a design that uses hc_mult" is another subject."""

_NOT_A_SUBJECT = re.compile(
    r"\b(?:of|after|beyond|behind|before|in|to|for|by|with|from|under|per|than|except|besides?|like|over|at|on)\s+"
    r"(?:(?:the|its|first|last|all|those|both|fields?|keys?)\s+)*$",
    re.I,
)
_NO_EFFECT = re.compile(
    r"\b(?:neutral|irrelevant|unrelated|independent|regardless|unaffected|unchanged|untouched|alone|only|whatever|"
    r"despite|although|though|same|apart|aside|outside)\b",
    re.I,
)


_TORN = re.compile(r"[\"“]|\s{40}")
"""A quotation is another's statement; words so far apart are no sentence, and patterns would try every gap."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Characters `start` to `end` of a text take `keys` as evidence about the cache."""

    start: int
    end: int
    keys: tuple[str, ...]


def taken_as_evidence(text: str) -> Iterator[Taken]:
    """All such phrases in sentences that state outright; one word of doubt or of no effect silences its sentence."""
    for begin, end in sentences(text):
        sentence = text[begin:end]
        silent = doubted(sentence) or _NO_EFFECT.search(sentence) or _TORN.search(sentence)
        if "_" in sentence and not silent and not sentence.rstrip().endswith("?"):
            for start, stop, keys in _phrases(sentence):
                yield Taken(begin + start, begin + stop, keys)


def _phrases(sentence: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    for match in _FORWARD.finditer(sentence):
        keys = _keys(match["fields"])
        before = sentence[: match.start()]
        if _SUBJECT.search(before) and not _NOT_A_SUBJECT.search(before):
            yield match.start(), match.end(), keys if match["many"] else keys[-1:]
    for pattern in (*_BACKWARD, *_SO):
        for match in pattern.finditer(sentence):
            yield match.start("fields"), match.end("fields"), _keys(match["fields"])


def _keys(fields: str) -> tuple[str, ...]:
    return tuple(key.strip("`") for key in re.findall(_KEY, fields))


_WINDOW = re.compile(
    r"\b(?:SWA|sliding[\s_-]+windows?)\b[\"”'’`*]*(?::\s*yes)?(?:\s+(?:entr(?:y|ies)|rows?|field|caches?|layers?|here|there))?\s*(?:=|\b(?:is|are|means?)\b)"
    r"\s*(?:(?:really|just|simply|the|a|its)\s+)*(?:(?:compressed|hashed|pooled)(?:\s*[/,]\s*|\s+(?:and\s+|or\s+)?))+"
    rf"(?:{_CACHE}|entr(?:y|ies)\b)",
    re.I,
)


def windows_taken_for_compressed(text: str) -> Iterator[tuple[int, int]]:
    """The places where a window of the last tokens is said outright to be the compressed cache."""
    for match in _WINDOW.finditer(text):
        if asserted(text, match.start(), match.end()):
            yield match.span()
