"""What an engine keeps free of a GPU's memory by default: the row `memory` of its record, made bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generator.catalog.records import Record
from generator.compatibility.chain import cited
from generator.compatibility.engine_defaults import EnginePlace, default_of, size_of

MIB = 1 << 20


@dataclass(frozen=True)
class KeptFree:
    """Bytes on each GPU that neither weights nor cache get; None where nothing on record says how many."""

    bytes: Fraction | None
    text: str
    cites: tuple[str, ...] = ()


def kept_free(engine: Record, family: str | None, place: EnginePlace, weights: Fraction | None) -> KeptFree:
    """What an engine keeps free on each of some GPUs, next to so many bytes of weights."""
    stated: Mapping[str, Any] = engine.get("memory") or {}
    if not stated:
        return KeptFree(None, f"what {engine.title} keeps free by default was not read: nothing is set apart for it")
    if place.memory is None:
        return KeptFree(None, "the GPU's memory is not known")
    text = f"{stated['text']}" + (f" ({stated['flag']})" if stated.get("flag") else "")
    cites = cited(stated["cite"])
    if "uses" in stated:
        rest = stated.get("of") == "rest"
        whole = Fraction(place.memory) - (weights or 0 if rest else 0)
        return KeptFree(max(whole, Fraction(0)) * (1 - Fraction(str(stated["uses"]))), text, cites)
    parts = [row for row in stated.get("leaves") or () if _about(row, family)]
    sizes = [_size(engine, row, place) for row in parts]
    if any(size is None for size in sizes):
        return KeptFree(None, f"{engine.title} decides what it keeps free by a setting that is not known here", cites)
    floors = [row for row in stated.get("least") or () if size_of(row.get("memory_from", _NOTHING)) < place.memory]
    least = max((Fraction(str(row["mib"])) for row in floors), default=Fraction(0))
    total = max(sum((size for size in sizes if size is not None), Fraction(0)), least)
    return KeptFree(total * MIB, text, tuple(dict.fromkeys((*cites, *cited(*(row["cite"] for row in parts))))))


_NOTHING = {"value": 0, "unit": "MiB"}


def _about(row: Mapping[str, Any], family: str | None) -> bool:
    return ("families" not in row or family in row["families"]) and family not in row.get("not_families", ())


def _size(engine: Record, row: Mapping[str, Any], place: EnginePlace) -> Fraction | None:
    """One part in MiB; None where the setting that it is counted by is not known."""
    each = row.get("each")
    times = 1 if each is None else place.count if each == "gpus" else default_of(engine, str(each), place)
    return None if times is None else Fraction(str(row["mib"])) * times
