"""The faults of authors, as they are met in files."""

from __future__ import annotations

from collections.abc import Iterable

from generator.catalog.yaml.document import Span, Trap
from generator.findings import Edit, Fault, Fix, Location, Related


def location(path: str, span: Span) -> Location:
    """The place of a span in a file."""
    return Location(path, span[0] + 1, span[1] + 1, span[2] + 1, span[3] + 1)


def of_traps(path: str, traps: Iterable[Trap], record: str | None = None) -> list[Fault]:
    """The traps of a text as faults; where the meant text is sure, with the fix."""
    return [_of_trap(path, trap, record) for trap in traps]


def _of_trap(path: str, trap: Trap, record: str | None) -> Fault:
    place = location(path, trap.span)
    fix = Fix("quote the text", (Edit(place, trap.replacement),), trap.safe) if trap.replacement else None
    related = (Related(location(path, trap.related), "first here"),) if trap.related else ()
    return Fault(trap.code, place, trap.message, record, related, fix)
