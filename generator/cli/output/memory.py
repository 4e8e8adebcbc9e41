"""Whether weights and cache go into a GPU's memory, as lines of text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from generator.compatibility.fit import Fit
from generator.notation.units import binary, grouped, number


def fit_object(fit: Fit) -> dict[str, Any]:
    """The figure as data."""
    load = fit.load
    return {
        "context": load.context,
        "batch": load.batch,
        "tp": load.tp,
        "layout": load.layout,
        "layout_decided": load.decided,
        "weights_bytes_per_gpu": _number(load.weights),
        "cache_bytes_per_gpu": _number(load.cache),
        "bytes_per_gpu": None if load.bytes is None else number(load.bytes),
        "memory_bytes": fit.memory,
        "memory_basis": fit.memory_basis,
        "share_of_memory": None if fit.share is None else round(float(fit.share), 4),
        "reserved_bytes_per_gpu": None if fit.kept_free.bytes is None else number(fit.kept_free.bytes),
        "reserved_basis": fit.kept_free.text,
        "fits": fit.fits,
        "reasons": [part for part in (load.weights, load.cache) if isinstance(part, str)],
        "assumptions": list(load.assumptions),
        "cites": list(fit.cites),
    }


def _number(part: Fraction | str) -> int | float | None:
    return None if isinstance(part, str) else number(part)


def fit_lines(fit: Fit) -> Iterator[str]:
    """The figure for a terminal."""
    load = fit.load
    sequences = f"{load.batch} sequence{'' if load.batch == 1 else 's'} of {grouped(load.context)} tokens"
    yield f"memory, a figure apart from the verdict: {sequences}, {load.tp} GPU{'' if load.tp == 1 else 's'}"
    for name, part in (("weights", load.weights), ("cache", load.cache)):
        words = f"not derivable: {part}" if isinstance(part, str) else f"{binary(part)} on each"
        yield f"  {name}: {words}"
    free = fit.kept_free
    size = "not known" if free.bytes is None else f"{binary(free.bytes)} on each"
    yield f"  kept free: {size}, {free.text}"
    if fit.memory is None:
        yield f"  memory: not known: {fit.memory_basis}"
    elif load.bytes is None or fit.left is None:
        yield f"  memory: {binary(fit.memory)} on each ({fit.memory_basis}); there is no sum"
    else:
        word = f"{binary(fit.left)} left" if fit.left >= 0 else f"{binary(-fit.left)} too much"
        used = load.bytes + (free.bytes or 0)
        yield f"  sum: {binary(used)} of {binary(fit.memory)} on each ({fit.memory_basis}): {word}"
    if fit.cites:
        yield f"  sources: {' '.join(f'[[{cite}]]' for cite in fit.cites)}"
    yield from (f"  assumed: {text}" for text in load.assumptions)
