"""``servebook diff`` as Markdown for a comment. Whatever comes from records is in code spans, where it is text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from generator.cli.output.changes.shown import ShownChanges, shortened, step
from generator.notation.plain import plain

MOST = 12
LONGEST = 300
"""Characters of one line that comes from records."""


def as_markdown(shown: ShownChanges) -> str:
    """A summary line, then a list for each kind of change, the worst first."""
    return "\n".join(_lines(shown))


def code(text: str) -> str:
    """A text as a code span: no mention, no link and no markup in it.

    >>> code("`<b>` @team")
    "`'<b>' @team`"
    """
    line = plain(" ".join(text.split())).replace("`", "'")
    return f"`{line if len(line) <= LONGEST else line[: LONGEST - 3] + '...'}`"


def _lines(shown: ShownChanges) -> Iterator[str]:
    found = shown.found
    yield f"**{', '.join(shown.counts) or 'The records are the same'}** from {code(shown.base)} to {code(shown.head)}"
    yield from (f"\n{note}" for note in shown.notes)
    yield from _section("Break their schema: nothing is published of them", [code(id) for id in found.lost()])
    if shown.findings:
        told = [f"{code(str(each.location))} {each.code} {code(each.message)}" for each in shown.findings.new]
        yield from _section("New findings", told)
        gone = [f"{code(str(each.location))} {each.code}" for each in shown.findings.gone]
        yield from _section("Findings that are gone", gone)
    yield from _section(f"Cells that change: {found.cell_count:,}", _cells(shown))
    yield from _section(f"Derived facts that change: {len(found.facts):,}", _facts(shown))
    yield from _section("Citations", [code(shown.citation(each)) for each in found.citations])
    yield from _section("Sources that nobody cites any more", [code(id) for id in found.orphans])
    yield from _section("Records", [code(each.cause()) for each in found.records])


def _section(title: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield f"\n### {title}\n"
        yield from (f"- {item}" for item in shortened(items, MOST))


def _cells(shown: ShownChanges) -> list[str]:
    rows = []
    for group in shown.found.cells:
        now = [f"now {code(step(group.now))}"] if group.before and group.now else []
        lines = [f"{code(shown.cells(group))}: {code(shown.where(group))}", *now, *map(code, group.because[:3])]
        rows.append("\n  - ".join(lines))
    return rows


def _facts(shown: ShownChanges) -> list[str]:
    rows = []
    for model, changes in shown.found.models:
        lines = [code(line) for line in shortened([shown.fact(each) for each in changes], 6)]
        causes = [f"because {code(each)}" for each in changes[0].because[:3]]
        rows.append("\n  - ".join([code(shown.found.title(model)), *lines, *causes]))
    return rows
