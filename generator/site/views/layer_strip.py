"""The layers of a model in order, one letter each, where they are not all alike."""

from __future__ import annotations

from dataclasses import dataclass

from generator.derive.facts import Facts


@dataclass(frozen=True)
class Strip:
    """The layers in order, one letter each, where they differ."""

    cells: tuple[tuple[int, str, str, int], ...]
    legend: tuple[tuple[str, str, int, int], ...]
    text: str


def strip(facts: Facts) -> Strip | None:
    """The layers of a model in order; None where they are all alike."""
    if facts.geometry is None or len(set(facts.geometry.layer_types)) < 2:
        return None
    kinds = list(dict.fromkeys(facts.geometry.layer_types))
    letters = _letters(kinds)
    cells = tuple((n, letters[kind], kind, kinds.index(kind)) for n, kind in enumerate(facts.geometry.layer_types))
    legend = tuple((letters[kind], kind, facts.geometry.layer_types.count(kind), kinds.index(kind)) for kind in kinds)
    return Strip(cells, legend, "; ".join(f"{kind.replace('_', ' ')}: {_ranges(facts, kind)}" for kind in kinds))


def _letters(kinds: list[str]) -> dict[str, str]:
    """One letter for each kind of layer: its first that is still free."""
    letters: dict[str, str] = {}
    for kind in kinds:
        wanted = [*(word[0] for word in kind.split("_")), *kind, *"abcdefghijklmnopqrstuvwxyz"]
        letters[kind] = next(one for one in (letter.upper() for letter in wanted) if one not in letters.values())
    return letters


def _ranges(facts: Facts, kind: str) -> str:
    """The layers of a kind as ranges: ``0-1, 20-39``."""
    types = facts.geometry.layer_types if facts.geometry else ()
    found: list[list[int]] = []
    for number in (n for n, each in enumerate(types) if each == kind):
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in found)
