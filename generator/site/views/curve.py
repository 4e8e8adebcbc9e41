"""A model's cache over the length of its context, as lines to draw: both axes double at equal steps.

It decides nothing: every point of a line is what a figure, or the trap next to it, comes to at that length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, log2

from generator.derive.facts import Facts
from generator.derive.figures import Figure
from generator.notation.units import BINARY, binary, grouped

WIDTH, HEIGHT = 440, 270
LEFT, RIGHT, TOP, BOTTOM = 58, 24, 22, 36
LETTERS = "ABCD"
APART = 12
"""Units between two letters at the ends of lines, so that both can be read."""


@dataclass(frozen=True)
class Line:
    """One line: what it is, its points as (tokens, bytes), its path, and where its letter is put."""

    letter: str
    key: str
    about: str
    trap: bool
    points: tuple[tuple[int, Fraction], ...]
    path: str
    letter_y: float

    @property
    def end(self) -> str:
        """What it comes to at the longest length."""
        return binary(self.points[-1][1])


@dataclass(frozen=True)
class Curve:
    """A picture of `lines`: the places and words of its ticks, and what it says to those who cannot see it."""

    lines: tuple[Line, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    full_at: int | None

    width, height, left, right, top, bottom = WIDTH, HEIGHT, LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM

    @property
    def tokens(self) -> tuple[int, int]:
        """The shortest and the longest length."""
        return self.lines[0].points[0][0], self.lines[0].points[-1][0]

    @property
    def text(self) -> str:
        """The picture in words."""
        ends = "; ".join(f"{line.letter}, {line.key}, {line.about}: {line.end}" for line in self.lines)
        full = f" Windows are full from {grouped(self.full_at)} tokens on." if self.full_at else ""
        return f"At {grouped(self.tokens[1])} tokens: {ends}.{full}"


@dataclass(frozen=True)
class Scale:
    """From tokens and bytes to places in the picture."""

    tokens: tuple[int, int]
    octaves: tuple[int, int]

    def x(self, tokens: int) -> float:
        """How far from the left a length is drawn."""
        low, high = map(log2, self.tokens)
        return LEFT + (log2(tokens) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(self, size: Fraction) -> float:
        """How far from the top a size is drawn."""
        low, high = self.octaves
        return HEIGHT - BOTTOM - (log2(size) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)


def curve(facts: Facts, longest: int) -> Curve | None:
    """The cache of a model up to a length; None where it keeps no entries or the length is too short for a line."""
    drawn = list(_drawn(facts, longest))
    if facts.geometry is None or not drawn or longest < 8:
        return None
    windows = [stream.entries.n for stream in facts.geometry.streams if stream.entries.rule in ("window", "chunk")]
    lengths = _lengths(windows, longest)
    points = [[(n, size) for n in lengths if (size := bytes_at(n))] for _, _, _, bytes_at in drawn]
    sizes = [size for line in points for _, size in line]
    if not sizes:
        return None
    low = floor(log2(min(sizes)))
    scale = Scale((lengths[0], lengths[-1]), (low, max(low + 1, ceil(log2(max(sizes))))))
    letters = _letters_apart([scale.y(line[-1][1]) for line in points])
    lines = tuple(
        Line(LETTERS[n], key, about, trap, tuple(points[n]), _path(points[n], scale), letters[n])
        for n, (key, about, trap, _) in enumerate(drawn)
    )
    x_ticks = tuple((scale.x(2**k), grouped(2**k)) for k in _ticks(log2(lengths[0]), log2(lengths[-1]), 6, (1, 2, 4)))
    y_ticks = tuple((scale.y(Fraction(2**k)), _size(k)) for k in _ticks(low, scale.octaves[1], 7, (1, 2, 5, 10)))
    return Curve(lines, x_ticks, y_ticks, max((n for n in windows if n <= longest), default=None))


_Drawn = tuple[str, str, bool, Callable[[int], Fraction]]


def _drawn(facts: Facts, longest: int) -> Iterator[_Drawn]:
    """At most four lines: bf16, what engines store most and least of, and the trap; without duplicates."""
    plain = facts.figure("bf16")
    stored = sorted((one for one in facts.figures if one.engines), key=lambda figure: figure.bytes(longest))
    shown: list[Figure] = []
    for figure, about in (
        (plain, "geometry only" if plain and plain.geometry_only else "stored"),
        (stored[-1] if stored else None, "largest stored"),
        (stored[0] if stored else None, "smallest stored"),
    ):
        if figure and all(figure.bytes(longest) != other.bytes(longest) for other in shown):
            shown.append(figure)
            yield figure.key, about, False, figure.bytes
    trap = _trap(facts, plain)
    if trap:
        key, about, size = trap
        yield key, about, True, lambda tokens: Fraction(tokens * size)


def _trap(facts: Facts, plain: Figure | None) -> tuple[str, str, int] | None:
    """The figure to be warned of: a design without support, else what calculators print where that is wrong."""
    if facts.overpay.without:
        return "unsupported", "an engine without support for this design, bf16", facts.overpay.without.bytes_per_token
    naive = facts.geometry.naive_gqa_bytes_per_token if facts.geometry else None
    if naive and plain and naive != plain.growth:
        return "naive", "what a calculator says that knows only grouped-query attention", naive
    return None


def _lengths(windows: list[int], longest: int) -> list[int]:
    """Where lines are taken: two lengths in each doubling, where windows fill, and the longest."""
    wanted = min([*windows, 4096]) // 4
    first = 2 ** max(0, min(floor(log2(max(16, wanted))), floor(log2(longest)) - 3))
    doubled = [first << k for k in range(64) if first << k < longest]
    between = [n + n // 2 for n in doubled if n + n // 2 < longest]
    return sorted({*doubled, *between, *(n for n in windows if first < n < longest), longest})


def _path(points: list[tuple[int, Fraction]], scale: Scale) -> str:
    """The points as a path, without those that a straight line goes through anyway."""
    places = [(scale.x(tokens), scale.y(size)) for tokens, size in points]
    kept = places[:1]
    for here, after in pairwise(places[1:]):
        (x, y), (far, deep) = kept[-1], after
        if abs(y + (deep - y) * (here[0] - x) / (far - x) - here[1]) > 0.15:
            kept.append(here)
    kept += places[1:][-1:]
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in kept)


def _letters_apart(places: list[float]) -> list[float]:
    """Where letters are put: each at the end of its line, those too close pushed apart by equal parts."""
    found = list(places)
    order = sorted(range(len(places)), key=places.__getitem__)
    for _ in range(40):
        for above, below in pairwise(order):
            lack = APART - (found[below] - found[above])
            if lack > 0:
                found[above] -= lack / 2
                found[below] += lack / 2
    return found


def _ticks(low: float, high: float, most: int, steps: tuple[int, ...]) -> list[int]:
    """Powers of two to be written at an axis: multiples of the first step that leaves few enough."""
    for step in steps:
        found = [k for k in range(ceil(low), floor(high) + 1) if k % step == 0]
        if len(found) <= most:
            return found
    return found


def _size(power: int) -> str:
    return f"{2 ** (power % 10)} {BINARY[power // 10]}"
