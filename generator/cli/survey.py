"""``servebook stats``, ``where`` and ``gaps``: what the base holds, which records have a value, and what is unknown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from generator.cli.targets import COUNT, FORMAT, Stop, asked_base, record_named, suggestion


@click.command()
@FORMAT
@click.pass_obj
def stats(root: Path | None, form: str) -> None:
    """Records by kind, cells by state, models with figures, sources by how they were read, and numbers."""
    from generator.cli.output import survey as words

    found = words.stats_object(asked_base(root))
    click.echo(words.as_json(found) if form == "json" else words.stats_text(found))


@click.command()
@click.argument("kind")
@click.argument("conditions", nargs=-1, required=True, metavar="FIELD=VALUE...")
@FORMAT
@click.pass_obj
def where(root: Path | None, kind: str, conditions: tuple[str, ...], form: str) -> None:
    """The records of a KIND whose fields have these values: `where model architecture.model_type=gemma3_text`.

    A field below another is named with a dot, and one of a list's entries will do. Besides `=` there are `!=`, and for
    numbers `>=`, `<=`, `>` and `<`. Nothing found is an answer and ends with 0.
    """
    from generator.cli.output import survey as words
    from generator.knowledge.field_search import BadCondition, matching, parsed

    kb = asked_base(root)
    if kind not in kb.catalog.kinds:
        kinds = [each.name for each in kb.catalog.kinds]
        near = suggestion(kind, kinds) or f"; known: {', '.join(kinds)}"
        raise Stop(f"no kind is called `{kind}`{near}")
    records = list(kb.catalog.sound(kind))
    try:
        found = matching(records, [parsed(each) for each in conditions])
    except BadCondition as problem:
        near = suggestion(problem.word, list(problem.known)) if problem.known else ""
        raise Stop(f"{problem}{near}") from None
    click.echo(words.as_json(words.where_object(kind, found)) if form == "json" else words.where_text(kind, found))


@click.command()
@click.option("--engine", help="Only what is asked of this engine.")
@click.option(
    "--most", default=20, show_default=True, type=COUNT, help="So many readings, those that settle most first."
)
@FORMAT
@click.pass_obj
def gaps(root: Path | None, engine: str | None, most: int, form: str) -> None:
    """What is unknown: cells without a yes or a no and the file that would settle them, cache policies, weights."""
    from generator.cli.output import survey as words

    kb = asked_base(root)
    asked: Any = record_named(kb, engine, "engine").id if engine else None
    found = words.gaps_object(kb, asked, most)
    click.echo(words.as_json(found) if form == "json" else words.gaps_text(kb, found))
