"""Formats and layouts: in how many bytes an engine keeps an entry. Made by others from records, judged here.

Sources of the records: kernel and engine packages, see each format's own citation. The shapes are those of
docs/kv-geometry.md#conventions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from generator.derive.attention.geometry import CacheStream


class FormatMismatch(ValueError):
    """A format was asked for an entry it was not made for."""


@dataclass(frozen=True, slots=True)
class CacheFormat:
    """How one engine or kernel stores one kind of entry; ``id`` is ``owner#format``.

    Either ``bytes_per_scalar``, or ``bytes_per_entry`` for an entry of ``scalars`` data scalars (scales and padding are
    in the bytes, not in the scalars). ``extra_bytes_per_head`` is added per token and KV head. ``window_format`` is the
    format that windows take when this one holds the kv entries. A state format names in ``slot`` the StateSlot that it
    stores, in ``rows`` rows per sequence and layer. ``families`` None means any family.
    """

    id: str
    roles: frozenset[str]
    families: frozenset[str] | None = None
    bytes_per_scalar: Fraction | None = None
    bytes_per_entry: int | None = None
    scalars: int | None = None
    extra_bytes_per_head: Fraction = Fraction(0)
    window_format: str | None = None
    slot: str | None = None
    rows: int = 1

    @property
    def name(self) -> str:
        """The part after ``#``."""
        return self.id.rpartition("#")[2]


@dataclass(frozen=True, slots=True)
class CacheLayout:
    """The formats that one engine really stores together.

    ``window`` None means that windows are kept like ``kv``, unless ``kv`` implies a format of its own for them.
    ``geometry_only`` marks a layout that no engine stores.
    """

    kv: CacheFormat
    window: CacheFormat | None = None
    index: CacheFormat | None = None
    states: tuple[CacheFormat, ...] = ()
    geometry_only: bool = False

    @property
    def key(self) -> str:
        """The formats' own names, each once: ``bf16``, ``fp8_ds_mla_v4+index_fp8``.

        The window's is left out where it is what ``kv`` implies.
        """
        parts = [self.kv]
        if self.window is not None and self.window.id != (self.kv.window_format or self.kv.id):
            parts.append(self.window)
        if self.index is not None:
            parts.append(self.index)
        return "+".join(dict.fromkeys(part.name for part in parts))

    def of(self, role: str) -> CacheFormat:
        """The format for entries of this role; FormatMismatch where the layout has none."""
        if role == "kv":
            return self.kv
        if role == "window" and self.window is None and self.kv.window_format in (None, self.kv.id):
            return self.kv
        found = self.window if role == "window" else self.index if role == "index" else None
        if found is None:
            raise FormatMismatch(f"the layout {self.key} has no format for {role} entries")
        return found


def fitting(stream: CacheStream, family: str | None, layout: CacheLayout) -> CacheFormat:
    """The layout's format for a stream, once role, family, width and heads are known to fit; else FormatMismatch."""
    form = layout.of(stream.role)
    if stream.role not in form.roles:
        raise FormatMismatch(f"{form.id} holds {', '.join(sorted(form.roles))} entries, not {stream.role}")
    check_family(form, family)
    if form.bytes_per_entry is not None and form.scalars != stream.scalars:
        raise FormatMismatch(f"{form.id} was made for entries of {form.scalars} scalars, these have {stream.scalars}")
    if form.bytes_per_entry is None and form.bytes_per_scalar is None:
        raise FormatMismatch(f"{form.id} says neither bytes per scalar nor bytes per entry")
    if form.extra_bytes_per_head and not stream.heads:
        raise FormatMismatch(f"{form.id} keeps a scale per KV head, but the heads of this entry share one row")
    return form


def check_family(form: CacheFormat, family: str | None) -> None:
    """FormatMismatch where a format was not made for a family; None is not checked."""
    if family is not None and form.families is not None and family not in form.families:
        raise FormatMismatch(f"{form.id} is for {', '.join(sorted(form.families))}, not for {family}")
