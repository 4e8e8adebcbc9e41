"""Bytes of a geometry under a layout. Whole model, batch 1, page rounding of engines left out.

See docs/kv-geometry.md#conventions.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from generator.derive.attention.formats import CacheFormat, CacheLayout, FormatMismatch, check_family, fitting
from generator.derive.attention.geometry import CacheStream, Geometry


def entry_bytes(stream: CacheStream, layout: CacheLayout, family: str | None = None) -> Fraction:
    """Bytes of one entry of a stream, scales included.

    Raises FormatMismatch, naming both sides, where the layout's format was made for another role, width or family.
    A stream does not know its family; without ``family`` that is not checked.
    """
    form = fitting(stream, family, layout)
    if form.bytes_per_entry is not None:
        data = Fraction(form.bytes_per_entry)
    else:
        data = stream.scalars * Fraction(form.bytes_per_scalar or 0)
    return data + stream.heads * form.extra_bytes_per_head


def growth(geometry: Geometry, layout: CacheLayout) -> Fraction:
    """Bytes per token in the long run: the limit of d bytes / dL. Saturated windows and state do not grow."""
    growing = ((s, s.layers * s.entries.slope()) for s in geometry.streams)
    return sum((n * entry_bytes(s, layout, geometry.family) for s, n in growing if n), Fraction(0))


def growth_at(geometry: Geometry, layout: CacheLayout, tokens: int) -> Fraction:
    """Bytes that a token adds to so many: before the windows are full, between them, or beyond."""
    growing = ((s, s.layers * s.entries.slope_at(tokens)) for s in geometry.streams)
    return sum((n * entry_bytes(s, layout, geometry.family) for s, n in growing if n), Fraction(0))


def exact(geometry: Geometry, layout: CacheLayout, tokens: int, encoder: int = 0) -> int | Fraction:
    """Bytes of all cache entries after this many tokens: windows saturate, pooled entries floor, state is left out.

    ``encoder`` counts the encoder's positions of a model whose config does not fix them.
    """
    return _whole(_total(geometry, layout, tokens, lambda stream: Fraction(1), encoder))


def stream_bytes(
    geometry: Geometry, layout: CacheLayout, stream: CacheStream, tokens: int, tp: int = 1
) -> int | Fraction:
    """Bytes of one kind of entry after this many tokens, on each of so many ranks. Raises ValueError as ``sharded``."""
    entries = stream.layers * stream.entries.count(tokens)
    return _whole(_share(stream.heads, tp) * entries * entry_bytes(stream, layout, geometry.family))


def state_parts(geometry: Geometry, layout: CacheLayout) -> list[tuple[CacheFormat, int]] | None:
    """The bytes of each state slot with the format that stores it; None where one has no format, or no stated width.

    Raises FormatMismatch where a record was made for another family or another width of row.
    """
    parts: list[tuple[CacheFormat, int]] = []
    for slot in geometry.states:
        form = next((form for form in layout.states if form.slot == slot.slot), None)
        if form is None or slot.scalars is None:
            return None
        parts.append((form, slot.layers * form.rows * _row_bytes(slot.scalars, form, geometry.family)))
    return parts


def sharded(geometry: Geometry, layout: CacheLayout, tokens: int, tp: int) -> int | Fraction:
    """Bytes of all cache entries on each of ``tp`` tensor-parallel ranks.

    KV heads are dealt out until there are no more, then repeated; an entry that its heads share is whole on every
    rank (vllm 0.33.0 ``config/model.py`` get_num_kv_heads). Raises ValueError where heads and ranks do not divide.
    """
    check_ranks(geometry, tp)
    return _whole(_total(geometry, layout, tokens, lambda stream: _share(stream.heads, tp)))


def sharded_growth(geometry: Geometry, layout: CacheLayout, tp: int, tokens: int | None = None) -> Fraction:
    """Growth on each rank: in the long run, or as a token adds to so many. Raises ValueError as ``sharded`` does."""
    check_ranks(geometry, tp)
    total = Fraction(0)
    for stream in geometry.streams:
        slope = stream.entries.slope() if tokens is None else stream.entries.slope_at(tokens)
        total += _share(stream.heads, tp) * stream.layers * slope * entry_bytes(stream, layout, geometry.family)
    return total


def check_ranks(geometry: Geometry, tp: int) -> None:
    """Raise ValueError, with both numbers, where query heads or KV heads cannot be dealt out to so many ranks."""
    if tp < 1:
        raise ValueError(f"tensor parallel size {tp} is below 1")
    for heads in geometry.query_heads:
        if heads % tp:
            raise ValueError(f"{heads} query heads cannot be dealt out evenly to {tp} ranks")
    for stream in geometry.streams:
        _share(stream.heads, tp)


def copies(geometry: Geometry, tp: int) -> dict[str, int]:
    """How many ranks hold the same entries, by what is held: KV heads where there are fewer, rows that heads share."""
    found: dict[str, int] = {}
    for stream in geometry.streams:
        if not stream.heads:
            found[f"{stream.role} row"] = tp
        elif tp > stream.heads:
            found[f"each of {stream.heads} KV heads"] = tp // stream.heads
    return found if tp > 1 else {}


def _total(
    geometry: Geometry, layout: CacheLayout, tokens: int, share: Callable[[CacheStream], Fraction], encoder: int = 0
) -> Fraction:
    total = Fraction(0)
    for stream in geometry.streams:
        entries = stream.layers * stream.entries.count(tokens, encoder)
        total += share(stream) * entries * entry_bytes(stream, layout, geometry.family)
    return total


def _share(heads: int, tp: int) -> Fraction:
    """The part of an entry that one rank holds."""
    if not heads:
        return Fraction(1)
    if heads % tp and tp % heads:
        raise ValueError(f"{heads} KV heads cannot be dealt out evenly to {tp} ranks")
    return Fraction(max(1, heads // tp), heads)


def _row_bytes(scalars: int, form: CacheFormat, family: str) -> int:
    check_family(form, family)
    if "state" not in form.roles:
        raise FormatMismatch(f"{form.id} holds no state")
    if form.bytes_per_entry is None:
        return int(scalars * Fraction(form.bytes_per_scalar or 0))
    if form.scalars != scalars:
        raise FormatMismatch(f"{form.id} was made for rows of {form.scalars} scalars, these have {scalars}")
    return form.bytes_per_entry


def _whole(value: Fraction) -> int | Fraction:
    return int(value) if value.denominator == 1 else value
