"""Which cache formats are in play: what `auto` means for a model on a GPU, or what a word that users pass means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from generator.catalog.records import Record
from generator.compatibility.chain import Effect, Reason, cited
from generator.compatibility.profiles import Profile
from generator.derive.stored_formats import Formats, StoredFormat
from generator.notation.gpus import Gpu, any_covers


class UnknownCache(Exception):
    """A word that means no cache format here; `known` are those that do."""

    def __init__(self, word: str, known: tuple[str, ...]) -> None:
        super().__init__(word)
        self.word, self.known = word, known


@dataclass(frozen=True, slots=True)
class Caches:
    """The formats that each kind of entry may have; None where nothing is asked. `step` says where that comes from."""

    kv: frozenset[str] | None = None
    window: frozenset[str] | None = None
    index: frozenset[str] | None = None
    step: Reason | None = None

    def of(self, cache: str, part: str) -> frozenset[str] | None:
        """What a backend has to take, for a kind of cache and a part of the work."""
        if cache == "state" or part in ("index", "metadata"):
            return None
        return self.index if cache == "index" else self.window if part == "window" else self.kv


def auto(engine: Record, profile: Profile, gpu: Gpu, formats: Formats) -> Caches:
    """What the engine's cache type `auto` resolves to; nothing is asked where its record does not say."""
    for row in engine.get("auto_cache") or ():
        if profile.family not in row["families"]:
            continue
        if row.get("architectures") and profile.architecture not in row["architectures"]:
            continue
        if row.get("gpus") and not any_covers(tuple(row["gpus"]), gpu):
            continue
        own = f"{engine.id}#{profile.dtype}"
        kv = row.get("kv") or (own if own in formats.by_id else None)
        step = Reason("cache", Effect.ASKS, f"auto means {row['text']}", cited(row.get("cite")), kv)
        return _caches(formats, kv, row.get("window"), row.get("index"), step)
    return _named_auto(engine, profile, formats)


def _named_auto(engine: Record, profile: Profile, formats: Formats) -> Caches:
    """Where no row decides: the one format that has `auto` among its words, or that of the model's own dtype."""
    own = f"{engine.id}#{profile.dtype}"
    meant = _meant(engine, profile, formats, "auto", "kv")
    kv = own if own in meant else next(iter(meant)) if len(meant) == 1 else None
    if kv is None:
        return Caches()
    cites = (formats.by_id[kv].cite,)
    step = Reason("cache", Effect.ASKS, f"auto means {formats.by_id[kv].format.name}", tuple(filter(None, cites)), kv)
    return _caches(formats, kv, None, None, step)


def formats_meant(engine: Record, profile: Profile, gpu: Gpu, formats: Formats, word: str) -> tuple[Caches, ...]:
    """What a word may mean, the most literal first: a format's id or name, a layout's key ``kv+index``, an alias.

    An alias means other formats on other GPUs, so it holds only where the literal meaning does not serve. Where no
    format is on record for the family, the cell is what it is at `auto`, and a step says so. Raises UnknownCache, with
    the words that are known.
    """
    default = auto(engine, profile, gpu, formats)
    if word == "auto":
        return (default,)
    first, _, second = word.partition("+")
    meanings = []
    for literal in (True, False):
        kv = _meant(engine, profile, formats, first, "kv", literal)
        index = _meant(engine, profile, formats, second or first, "index", literal)
        if (kv or index) and (index or not second):
            windows = frozenset(formats.by_id[each].format.window_format or each for each in kv)
            step = Reason("cache", Effect.ASKS, f"{word} is asked for", (), " or ".join(sorted(kv | index)))
            own = (kv or default.kv, windows or default.window, index or default.index)
            meanings.append(Caches(*own, step))
    if not meanings:
        if names := known(engine, profile, formats):
            raise UnknownCache(word, names)
        text = (
            f"no layout is on record for the family {profile.family} in {engine.title}, so what {word} would keep "
            "there is not known"
        )
        return (replace(default, step=Reason("cache", Effect.NOT_ON_RECORD, text, (), word)),)
    return tuple(meanings)


def known(engine: Record, profile: Profile, formats: Formats) -> tuple[str, ...]:
    """The names of the formats that this engine stores for models of this family."""
    return tuple(
        stored.format.name
        for stored in formats.by_id.values()
        if stored.record.id == engine.id and _fits(stored, profile) and stored.format.roles & {"kv", "index"}
    )


def entry(formats: Formats, id: str) -> tuple[str, tuple[str, ...], int | None]:
    """A format in words with its size, who states it, and its bytes per entry where they are fixed."""
    stored = formats.by_id.get(id)
    if stored is None:
        return id, (), None
    form = stored.format
    if form.bytes_per_entry is not None:
        size = f"{form.bytes_per_entry} B per entry"
    else:
        size = f"{_decimal(form.bytes_per_scalar or Fraction(0))} B per scalar"
    return f"{id} ({size})", (stored.cite,) if stored.cite else (), form.bytes_per_entry


def words(formats: Formats, ids: frozenset[str] | None) -> frozenset[str]:
    """All words by which users know some formats: names and aliases."""
    found: set[str] = set()
    for id in ids or ():
        stored = formats.by_id.get(id)
        if stored is not None:
            found |= {stored.format.name, *_row(stored).get("aliases", ())}
    return frozenset(found)


def settings(formats: Formats, caches: Caches) -> frozenset[str]:
    """The settings that select the formats in play: ``indexer_kv_dtype=mxfp4``, or a flag as it is typed."""
    found: set[str] = set()
    for id in (caches.kv or frozenset()) | (caches.index or frozenset()):
        stored = formats.by_id.get(id)
        option = _row(stored).get("option") if stored is not None else None
        if stored is not None and option:
            found |= {option, *(f"{option}={word}" for word in (stored.format.name, *_row(stored).get("aliases", ())))}
    return frozenset(found)


def _caches(formats: Formats, kv: str | None, window: str | None, index: str | None, step: Reason) -> Caches:
    stored = formats.by_id.get(kv or "")
    window = window or (stored.format.window_format if stored else None) or kv
    return Caches(_one(kv), _one(window), _one(index), step)


def _one(id: str | None) -> frozenset[str] | None:
    return frozenset([id]) if id else None


def _meant(
    engine: Record, profile: Profile, formats: Formats, word: str, role: str, literal: bool = False
) -> frozenset[str]:
    """The formats of an engine that a word means: literally by their names, else by their aliases."""
    found = set()
    for id, stored in formats.by_id.items():
        if stored.record.id != engine.id or role not in stored.format.roles or not _fits(stored, profile):
            continue
        if word in ((id, stored.format.name) if literal else _row(stored).get("aliases", ())):
            found.add(id)
    return frozenset(found)


def _fits(stored: StoredFormat, profile: Profile) -> bool:
    families = stored.format.families
    return families is None or profile.family is None or profile.family in families


def _row(stored: StoredFormat) -> Mapping[str, Any]:
    row = stored.record.get("cache_formats", stored.index)
    return row if isinstance(row, dict) else {}


def _decimal(value: Fraction) -> str:
    return f"{float(value):g}"
