"""What the reader finds: statements, each with the place of the stated figure and whether it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

from generator.prose.reading.quantities import Quantity


class StatementKind(StrEnum):
    """What a statement says."""

    ARITHMETIC = "arithmetic"
    CONVERSION = "conversion"
    PARTITION = "partition"
    RATIO = "ratio"


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement. `start` to `end` is the figure that is judged, `holds` None where it cannot be.

    `right` is the right value, in the unit that was written, `why` how it comes about. `names` are the named values
    that were used: with another model's values the statement may be true. `sides` are the numbers that it holds
    against each other.
    """

    kind: StatementKind
    start: int
    end: int
    holds: bool | None
    right: str = ""
    why: str = ""
    stated: Quantity | None = None
    names: tuple[str, ...] = ()
    sides: tuple[tuple[Quantity, ...], ...] = ()


@dataclass(frozen=True)
class NamedValues:
    """What a text may refer to by name: config values and per-layer lists, how many layers are of which kind, the
    figures in bytes per token that the text's subject has, how many layers, of which kind each is, and what such a
    layer keeps."""

    values: Mapping[str, Fraction] = field(default_factory=dict)
    lists: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    kinds: Mapping[str, int] = field(default_factory=dict)
    figures: Mapping[str, Fraction] = field(default_factory=dict)
    layers: int | None = None
    layer_types: tuple[str, ...] = ()
    keeps: Mapping[str, str] = field(default_factory=dict)


NOTHING = NamedValues()
