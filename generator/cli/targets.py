"""What commands share: the knowledge base that is meant, the record that is named, and how a run stops."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from generator.knowledge.knowledge_base import KnowledgeBase

FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the output.",
)


class Stop(click.ClickException):
    """A user's mistake or a lacking piece: one clear message, exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"servebook: {self.message}", err=True)


def found_root(root: Path | None) -> Path:
    """The root that ``--root`` names, or the nearest one at or above the working directory."""
    from generator.catalog.read import NoKnowledgeBase, find_root

    try:
        if root is None:
            return find_root(Path.cwd())
        if not root.is_dir():
            raise Stop(f"--root {root}: no such folder")
        return root.resolve()
    except NoKnowledgeBase as problem:
        raise Stop(str(problem)) from None


def place_of(folder: Path) -> str:
    """What stands before a root-relative path where it is told to somebody in the working directory."""
    place = os.path.relpath(folder, Path.cwd())
    return "" if place == "." else f"{place}/"


def inside(folder: Path, path: Path) -> str:
    """A path, relative to here or to the root, as the root names it."""
    found = [each.resolve() for each in (path, folder / path) if each.exists()]
    if not found:
        raise Stop(f"{path}: no such file or folder")
    within = next((each for each in found if each.is_relative_to(folder.resolve())), None)
    if within is None:
        raise Stop(f"{path} does not lie in the knowledge base {folder}")
    return within.relative_to(folder.resolve()).as_posix()


def catalog_at(folder: Path) -> Any:
    """All that is read below a root."""
    from generator.catalog.read import NoKnowledgeBase, read

    try:
        return read(folder)
    except NoKnowledgeBase as problem:
        raise Stop(str(problem)) from None


def knowledge_at(folder: Path) -> KnowledgeBase:
    """All that is read below a root, and what follows from it today."""
    from generator.knowledge.knowledge_base import assemble

    return assemble(catalog_at(folder), date.today())


def record_named(kb: KnowledgeBase, id: str, kind: str | None = None) -> Any:
    """The record of an id, as a user types it: an old id leads to the new one, a mistyped one to a suggestion."""
    id = kb.catalog.redirects.get(id, id)
    record = kb.catalog.records.get(id)
    ids = [other.id for other in (kb.catalog.of(kind) if kind else kb.catalog.records.values())]
    if record is None:
        raise Stop(f"no record has the id `{id}`{suggestion(id, ids)}")
    if kind and record.kind != kind:
        raise Stop(f"`{id}` is of the kind {record.kind}, and a {kind} is wanted{suggestion(id, ids)}")
    if record.id in kb.catalog.unsound and kind:
        raise Stop(f"{record.path} breaks its schema, so nothing is derived from it; `servebook validate` shows where")
    return record


def suggestion(word: str, words: list[str]) -> str:
    """What may have been meant, to stand behind a message; empty where nothing is near."""
    import difflib

    parts = set(word.lower().split("-"))
    near = difflib.get_close_matches(word, words, n=3) or difflib.get_close_matches(word.lower(), words, n=3)
    near = near or sorted(each for each in words if parts <= set(each.split("-")))[:3]  # a100: a100-sxm-80gb
    return f"; did you mean {' or '.join(near)}?" if near else ""
