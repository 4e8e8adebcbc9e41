"""The rows of a model's cache table: bytes per token in each layout that some engine stores."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from generator.derive.attention import (
    CacheLayout,
    FormatMismatch,
    entry_bytes,
    exact,
    formula,
    growth,
    growth_at,
    stream_bytes,
)
from generator.derive.attention.geometry import CacheStream, Geometry
from generator.derive.stored_formats import Formats, StoredLayout
from generator.notation.units import grouped

CONTEXTS = (4096, 8192, 32768, 131072, 1048576)
"""Lengths, in tokens, at which figures are published."""

_BEYOND_ANY_WINDOW = 1 << 40
"""Tokens."""


@dataclass(frozen=True, slots=True)
class CachePart:
    """One kind of entry: bytes of one of them in one layer, and of all of them in all layers at some length."""

    stream: CacheStream
    entry: Fraction
    bytes: Fraction

    @property
    def depends_on(self) -> str:
        """What decides how many entries there are, in words."""
        entries = self.stream.entries
        if entries.rule == "encoder":
            fixed = f"{grouped(entries.n)} encoder positions, whatever the length" if entries.n else ""
            return (
                fixed or f"the encoder's length: {grouped(self.entry * self.stream.layers)} B for each of its positions"
            )
        if entries.rule == "pooled":
            return f"the length, one entry for {entries.n} tokens"
        return "the length" if entries.window is None else f"the length up to {grouped(entries.window)} tokens"


@dataclass(frozen=True)
class Figure:
    """One row of a model's cache table, in bytes per token; the layouts behind one row agree in all bytes."""

    key: str
    geometry: Geometry
    layouts: tuple[StoredLayout, ...]

    @property
    def layout(self) -> CacheLayout:
        """A layout of the row; all of them keep the same bytes."""
        return self.layouts[0].layout

    @cached_property
    def growth(self) -> Fraction:
        """Bytes per token in the long run."""
        return growth(self.geometry, self.layout)

    def growth_at(self, tokens: int) -> Fraction:
        """Bytes that one more token adds to so many."""
        return growth_at(self.geometry, self.layout, tokens)

    @cached_property
    def pieces(self) -> tuple[tuple[int, Fraction], ...]:
        """Growth by length: from so many tokens on, bytes per token. One piece where no layer has a window."""
        full = {stream.entries.window for stream in self.geometry.streams if stream.entries.window is not None}
        found: list[tuple[int, Fraction]] = []
        for tokens in (0, *sorted(full)):
            here = self.growth_at(tokens)
            if not found or found[-1][1] != here:
                found.append((tokens, here))
        return tuple(found)

    @property
    def formula(self) -> str:
        """The growth with the numbers put in."""
        return formula(self.geometry, self.layout)

    @property
    def engines(self) -> tuple[str, ...]:
        """Ids of the engines that store it."""
        return tuple(dict.fromkeys(stored.engine.id for stored in self.layouts if stored.engine))

    @property
    def geometry_only(self) -> bool:
        """A figure of the geometry that no engine on record stores."""
        return self.layout.geometry_only

    def bytes(self, tokens: int) -> Fraction:
        """Bytes of cache entries after so many tokens, per-sequence state excluded."""
        return Fraction(exact(self.geometry, self.layout, tokens))

    def parts(self, tokens: int, tp: int = 1) -> tuple[CachePart, ...]:
        """The same by what is kept: self-attention and cross-attention, windows and full layers, entries and index.

        On each of so many ranks; raises ValueError where heads and ranks do not divide.
        """
        return tuple(
            CachePart(
                stream,
                Fraction(entry_bytes(stream, self.layout, self.geometry.family)),
                Fraction(stream_bytes(self.geometry, self.layout, stream, tokens, tp)),
            )
            for stream in self.geometry.streams
        )

    @property
    def crossing(self) -> bool:
        """Whether a part of it is filled by an encoder, whatever the length."""
        return any(stream.entries.rule == "encoder" for stream in self.geometry.streams)

    @cached_property
    def saturated(self) -> Fraction:
        """What a cache that stops growing holds in the end: every layer's window is full."""
        return self.bytes(_BEYOND_ANY_WINDOW)


def figures_of(geometry: Geometry, architectures: frozenset[str], all_formats: Formats) -> tuple[Figure, ...]:
    """The figures of any geometry: plain bf16 first, then each combination that an engine on record stores."""
    return figures_and_refusals(geometry, architectures, all_formats)[0]


def figures_and_refusals(
    geometry: Geometry, architectures: frozenset[str], all_formats: Formats
) -> tuple[tuple[Figure, ...], tuple[str, ...]]:
    """The same, and why layouts of this family were refused: their formats were made for another width."""
    groups: dict[str, list[StoredLayout]] = {}
    refused: list[str] = []
    fitting = [stored for stored in all_formats.layouts if stored.serves(geometry.family, architectures)]
    plain = all_formats.uniform("bf16")
    if plain is not None:
        stored_so = [stored for stored in fitting if _same_bytes(geometry, stored.layout, plain)]
        groups["bf16"] = [StoredLayout(_marked(plain, bool(all_formats.layouts) and not stored_so), None), *stored_so]
        fitting = [stored for stored in fitting if stored not in stored_so]
    for stored in fitting:
        try:
            for stream in geometry.streams:
                entry_bytes(stream, stored.layout, geometry.family)
        except FormatMismatch as mismatch:
            refused.append(str(mismatch))
            continue
        key = stored.layout.key
        if key in groups and not _same_bytes(geometry, stored.layout, groups[key][0].layout):
            key = f"{stored.engine.id if stored.engine else ''}:{key}"
        groups.setdefault(key, []).append(stored)
    return tuple(Figure(key, geometry, tuple(group)) for key, group in groups.items()), tuple(refused)


def _marked(layout: CacheLayout, geometry_only: bool) -> CacheLayout:
    return CacheLayout(layout.kv, layout.window, layout.index, layout.states, geometry_only)


def _same_bytes(geometry: Geometry, one: CacheLayout, other: CacheLayout) -> bool:
    """Whether two layouts keep the same bytes at every length: equal per stream, not only in sum."""
    try:
        return all(entry_bytes(stream, one) == entry_bytes(stream, other) for stream in geometry.streams)
    except FormatMismatch:
        return False
