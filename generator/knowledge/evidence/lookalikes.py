"""Configs that state the same values, found by an index over all of them instead of pair by pair.

A base holds many copies of one config (fine-tunes, quantisations): to compare each with each takes the square of their
number.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

Member = TypeVar("Member")


def likeness(value: Any) -> Hashable:
    """What two values of a config have in common exactly where `wiring.agree` says that they do.

    >>> likeness(10000) == likeness(10000.0), likeness(1) == likeness(True), likeness([1]) == likeness({0: 1})
    (True, False, False)
    """
    if isinstance(value, Mapping):
        return "mapping", frozenset((key, likeness(item)) for key, item in value.items())
    if isinstance(value, list):
        return "list", tuple(map(likeness, value))
    return isinstance(value, bool), value


class Configs:
    """Flat configs by id; asks which of them hold some values."""

    def __init__(self, configs: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        self._holding: dict[tuple[str, Hashable], set[str]] = {}
        self._asked: dict[frozenset[tuple[str, Hashable]], frozenset[str]] = {}
        for id, config in configs:
            for key, value in config.items():
                self._holding.setdefault((key, likeness(value)), set()).add(id)

    def agreeing(self, known: Mapping[str, Any]) -> frozenset[str]:
        """The ids of all configs that hold all of these values."""
        wanted = frozenset((key, likeness(value)) for key, value in known.items())
        if wanted not in self._asked:
            smallest_first = sorted((self._holding.get(entry, set()) for entry in wanted), key=len)
            self._asked[wanted] = frozenset(set.intersection(*smallest_first)) if smallest_first else frozenset()
        return self._asked[wanted]


def joined(groups: Mapping[frozenset[str], Collection[Member]]) -> Iterator[tuple[set[str], list[Member]]]:
    """Groups that share an id made one, and what belongs to them with it."""
    leader: dict[str, str] = {}

    def lead(id: str) -> str:
        while (above := leader.setdefault(id, id)) != id:
            leader[id] = id = leader[above]
        return id

    for ids in groups:
        first, *others = sorted(ids)
        for id in others:
            leader[lead(id)] = lead(first)
    made: dict[str, tuple[set[str], list[Member]]] = {}
    for ids, members in groups.items():
        together, of = made.setdefault(lead(min(ids)), (set(), []))
        together |= ids
        of.extend(members)
    yield from made.values()
