"""The command line: arguments, clock, terminal and exit status. Everything else happens elsewhere.

Exit status: 0 fine, 1 findings at error level (or nothing derivable), 2 usage or environment.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from generator import __version__

if TYPE_CHECKING:
    from generator.findings import Finding
    from generator.knowledge import KnowledgeBase

Command = TypeVar("Command", bound=Callable[..., Any])

MOST_BYTES = 16 * 1024 * 1024
"""More than any config.json; a device that never ends is not read for ever."""

FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the output.",
)


class _Stop(click.ClickException):
    """A user's mistake or a lacking piece: one clear message, exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"servebook: {self.message}", err=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="servebook")
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    help="The knowledge base; otherwise the nearest folder at or above this one with records/ and sources/.",
)
@click.pass_context
def cli(context: click.Context, root: Path | None) -> None:
    """A knowledge base about serving large language models, and the generator that keeps it honest."""
    context.obj = root


def main() -> None:
    """Run the command; an interrupt leaves nothing half-written and ends with the shell's status for it."""
    try:
        sys.exit(cli.main(prog_name="servebook", standalone_mode=False))  # click returns the status of an Exit
    except click.exceptions.Abort:
        click.echo("servebook: interrupted; no file is half-written", err=True)
        sys.exit(130)
    except click.ClickException as problem:
        problem.show()
        sys.exit(problem.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # head has what it wanted
        sys.exit(0)


# --- validate and explain -------------------------------------------------------------------------------------------


@cli.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--strict", is_flag=True, help="Warnings fail the run, too.")
@click.option("--against", metavar="REF", help="Fail only on findings that this git revision does not have.")
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
    root: Path | None, paths: tuple[Path, ...], strict: bool, against: str | None, info: bool, form: str
) -> None:
    """Check every record and source. PATHS limit what is reported, never what is checked."""
    from generator import report
    from generator.checks import CHECKS, judge

    started = time.perf_counter()
    folder = _root(root)
    wanted = [_inside(folder, path) for path in paths]
    kb = _knowledge(folder)
    verdicts = judge(kb)
    if verdicts.checked == 0:
        raise _Stop("nothing was checked, and that is no success")
    if against is not None:
        verdicts = verdicts.without(_findings_at(folder, against))
    shown = [found for found in verdicts.findings if report.within(found.location.path, wanted)]
    if form == "json":
        click.echo(report.as_json(kb, verdicts, shown, strict, time.perf_counter() - started))
    elif form == "sarif":
        from generator.sarif import as_sarif

        click.echo(as_sarif(shown, CHECKS, _place_in_repository(folder)))
    else:
        view = report.View(_colour(), _place(folder), info or bool(wanted))
        if form == "text" and sys.stdout.isatty():
            view = replace(view, line=_lines_of(folder), width=shutil.get_terminal_size((120, 24)).columns)
        click.echo(report.as_text(kb, verdicts, shown, strict, view))
        if form == "github":
            from generator.annotations import as_annotations

            listed = [found for found in shown if view.infos or found.severity != "info"]
            click.echo(as_annotations(listed, _place_in_repository(folder)))
    raise click.exceptions.Exit(1 if verdicts.failing(strict) else 0)


def _findings_at(folder: Path, revision: str) -> list[Finding]:
    """What a git revision of the same base was found to have; a revision that held none had no findings."""
    from generator.checks import judge
    from generator.history import NoRevision, checkout
    from generator.knowledge import assemble
    from generator.read import NoKnowledgeBase, read

    try:
        with checkout(folder, revision) as before:
            return list(judge(assemble(read(before), date.today())).findings)
    except NoRevision as problem:
        raise _Stop(f"--against {revision}: {problem}") from None
    except NoKnowledgeBase:
        return []


@cli.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--unsafe", is_flag=True, help="Apply fixes that need a look at the result, too.")
@click.option("--diff", is_flag=True, help="Show what would change; change nothing.")
@click.pass_obj
def fix(root: Path | None, paths: tuple[Path, ...], unsafe: bool, diff: bool) -> None:
    """Apply the fixes that findings carry. PATHS limit which files are touched."""
    from generator import fixes

    folder = _root(root)
    _read(folder)  # a folder that is no knowledge base is told before anything is copied
    outcome = fixes.plan(folder, date.today(), unsafe, [_inside(folder, path) for path in paths])
    if not outcome.converged:
        raise _Stop("the fixes do not settle, so nothing was written; please report it")
    count = len(outcome.changes)
    if diff:
        click.echo("".join(change.diff() for change in outcome.changes).encode("utf-8"), nl=False)
    else:
        try:
            fixes.write(folder, outcome.changes)
        except (fixes.Moved, OSError) as problem:
            raise _Stop(str(problem)) from None
        place = _place(folder)
        for change in outcome.changes:
            click.echo("\n".join(f"{place}{change.path}: {title}" for title in change.titles))
    left = outcome.left_unsafe
    more = f"; {left} fix{' needs' if left == 1 else 'es need'} a look at the result: --unsafe" if left else ""
    click.echo(f"{count} file{'' if count == 1 else 's'} {'would change' if diff else 'changed'}{more}", err=diff)


@cli.command()
@click.argument("code", required=False)
@FORMAT
def explain(code: str | None, form: str) -> None:
    """Print the page of a check: what it finds, why it matters, a bad and a good example. Without CODE: the list."""
    from generator.checks import CHECKS
    from generator.report import to_json

    if code is None:
        if form == "json":
            rows = [{"code": c.code, "name": c.name, "severity": str(c.severity), "summary": c.summary} for c in CHECKS]
            click.echo(to_json({"checks": rows}))
        else:
            click.echo("\n".join(f"{c.code}  {c.severity:<8} {c.name:<28} {c.summary}" for c in CHECKS))
        return
    found = next((c for c in CHECKS if code.upper() == c.code or code.lower() == c.name), None)
    if found is None:
        near = _near(code.upper(), [c.code for c in CHECKS])
        raise _Stop(f"no check has the code {code}{near}; `servebook explain` lists all")
    if form == "json":
        head = {"code": found.code, "name": found.name, "severity": str(found.severity)}
        click.echo(to_json({**head, "summary": found.summary, "text": found.doc}))
    else:
        click.echo(f"{found.code} {found.name} ({found.severity})\n\n{found.doc}")


# --- figures --------------------------------------------------------------------------------------------------------


@cli.command()
@click.argument("model", required=False)
@click.option("--config", "config", type=click.Path(path_type=Path), help="A config.json instead of a record.")
@click.option("--context", "contexts", multiple=True, type=click.IntRange(min=1), help="Tokens; may be repeated.")
@click.option("--cache", "caches", multiple=True, help="Only these cache layouts; may be repeated.")
@click.option("--batch", default=1, show_default=True, type=click.IntRange(min=1), help="Sequences.")
@click.option("--tp", default=1, show_default=True, type=click.IntRange(min=1), help="Tensor-parallel ranks.")
@click.option("--assume-neutral", multiple=True, metavar="KEY", help="Vouch that a config key shapes no cache.")
@click.option(
    "--class-defaults",
    is_flag=True,
    help="Where --config is silent, compute with what its class sets by itself, if a source on record states it.",
)
@FORMAT
@click.pass_obj
def kv(
    root: Path | None,
    model: str | None,
    config: Path | None,
    contexts: tuple[int, ...],
    caches: tuple[str, ...],
    batch: int,
    tp: int,
    assume_neutral: tuple[str, ...],
    class_defaults: bool,
    form: str,
) -> None:
    """What a model keeps per token and sequence, for MODEL on record or any --config FILE."""
    from generator import figures

    if (model is None) == (config is None):
        raise _Stop("name a model on record, or a config with --config FILE")
    ask = figures.Question(contexts or figures.CONTEXTS, caches, batch, tp)
    if config is not None:
        asked, (catalog, on_record) = _config(config), _formats_on_record(root)
        gaps = figures.Gaps(assume_neutral, class_defaults, on_record)
        answer = figures.of_config(asked, str(config), catalog, gaps, ask)
    else:
        if class_defaults:
            raise _Stop("--class-defaults goes with --config; a record names its source under `class_defaults`")
        if assume_neutral:
            raise _Stop("--assume-neutral goes with --config; for a record the key belongs in schema/config_keys.yaml")
        kb = _knowledge(_root(root))
        answer = figures.of_record(kb, _record(kb, str(model), "model").id, ask)
    unknown = [name for name in caches if answer.derivable and name not in answer.known_layouts]
    if unknown:
        known = ", ".join(answer.known_layouts)
        raise _Stop(f"no layout {', '.join(unknown)} for {answer.id}; known: {known}")
    click.echo(figures.as_json(answer) if form == "json" else figures.as_text(answer))
    raise click.exceptions.Exit(0 if answer.derivable else 1)


@cli.command()
@click.argument("model")
@click.option("--engine", required=True, help="The engine's id.")
@click.option("--gpu", required=True, help="The GPU's id.")
@click.option("--cache", help="A cache type as the engine spells it, or a layout of `servebook kv`; otherwise auto.")
@click.option("--context", type=click.IntRange(min=1), help="Tokens of each sequence: adds weights and cache.")
@click.option("--batch", type=click.IntRange(min=1), help="Sequences, for the same; 1 otherwise.")
@click.option("--tp", type=click.IntRange(min=1), help="GPUs that share the model, for the same; 1 otherwise.")
@FORMAT
@click.pass_obj
def why(
    root: Path | None,
    model: str,
    engine: str,
    gpu: str,
    cache: str | None,
    context: int | None,
    batch: int | None,
    tp: int | None,
    form: str,
) -> None:
    """Whether ENGINE serves MODEL on GPU, and the chain of reasons behind the answer. A blocked verdict ends with 1.

    With --context, --batch or --tp also what weights and cache take of the GPU's memory: a figure, never a state.
    """
    from generator import why as words
    from generator.compatibility import Standing, UnknownCache

    kb = _knowledge(_root(root))
    cell = (_record(kb, model, "model").id, _record(kb, engine, "engine").id, _record(kb, gpu, "gpu").id)
    try:
        verdict = kb.verdicts.verdict(*cell, cache)
    except UnknownCache as unknown:
        near = _near(unknown.word, list(unknown.known)) or f"; known: {', '.join(unknown.known) or 'none'}"
        raise _Stop(f"{engine} has no cache type `{unknown.word}` for {model}{near}") from None
    asked = words.question(context, batch, tp)
    fit = words.fitted(kb, verdict, asked) if asked else None
    click.echo(words.as_json(verdict, fit) if form == "json" else words.as_text(kb, verdict, fit))
    raise click.exceptions.Exit(1 if verdict.state is Standing.BLOCKED else 0)


@cli.command()
@click.argument("id")
@FORMAT
@click.pass_obj
def show(root: Path | None, id: str, form: str) -> None:
    """A record with what follows from it."""
    from generator import inspection

    kb = _knowledge(_root(root))
    record = _record(kb, id)
    click.echo(inspection.show_json(kb, record) if form == "json" else inspection.show_text(kb, record))


@cli.command()
@click.argument("id")
@FORMAT
@click.pass_obj
def graph(root: Path | None, id: str, form: str) -> None:
    """Who cites a record, what it cites, and what falls if it falls."""
    from generator import inspection

    kb = _knowledge(_root(root))
    record = _record(kb, id)
    click.echo(inspection.graph_json(kb, record) if form == "json" else inspection.graph_text(kb, record))


# --- writing --------------------------------------------------------------------------------------------------------


@cli.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "every", is_flag=True, help="All records. A stamp vouches: only after comparing every one.")
@click.option("--cite", "source", metavar="SOURCE", help="Only for this source, not for all that a record rests on.")
@click.option("--diff", is_flag=True, help="Show what would be written; write nothing.")
@FORMAT
@click.pass_obj
def review(root: Path | None, ids: tuple[str, ...], every: bool, source: str | None, diff: bool, form: str) -> None:
    """Stamp records that you have compared with their sources, so that later changes there are told (DRF602).

    A stamp that still holds is left alone. Where a record or a source of it has errors, the run ends with 1 and nothing
    is written. Without ID: what has changed since it was reviewed; 1 if anything has.
    """
    from generator import fixes, stamping, standing
    from generator.checks import judge

    folder = _root(root)
    kb = _knowledge(folder)
    if every == bool(ids) and (every or source or diff):
        raise _Stop("name the records that you have compared with their sources, or --all of them")
    if not ids and not every:
        rows = standing.standing(kb)
        click.echo(standing.standing_json(rows) if form == "json" else standing.standing_text(rows, _place(folder)))
        raise click.exceptions.Exit(1 if any(row.changed for _, row in rows) else 0)
    records = stamping.stampable(kb) if every else [_compared(kb, id) for id in dict.fromkeys(ids)]
    cited = _record(kb, source, "source").id if source else None
    try:
        faults = stamping.faults(judge(kb), kb, records)
        outcome = stamping.Outcome(faults=faults) if faults else stamping.plan(folder, kb, records, cited, date.today())
        if not diff:
            fixes.write(folder, outcome.changes)
    except (stamping.Refused, fixes.Moved, OSError) as problem:
        raise _Stop(str(problem)) from None
    if diff and not faults:
        click.echo("".join(change.diff() for change in outcome.changes).encode("utf-8"), nl=False)
    text = standing.as_json(outcome) if form == "json" else standing.as_text(outcome, _place(folder))
    click.echo(text, err=diff and form == "text" and not faults)
    raise click.exceptions.Exit(1 if faults else 0)


def _compared(kb: KnowledgeBase, id: str) -> Any:
    record = _record(kb, id)
    if record.kind == "source":
        raise _Stop(f"`{id}` is a source; records are compared with it: `servebook graph {id}` shows which")
    return record


@cli.command()
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
    """Write a valid skeleton of a record, with everything filled that can be filled."""
    from generator import scaffold
    from generator.report import to_json

    folder = _root(root)
    catalog = _read(folder)
    named = {"repo": repo, "source": source, "name": name, "vendor": vendor, "url": url}
    given = {"config": _config(config) if config else None, **named}
    try:
        written = scaffold.write(folder, catalog, kind, id, given, date.today())
    except scaffold.Refused as refused:
        raise _Stop(str(refused)) from None
    if form == "json":
        click.echo(to_json({"written": [path.as_posix() for path in written]}))
    else:
        click.echo("\n".join(f"wrote {path.as_posix()}" for path in written))
        click.echo("fill in what is marked TODO, then: servebook validate")


@cli.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.pass_obj
def materialise(root: Path | None, out: Path) -> None:
    """Write the generated pages as plain files into OUT."""
    from generator.materialise import Occupied
    from generator.materialise import materialise as write

    kb = _sound(_root(root))
    try:
        count = write(kb, out)
    except Occupied as occupied:
        raise _Stop(str(occupied)) from None
    click.echo(f"wrote {count} pages to {out}")


# --- the site -------------------------------------------------------------------------------------------------------


@cli.command()
@click.option("--out", type=click.Path(path_type=Path), help="Where to build; site/ otherwise.")
@click.pass_obj
def build(root: Path | None, out: Path | None) -> None:
    """Build the site; every warning is an error."""
    folder = _root(root)
    arguments = ["build", "--strict", "--config-file", str(folder / "mkdocs.yml")]
    _mkdocs(folder, [*arguments, "--site-dir", str((out or folder / "site").resolve())])


@cli.command()
@click.option("--addr", default="127.0.0.1:8000", show_default=True, help="Address and port to listen on.")
@click.pass_obj
def serve(root: Path | None, addr: str) -> None:
    """Preview the site; an edit shows at once, and a broken record shows its error on its page."""
    folder = _root(root)
    _mkdocs(folder, ["serve", "--dev-addr", addr, "--config-file", str(folder / "mkdocs.yml")])


def _mkdocs(folder: Path, arguments: list[str]) -> None:
    """Run MkDocs in this process, so that a Ctrl-C is its Ctrl-C."""
    if not (folder / "mkdocs.yml").is_file():
        raise _Stop(f"{folder} has no mkdocs.yml, so there is no site to build")
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    try:
        from mkdocs.__main__ import cli as mkdocs
    except ImportError:
        raise _Stop("the site needs MkDocs: `make site` sets it up, or install servebook[site]") from None
    try:
        mkdocs.main(arguments, standalone_mode=False)
    except click.exceptions.Abort:
        raise  # MkDocs has said why
    except click.ClickException:
        raise
    except SystemExit as done:
        raise click.exceptions.Exit(int(done.code or 0) if not isinstance(done.code, str) else 1) from None


# --- what commands share --------------------------------------------------------------------------------------------


def _root(root: Path | None) -> Path:
    from generator.read import NoKnowledgeBase, find_root

    try:
        if root is None:
            return find_root(Path.cwd())
        if not root.is_dir():
            raise _Stop(f"--root {root}: no such folder")
        return root.resolve()
    except NoKnowledgeBase as problem:
        raise _Stop(str(problem)) from None


def _place(folder: Path) -> str:
    """What stands before a root-relative path where it is told to somebody in the working directory."""
    place = os.path.relpath(folder, Path.cwd())
    return "" if place == "." else f"{place}/"


def _place_in_repository(folder: Path) -> str:
    """What stands before a root-relative path for GitHub, which counts from the top of the repository."""
    from generator.history import NoRevision, place

    try:
        return place(folder)
    except NoRevision:
        return _place(folder)


def _lines_of(folder: Path) -> Callable[[str, int], str]:
    """Lines of authored files, as far as they can be read, for what stands below a finding on a terminal."""
    from generator.read import MAX_BYTES
    from generator.spans import Document

    @cache
    def document(path: str) -> Document:
        try:
            with (folder / path).open("rb") as file:
                return Document(file.read(MAX_BYTES).decode("utf-8-sig", "replace"), None)
        except OSError:
            return Document("", None)

    return lambda path, line: document(path).line(line - 1)


def _read(folder: Path) -> Any:
    from generator.read import NoKnowledgeBase, read

    try:
        return read(folder)
    except NoKnowledgeBase as problem:
        raise _Stop(str(problem)) from None


def _knowledge(folder: Path) -> KnowledgeBase:
    from generator.knowledge import assemble

    return assemble(_read(folder), date.today())


def _sound(folder: Path) -> KnowledgeBase:
    """The knowledge base, provided that no finding is an error: nothing is published otherwise."""
    from generator.checks import judge
    from generator.findings import Severity

    kb = _knowledge(folder)
    errors = judge(kb).count(Severity.ERROR)
    if errors:
        raise _Stop(f"{errors} errors in the records; nothing was written. `servebook validate` shows them")
    return kb


def _formats_on_record(root: Path | None) -> tuple[Any, Any]:
    """The records of what engines store, and how to find class defaults; outside a knowledge base there are none."""
    from generator.defaults import class_defaults
    from generator.read import NoKnowledgeBase, find, find_root, read

    try:
        folder = _root(root) if root is not None else find_root(Path.cwd())
        catalog = read(folder, only=("engine", "kernel"))
    except NoKnowledgeBase as problem:
        if root is not None:
            raise _Stop(str(problem)) from None
        return None, None

    def on_record(model_type: str) -> list[Any]:
        sources = find(folder, catalog, "source", "class:", "defaults:", model_type)
        stated = (class_defaults(source) for source in sources)
        return [each for each in stated if each and each.model_type == model_type]

    return catalog, on_record


def _record(kb: KnowledgeBase, id: str, kind: str | None = None) -> Any:
    id = kb.catalog.redirects.get(id, id)
    record = kb.catalog.records.get(id)
    ids = [other.id for other in (kb.catalog.of(kind) if kind else kb.catalog.records.values())]
    if record is None:
        raise _Stop(f"no record has the id `{id}`{_near(id, ids)}")
    if kind and record.kind != kind:
        raise _Stop(f"`{id}` is of the kind {record.kind}, and a {kind} is wanted{_near(id, ids)}")
    if record.id in kb.catalog.unsound and kind:
        raise _Stop(f"{record.path} breaks its schema, so nothing is derived from it; `servebook validate` shows where")
    return record


def _config(path: Path) -> dict[str, Any]:
    import json

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
        if twice is not None:
            raise _Stop(f"{path}: the key `{twice}` stands twice, and nothing says which one holds")
        return dict(pairs)

    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise _Stop(f"{path} is larger than {MOST_BYTES:,} bytes; no config is")
        # Python refuses to read a number of more than 4,300 digits; a hundred of them are absurd enough.
        data = json.loads(text.decode("utf-8-sig"), object_pairs_hook=once, parse_int=lambda digits: int(digits[:100]))
    except OSError as error:
        raise _Stop(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise _Stop(f"{path} is not UTF-8, so it is no config.json") from None
    except ValueError as error:
        raise _Stop(f"{path} is no JSON: {error}") from None
    except RecursionError:
        raise _Stop(f"{path} is nested too deeply for a config") from None
    if not isinstance(data, dict):
        raise _Stop(f"{path} holds no config: an object of keys and values is wanted")
    return data


def _near(word: str, words: list[str]) -> str:
    import difflib

    parts = set(word.lower().split("-"))
    near = difflib.get_close_matches(word, words, n=3) or difflib.get_close_matches(word.lower(), words, n=3)
    near = near or sorted(each for each in words if parts <= set(each.split("-")))[:3]  # a100: a100-sxm-80gb
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _inside(folder: Path, path: Path) -> str:
    """A path, relative to here or to the root, as the root names it."""
    found = [each.resolve() for each in (path, folder / path) if each.exists()]
    if not found:
        raise _Stop(f"{path}: no such file or folder")
    inside = next((each for each in found if each.is_relative_to(folder.resolve())), None)
    if inside is None:
        raise _Stop(f"{path} does not lie in the knowledge base {folder}")
    return inside.relative_to(folder.resolve()).as_posix()
