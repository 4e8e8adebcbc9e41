"""What a claim about a model states, and every derived value that it may mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generator.derive.config.fields import is_size
from generator.derive.facts import Facts
from generator.derive.figures import Figure
from generator.notation.units import POWERS, grouped
from generator.prose.reading.quantities import BYTES, COUNT, Quantity
from generator.prose.reading.tokens import tokens

PER_TOKEN = re.compile(r"kv(_cache)?(_bytes|_size)?_per_token")
AT_LENGTH = re.compile(r"kv(_cache)?(_bytes|_size)?(_at_(?P<length>\d+)(?P<scale>[km])?(_tokens)?)?")
CONTEXT = frozenset({"context", "context_length", "context_window", "max_context", "max_context_length"})
LENGTH = re.compile(r"(?<![\d,])(?P<length>\d[\d,]*+)\s*+(?P<scale>[km])?[\s-]*+tokens", re.I)
DTYPE = re.compile(r"\b(bf16|fp16|fp8|fp4|nvfp4|mxfp4|int8|int4)\b(?![\s-]+weights)", re.I)
OTHERWISE = re.compile(r"\b(batch|sequences|concurrent|layer|gpu|rank|tp)\b|\btp\s?\d", re.I)
"""Conditions under which a figure is not that of one sequence and the whole model."""

STRETCHED = re.compile(r"yarn|scal|extrapol|stretch|extend", re.I)


@dataclass(frozen=True)
class ComparableClaim:
    """A claim that can be compared: its figure, and the derived values that it may mean, by what they are."""

    quantity: Quantity
    meanings: Mapping[str, Fraction]
    at_most: bool = False

    def agreeing(self) -> list[str]:
        """Which of the values round to the stated digits; a length that may be shorter has to be no longer."""
        return [name for name, value in self.meanings.items() if self._means(value)]

    def _means(self, value: Fraction) -> bool:
        unit = self.quantity.unit
        for scale in unit.scales if unit else (Fraction(1),):
            low, high = self.quantity.value - self._margin, self.quantity.value + self._margin
            if low * scale <= value and (self.at_most or value <= high * scale):
                return True
        return False

    @property
    def _margin(self) -> Fraction:
        """Half of the last digit. Zeros that end a whole number are no digits, but the first two always are."""
        value, step = self.quantity.value, self.quantity.step
        while step >= 1 and value % (step * 10) == 0 and value >= step * 100:
            step *= 10
        return step * Fraction(3 if self.quantity.about else 1, 2)


def stated(claim: Mapping[str, Any], facts: Facts) -> ComparableClaim | None:
    """What a claim states about a model; None where its field, its unit or its condition leaves that open."""
    quantity = quantity_of(claim)
    field, condition = str(claim["field"]), str(claim.get("condition") or "")
    if quantity is None:
        return None
    if quantity.dimension == BYTES and not OTHERWISE.search(condition):
        found = dict(_bytes(field, condition, facts))
        return ComparableClaim(quantity, found) if found else None
    if quantity.dimension != COUNT:
        return None
    longest = facts.config.get("max_position_embeddings")
    if field in CONTEXT and is_size(longest) and not STRETCHED.search(condition):
        return ComparableClaim(quantity, {"max_position_embeddings": Fraction(longest)}, at_most=True)
    own = facts.config.get(field)
    return ComparableClaim(quantity, {field: Fraction(own)}) if is_size(own) else None


def quantity_of(claim: Mapping[str, Any]) -> Quantity | None:
    """The figure of a claim with its unit; None where it has none, or more than one."""
    if claim.get("value") is None or isinstance(claim["value"], bool):
        return None
    found = [token.quantity for token in tokens(f"{claim['value']} {claim['unit']}") if token.quantity is not None]
    return found[0] if len(found) == 1 else None


def _bytes(field: str, condition: str, facts: Facts) -> Iterator[tuple[str, Fraction]]:
    figures = _meant(condition, facts)
    lengths = _lengths(AT_LENGTH.fullmatch(field)) or _lengths(LENGTH.search(condition))
    if PER_TOKEN.fullmatch(field):
        yield from ((figure.key, figure.growth) for figure in figures)
        for length in lengths:
            yield from (
                (f"{figure.key}, mean of {grouped(length)}", figure.bytes(length) / length) for figure in figures
            )
    elif AT_LENGTH.fullmatch(field):
        for figure in figures:
            for length in lengths:
                name, size = f"{figure.key} at {grouped(length)} tokens", figure.bytes(length)
                yield name, size
                yield from ((f"{name} with {state}", size + more) for state, more in facts.state.items())


def _lengths(match: re.Match[str] | None) -> list[int]:
    """The lengths that a match may mean: 128k is 131,072 or 128,000."""
    if match is None or not match["length"]:
        return []
    number, power = int(match["length"].replace(",", "")), POWERS.get((match["scale"] or "").upper(), 0)
    return [length for length in dict.fromkeys((number * 1024**power, number * 1000**power)) if 0 < length < 1 << 40]


def _meant(condition: str, facts: Facts) -> list[Figure]:
    """The layouts that a condition speaks of: by their keys, else by their types; all where it names none."""
    words = set(re.findall(r"[\w+#.]+", condition))
    named = [figure for figure in facts.figures if figure.key in words]
    dtypes = {match[1].lower().replace("fp16", "bf16") for match in DTYPE.finditer(condition)}
    typed = [figure for figure in facts.figures if any(dtype in figure.key for dtype in dtypes)]
    return named or typed or list(facts.figures)
