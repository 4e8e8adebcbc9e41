"""What somebody counted in a checkpoint's files, against what follows from its config: two witnesses of its size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from generator.catalog.records import Record
from generator.derive.config.fields import is_size
from generator.derive.facts import Facts

SAME, BESIDE, APART, DIFFERS, ALONE = "same", "beside", "apart", "differs", "alone"
NEAR = Fraction(1, 1000)
"""Bytes may differ by this: single tensors are of a wider type, and some counts have the files' headers in them."""


@dataclass(frozen=True)
class SizeWitness:
    """A quoted number of `elements` or `bytes`, and how it relates to the derived one.

    ``same``; ``beside``: the same with what is named in `more`; ``apart``: larger, and the config has parts that are
    not counted here; ``differs``; ``alone``: nothing is derived to compare it with.
    """

    what: str
    value: int
    cite: str
    agreement: str
    derived: int | None = None
    more: tuple[str, ...] = ()

    @property
    def difference(self) -> int | None:
        """What the files hold more than what is derived."""
        return None if self.derived is None else self.value - self.derived


def size_witnesses(record: Record, facts: Facts) -> Iterator[SizeWitness]:
    """The witnesses that a model's record cites."""
    for what, judge in (("elements", _of_elements), ("bytes", _of_bytes)):
        value, cite = record.get("checkpoint", what, "value"), record.get("checkpoint", what, "cite")
        if is_size(value) and isinstance(cite, str):
            yield judge(value, cite, facts)


def _of_elements(value: int, cite: str, facts: Facts) -> SizeWitness:
    from generator.derive.parameters import Parameters, WeightBytes, explained

    if not isinstance(facts.parameters, Parameters):
        return SizeWitness("elements", value, cite, ALONE)
    scales = facts.weights.scales if isinstance(facts.weights, WeightBytes) else 0
    more = explained(facts.parameters, value, scales)
    if more is not None:
        return SizeWitness("elements", value, cite, BESIDE if more else SAME, facts.parameters.total, more)
    return _larger("elements", value, cite, facts.parameters.total, facts)


def _of_bytes(value: int, cite: str, facts: Facts) -> SizeWitness:
    from generator.derive.parameters import WeightBytes

    if not isinstance(facts.weights, WeightBytes):
        return SizeWitness("bytes", value, cite, ALONE)
    total = facts.weights.total
    if abs(value - total) <= NEAR * total:
        return SizeWitness("bytes", value, cite, SAME, total)
    return _larger("bytes", value, cite, total, facts)


def _larger(what: str, value: int, cite: str, derived: int, facts: Facts) -> SizeWitness:
    from generator.derive.parameters import Parameters

    uncounted = isinstance(facts.parameters, Parameters) and bool(facts.parameters.apart)
    return SizeWitness(what, value, cite, APART if uncounted and value > derived else DIFFERS, derived)
