"""Formulas with their numbers put in, for people who check a figure by hand."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from generator.derive.attention.costs import exact, growth
from generator.derive.attention.formats import CacheLayout, fitting
from generator.derive.attention.geometry import CacheStream, Entries, Geometry
from generator.notation.units import grouped


def formula(geometry: Geometry, layout: CacheLayout) -> str:
    """Growth, as in ``60 × (512 + 64) × 2 = 69,120 B/token``; the left of ``=`` evaluates to ``growth``."""
    growing = [s for s in geometry.streams if s.entries.slope()]
    left = " + ".join(_terms(geometry, layout, growing, _slope)) or "0"
    return f"{left} = {grouped(growth(geometry, layout))} B/token"


def window_formula(geometry: Geometry, layout: CacheLayout) -> str:
    """What the windows hold once they are full, as in ``43 × 512 × 2 × 128 = 5,636,096 B``; empty without windows."""
    streams = tuple(s for s in geometry.streams if s.role == "window")
    if not streams:
        return ""
    saturated = max(s.entries.n for s in streams)
    only = Geometry(geometry.family, {}, (), streams, (), None, None, frozenset())
    left = " + ".join(_terms(geometry, layout, list(streams), lambda entries: f" × {entries.n}"))
    return f"{left} = {grouped(Fraction(exact(only, layout, saturated)))} B"


def _slope(entries: Entries) -> str:
    return f" / {entries.n}" if entries.rule == "pooled" else ""


def _terms(
    geometry: Geometry, layout: CacheLayout, streams: list[CacheStream], times: Callable[[Entries], str]
) -> list[str]:
    """One term per group of streams; what the same layers keep at the same pace is in one pair of brackets."""
    paced: dict[tuple[str, int, Entries], list[str]] = {}
    for stream in streams:
        pace = (stream.layer_type, stream.layers, stream.entries)
        paced.setdefault(pace, []).append(_entry(stream, geometry.family, layout))
    # Layers of several types that keep the same entries at the same pace are counted together.
    layers: dict[tuple[str, Entries], int] = {}
    for (_, count, entries), costs in paced.items():
        cost = costs[0] if len(costs) == 1 else f"({' + '.join(costs)})"
        layers[cost, entries] = layers.get((cost, entries), 0) + count
    return [f"{count} × {cost}{times(entries)}" for (cost, entries), count in layers.items()]


def _entry(stream: CacheStream, family: str, layout: CacheLayout) -> str:
    form = fitting(stream, family, layout)
    if form.bytes_per_entry is not None:
        cost = str(form.bytes_per_entry)
    else:
        cost = f"{stream.width} × {_plain(Fraction(form.bytes_per_scalar or 0))}"
    if not form.extra_bytes_per_head:
        return cost
    return f"({cost} + {stream.heads} × {_plain(form.extra_bytes_per_head)})"


def _plain(value: Fraction) -> str:
    return grouped(value).replace(",", "")
