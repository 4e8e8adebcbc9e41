"""Timing of two ways to do the same work, in turns, so that a noisy machine treats both alike."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

ROUNDS = 3


@dataclass(frozen=True)
class Ratio:
    """Our CPU seconds, those of a peer, and what both were given to do."""

    what: str
    peer: str
    ours: float
    theirs: float

    def __str__(self) -> str:
        """One row: the ratio first, for seconds differ from machine to machine."""
        times = f"{self.ours:8.3f} s against {self.theirs:.3f} s"
        return f"{self.ours / self.theirs:6.2f}  {times}  {self.what}, against {self.peer}"


def compare(
    what: str,
    ours: Callable[[], object],
    peer: str,
    theirs: Callable[[], object],
    clock: Callable[[], float] = time.process_time,
) -> Ratio:
    """The best of several rounds of each, taken in turns: what disturbs a round only ever makes it longer."""
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for index, work in enumerate((ours, theirs)):
            started = clock()
            work()
            best[index] = min(best[index], clock() - started)
    return Ratio(what, peer, best[0], best[1])
