"""What a record says in its own prose, with the places; a contradiction is two of them that cannot both hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from generator.prose.comparisons.sentence import Namesakes, Sentence, speeches
from generator.prose.passages import Passage


@dataclass(frozen=True)
class Place:
    """Characters `start` to `end` of a passage."""

    passage: Passage
    start: int
    end: int

    @property
    def words(self) -> str:
        """What stands there, on one line."""
        return " ".join(self.passage.text.value[self.start : self.end].split())


@dataclass(frozen=True)
class Contradiction:
    """Where a record contradicts itself, what is said there, and the other places, each with what it says."""

    place: Place
    message: str
    others: tuple[tuple[Place, str], ...]


def own_speeches(passages: list[Passage], names: Namesakes) -> Iterator[Sentence]:
    """The sentences of a record that name no other model; what corrections tell is not the record's own statement."""
    for passage in passages:
        if "corrections" in passage.text.path:
            continue
        for speech in speeches(passage, names):
            if all(each.id == speech.own for each in speech.mentions):
                yield speech
