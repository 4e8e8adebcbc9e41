"""What the lack of support for a model's design costs, as lines of text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from generator.derive.overpay import Overpay
from generator.notation.units import binary, grouped, number


def overpay_lines(overpay: Overpay) -> Iterator[str]:
    """For a terminal; nothing where support saves nothing."""
    if overpay.without is None:
        return
    yield f"without support of this design: {grouped(overpay.without.bytes_per_token)} B/token in bf16"
    yield f"  {overpay.about}"
    for cost in overpay.costs:
        sizes = f"{binary(cost.unsupported)} for {binary(cost.geometry)} per sequence"
        yield f"  {grouped(cost.tokens):>12} tokens: {sizes}, {float(cost.factor):.2f} times"


def overpay_object(overpay: Overpay) -> dict[str, dict[str, int | float]]:
    """Bytes and factor by length."""
    return {
        str(cost.tokens): {
            "geometry": number(cost.geometry),
            "unsupported": number(cost.unsupported),
            "factor": round(float(cost.factor), 4),
        }
        for cost in overpay.costs
    }
