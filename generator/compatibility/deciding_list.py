"""The list that decides a cell, in the words of pages and commands: its day, and what silence in it means."""

from __future__ import annotations

from generator.catalog.records import Record


def dated(source: Record) -> str:
    """The day of the list itself, else the day on which it was read."""
    own = source.get("upstream_date")
    return f"of {own}" if own else f"read on {source.get('retrieved')}"


def on_silence(source: Record) -> str:
    """What is said of a class that the list does not name, and why."""
    if source.get("exhaustive"):
        return "is not listed: the list is whole"
    return "is without evidence: the list is not known to be whole"
