"""``servebook validate`` and ``explain``: what checks find, and what they are."""

from __future__ import annotations

import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from generator.cli.targets import (
    FORMAT,
    BrokenBase,
    Stop,
    colour,
    found_root,
    inside,
    knowledge_at,
    place_of,
    suggestion,
)

if TYPE_CHECKING:
    from generator.checks.run import CheckRun
    from generator.knowledge.knowledge_base import KnowledgeBase


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--strict", is_flag=True, help="Warnings fail the run, too.")
@click.option("--against", metavar="REF", help="Fail only on findings that this git revision does not have.")
@click.option("--overdue", is_flag=True, help="Fail on what is overdue, too: sources to read again, ended waivers.")
@click.option("--info", is_flag=True, help="Show infos in the text, too; they never fail a run.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    show_default=True,
    help="Form of the output.",
)
@click.pass_obj
def validate(
    root: Path | None,
    paths: tuple[Path, ...],
    strict: bool,
    against: str | None,
    overdue: bool,
    info: bool,
    form: str,
) -> None:
    """Check every record and source. PATHS limit what is reported, never what is checked."""
    from generator.checks import CHECKS
    from generator.cli.output import validation as report
    from generator.findings import within

    started = time.perf_counter()
    folder = found_root(root)
    kb, broken = _base(folder)
    wanted = [inside(kb.catalog, folder, path) for path in paths]
    verdicts = _judged(kb, folder, against, overdue)
    shown = [found for found in verdicts.findings if within(found.location.path, wanted)]
    if form == "json":
        click.echo(report.as_json(kb, verdicts, shown, strict, time.perf_counter() - started))
    elif form == "sarif":
        from generator.cli.output.sarif import as_sarif

        click.echo(as_sarif(shown, CHECKS, _place_in_repository(folder)))
    else:
        view = report.FindingStyle(colour(), place_of(folder), info or bool(wanted))
        if form == "text" and sys.stdout.isatty():
            view = replace(view, line=_lines_of(folder), width=shutil.get_terminal_size((120, 24)).columns)
        click.echo(report.as_text(kb, verdicts, shown, strict, view))
        if form == "github":
            from generator.cli.output.github import as_annotations

            listed = [found for found in shown if view.infos or found.severity != "info"]
            click.echo(as_annotations(listed, _place_in_repository(folder)).encode("utf-8"))  # these are orders
    if broken:
        raise Stop("schema/ is broken, so nothing else was read")
    raise click.exceptions.Exit(1 if verdicts.failing(strict) else 0)


def _base(folder: Path) -> tuple[KnowledgeBase, bool]:
    """The base, and whether its ``schema/`` is broken: then it holds these faults alone."""
    from generator.catalog.kinds import Kinds
    from generator.catalog.records import Catalog
    from generator.catalog.schemas import Schemas
    from generator.knowledge.knowledge_base import assemble

    try:
        return knowledge_at(folder), False
    except BrokenBase as broken:
        files = len({fault.location.path for fault in broken.faults})
        return assemble(Catalog(Kinds({}), Schemas({}), {}, faults=broken.faults, files=files), date.today()), True


def _judged(kb: KnowledgeBase, folder: Path, against: str | None, overdue: bool) -> CheckRun:
    """What all checks find, less what a revision had, and with what is overdue as errors where that is asked for."""
    from generator.checks import judge

    verdicts = judge(kb)
    if verdicts.checked == 0:
        raise Stop("nothing was checked, and that is not a success")
    if against is not None:
        verdicts = _since(against, folder, verdicts)
    return verdicts.pressing(lambda path: True) if overdue else verdicts


def _since(revision: str, folder: Path, verdicts: CheckRun) -> CheckRun:
    """What a git revision of the same base did not have, and what is overdue in files that differ from it."""
    from generator.catalog.read import NoKnowledgeBase, read
    from generator.checks import judge
    from generator.cli.revision import NoRevision, checkout
    from generator.findings import Severity
    from generator.knowledge.knowledge_base import assemble

    try:
        with checkout(folder, revision) as before:
            paths = {found.location.path for found in verdicts.findings}
            changed = {path for path in paths if _text(before / path) != _text(folder / path)}
            written = {path: _new_lines(_text(before / path), _text(folder / path)) for path in changed}
            known = judge(assemble(read(before), date.today())).findings
    except NoRevision as problem:
        raise Stop(f"--against {revision}: {problem}") from None
    except NoKnowledgeBase:
        known = ()
    old = [found for found in known if found.severity is not Severity.OVERDUE or found.location.path not in changed]
    return verdicts.pressing(changed.__contains__).without(old, lambda at: at.line in written.get(at.path, ()))


def _new_lines(before: bytes | None, now: bytes | None) -> set[int]:
    """The numbers of the lines of a text that an earlier one does not have; moved ones it has."""
    left = Counter((before or b"").split(b"\n"))
    found = set()
    for number, line in enumerate((now or b"").split(b"\n"), 1):
        if left[line]:
            left[line] -= 1
        else:
            found.add(number)
    return found


def _text(path: Path) -> bytes | None:
    """A file as git means it, whatever its line ends are here; None where there is none."""
    try:
        return path.read_bytes().replace(b"\r\n", b"\n")
    except OSError:
        return None


def _place_in_repository(folder: Path) -> str:
    """The prefix of a root-relative path for GitHub, whose paths start at the repository's root."""
    from generator.cli.revision import NoRevision, place

    try:
        return place(folder)
    except NoRevision:
        return place_of(folder)


def _lines_of(folder: Path) -> Callable[[str, int], str]:
    """Lines of authored files, as far as they can be read, for the excerpts below findings on a terminal."""
    from generator.catalog.disk.authored import contents
    from generator.catalog.yaml.document import Document, Unreadable

    @cache
    def document(path: str) -> Document:
        try:
            return Document(contents(folder, path).decode("utf-8-sig", "replace"), None)
        except (OSError, Unreadable):
            return Document("", None)

    return lambda path, line: document(path).line(line - 1)


@click.command()
@click.argument("code", required=False)
@FORMAT
def explain(code: str | None, form: str) -> None:
    """Print the page of a check: what it finds, why it matters, a bad and a good example. Without CODE: the list."""
    from generator.checks import CHECKS
    from generator.checks.manual import LEFT_OUT
    from generator.cli.output.to_json import to_json

    if code is None:
        if form == "json":
            rows = [{"code": c.code, "name": c.name, "severity": str(c.severity), "summary": c.summary} for c in CHECKS]
            click.echo(to_json({"checks": rows}))
        else:
            click.echo("\n".join(f"{c.code}  {c.severity:<8} {c.name:<28} {c.summary}" for c in CHECKS))
        return
    found = next((c for c in CHECKS if code.upper() == c.code or code.lower() == c.name), None)
    if found is None:
        near = suggestion(code.upper(), [c.code for c in CHECKS]) or suggestion(code.lower(), [c.name for c in CHECKS])
        of_kind = [c.code for c in CHECKS if c.code.startswith(code.upper()[:3])]
        known = f"; {code.upper()[:3]} has {of_kind[0]} to {of_kind[-1]}" if of_kind else ""
        raise Stop(f"no check has the code {code}{near}{known}; `servebook explain` lists all")
    if form == "json":
        head = {"code": found.code, "name": found.name, "severity": str(found.severity)}
        click.echo(to_json({**head, "summary": found.summary, "text": found.doc, "file": str(found.file)}))
    else:
        end = f"{LEFT_OUT} The check is written in {found.file}."
        click.echo(f"{found.code} {found.name} ({found.severity})\n\n{found.doc}\n\n{end}")
