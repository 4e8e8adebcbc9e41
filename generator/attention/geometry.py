"""What a model keeps per token: streams of cache entries, per-sequence state, and the layers that own them.

Geometry is what the config decides. How many bytes an entry takes is an engine's choice; see ``formats``.
Scalars, entries and layers are counts; nothing here is in bytes but the two figures whose names say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

RULES = ("full", "pooled", "window")
ROLES = ("kv", "window", "index")


@dataclass(frozen=True, slots=True)
class Entries:
    """How many entries one layer holds after L tokens.

    ``full`` holds L, ``pooled`` floor(L / n), since a group is stored once it is closed (vllm 0.33.0
    ``models/deepseek_v4/compressor_utils.py:84``), ``window`` min(L, n): the convention of kv-geometry.md section 3,
    where the token being computed counts as one of the n.

    Raises ValueError for an unknown rule or an n below 1.
    """

    rule: str
    n: int = 1

    def __post_init__(self) -> None:
        if self.rule not in RULES or self.n < 1:
            raise ValueError(f"no such entry rule: {self.rule!r} with n = {self.n}")

    def count(self, tokens: int) -> int:
        """Entries after this many tokens."""
        if self.rule == "pooled":
            return tokens // self.n
        return min(tokens, self.n) if self.rule == "window" else tokens

    def slope(self) -> Fraction:
        """Entries per token in the long run: the limit of d count / dL."""
        if self.rule == "window":
            return Fraction(0)
        return Fraction(1, self.n if self.rule == "pooled" else 1)


@dataclass(frozen=True, slots=True)
class CacheStream:
    """One kind of cache entry, kept by ``layers`` layers.

    ``role`` is ``kv``, ``window`` or ``index``; ``scalars`` is the width of one whole entry (all KV heads, K and V);
    ``heads`` counts the KV heads that a per-token-head scale is kept for, and is 0 where the heads share one row;
    ``width`` spells how the scalars come about, for formulas.
    """

    role: str
    layer_type: str
    layers: int
    entries: Entries
    scalars: int
    heads: int
    width: str


@dataclass(frozen=True, slots=True)
class StateSlot:
    """What a sequence holds once, whatever its length, in ``layers`` layers.

    ``slot`` is the name a state format carries after its ``#``; ``scalars`` is the width of one row. How many rows
    there are, and in which dtype, is the engine's choice (kv-geometry.md section 6).
    """

    slot: str
    layers: int
    scalars: int


@dataclass(frozen=True, slots=True)
class Geometry:
    """Everything the config says about the cache of the backbone; MTP and draft layers are left out.

    ``layers`` counts layers by name, ``layer_types`` names them in order. The two naive figures are bytes per token at
    2 bytes per scalar, or None where the config lacks their fields: ``naive_gqa`` is what calculators print,
    ``materialised`` is MLA with its per-head keys and values expanded (decisions.md, "Three naive figures").
    ``reads`` holds the config keys that were used.
    """

    family: str
    layers: dict[str, int]
    layer_types: tuple[str, ...]
    streams: tuple[CacheStream, ...]
    states: tuple[StateSlot, ...]
    naive_gqa_bytes_per_token: int | None
    materialised_bytes_per_token: int | None
    reads: frozenset[str]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotDerivable:
    """Why there is no geometry, and the config keys to look at."""

    reason: str
    fields: tuple[str, ...] = ()


def layer_counts(layer_types: tuple[str, ...], names: tuple[str, ...]) -> dict[str, int]:
    """How many layers bear each name, in the order of ``names``; a name without layers counts 0."""
    return {name: layer_types.count(name) for name in names}
