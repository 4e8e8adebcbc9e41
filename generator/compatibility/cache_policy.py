"""What an engine's cache keeps of each kind of entry: the rows `cache_policy` of its record, made numbers.

A kind of entry without a row, or with one that says what was not read, gives no figure in the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import Any

from generator.catalog.records import Record
from generator.compatibility.engine_defaults import EnginePlace, default_of
from generator.derive.attention.geometry import Entries, Geometry
from generator.notation.citations import whole
from generator.notation.units import grouped

STATE = "state"
ALL, WINDOW, SHARE = "all", "window", "share"


@dataclass(frozen=True, slots=True)
class CacheOwner:
    """The model that a policy is asked for: names by which the engine may know it, its family, its GGUF names.

    ``gguf`` is None where the engine knows models by their classes.
    """

    names: frozenset[str]
    family: str
    gguf: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """How one kind of entry is kept, in tokens of one sequence and layer.

    ``in_flight`` are tokens on top of a window, ``shorter`` those by which it is cut; ``block`` is what the number is
    rounded up to, ``further`` blocks come on top. ``copies`` and ``sharded`` are about state.
    """

    keeps: str
    share: Fraction = Fraction(1)
    shorter: int = 0
    in_flight: int = 0
    block: int = 1
    further: int = 0
    copies: int = 1
    sharded: bool = False

    def tokens(self, entries: Entries, tokens: int) -> int:
        """How many entries are kept after so many tokens, before they are rounded up."""
        window = entries.window if entries.rule in ("window", "chunk") else None
        if window is None:
            return entries.count(tokens)
        if self.keeps == ALL:
            return tokens
        if self.keeps == SHARE:
            return max(ceil(self.share * tokens), min(tokens, window))
        return min(tokens, window - self.shorter + self.in_flight)

    def blocks(self, entries: Entries, tokens: int, block: int | None = None) -> int:
        """The blocks that they take."""
        return -(-self.tokens(entries, tokens) // (block or self.block)) + self.further

    def count(self, entries: Entries, tokens: int) -> int:
        """How many entries there is room for."""
        return self.blocks(entries, tokens) * self.block

    def slope(self, entries: Entries) -> Fraction:
        """Entries that a token adds in the long run."""
        if entries.rule not in ("window", "chunk"):
            return entries.slope()
        return {ALL: Fraction(1), SHARE: self.share}.get(self.keeps, Fraction(0))


@dataclass(frozen=True)
class CachePolicy:
    """What one engine keeps of a model on a GPU: by kind of entry, with the sources, and words for those that matter.

    ``grouped``: layers share blocks of one pool (see ``block_pool``). ``among``: whether several GPUs share heads or
    layers; None where that was not read.
    """

    engine: Record
    kept: Mapping[str, Kept]
    grouped: bool = False
    among: str | None = None
    cites: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know in addition to the figures: the policy in words, and what its record adds."""
        return (*self.told, *self.remarks)


@dataclass(frozen=True)
class NoPolicy:
    """Why there is no figure in an engine."""

    reason: str
    cites: tuple[str, ...] = field(default=())


def policy_of(engine: Record, owner: CacheOwner, geometry: Geometry, place: EnginePlace) -> CachePolicy | NoPolicy:
    """The policy of an engine for a model on a GPU, or why there is none. ``place`` without a GPU will do where no
    default decides."""
    stated: Mapping[str, Any] = engine.get("cache_policy") or {}
    if not stated:
        return NoPolicy(f"what the cache of {engine.title} keeps was not read")
    if owner.gguf is not None and not owner.gguf:
        return NoPolicy(f"{engine.title} has no GGUF architecture on record for {', '.join(sorted(owner.names))}")
    kept: dict[str, Kept] = {}
    cites: list[str] = _ids([stated.get("grouped")])
    told: list[str] = []
    remarks: dict[str, None] = {}
    for kind in _kinds(geometry):
        row = next((row for row in stated["rows"] if kind in row["entries"] and _about(row, owner)), None)
        if row is None:
            return NoPolicy(f"how {engine.title} keeps {_words(kind)} of this model was not read")
        if row.get("unread"):
            return NoPolicy(f"{engine.title}: {row['unread']}", tuple(_ids([row["cite"]])))
        found = _kept(engine, row, place)
        if isinstance(found, NoPolicy):
            return found
        kept[kind] = found
        flight = row.get("in_flight") or {}
        cites += _ids([row["cite"], flight.get("cite")])
        if kind != "full":
            told.append(_told(kind, found))
            remarks |= {row["note"]: None} if row.get("note") else {}
    among = stated.get("among") or {}
    if place.count > 1:
        cites += _ids([among.get("cite")])
    own = (bool(stated.get("grouped")), among.get("by"), tuple(dict.fromkeys(cites)))
    return CachePolicy(engine, kept, *own, tuple(told), tuple(remarks))


def _kinds(geometry: Geometry) -> list[str]:
    """The kinds of entries that a model has, and its state."""
    rules = dict.fromkeys(stream.entries.rule for stream in geometry.streams)
    return [*rules, *([STATE] if geometry.states else [])]


def _about(row: Mapping[str, Any], owner: CacheOwner) -> bool:
    wanted: tuple[tuple[str, Iterable[str]], ...] = (
        ("architectures", owner.names),
        ("gguf_architectures", owner.gguf or ()),
        ("families", (owner.family,)),
    )
    return all(key not in row or set(row[key]) & set(own) for key, own in wanted)


def _kept(engine: Record, row: Mapping[str, Any], place: EnginePlace) -> Kept | NoPolicy:
    flight = row.get("in_flight") or {}
    tokens = flight.get("tokens", 0)
    if "default" in flight:
        tokens = default_of(engine, flight["default"], place)
        if tokens is None:
            what = engine.get("defaults", flight["default"], "what")
            return NoPolicy(f"{engine.title} sets the {what} by the GPU's memory, which is not known")
    return Kept(
        row.get("keeps", ALL),
        Fraction(str(row.get("share", 1))),
        row.get("shorter_by", 0),
        tokens * flight.get("times", 1),
        row.get("blocks_of", 1),
        row.get("further_blocks", 0),
        row.get("copies", 1),
        bool(row.get("sharded")),
    )


def _told(kind: str, kept: Kept) -> str:
    """A policy in words: what a reader should know in addition to the figure."""
    if kind == STATE:
        copies = "once" if kept.copies == 1 else f"{kept.copies} times"
        return f"the state of a sequence is held {copies}{', divided among the GPUs' if kept.sharded else ''}"
    if kept.keeps == ALL:
        return f"{_words(kind)} are kept for every token"
    if kept.keeps == SHARE:
        return f"{_words(kind)} get room for {float(kept.share):g} of every token"
    beyond = f" and {grouped(kept.in_flight)} tokens in flight" if kept.in_flight else ""
    return f"{_words(kind)} keep the window{beyond}"


def _words(kind: str) -> str:
    named = {"window": "sliding layers", "chunk": "layers that attend to chunks", "encoder": "cross-attention"}
    return named.get(kind) or ("the state of a sequence" if kind == STATE else f"{kind} layers")


def _ids(cites: Iterable[Any]) -> list[str]:
    mentions = (whole(str(cite)) for cite in cites if cite)
    return [mention.id for mention in mentions if mention]
