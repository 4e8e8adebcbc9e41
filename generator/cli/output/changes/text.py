"""``servebook diff`` for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from generator.cli.output.changes.shown import ShownChanges, shortened, step

MOST = 20
"""So many groups of cells, models, citations and the like are listed; JSON has all."""


def as_text(shown: ShownChanges) -> str:
    """The counts, then the groups, the worst first."""
    return "\n".join(_lines(shown))


def _lines(shown: ShownChanges) -> Iterator[str]:
    found = shown.found
    yield shown.headline
    yield from (f"note: {note}" for note in shown.notes)
    yield from _section("nothing is published of these, they break their schema", list(found.lost()))
    if shown.findings:
        told = [f"{each.location} {each.code} {each.message}" for each in shown.findings.new]
        yield from _section("new findings", told)
        yield from _section("findings that are gone", [f"{each.location} {each.code}" for each in shown.findings.gone])
    yield from _section(f"cells, {found.cell_count:,}", _cells(shown))
    yield from _section(f"derived facts, {len(found.facts):,}", _facts(shown))
    yield from _section(f"citations, {len(found.citations):,}", [shown.citation(each) for each in found.citations])
    yield from _section("sources that nobody cites any more", list(found.orphans))
    yield from _section("records", [each.cause() for each in found.records])
    yield from _section("tables", list(found.tables))
    if found.nothing and (found.records or found.tables):
        yield ""
        yield "nothing that is derived or cited changes"


def _section(title: str, items: list[str]) -> Iterator[str]:
    if items:
        yield ""
        yield title
        for item in shortened(items, MOST):
            first, *rest = item.split("\n")
            yield f"  {first}"
            yield from (f"      {line}" for line in rest)


def _cells(shown: ShownChanges) -> list[str]:
    rows = []
    for group in shown.found.cells:
        now = [f"now {step(group.now)}"] if group.before and group.now else []
        rows.append("\n".join([shown.cells(group), shown.where(group), *now, *shortened(group.because, 3)]))
    return rows


def _facts(shown: ShownChanges) -> list[str]:
    rows = []
    for model, changes in shown.found.models:
        lines = shortened([shown.fact(each) for each in changes], 6)
        rows.append(
            "\n".join([shown.found.title(model), *lines, *(f"because {each}" for each in changes[0].because[:3])])
        )
    return rows
