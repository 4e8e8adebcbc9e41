"""What `servebook drift` says: counts, then what drifted, the worst first, with what it would change on the site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generator.cli.output.changes.markdown import code
from generator.cli.output.changes.shown import ShownChanges, shortened
from generator.cli.output.to_json import to_json
from generator.knowledge.changes.comparison import BaseChanges
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.upstream.states import WORST_FIRST, Drift, DriftOutcome

MOST = 6
"""So many facts, and groups of cells, of one source are listed."""


@dataclass(frozen=True, eq=False)
class ShownDrift:
    """The outcomes, what each would change in what is published, and how many sources were left for a later run."""

    kb: KnowledgeBase
    outcomes: Sequence[DriftOutcome]
    changed: Mapping[str, BaseChanges | None]
    left: int = 0
    requests: int = 0
    received: int = 0

    @property
    def news(self) -> list[DriftOutcome]:
        """What somebody should look at, the worst first: by state, then by how many cells would change."""

        def rank(each: DriftOutcome) -> tuple[int, int, str]:
            found = self.changed.get(each.source)
            return WORST_FIRST.index(each.state), -(found.cell_count if found else 0), each.source

        return sorted((each for each in self.outcomes if each.news), key=rank)

    @property
    def counts(self) -> dict[str, int]:
        """How many sources have each state."""
        found = Counter(each.state for each in self.outcomes)
        return {str(state): found[state] for state in WORST_FIRST if found[state]}

    @property
    def headline(self) -> str:
        """One line: how many were looked at, and in which state they are."""
        states = ", ".join(f"{count} {state}" for state, count in self.counts.items())
        more = f"; {self.left} left for a later run" if self.left else ""
        many = "" if len(self.outcomes) == 1 else "s"
        asked = f" ({self.requests:,} requests, {self.received:,} bytes)"
        return f"{len(self.outcomes)} source{many}: {states or 'none looked at'}{more}{asked}"

    def published(self, each: DriftOutcome) -> list[str]:
        """What the base would publish otherwise, in lines."""
        found = self.changed.get(each.source)
        if found is None or not (found.cells or found.facts):
            return []
        words = ShownChanges(found, "", "")
        cells = [f"{words.cells(group)}, {words.where(group)}" for group in found.cells]
        facts = [f"{found.title(id)}: {words.fact(changes[0])}" for id, changes in found.models]
        return [f"would change {', '.join(words.counts[:2])}", *shortened([*cells, *facts], MOST)]


def as_text(shown: ShownDrift) -> str:
    """For a terminal."""
    return "\n".join(_lines(shown))


def _lines(shown: ShownDrift) -> Iterator[str]:
    yield shown.headline
    for each in shown.news:
        yield ""
        yield f"{each.source}: {each.state}{f' ({each.edition})' if each.edition else ''}"
        yield f"  {each.why}"
        yield from (f"  {line}" for line in shortened([change.told for change in each.changes], MOST))
        yield from (f"  {line}" for line in shown.published(each))
    lost = [each for each in shown.outcomes if each.state is Drift.UNREACHABLE]
    if lost:
        yield ""
        yield "not reached, which says nothing about them"
        yield from (f"  {line}" for line in shortened([f"{each.source}: {each.why}" for each in lost], 10))


def as_markdown(shown: ShownDrift) -> str:
    """For an issue or a comment; what comes from records and documents is in code spans."""
    parts = [f"**{shown.headline}**"]
    for each in shown.news:
        lines = [change.told for change in each.changes]
        rows = [each.why, *shortened(lines, MOST), *shown.published(each)]
        parts.append(f"### {code(each.source)} {each.state}\n\n" + "\n".join(f"- {code(row)}" for row in rows))
    return "\n\n".join(parts)


def as_json(shown: ShownDrift) -> str:
    """For programs, whole."""
    return to_json(
        {
            "ok": not shown.news,
            "counts": shown.counts,
            "left": shown.left,
            "requests": shown.requests,
            "bytes": shown.received,
            "sources": [_row(shown, each) for each in shown.outcomes],
        }
    )


def _row(shown: ShownDrift, each: DriftOutcome) -> dict[str, Any]:
    found = shown.changed.get(each.source)
    return {
        "source": each.source,
        "state": str(each.state),
        "news": each.news,
        "why": each.why,
        "edition": each.edition or None,
        "place": each.place or None,
        "changes": [{"fact": one.place, "before": one.before, "after": one.after} for one in each.changes],
        "would_change": {"cells": found.cell_count, "facts": len(found.facts)} if found else None,
    }
