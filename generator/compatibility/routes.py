"""Classes that an engine serves by another way than a class of its own: through transformers, or a second backend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator.catalog.records import Catalog, Record
from generator.compatibility.chain import Effect, Reason, RuleOutcome, VerdictState, cited


@dataclass(frozen=True, slots=True)
class Route:
    """A way of serving, and the classes that take it.

    `only`: these are served so even where the engine's list names them; otherwise the way is open to a class that the
    list lacks. `unread`: what would have to be read to know how the engine's backends serve them.
    """

    name: str
    classes: frozenset[str]
    only: bool
    cites: tuple[str, ...]
    by_hand: str | None = None
    unread: str | None = None

    def step(self, engine: str, name: str) -> Reason:
        """The step of the chain."""
        text = f"{engine} has no class of its own for {name}; {self.name} serves it"
        return Reason(
            "route", Effect.ASKS, text + (f", by {self.by_hand}" if self.by_hand else ""), self.cites, self.name
        )

    @property
    def modifiers(self) -> tuple[str, ...]:
        """What is said in addition to the state."""
        return (f"through {self.name}", *([f"by hand: {self.by_hand}"] if self.by_hand else []))

    @property
    def outcome(self) -> RuleOutcome | None:
        """What is known of the kernels on this way; None where they are the engine's own."""
        if self.unread is None:
            return None
        step = Reason("route", Effect.UNREAD, f"how {self.name} runs it was not read", self.cites, self.name)
        return RuleOutcome(VerdictState.LISTED, (step,), (f"{self.unread}, read",))


def routes_of(catalog: Catalog, engine: Record) -> tuple[Route, ...]:
    """The ways of an engine, in the order of its record."""
    return tuple(_route(catalog, row) for row in engine.get("routes") or ())


def _route(catalog: Catalog, row: Mapping[str, Any]) -> Route:
    lists = [catalog.records[id] for id in cited(row.get("list")) if id in catalog.records]
    named = [name for source in lists for name in source.get("facts", "architectures") or ()]
    classes = frozenset([*(row.get("architectures") or ()), *named])
    cites = cited(row["cite"], row.get("list"))
    return Route(row["name"], classes, not lists, cites, row.get("by_hand"), row.get("unread"))
