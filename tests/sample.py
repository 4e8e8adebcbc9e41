"""Draw cells to follow to the code by hand: ``python tests/sample.py SEED [COUNT]``; equal base and seed, equal cells.

Each pair of an engine and a state is a stratum. They are gone through in an order that the seed gives, again and
again, and each time one cell is drawn from one of them, so that rare answers are looked at as well as common ones.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from generator.catalog.read import read
from generator.compatibility.cube import Key, Verdict
from generator.knowledge.knowledge_base import assemble


def drawn(cells: Mapping[Key, Verdict], seed: int, count: int) -> list[Key]:
    """Keys of `count` cells, in the order of the drawing."""
    strata: dict[tuple[str, str], list[Key]] = defaultdict(list)
    for key, verdict in sorted(cells.items(), key=lambda item: item[0]):
        strata[verdict.engine, str(verdict.state)].append(key)
    dice = random.Random(seed)
    order = sorted(strata)
    dice.shuffle(order)
    found: list[Key] = []
    while len(found) < count:
        for stratum in order[: count - len(found)]:
            found.append(strata[stratum].pop(dice.randrange(len(strata[stratum]))))
        order = [each for each in order if strata[each]]
    return found


def main() -> None:
    """Print the cells with their states."""
    seed, count = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 60
    cells = assemble(read(Path(__file__).parents[1]), date.today()).verdicts
    for number, key in enumerate(drawn(cells, seed, count), 1):
        print(number, *key, cells[key].state)


if __name__ == "__main__":
    main()
