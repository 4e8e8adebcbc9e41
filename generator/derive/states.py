"""The state of a sequence as each engine keeps it: bytes by what they are, whatever the length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from generator.catalog.records import Record
from generator.derive.attention import FormatMismatch, state_parts
from generator.derive.attention.geometry import Geometry
from generator.derive.figures import Figure
from generator.derive.stored_formats import StoredLayout


@dataclass(frozen=True)
class EngineState:
    """The state of a sequence as one engine keeps it: bytes by what they are, and the layouts that say so."""

    engine: Record
    parts: Mapping[str, int]
    layouts: tuple[StoredLayout, ...]
    dtypes: Mapping[str, str] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """All bytes that the engine holds for a sequence, whatever its length."""
        return sum(self.parts.values())

    def named(self, part: str) -> str:
        """A part with the number type that it is kept in, unless its name says it already."""
        dtype = self.dtypes.get(part)
        return part if dtype is None or dtype in part else f"{part} in {dtype}"


def states_of(geometry: Geometry, figures: tuple[Figure, ...]) -> tuple[dict[str, int], tuple[str, ...]]:
    """Per-sequence state by what it is, in bytes; qualified by the engine where engines keep it differently.

    Second come the reasons of state formats that were made for another width.
    """
    found: dict[str, dict[str, int]] = {}
    misfits: dict[str, None] = {}
    for stored in (stored for figure in figures for stored in figure.layouts):
        try:
            sizes = _state_sizes(geometry, stored)
        except FormatMismatch as mismatch:
            misfits[str(mismatch)] = None
            continue
        for name, size in sizes.items():
            if stored.engine:
                found.setdefault(name, {})[stored.engine.id] = size
    states: dict[str, int] = {}
    for name, by_engine in found.items():
        if len(set(by_engine.values())) == 1:
            states[name] = next(iter(by_engine.values()))
        else:
            states |= {f"{engine}:{name}": size for engine, size in by_engine.items()}
    return states, tuple(misfits)


def engine_states(geometry: Geometry, figures: tuple[Figure, ...]) -> tuple[EngineState, ...]:
    """The state as each engine keeps it; an engine is listed twice where its layouts differ in their state."""
    found: dict[tuple[str, tuple[tuple[str, int], ...]], list[StoredLayout]] = {}
    for stored in (stored for figure in figures for stored in figure.layouts if stored.engine):
        try:
            sizes = _state_sizes(geometry, stored)
        except FormatMismatch:
            continue
        if stored.engine and sizes:
            found.setdefault((stored.engine.id, tuple(sizes.items())), []).append(stored)
    return tuple(
        EngineState(layouts[0].engine, dict(parts), tuple(layouts), _dtypes(layouts[0].engine, layouts[0]))
        for (_, parts), layouts in found.items()
        if layouts[0].engine
    )


def _dtypes(engine: Record, stored: StoredLayout) -> dict[str, str]:
    """The number type of each part of a layout's state, by the name of the part."""
    kept = {form.name for form in stored.layout.states}
    rows = [row for row in engine.get("cache_formats") or () if row["id"] in kept]
    found = {}
    for row in rows:
        inside = {part["dtype"] for part in row.get("layout") or ()}
        dtype = row.get("dtype") or (inside.pop() if len(inside) == 1 else None)
        if dtype:
            found[row.get("state", row["id"])] = dtype
    return found


def _state_sizes(geometry: Geometry, stored: StoredLayout) -> dict[str, int]:
    """The bytes of one layout's states by what they are: ``conv``, ``ssm_fp32``, ``compressor_fp32_ring``."""
    rows = (stored.engine.get("cache_formats") or ()) if stored.engine else ()
    names = {row["id"]: row.get("state", row["id"]) for row in rows}
    sizes: dict[str, int] = {}
    for form, size in state_parts(geometry, stored.layout) or ():
        name = names.get(form.name, form.name)
        sizes[name] = sizes.get(name, 0) + size
    return sizes
