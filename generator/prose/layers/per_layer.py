"""A list with one entry per layer, and what can be said about it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any


@dataclass(frozen=True, slots=True)
class PerLayer:
    """A list with one entry per layer, by its name in the config."""

    name: str
    values: tuple[Any, ...]
    layers: int

    @property
    def noun(self) -> str:
        """The word that prose uses for an entry: the `ratio` of `compress_ratios`."""
        return self.name.rsplit("_", 1)[-1].removesuffix("s")

    def at(self, index: int) -> Any:
        """The entry of a layer, or None where there is none."""
        return self.values[index] if 0 <= index < len(self.values) else None

    def places(self, value: int) -> list[int]:
        """The layers that have a value; draft entries are no layers."""
        return [at for at in range(self.layers) if self.values[at] == value]

    def length(self) -> str:
        """How long the list is, and what the entries behind the layers are."""
        more = len(self.values) - self.layers
        return f"`{self.name}` has {len(self.values)} entries" + (f": {self.layers} layers + {more}" if more else "")

    def tell(self, indices: list[int]) -> str:
        """The values at some indices."""
        if any(self.at(at) is None for at in indices):
            return self.length()
        shown = [f"{'layer' if at < self.layers else 'index'} {at} has {self.values[at]}" for at in indices[:3]]
        return ", ".join(shown) + (" ..." if len(indices) > 3 else "")

    def alternating(self, pair: tuple[int, int]) -> str:
        """Where two values really alternate."""
        places = sorted({*self.places(pair[0]), *self.places(pair[1])})
        if len(places) < 2 or any(self.at(a) == self.at(b) or b - a != 1 for a, b in pairwise(places)):
            return ""
        return f"; {self.at(places[0])} and {self.at(places[1])} alternate in layers {places[0]} to {places[-1]}"
