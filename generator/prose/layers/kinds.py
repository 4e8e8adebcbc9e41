"""What prose says of layers by their kind: "layers 0-1 are uncompressed", "layer 2 is CSA", "ratio 0 means sliding".

A kind that a word cannot be held against is not judged: every layer of a compressed design keeps a window, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from generator.prose.layers.phrases import NUMBERS, SET
from generator.prose.reading.assertions import asserted
from generator.prose.reading.sentences import sentence_at
from generator.prose.statements import NOTHING, NamedValues, Statement, StatementKind

FULL, SLIDING, CHUNKED, LINEAR, MAMBA = (
    "full_attention",
    "sliding_attention",
    "chunked_attention",
    "linear_attention",
    "mamba",
)
CSA, HCA = "compressed_sparse_attention", "heavily_compressed_attention"
COMPRESSED = frozenset({CSA, HCA, "kv_source"})


@dataclass(frozen=True)
class Word:
    """A word for a kind of layer: of which layers it is true, and of which false; nothing is said of the others."""

    spelled: str
    true: frozenset[str]
    false: frozenset[str]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The word behind some layers, with no more than a verb and a ratio between the two."""
        return re.compile(rf"{SET}{_BETWEEN}{self.spelled}{_NOT_OF}", re.X | re.I)

    @cached_property
    def of_ratio(self) -> re.Pattern[str]:
        """The word behind a ratio, which stands for all layers that have it."""
        return re.compile(rf"\bratio\s+(?:of\s+)?`?(?P<ratio>\d{{1,6}})`?{_MEANS}{self.spelled}{_NOT_OF}", re.I)


_VERB = (
    r"is|are|stays?|remains?|uses?|runs?|keeps?|kept|left|has|have|with|being|so|thus|hence|therefore|they|it|which|that|both|all|"
    r"each|an?|the|of|fully|plain|pure|purely|simple|simply|ratio|ratios|`?compress_ratios?`?|\d{1,4}"
)
_MARKS = r"\s*+(?:[(),:=]++\s*+)?"
_BETWEEN = rf"(?:{_MARKS}\b(?:{_VERB})\b){{0,9}}{_MARKS}"
_MEANS = r"\s*(?:[=(:→]|,?\s*\b(?:is|are|means?|stands\s+for)\b)\s*(?:an?\s+|the\s+)?"
_NOT_OF = (
    r"(?![\w-])(?!['’]s)(?!\s+(?:weights?|experts?|mlps?|ffns?|feed-?forward|embeddings?|routers?|routing|prefix))"
)

WORDS = (
    Word(r"uncompressed", frozenset({FULL}), frozenset({SLIDING, CSA, HCA})),
    Word(r"compressed", frozenset({CSA, HCA}), frozenset({SLIDING, FULL})),
    Word(r"CSA", frozenset({CSA}), frozenset({HCA, SLIDING, FULL})),
    Word(r"HCA", frozenset({HCA}), frozenset({CSA, SLIDING, FULL})),
    Word(r"(?:full|global)[\s-]+attention", frozenset({FULL}), frozenset({SLIDING, CHUNKED, LINEAR, MAMBA, CSA, HCA})),
    Word(r"sliding(?:[\s-]+windows?)?(?:[\s-]+attention)?", frozenset({SLIDING}), frozenset({FULL, LINEAR, MAMBA})),
    Word(r"linear[\s-]+attention", frozenset({LINEAR}), frozenset({FULL, SLIDING, CHUNKED, MAMBA})),
    Word(r"mamba(?:-2)?", frozenset({MAMBA}), frozenset({FULL, SLIDING, CHUNKED, LINEAR})),
)
_WINDOW = re.compile(r"\b(?:windows?|sliding|slides?|SWA|last|latest|recent)\b", re.I)


def layer_kinds(text: str, names: NamedValues = NOTHING) -> Iterator[Statement]:
    """All of them, where each layer has one kind."""
    if not names.layers or len(names.layer_types) != names.layers:
        return
    ratios = [values for name, values in names.lists.items() if name.endswith("ratios")]
    for word in WORDS:
        for match in word.pattern.finditer(text):
            if "layer" in match[0].lower() and _means_a_kind(word, match, text, names):
                yield _of_layers(word, match, names)
        for match in word.of_ratio.finditer(text) if len(ratios) == 1 else ():
            indices = [at for at, value in enumerate(ratios[0][: names.layers]) if value == int(match["ratio"])]
            if _means_a_kind(word, match, text, names):
                yield _judged(word, match, indices, names)


def _means_a_kind(word: Word, match: re.Match[str], text: str, names: NamedValues) -> bool:
    """Whether a phrase is said outright, and in a sense that can be false here.

    "Uncompressed" is a word for a growing cache only beside compressed layers, and a window may well be called so.
    """
    begin, end = sentence_at(text, match.start())
    if word is WORDS[0] and (not COMPRESSED & set(names.layer_types) or _WINDOW.search(text[begin:end])):
        return False
    return asserted(text, match.start(), match.end())


def _of_layers(word: Word, match: re.Match[str], names: NamedValues) -> Statement:
    indices = _indices(match, names.layers or 0)
    judged = _judged(word, match, indices, names)
    from_one = [] if 0 in indices or match["last"] else [at - 1 for at in indices]
    if judged.holds is False and from_one and _holds(word, from_one, names) is not False:
        return replace(judged, holds=None)  # whoever counts from 1 may be right
    return judged


def _judged(word: Word, match: re.Match[str], indices: list[int], names: NamedValues) -> Statement:
    holds = _holds(word, indices, names)
    wrong = [at for at in indices if at < len(names.layer_types) and names.layer_types[at] in word.false]
    right = _tell(wrong, names) if holds is False else ""
    return Statement(StatementKind.PARTITION, match.start(), match.end(), holds, right, names=("layer_types",))


def _indices(match: re.Match[str], layers: int) -> list[int]:
    """The layers that a phrase speaks of, as far as there are so many."""
    if match["last"]:
        word = match["many"] or "1"
        many = min(int(word) if word.isdigit() else NUMBERS.index(word.lower()), layers)
        return list(range(many)) if match["last"].lower() == "first" else list(range(layers - many, layers))
    first, last = int(match["from"]), int(match["to"] or match["from"])
    return [*range(first, min(last, layers) + 1), *(int(each) for each in re.findall(r"\d+", match["more"] or ""))]


def _holds(word: Word, indices: list[int], names: NamedValues) -> bool | None:
    if not indices or not all(0 <= at < len(names.layer_types) for at in indices):
        return None
    kinds = {names.layer_types[at] for at in indices}
    return False if kinds & word.false else True if kinds <= word.true else None


def _tell(wrong: list[int], names: NamedValues) -> str:
    """The kind of the first layers that are of another, and what such a layer keeps."""
    kind = names.layer_types[wrong[0]]
    alike = [at for at in wrong if names.layer_types[at] == kind]
    in_a_row = alike == list(range(alike[0], alike[-1] + 1))
    shown = (
        f"{alike[0]}-{alike[-1]}" if in_a_row else ", ".join(map(str, alike[:3])) + ("" if len(alike) < 4 else " ...")
    )
    of = f"layers {shown} are" if alike[1:] else f"layer {alike[0]} is"
    keeps = names.keeps.get(kind)
    return f"{of} {kind}" + (f", which keeps {keeps}" if keeps else "")
