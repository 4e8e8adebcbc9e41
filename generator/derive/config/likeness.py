"""Config keys that nobody has judged and whose names say that they shape a cache: nobody may vouch for these."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

NEAR = 0.85
_WORDS = re.compile(r"[A-Z]{1,40}(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True)
class KeyWords:
    """What names of config keys are made of, from ``names`` in ``schema/config_keys.yaml``.

    ``same`` maps each spelling of a word to one of them (``n`` and ``num``); ``counted`` are words for what a cache is
    counted in, each with the plural that a message uses, and ``apart`` phrases in which they count nothing.
    """

    shaping: tuple[str, ...]
    same: Mapping[str, str] = field(default_factory=dict)
    counted: Mapping[str, str] = field(default_factory=dict)
    apart: tuple[str, ...] = ()

    def why_not_neutral(self, key: str) -> str:
        """Why a key is not to be waved through: which key it resembles, or what it counts; empty where nothing says so.

        >>> words = KeyWords(("num_kv_heads",), {"n": "num"}, {"loop": "loops"})
        >>> words.why_not_neutral("n_kv_heads")
        'resembles `num_kv_heads`'
        >>> words.why_not_neutral("loop_times"), words.why_not_neutral("image_placeholder")
        ('speaks of loops', '')
        """
        near = self._meant(key)
        if near:
            return f"resembles `{near}`"
        name = f" {' '.join(self.words(key))} "
        for phrase in self.apart:
            name = name.replace(f" {phrase} ", " ")
        found = next((self.counted[word] for word in name.split() if word in self.counted), None)
        return f"speaks of {found}" if found else ""

    def words(self, key: str) -> tuple[str, ...]:
        """The words of a name, in lower case and the singular, each under one spelling."""
        found = (word.lower() for word in _WORDS.findall(key))
        single = (word if word in self.same else word.removesuffix("s") for word in found)
        spelled = (self.same.get(word, word) for word in single)
        return tuple(part for word in spelled for part in word.split())

    def _meant(self, key: str) -> str | None:
        """The shaping key of the same words in any order, or of nearly the same letters."""
        alike = self._by_words.get(_bag(self.words(key)))
        return alike or next(iter(difflib.get_close_matches(key, self.shaping, n=1, cutoff=NEAR)), None)

    @cached_property
    def _by_words(self) -> dict[frozenset[tuple[str, int]], str]:
        return {_bag(self.words(key)): key for key in reversed(self.shaping) if len(self.words(key)) > 1}


def _bag(words: Iterable[str]) -> frozenset[tuple[str, int]]:
    return frozenset(Counter(words).items())
