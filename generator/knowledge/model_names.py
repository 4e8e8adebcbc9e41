"""The names by which prose knows a model: its title, aliases, repository, and "V3" for DeepSeek-V3."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from generator.catalog.records import Catalog, Record

_WORD_BEGINS = re.compile(r"(?<![\w.-])[A-Za-z0-9]++")
_GOES_ON = re.compile(r"\w|[.-]\w")


@dataclass(frozen=True)
class ModelNames:
    """What each model is called, by its id. Made once for a knowledge base: hundreds of texts ask for it."""

    of: Mapping[str, frozenset[str]]
    _patterns: Mapping[str, re.Pattern[str]]
    _siblings: Mapping[str, re.Pattern[str]]

    def mentioned(self, text: str, besides: str) -> set[str]:
        """The ids of the models that a text cites or names, but for one."""
        return {id for id, pattern in self._patterns.items() if id != besides and pattern.search(text)}

    def places(self, text: str) -> Iterator[tuple[int, str]]:
        """Where a text names or cites models: (place, id), in order."""
        for match in _WORD_BEGINS.finditer(text):
            for name, id in self._by_start.get(match[0], ()):
                if text.startswith(name, match.start()) and not _GOES_ON.match(text, match.start() + len(name)):
                    yield match.start(), id
                    break

    @cached_property
    def _by_start(self) -> dict[str, list[tuple[str, str]]]:
        """The names by the letters and digits that they begin with, the longest first."""
        found: dict[str, list[tuple[str, str]]] = {}
        for name, id in sorted(
            ((name, id) for id, called in self.of.items() for name in called), key=lambda each: -len(each[0])
        ):
            if start := _WORD_BEGINS.match(name):
                found.setdefault(start[0], []).append((name, id))
        return found

    def sibling_mentioned(self, text: str, besides: str) -> bool:
        """Whether a text names a model only by the word that its name has and another lacks: "Pro" next to V4-Flash."""
        pattern = self._siblings.get(besides)
        return pattern is not None and bool(pattern.search(text))


def names(catalog: Catalog) -> ModelNames:
    """The names of all models of a catalog."""
    firsts = Counter(_words(record.title)[0] for record in catalog.of("model"))
    of = {record.id: frozenset(_called(record, firsts)) for record in catalog.of("model")}
    return ModelNames(of, {id: _any_of(called) for id, called in of.items()}, dict(_siblings(catalog)))


def _siblings(catalog: Catalog) -> Iterator[tuple[str, re.Pattern[str]]]:
    """For each model the last words of titles that are otherwise its own, where they are words."""
    ends: dict[str, set[str]] = {}
    titles = {record.id: re.split(r"[- ](?=[^- ]*$)", record.title) for record in catalog.of("model")}
    for head, *last in titles.values():
        ends.setdefault(head, set()).update(word for word in last if re.fullmatch(r"[A-Z][a-z]+", word))
    for id, (head, *last) in titles.items():
        if others := ends[head] - set(last):
            yield id, _any_of(frozenset(others))


def _called(record: Record, firsts: Counter[str]) -> Iterator[str]:
    titles = [record.title, *(record.get("aliases") or ())]
    yield from titles
    yield record.id
    yield str(record.get("repo") or record.id).rpartition("/")[2]
    yield from (tail for title in titles for tail in _words(title)[-1:] if re.match(r"[A-Z]+\d", tail))
    first = _words(record.title)[0]
    if firsts[first] == 1 and len(first) > 2:
        yield first


def _words(title: str) -> list[str]:
    """A title in two: what comes before its first blank or dash, and all that follows."""
    return re.split(r"[- ]", title, maxsplit=1)


@lru_cache(maxsize=4096)
def _any_of(called: frozenset[str]) -> re.Pattern[str]:
    longest_first = sorted(called, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, longest_first))})(?!\w|[.-]\w)")
