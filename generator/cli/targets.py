"""What commands share: the knowledge base that is meant, the record that is named, and how a run stops."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from generator.catalog.read import BrokenSchema
    from generator.catalog.records import Catalog, Record
    from generator.knowledge.knowledge_base import KnowledgeBase

MOST_KNOWN = 40
"""So many ids are listed in a message; of more, only the nearest."""

FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the output.",
)

COUNT = click.IntRange(1, 10**12)
"""Tokens, sequences or GPUs; more would be a slip, and there are figures that no float holds."""


class Stop(click.ClickException):
    """A user's mistake or a lacking piece: one clear message, exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"servebook: {self.message}", err=True)


class BrokenBase(Stop):
    """A ``schema/`` that is broken: no command can work with it, but what is wrong can be reported in any form."""

    def __init__(self, problem: BrokenSchema) -> None:
        super().__init__(str(problem))
        self.faults = problem.faults


def colour() -> bool:
    """Whether the output may be coloured: on a terminal alone, and where nobody asks for none."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def found_root(root: Path | None) -> Path:
    """The root that ``--root`` names, or the nearest one at or above the working directory."""
    from generator.catalog.read import NoKnowledgeBase, find_root

    try:
        if root is None:
            return find_root(here())
        if not root.is_dir():
            raise Stop(f"--root {root}: no such folder")
        return root.resolve()
    except NoKnowledgeBase as problem:
        raise Stop(str(problem)) from None


def mend(folder: Path) -> None:
    """Put right what an interrupted run has left among the authored files, and say so."""
    from generator.catalog.disk.journal import mended

    with writing():
        if done := mended(folder):
            click.echo(f"servebook: {done}", err=True)


@contextmanager
def writing() -> Iterator[None]:
    """What keeps authored files from being written stops the run with its reason."""
    from generator.catalog.disk.journal import ChangedMeanwhile
    from generator.catalog.disk.runs import Busy

    try:
        yield
    except (ChangedMeanwhile, Busy) as problem:
        raise Stop(str(problem)) from None
    except OSError as error:
        raise Stop(f"{reason_of(error)}; nothing was written") from None


def reason_of(error: OSError) -> str:
    """What the system refuses, in one line."""
    where = f"{os.fsdecode(error.filename)}: " if error.filename else ""
    return f"{where}{error.strerror or error}"


@contextmanager
def written(folder: Path, out: Path) -> Iterator[Path]:
    """A fresh folder that takes the place of `out` when all of it is written; what is not ours stops the run."""
    from generator.catalog.disk.output import Occupied, mended, replaced
    from generator.catalog.disk.runs import Busy

    out = out if out.is_absolute() else here() / out
    try:
        if done := mended(folder, out):
            click.echo(f"servebook: {done}", err=True)
        with replaced(folder, out) as fresh:
            yield fresh
    except (Occupied, Busy) as refused:
        raise Stop(str(refused)) from None


def here() -> Path:
    """The working directory, which may have been removed."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise Stop("the working directory was removed; change into another, or name the base with --root") from None


def place_of(folder: Path) -> str:
    """The prefix of a root-relative path as somebody in the working directory sees it."""
    try:
        place = os.path.relpath(folder)
    except FileNotFoundError:  # the working directory is gone
        return f"{folder}/"
    return "" if place == "." else f"{place}/"


def inside(catalog: Catalog, folder: Path, path: Path) -> str:
    """A path, relative to here or to the root, as the root names it; an id or a name means its record's file."""
    from generator.knowledge.lookup import meant

    found = [each.resolve() for each in (path, folder / path) if each.exists()]
    if not found:
        named = meant(catalog, str(path))
        if len(named) == 1:
            return named[0].path
        several = f"; it names {', '.join(record.path for record in named)}" if named else ""
        raise Stop(f"{path}: no such file or folder, and no record of that name{several}")
    within = next((each for each in found if each.is_relative_to(folder.resolve())), None)
    if within is None:
        raise Stop(f"{path} is not in the knowledge base {folder}")
    return within.relative_to(folder.resolve()).as_posix()


def catalog_at(folder: Path) -> Any:
    """All that is read below a root."""
    from generator.catalog.read import BrokenSchema, NoKnowledgeBase, read

    try:
        return read(folder)
    except BrokenSchema as problem:
        raise BrokenBase(problem) from None
    except NoKnowledgeBase as problem:
        raise Stop(str(problem)) from None


def knowledge_at(folder: Path) -> KnowledgeBase:
    """All that is read below a root, and what follows from it today."""
    from generator.knowledge.knowledge_base import assemble

    return assemble(catalog_at(folder), date.today())


def asked_base(root: Path | None) -> KnowledgeBase:
    """What a question is put to; files that could not be read are named with the answer, which does not use them."""
    kb = knowledge_at(found_root(root))
    lost = sorted({fault.location.path for fault in kb.catalog.faults if fault.code == "YML001"})
    if lost:
        more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
        click.echo(f"servebook: {lost[0]}{more} could not be read, so the answer rests on the others", err=True)
    return kb


def record_named(kb: KnowledgeBase, word: str, kind: str | None = None) -> Record:
    """The one record that a user means by an id, a Hub repository, a name or an alias; an engine also as ``name@1.2``.

    Where there is none, the run stops with the nearest and the known ones.
    """
    from generator.knowledge.lookup import meant

    name, _, version = word.partition("@")
    found = meant(kb.catalog, word, kind) or meant(kb.catalog, name, "engine" if version else kind)
    if not found:
        raise Stop(
            f"no record has the id `{word}`, and no {kind or 'other'} goes by that name{_known(kb.catalog, word, kind)}"
        )
    if len(found) > 1:
        raise Stop(f"`{word}` names {len(found)} records; take the id: {', '.join(record.id for record in found)}")
    record = found[0]
    if kind and record.kind != kind:
        raise Stop(f"`{word}` is of the kind {record.kind}, but a {kind} is expected{_known(kb.catalog, word, kind)}")
    if version and record.kind == "engine" and record.id != word:
        record = _in_version(kb.catalog, record, version)
    if record.id in kb.catalog.unsound and kind:
        raise Stop(f"{record.path} breaks its schema, so nothing is derived from it; `servebook validate` shows where")
    return record


def _in_version(catalog: Catalog, engine: Record, version: str) -> Record:
    """The record of an engine in the version that is asked for; the run stops where another one is on record."""
    from generator.knowledge.lookup import in_version

    found = in_version(catalog, engine, version.removeprefix("v"))
    if found is None:
        own = engine.get("version")
        has = f"on record is version {own}" if own else "the record names no version"
        raise Stop(f"{engine.title} {version} is not on record; {has}: `{engine.id}`")
    return found


def _known(catalog: Catalog, word: str, kind: str | None) -> str:
    """The nearest records and, where they are few, all of the kind, to end a message."""
    from generator.knowledge.lookup import nearest

    near = nearest(catalog, word, kind)
    ids = [record.id for record in catalog.of(kind)] if kind else []
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    if not ids:
        return meant
    if len(ids) <= MOST_KNOWN:
        return f"{meant or ';'} known: {', '.join(ids)}"
    return f"{meant or ';'} {len(ids)} are on record in {catalog.kinds[str(kind)].folder}/"


def suggestion(word: str, words: list[str]) -> str:
    """What may have been meant, to end a message; empty where nothing is near."""
    import difflib

    near = difflib.get_close_matches(word, words, n=3) or difflib.get_close_matches(word.lower(), words, n=3)
    return f"; did you mean {' or '.join(near)}?" if near else ""
