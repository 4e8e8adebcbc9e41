"""The cache formats and layouts that records state: bytes per entry, and what an engine stores together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from generator.catalog.records import Catalog, Record
from generator.derive.attention import CacheFormat, CacheLayout
from generator.notation.citations import whole


@dataclass(frozen=True)
class StoredFormat:
    """A cache format and the place that states it: `fields[index]` of `record`."""

    format: CacheFormat
    record: Record
    index: int

    @cached_property
    def cite(self) -> str | None:
        """The id of the source that states the bytes."""
        mention = whole(str(self.record.get("cache_formats", self.index, "cite") or ""))
        return mention.id if mention else None


@dataclass(frozen=True)
class StoredLayout:
    """A combination of formats that one engine stores together, and where its record says so."""

    layout: CacheLayout
    engine: Record | None
    index: int = -1
    families: frozenset[str] | None = None
    architectures: frozenset[str] | None = None

    @property
    def gpus(self) -> tuple[str, ...]:
        """GPU capabilities on which the engine uses it; empty where it does not say."""
        return tuple(self.engine.get("cache_layouts", self.index, "gpus") or ()) if self.engine else ()

    @property
    def when(self) -> str | None:
        """Which setting or backend selects it."""
        return self.engine.get("cache_layouts", self.index, "when") if self.engine else None

    def serves(self, family: str, architectures: frozenset[str]) -> bool:
        """Whether the engine stores a model of this family and these classes so."""
        fits = self.families is None or family in self.families
        return fits and (self.architectures is None or bool(self.architectures & architectures))


@dataclass(frozen=True)
class Formats:
    """All cache formats and layouts on record."""

    by_id: Mapping[str, StoredFormat]
    layouts: tuple[StoredLayout, ...]
    problems: tuple[str, ...] = ()

    def uniform(self, name: str) -> CacheLayout | None:
        """Every stream in one plain dtype, e.g. ``bf16``; None where no record states its bytes."""
        stored = self.by_id.get(f"uniform#{name}")
        return CacheLayout(kv=stored.format, window=stored.format, index=stored.format) if stored else None


def formats(catalog: Catalog) -> Formats:
    """Collect the formats and layouts of all records that keep to their schema; of equal records, the same object."""
    sound = (record for kind in catalog.kinds for record in catalog.sound(kind.name))
    return _formats(
        tuple(record for record in sound if "cache_formats" in record.data or "cache_layouts" in record.data)
    )


@lru_cache(maxsize=2)
def _formats(records: tuple[Record, ...]) -> Formats:
    by_id = {stored.format.id: stored for record in records for stored in _formats_of(record)}
    layouts, problems = [], []
    for record in (record for record in records if record.kind == "engine"):
        for index, row in enumerate(record.get("cache_layouts") or ()):
            try:
                layouts.append(_layout(record, index, row, by_id))
            except KeyError as error:
                problems.append(f"{record.id}: cache_layouts[{index}] names the format {error}, which no record has")
    return Formats(by_id, tuple(layouts), tuple(problems))


def _formats_of(record: Record) -> Iterator[StoredFormat]:
    for index, row in enumerate(record.get("cache_formats") or ()):
        yield StoredFormat(cache_format(f"{record.id}#{row['id']}", row), record, index)


def cache_format(id: str, row: Mapping[str, Any]) -> CacheFormat:
    """A record's cache format as numbers. `row` has kept to the schema."""
    scalar = row.get("bytes_per_scalar")
    return CacheFormat(
        id=id,
        roles=frozenset(row["roles"]),
        families=frozenset(row["families"]) if "families" in row else None,
        bytes_per_scalar=Fraction(str(scalar)) if scalar is not None else None,
        bytes_per_entry=row.get("bytes_per_entry"),
        scalars=row.get("scalars"),
        extra_bytes_per_head=Fraction(row.get("per_token_extra", {}).get("bytes", 0)),
        window_format=row.get("window_format"),
        slot=row.get("slot"),
        rows=row.get("rows", 1),
    )


def _layout(record: Record, index: int, row: Mapping[str, Any], by_id: Mapping[str, StoredFormat]) -> StoredLayout:
    kv = by_id[row["kv"]].format
    window = row.get("window") or kv.window_format
    layout = CacheLayout(
        kv=kv,
        window=by_id[window].format if window else kv if "window" in kv.roles else None,
        index=by_id[row["index"]].format if "index" in row else None,
        states=tuple(by_id[name].format for name in row.get("state", ())),
    )
    only = row.get("architectures")
    return StoredLayout(layout, record, index, frozenset(row["families"]), frozenset(only) if only else None)
