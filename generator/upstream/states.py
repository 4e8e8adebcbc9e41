"""How a document relates to what is on record: the one vocabulary of command, site and reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from generator.knowledge.changes.fields import FieldChange


class Drift(StrEnum):
    """What a new look at a document gave. Only what a document says is drift; that it could not be read is none."""

    SAME = "same"
    MOVED = "moved"
    REWORDED = "reworded"
    CHANGED = "changed"
    GONE = "gone"
    REDIRECTED = "redirected"
    YANKED = "yanked"
    SUPERSEDED = "superseded"
    UNREACHABLE = "unreachable"
    NOT_COMPARABLE = "not comparable"


WORST_FIRST = (
    *(Drift.CHANGED, Drift.GONE, Drift.YANKED, Drift.SUPERSEDED, Drift.REWORDED, Drift.MOVED, Drift.REDIRECTED),
    *(Drift.UNREACHABLE, Drift.NOT_COMPARABLE, Drift.SAME),
)
DRIFTED = frozenset(WORST_FIRST[:7])
"""The states that somebody should look at."""


@dataclass(frozen=True)
class DriftOutcome:
    """What was found of one source: the state, why, the edition that was read, and the facts that differ there."""

    source: str
    state: Drift
    why: str
    edition: str = ""
    place: str = ""
    changes: tuple[FieldChange, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)
    """What the extractor yields there now; empty where none does."""
    digest: str = ""
    artifact: str = ""
    dated: str = ""

    @property
    def news(self) -> bool:
        """Whether it asks for somebody: a newer edition that says the same does not."""
        return self.state in DRIFTED and (self.state is not Drift.SUPERSEDED or bool(self.changes))

    def kept(self) -> dict[str, Any]:
        """As data for the store."""
        rows = [[each.place, each.before, each.after] for each in self.changes]
        return {**self.__dict__, "state": str(self.state), "changes": rows}

    @classmethod
    def of(cls, kept: dict[str, Any]) -> DriftOutcome:
        """From data of the store."""
        changes = tuple(FieldChange(*row) for row in kept["changes"])
        return cls(**{**kept, "state": Drift(kept["state"]), "changes": changes})
