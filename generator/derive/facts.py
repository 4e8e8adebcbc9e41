"""What follows for one model from the records, and is never stored in one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from generator.derive.attention.geometry import Geometry
from generator.derive.class_defaults import DefaultsUsed
from generator.derive.config.fields import NotDerivable, is_size
from generator.derive.figures import Figure
from generator.derive.overpay import NO_CACHE, UNDISCLOSED, UNKNOWN, Overpay, lengths, overpay
from generator.derive.states import EngineState, engine_states

if TYPE_CHECKING:  # `kv --config` counts no parameters, and need not wait for the tables of all architectures
    from generator.derive.parameters import Parameters, WeightBytes


@dataclass(frozen=True)
class Facts:
    """What follows for one model. Either a geometry with figures, or `reason` and the `fields` to look at.

    ``open_keys`` are the unjudged keys that alone are in the way of a geometry.
    """

    id: str
    config: Mapping[str, Any]
    geometry: Geometry | None
    reason: str | None = None
    fields: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    state: Mapping[str, int] = field(default_factory=dict)
    refused: tuple[str, ...] = ()
    parameters: Parameters | NotDerivable | None = None
    class_defaults: DefaultsUsed | None = None
    weights: WeightBytes | NotDerivable | None = None
    open_keys: tuple[str, ...] = ()

    def figure(self, key: str) -> Figure | None:
        """The row of a layout key."""
        return next((figure for figure in self.figures if figure.key == key), None)

    @property
    def longest(self) -> int | None:
        """The longest context that the config states."""
        longest = self.config.get("max_position_embeddings")
        return longest if is_size(longest) else None

    @property
    def smallest(self) -> Figure | None:
        """The figure that grows least among those that an engine on record stores."""
        return min(self._stored, key=_growth, default=None)

    @property
    def largest(self) -> Figure | None:
        """The figure that grows most among those that an engine on record stores."""
        return max(self._stored, key=_growth, default=None)

    @property
    def _stored(self) -> list[Figure]:
        return [figure for figure in self.figures if figure.engines]

    @property
    def no_figure(self) -> str | None:
        """The word in place of the figure: ``no cache`` and ``undisclosed`` are values as well."""
        if self.geometry is None:
            return UNDISCLOSED if self.overpay.verdict == UNDISCLOSED else UNKNOWN
        return NO_CACHE if not self.geometry.streams else None

    @property
    def assumed(self) -> Mapping[str, Any]:
        """The keys that the cache was derived from although only the config class sets them."""
        reads = self.geometry.reads if self.geometry else frozenset()
        keys = self.class_defaults.keys if self.class_defaults else {}
        return {key: value for key, value in keys.items() if key in reads}

    @cached_property
    def states(self) -> tuple[EngineState, ...]:
        """The state as each engine keeps it: alternatives, which do not add up."""
        return engine_states(self.geometry, self.figures) if self.geometry else ()

    @cached_property
    def overpay(self) -> Overpay:
        """What the model costs per sequence where its design is not supported."""
        plain = self.figure("bf16")
        return overpay(self.geometry, self.config, {n: plain.bytes(n) for n in lengths(self.config)} if plain else {})


def _growth(figure: Figure) -> tuple[Fraction, Fraction]:
    """Growth; where that is the same, what the windows hold."""
    return figure.growth, figure.saturated
