"""Work, counted: how many functions are called. It is the same on a slow machine, and beside seven other programs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def counted(run: Callable[[], object]) -> int:
    """How many functions, of Python and of C, are called while something runs."""
    calls = 0

    def count(frame: FrameType, event: str, function: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(before)
    return calls


def assert_linear(run: Callable[[str], object], shape: Callable[[int], str], size: int) -> None:
    """A text four times as long takes about four times the work, at the most."""
    small, large = shape(size), shape(4 * size)
    once, again = counted(lambda: run(small)), counted(lambda: run(large))
    assert again <= 1.5 * once * len(large) / len(small), f"{once:,} calls for {len(small):,} signs, then {again:,}"
