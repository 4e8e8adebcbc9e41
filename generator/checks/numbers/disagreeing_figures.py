"""NUM410: the same quantity stated twice, differently."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from generator.catalog.records import Record
from generator.catalog.schemas import Path
from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Related, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import grouped
from generator.prose.reader import Quantity
from generator.prose.reading.tokens import tokens

_DERIVED = ("parameters_", "kv_")
"""Claims that are held against what is derived; a wrong one of those is told there."""

_SIZES = ("bytes_per_entry", "bytes_per_scalar", "per_token_extra")
Place = tuple[Record, Path]


@check("NUM410", Severity.WARNING)
def disagreeing_figures(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """One quantity is stated twice, and the two figures do not agree.

    Why it matters
    One of them is wrong, or they are two quantities and the record does not say which is which. Held against each other
    are a figure and the `bytes` beside it, two claims of a model about the same field under the same condition, and the
    sizes of a cache format that several records keep for one family under one name. Figures agree if they do in any
    reading of their units and at the digits that are written. What other sources say of a GPU stands in its
    `memory_claims` and `bandwidth_claims` on purpose, and is left alone.

    Bad
    ```yaml records/gpus/tiny-gpu.yaml
    memory: {value: 80, unit: GiB, bytes: 80000000000, cite: "[[tiny-datasheet]]"}
    ```

    Good
    ```yaml records/gpus/tiny-gpu.yaml
    memory: {value: 80, unit: GiB, bytes: 85899345920, cite: "[[tiny-datasheet]]"}
    ```

    How to fix
    Read the source again and correct the figure that is wrong. If both are right, say in `condition` what separates two
    claims, and give two formats two names.
    """
    yield from _figures_and_bytes(this, kb, tally)
    yield from _claims(this, kb, tally)
    yield from _formats(this, kb, tally)


def _figures_and_bytes(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    for kind in kb.catalog.kinds:
        for record in tally.sound(kb, kind.name) if kind.name != "source" else ():
            for path, pair in _pairs((), record.document.data):
                stated = _quantity(pair["value"], pair["unit"])
                if stated is None or stated.dimension != "bytes":
                    tally.not_checkable += 1
                    continue
                tally.checked += 1
                if not _agree(stated, pair["bytes"]):
                    written = f"{pair['value']} {pair['unit']}"
                    message = f"{written} is not {grouped(pair['bytes'])} bytes; correct the one that is wrong"
                    yield this.finding(record.at(*path, "bytes"), message, record.id)


def _pairs(path: Path, value: Any) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Objects that state a quantity twice: in the source's words, and in bytes."""
    if isinstance(value, dict):
        if "value" in value and isinstance(value.get("unit"), str) and isinstance(value.get("bytes"), int):
            yield path, value
        for key, item in value.items():
            yield from _pairs((*path, key), item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _pairs((*path, index), item)


def _claims(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    for record in tally.sound(kb, "model"):
        claims = [
            claim for claim in enumerate(record.get("claims") or ()) if not claim[1]["field"].startswith(_DERIVED)
        ]
        measures: dict[tuple[str, str], tuple[int, dict[str, Any]]] = {}
        for second, two in claims:
            first, one = measures.setdefault((two["field"], _condition(two)), (second, two))
            if first == second:
                continue
            agree = _claims_agree(one, two)
            if agree is None:
                tally.not_checkable += 1
                continue
            tally.checked += 1
            if not agree:
                stated = f"{two['field']} is {two['value']} {two['unit']} here and {one['value']} {one['unit']} above"
                related = Related(record.at("claims", first, "value"), "the other claim")
                message = f"{stated}; say in `condition` what separates them, or correct one"
                yield this.finding(record.at("claims", second, "value"), message, record.id, [related])


def _condition(claim: dict[str, Any]) -> str:
    return " ".join(str(claim.get("condition", "")).casefold().split())


def _claims_agree(one: dict[str, Any], two: dict[str, Any]) -> bool | None:
    """Whether two claims state the same; None where their units cannot be compared."""
    if one["unit"] == two["unit"] and one["value"] == two["value"]:
        return True
    first, second = _quantity(one["value"], one["unit"]), _quantity(two["value"], two["unit"])
    if first is None or second is None:
        return None
    if first.unit is None and second.unit is None:
        return _overlap(first, second) if one["unit"] == two["unit"] else None
    return _overlap(first, second) if first.comparable(second) else None


def _formats(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """The first record that keeps a format is the measure; each other that differs is one finding."""
    first: dict[tuple[str, str, str], tuple[Place, Any]] = {}
    for kind in kb.catalog.kinds:
        for record in kb.catalog.sound(kind.name):
            for index, stored in enumerate(record.get("cache_formats") or ()):
                place: Place = (record, ("cache_formats", index))
                yield from _format(this, tally, first, place, stored)


def _format(
    this: Check,
    tally: Tally,
    first: dict[tuple[str, str, str], tuple[Place, Any]],
    place: Place,
    stored: dict[str, Any],
) -> Iterator[Finding]:
    told: set[str] = set()
    for family in stored.get("families") or ():
        for size in _SIZES:
            (other, path), expected = first.setdefault((stored["id"], family, size), (place, stored.get(size)))
            if (other, path) == place or expected is None or stored.get(size) is None:
                continue
            tally.checked += 1
            if stored[size] != expected and size not in told:
                told.add(size)
                record, here = place
                related = Related(other.at(*path, size), f"{expected} here")
                message = (
                    f"`{stored['id']}` has {stored[size]} {size.replace('_', ' ')} here and {expected} in {other.id}, "
                    f"both for {family}; correct one, or give two formats two names"
                )
                yield this.finding(record.at(*here, size), message, record.id, [related])


def _quantity(value: Any, unit: str) -> Quantity | None:
    """A figure as the reader of prose takes it; None where it is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    written = f"{value:.12g}" if isinstance(value, float) else str(value)
    found = [token.quantity for token in tokens(f"{written} {unit}") if token.quantity is not None]
    return found[0] if len(found) == 1 and found[0].start == 0 else None


def _agree(stated: Quantity, size: int) -> bool:
    scales = stated.unit.scales if stated.unit else (Fraction(1),)
    return any(low <= size <= high for low, high in map(stated.at, scales))


def _overlap(one: Quantity, two: Quantity) -> bool:
    """Whether two figures may be the same number, in any reading of their units."""
    ranges = [[each.at(scale) for scale in (each.unit.scales if each.unit else (Fraction(1),))] for each in (one, two)]
    return any(low <= top and bottom <= high for low, high in ranges[0] for bottom, top in ranges[1])
