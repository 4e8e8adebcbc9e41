"""What a model keeps per token: streams of cache entries, per-sequence state, and the layers that own them.

Geometry is what the config decides. How many bytes an entry takes is an engine's choice; see ``formats``.
Scalars, entries and layers are counts; nothing here is in bytes but the two figures whose names say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

RULES = ("full", "pooled", "window", "chunk", "encoder")


@dataclass(frozen=True, slots=True)
class Entries:
    """How many entries one layer holds after L tokens.

    ``full`` holds L, ``pooled`` floor(L / n), since a group is stored once it is closed (vllm 0.33.0
    ``models/deepseek_v4/compressor_utils.py:84``), ``window`` min(L, n): the convention of docs/kv-geometry.md,
    where the token being computed counts as one of the n. ``chunk`` holds at most min(L, n): strictly the current chunk
    is live, engines keep up to n. ``encoder`` holds what cross-attention reads, once per encoder position and whatever
    L: n positions, or as many as the input has where n is 0, since then no config fixes them.

    ``most`` bounds a full layer whose window is longer than any sequence that the config states: entries grow by the
    token up to there and no further. Raises ValueError for an unknown rule or an n below 1 (``encoder``: below 0).
    """

    rule: str
    n: int = 1
    most: int | None = None

    def __post_init__(self) -> None:
        if self.rule not in RULES or self.n < (self.rule != "encoder"):
            raise ValueError(f"no such entry rule: {self.rule!r} with n = {self.n}")

    def count(self, tokens: int, encoder: int = 0) -> int:
        """Entries after this many tokens; ``encoder`` counts the encoder's positions where the config does not."""
        if self.rule == "pooled":
            return tokens // self.n
        if self.rule == "encoder":
            return self.n or encoder
        return tokens if self.window is None else min(tokens, self.window)

    @property
    def window(self) -> int | None:
        """The length from which on the layer keeps no more entries; None where it keeps growing, or never grew."""
        return self.n if self.rule in ("window", "chunk") else self.most

    def slope(self) -> Fraction:
        """Entries per token in the long run, at lengths that the config states."""
        if self.rule in ("window", "chunk", "encoder"):
            return Fraction(0)
        return Fraction(1, self.n if self.rule == "pooled" else 1)

    def slope_at(self, tokens: int) -> Fraction:
        """Entries that a token adds to so many: windows grow until they are full, bounded layers stop there."""
        if self.window is not None:
            return Fraction(int(tokens < self.window))
        return self.slope()


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

    ``slot`` is the name by which a state format says what it stores; ``scalars`` is the width of one row, or None where
    the config leaves it to its library. How many rows there are, and in which dtype, is the engine's choice: rings of
    an open group have several (docs/kv-geometry.md#compressed-attention-csa-hca); recurrent and convolution state is a
    single row, the latter with the k - 1 inputs that engines keep of a kernel of k (docs/kv-geometry.md#state;
    transformers keeps k).
    """

    slot: str
    layers: int
    scalars: int | None


@dataclass(frozen=True, slots=True)
class Geometry:
    """Everything the config says about the cache of the backbone; MTP and draft layers are left out.

    ``layers`` counts blocks by name, ``layer_types`` names them in order: a layer of two attention blocks (LongCat), of
    attention next to a recurrent block (Falcon-H1) or with cross-attention is counted twice. The two naive figures
    are bytes per token at 2 bytes per scalar, or None where the config lacks their fields: ``naive_gqa`` is what
    calculators print, ``materialised`` is MLA with its per-head keys and values expanded
    (docs/kv-geometry.md#latent-attention). ``reads`` holds the config keys that were used; ``query_heads`` the numbers
    of query heads that layers have, each once, which tensor parallelism deals out.
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
    query_heads: tuple[int, ...] = ()


def layer_counts(layer_types: tuple[str, ...], names: tuple[str, ...]) -> dict[str, int]:
    """How many layers have each name, in the order of ``names``; a name without layers counts 0."""
    return {name: layer_types.count(name) for name in names}
