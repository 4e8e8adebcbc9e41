"""``servebook diff``: what a change to the records does to what is published."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from generator.cli.targets import Stop, found_root

if TYPE_CHECKING:
    from generator.cli.output.changes.shown import ChangedFindings
    from generator.knowledge.changes.comparison import BaseChanges
    from generator.knowledge.knowledge_base import KnowledgeBase

WORK_TREE = "the work tree"


@click.command()
@click.argument("base")
@click.argument("head", required=False)
@click.option("--findings", is_flag=True, help="Run all checks on both, too, and tell the findings that came and went.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="Form of the output.",
)
@click.pass_obj
def diff(root: Path | None, base: str, head: str | None, findings: bool, form: str) -> None:
    """What changes in what is published between two git revisions: BASE, and HEAD or the work tree.

    Derived figures, families, cells of the matrix, citations and orphaned sources, before and after, each with the
    record that made it change. Both sides are read from git as data, and computed by the generator that runs.
    """
    from generator.cli.output.changes import markdown, objects, text
    from generator.cli.output.changes.shown import ShownChanges
    from generator.knowledge.changes.comparison import compare

    folder = found_root(root)
    with _undisturbed():
        before, after = _bases(folder, base, head)
        found = compare(before, after)
        told = _findings(found) if findings else None
    notes = tuple(_notes(folder, base, head))
    shown = ShownChanges(found, base, head or WORK_TREE, told, notes)
    click.echo({"text": text.as_text, "json": objects.as_json, "markdown": markdown.as_markdown}[form](shown))


def _bases(folder: Path, base: str, head: str | None) -> tuple[KnowledgeBase, KnowledgeBase]:
    """Both knowledge bases; the later one takes over every record of the earlier whose text is the same."""
    from generator.catalog.read import NoKnowledgeBase, read
    from generator.cli.revision import NoRevision, checkout
    from generator.knowledge.knowledge_base import assemble

    today, revision = date.today(), base
    try:
        with checkout(folder, base) as at:
            before = assemble(read(at), today)
        revision = head or WORK_TREE
        with checkout(folder, head) if head is not None else nullcontext(folder) as at:
            return before, assemble(read(at, before=before.catalog), today)
    except NoRevision as problem:
        raise Stop(f"{revision}: {problem}") from None
    except NoKnowledgeBase as problem:
        raise Stop(f"{revision} holds no knowledge base: {problem}") from None


def _findings(found: BaseChanges) -> ChangedFindings:
    from generator.checks import judge
    from generator.cli.output.changes.shown import ChangedFindings

    before, after = judge(found.before), judge(found.after)
    return ChangedFindings(after.without(before.findings).findings, before.without(after.findings).findings)


def _notes(folder: Path, base: str, head: str | None) -> Iterator[str]:
    """What a reader must know of the comparison itself."""
    from generator.cli.revision import differs

    if differs(folder, base, head, "generator"):
        yield "generator/ differs, too; the generator that ran computed both sides, so what it changes is not here"


@contextmanager
def _undisturbed() -> Iterator[None]:
    """All that is read is kept to the end: nobody need look through it for garbage."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
