"""What the lack of support for a model's design costs: bytes per sequence, compared with those that the geometry needs.

All figures are of cache entries in bf16 for one sequence. State is a tax of its own: it does not grow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generator.derive.attention.geometry import Geometry
from generator.derive.attention.unsupported import LATENT, Unsupported, unsupported
from generator.derive.config.fields import is_size
from generator.derive.config.wrappers import unwrap

LENGTHS = (8192, 32768)
"""Lengths, in tokens, at which the cost is given, in addition to the longest that the model takes."""

FIGURES, SAME, NO_CACHE, UNDISCLOSED = "figures", "nothing to save", "no cache", "undisclosed"
UNKNOWN, UNSTATED = "not derivable", "widths not stated"
MAY_LACK = LATENT | {"cross_layer_shared"}
"""Families whose full layers have widths that their geometry does not hold."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Bytes per sequence at one length."""

    tokens: int
    geometry: Fraction
    unsupported: Fraction

    @property
    def factor(self) -> Fraction:
        """How many times the cache takes what it needs."""
        return self.unsupported / self.geometry


@dataclass(frozen=True, slots=True)
class Overpay:
    """What a model costs without support of its design, or in `verdict` why there is no such cost."""

    verdict: str
    without: Unsupported | None = None
    costs: tuple[Cost, ...] = ()

    @property
    def about(self) -> str:
        """The calculation in words, or the verdict."""
        each = self.without
        if each is None:
            return self.verdict
        state = f", {each.recurrent} of them with state of fixed size instead" if each.recurrent else ""
        return f"all {each.layers} layers that mix tokens kept in full, {each.basis}{state}"


NOTHING = Overpay(SAME)


def overpay(geometry: Geometry | None, config: Mapping[str, Any], bytes_at: Mapping[int, Fraction]) -> Overpay:
    """The cost of one model. ``bytes_at`` holds what its geometry takes in bf16, for each length of `lengths`."""
    if geometry is None:
        return Overpay(UNKNOWN if config else UNDISCLOSED)
    if not geometry.streams:
        return Overpay(NO_CACHE)
    without = unsupported(geometry, unwrap(config))
    if without is None or not bytes_at:
        return Overpay(UNSTATED) if geometry.family in MAY_LACK else NOTHING
    costs = tuple(Cost(n, bytes_at[n], Fraction(n * without.bytes_per_token)) for n in lengths(config))
    return Overpay(FIGURES, without, costs)


def lengths(config: Mapping[str, Any]) -> tuple[int, ...]:
    """8k, 32k and the model's longest sequence; none longer than this one."""
    longest = unwrap(config).get("max_position_embeddings")
    if not is_size(longest):
        return LENGTHS
    return (*(length for length in LENGTHS if length < longest), longest)
