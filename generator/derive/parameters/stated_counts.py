"""Published parameter figures against the count: what a figure may have counted, and how exact it claims to be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation

from generator.derive.parameters.parts import Apart, Parameters

UNITS: Mapping[str, int] = {"parameters": 1, "million": 10**6, "billion": 10**9, "trillion": 10**12}
TOTAL, ACTIVE = "parameters_total", "parameters_active"


def countings(of: Parameters, field: str) -> dict[str, int]:
    """The numbers that a claim of this field may mean, by what they count; empty for other fields."""
    if field == ACTIVE:
        return {
            "with the input embedding": of.active(with_input_embedding=True),
            "without the input embedding": of.active(with_input_embedding=False),
        }
    if field != TOTAL:
        return {}
    known = {part.name: part.parameters for part in of.apart if part.parameters}
    found = {"the language model": of.total} | {f"with {name}": of.total + size for name, size in known.items()}
    found |= {name: count for part in of.apart for name, count in _stored(of.total, part)}
    return found | ({"with all that is counted apart": of.total + sum(known.values())} if len(known) > 1 else {})


def _stored(total: int, part: Apart) -> Iterator[tuple[str, int]]:
    """What a checkpoint's files hold, summed up thing by thing: the Hub counts tensors, whatever they are for."""
    count, said = total + (part.parameters or 0), f"with {part.name}"
    for what, size in part.stored.items():
        count, said = count + size, f"{said}, {what}"
        yield said, count


def agrees(value: object, unit: object, count: int) -> bool | None:
    """Whether a figure is this count, rounded to the digits it has; None where it cannot be read.

    A whole number of billions or the like may also be cut: a vendor's 40 is 40.8 as often as 40.2.
    """
    scale = UNITS.get(str(unit))
    try:
        stated = Decimal(str(value).replace(",", ""))
    except (InvalidOperation, ValueError):  # ValueError: a number of more digits than Python prints
        return None
    if scale is None or isinstance(value, bool) or not stated.is_finite():
        return None
    digits = stated.normalize() if unit == "parameters" else stated  # 671,000,000,000 has three digits, not twelve
    exponent = digits.as_tuple().exponent
    assert isinstance(exponent, int)
    step = Decimal(1).scaleb(max(exponent, -12)) * scale
    gap = Decimal(count) - stated * scale
    cut = unit != "parameters" and exponent >= 0 and 0 <= gap < step
    return abs(gap) <= step / 2 or cut


def matching(value: object, unit: object, of: Parameters, field: str) -> list[str] | None:
    """Which countings a figure agrees with; None where the figure cannot be read."""
    verdicts = {name: agrees(value, unit, count) for name, count in countings(of, field).items()}
    return None if None in verdicts.values() else [name for name, agreed in verdicts.items() if agreed]
