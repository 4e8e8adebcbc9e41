"""``servebook fix``, ``review``, ``new`` and ``materialise``: what writes files."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import click

from generator.cli.config_file import config_at
from generator.cli.output.streams import patch
from generator.cli.targets import (
    FORMAT,
    Stop,
    catalog_at,
    found_root,
    inside,
    knowledge_at,
    mend,
    place_of,
    record_named,
    writing,
    written,
)

if TYPE_CHECKING:
    from generator.knowledge.knowledge_base import KnowledgeBase


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--unsafe", is_flag=True, help="Apply fixes that need a look at the result, too.")
@click.option("--diff", is_flag=True, help="Show what would change; change nothing.")
@click.pass_obj
def fix(root: Path | None, paths: tuple[Path, ...], unsafe: bool, diff: bool) -> None:
    """Apply the fixes that findings carry. PATHS limit which files are touched."""
    from generator.authoring import fixes

    folder = found_root(root)
    if not diff:
        mend(folder)
    catalog = catalog_at(folder)  # a folder that is not a knowledge base is reported before anything is copied
    outcome = fixes.plan(folder, date.today(), unsafe, [inside(catalog, folder, path) for path in paths])
    if not outcome.converged:
        raise Stop("the fixes do not settle, so nothing was written; please report it")
    count = len(outcome.changes)
    if diff:
        click.echo(patch("".join(change.diff() for change in outcome.changes)), nl=False)
    else:
        with writing():
            fixes.write(folder, outcome.changes)
        place = place_of(folder)
        for change in outcome.changes:
            click.echo("\n".join(f"{place}{change.path}: {title}" for title in change.titles))
    left = outcome.left_unsafe
    more = f"; {left} fix{' needs' if left == 1 else 'es need'} a look at the result: --unsafe" if left else ""
    click.echo(f"{count} file{'' if count == 1 else 's'} {'would change' if diff else 'changed'}{more}", err=diff)


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "every", is_flag=True, help="All records; only after you have compared every one of them.")
@click.option("--cite", "source", metavar="SOURCE", help="Only for this source, not for all that a record rests on.")
@click.option("--diff", is_flag=True, help="Show what would be written; write nothing.")
@FORMAT
@click.pass_obj
def review(root: Path | None, ids: tuple[str, ...], every: bool, source: str | None, diff: bool, form: str) -> None:
    """Stamp records that you have compared with their sources, so that later changes there are reported (DRF602).

    A stamp that still holds is left alone. Where a record or a source of it has errors, the run ends with 1 and nothing
    is written. Without ID: what has changed since it was reviewed; 1 if anything has.
    """
    from generator.authoring import fixes
    from generator.authoring import review as stamping
    from generator.checks import judge
    from generator.cli.output import reviews as standing

    folder = found_root(root)
    if (ids or every) and not diff:
        mend(folder)
    kb = knowledge_at(folder)
    if every == bool(ids) and (every or source or diff):
        raise Stop("name the records that you have compared with their sources, or --all of them")
    if not ids and not every:
        rows = standing.standing(kb)
        click.echo(standing.standing_json(rows) if form == "json" else standing.standing_text(rows, place_of(folder)))
        raise click.exceptions.Exit(1 if any(row.changed for _, row in rows) else 0)
    records = stamping.stampable(kb) if every else [_compared(kb, id) for id in dict.fromkeys(ids)]
    cited = record_named(kb, source, "source").id if source else None
    try:
        faults = stamping.faults(judge(kb), kb, records)
        outcome = (
            stamping.ReviewPlan(faults=faults) if faults else stamping.plan(folder, kb, records, cited, date.today())
        )
    except stamping.CannotStamp as refused:
        raise Stop(str(refused)) from None
    if not diff:
        with writing():
            fixes.write(folder, outcome.changes)
    if diff and not faults:
        click.echo(patch("".join(change.diff() for change in outcome.changes)), nl=False)
    text = standing.as_json(outcome) if form == "json" else standing.as_text(outcome, place_of(folder))
    click.echo(text, err=diff and form == "text" and not faults)
    raise click.exceptions.Exit(1 if faults else 0)


def _compared(kb: KnowledgeBase, id: str) -> Any:
    record = record_named(kb, id)
    if record.kind == "source":
        raise Stop(f"`{id}` is a source; records are compared with it: `servebook graph {id}` shows which")
    return record


@click.command()
@click.argument("kind")
@click.argument("id")
@click.option("--config", "config", type=click.Path(path_type=Path), help="For a model: its config.json, filled in.")
@click.option("--repo", help="For a model: its Hub repository, Org/Name.")
@click.option("--source", help="For a model: the id of the source of its config, on record already.")
@click.option("--name", help="For a model: its name; the repository's otherwise.")
@click.option("--vendor", help="For a model: who released it; the repository's owner otherwise.")
@click.option("--url", help="For a source: its address.")
@FORMAT
@click.pass_obj
def new(
    root: Path | None,
    kind: str,
    id: str,
    config: Path | None,
    repo: str | None,
    source: str | None,
    name: str | None,
    vendor: str | None,
    url: str | None,
    form: str,
) -> None:
    """Write a valid skeleton of a record, with everything filled that can be filled.

    In Servebook's own repository `new check FOLDER/NAME` begins a check: its file, its line in the list, its test.
    """
    from generator.authoring import new as scaffold
    from generator.authoring.new_check import write_check
    from generator.authoring.skeletons import CannotBegin
    from generator.cli.output.to_json import to_json

    folder = found_root(root)
    mend(folder)
    catalog = catalog_at(folder)
    named = {"repo": repo, "source": source, "name": name, "vendor": vendor, "url": url}
    given = {"config": config_at(config, catalog.tables.get("file_kinds", {})) if config else None, **named}
    try:
        with writing():
            begun: Sequence[PurePath]
            if kind == "check" and not any(given.values()):
                begun = write_check(folder, id)
            else:
                begun = scaffold.write(folder, catalog, kind, id, given, date.today())
    except CannotBegin as refused:
        raise Stop(str(refused)) from None
    if form == "json":
        click.echo(to_json({"written": [path.as_posix() for path in begun]}))
    else:
        click.echo("\n".join(f"wrote {path.as_posix()}" for path in begun))
        click.echo(f"fill in what is marked TODO, then: {'make test' if kind == 'check' else 'servebook validate'}")


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; end with 1 if the file would change.")
@click.pass_obj
def schema(root: Path | None, check: bool) -> None:
    """Write schema/config.schema.json, by which editors know config keys, from schema/config_keys.yaml."""
    from generator.authoring.config_schema import PATH, config_schema

    folder = found_root(root)
    path, text = folder / PATH, config_schema(catalog_at(folder))
    same = path.is_file() and path.read_text("utf-8") == text
    if not check and not same:
        path.write_text(text, "utf-8")
    click.echo(f"{place_of(folder)}{PATH} {'is up to date' if same else 'would change' if check else 'written'}")
    raise click.exceptions.Exit(1 if check and not same else 0)


@click.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.pass_obj
def materialise(root: Path | None, out: Path) -> None:
    """Write the generated pages as plain files into OUT."""
    from generator.site.materialise import write_pages
    from generator.site.pages import PagesFailed

    folder = found_root(root)
    try:
        with written(folder, out) as fresh:
            count = write_pages(sound_at(folder), fresh)
    except PagesFailed as problem:
        raise Stop(str(problem)) from None
    click.echo(f"wrote {count} pages to {out}")


def sound_at(folder: Path) -> KnowledgeBase:
    """The knowledge base, provided that no finding is an error: nothing is published otherwise."""
    from generator.checks import judge
    from generator.findings import Severity

    kb = knowledge_at(folder)
    errors = judge(kb).count(Severity.ERROR)
    if errors:
        raise Stop(f"{errors} errors in the records; nothing was written. `servebook validate` shows them")
    return kb
