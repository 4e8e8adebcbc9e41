"""The prose texts that checks read, counted."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Tally
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.prose.passages import Passage, passages_of


def passages(kb: KnowledgeBase, tally: Tally, kinds: tuple[str, ...] = ()) -> Iterator[Passage]:
    """The prose of the records of some kinds (all but sources).

    What a correction says was wrong is left alone: it quotes the mistake.
    """
    for kind in kinds or tuple(kind.name for kind in kb.catalog.kinds if kind.name != "source"):
        for record in tally.sound(kb, kind):
            yield from passages_of(kb, record)
