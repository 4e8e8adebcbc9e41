"""The words that all forms of ``servebook diff`` share: counts, the worst first, and no line too long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from generator.compatibility import Reason, VerdictState
from generator.findings import Finding
from generator.knowledge.changes.cells import CellGroup
from generator.knowledge.changes.citations import CitationChange
from generator.knowledge.changes.comparison import BaseChanges
from generator.knowledge.changes.fields import value_text
from generator.knowledge.changes.figures import FactChange, Published
from generator.notation.units import grouped, percent

FEW, LINE = 3, 160
"""So many names are listed in a row, and so many characters of a step shown."""


@dataclass(frozen=True, slots=True)
class ChangedFindings:
    """The findings that came and those that went."""

    new: tuple[Finding, ...]
    gone: tuple[Finding, ...]


@dataclass(frozen=True, eq=False)
class ShownChanges:
    """A comparison, what the two sides are called, and what else is to be said."""

    found: BaseChanges
    base: str
    head: str
    findings: ChangedFindings | None = None
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> list[str]:
        """How much changes, in a few words each, the gravest first; empty where nothing does."""
        found = self.found
        said = [
            (len(list(found.lost())), "record breaks its schema", "records break their schema"),
            (len(self.findings.new) if self.findings else 0, "new finding", "new findings"),
            (found.cell_count, "cell", "cells"),
            (len(found.facts), "derived fact", "derived facts"),
            (len(found.citations), "citation", "citations"),
            (len(found.orphans), "source orphaned", "sources orphaned"),
        ]
        fates = Counter(each.fate for each in found.records)
        said += [(count, f"record {fate}", f"records {fate}") for fate, count in fates.items()]
        said += [(len(found.tables), "table of schema/", "tables of schema/")]
        return [f"{count:,} {one if count == 1 else many}" for count, one, many in said if count]

    @property
    def headline(self) -> str:
        """One line."""
        return f"{self.base} -> {self.head}: {', '.join(self.counts) or 'the records are the same'}"

    def cells(self, group: CellGroup) -> str:
        """A group in a line: how many cells, from what to what, of which models on which GPUs."""
        if group.before is None or group.after is None:
            word, state = ("new", group.after) if group.before is None else ("gone", group.before)
            return f"{len(group.cells):,} {word}: {_state(state)}"
        head = f"{len(group.cells):,} on {self.found.title(group.engine)}"
        if group.before is group.after:
            served, serve = (", ".join(map(self.found.title, each)) or "none" for each in (group.served, group.serve))
            return f"{head}: {_state(group.after)} still, by {serve} instead of {served}"
        return f"{head}: {_state(group.before)} -> {_state(group.after)}"

    def where(self, group: CellGroup) -> str:
        """The models and GPUs of a group, the first few by name."""
        titles = [self.found.title(model) for model in group.models]
        cube = (self.found.after if group.after else self.found.before).verdicts.gpus
        places = list(dict.fromkeys(cube[id].shown for id in group.gpus if id in cube))
        return f"{few(titles, 'models')}, on {few(places, 'kinds of GPU')}"

    def fact(self, change: FactChange) -> str:
        """A fact in a line: its name, before and after, and by how much."""
        before, after = (_value(each) for each in (change.before, change.after))
        by = f"  {percent(change.ratio - 1)}" if change.ratio is not None else ""
        return f"{change.fact}  {before} -> {after}{by}"

    def citation(self, change: CitationChange) -> str:
        """A citation in a line."""
        named = (
            f"{change.before} -> {change.after}" if change.before and change.after else change.before or change.after
        )
        return f"{change.fate}  {change.citing} {change.place}: {named}" + ("  (evidence)" if change.evidence else "")


def step(reason: Reason | None) -> str:
    """The step that decides, clipped."""
    if reason is None:
        return ""
    text = f"{reason.rule}: {' '.join(reason.text.split())}"
    return text if len(text) <= LINE else f"{text[: LINE - 3]}..."


def few(names: Sequence[str], what: str) -> str:
    """The first few of some names, and how many there are in all."""
    return ", ".join(names) if len(names) <= FEW else f"{len(names)} {what} ({', '.join(names[:FEW])}, ...)"


def shortened(lines: Sequence[str], most: int) -> Iterator[str]:
    """Some lines, and how many were left out."""
    room = most if len(lines) <= most else most - 1
    yield from lines[:room]
    if len(lines) > room:
        yield f"... and {len(lines) - room:,} more"


def _state(state: VerdictState | None) -> str:
    return str(state or "none").replace("-", " ")


def _value(value: Published | None) -> str:
    return grouped(value) if isinstance(value, Fraction) else value_text(value)
