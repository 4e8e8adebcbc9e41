"""``servebook drift``: what documents say today, compared with what is on record of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.targets import Stop, found_root, knowledge_at, mend, place_of, record_named, writing

if TYPE_CHECKING:
    from generator.catalog.records import Record
    from generator.knowledge.knowledge_base import KnowledgeBase
    from generator.upstream.looks import Looker
    from generator.upstream.states import DriftOutcome
    from generator.upstream.store import Store

STORE = Path(".cache/servebook/drift.sqlite3")
NETWORK = "servebook drift needs an HTTP client: `make drift` sets it up, or install servebook[drift]"


@click.command()
@click.argument("ids", nargs=-1)
@click.option("--type", "types", multiple=True, help="Only sources of this type, as hf-config; may be given again.")
@click.option("--since", metavar="DAYS", help="Take over what was found within so many days, as 30d; ask for the rest.")
@click.option("--to", metavar="VERSION", help="Compare packages with this release instead of the newest.")
@click.option("--accept", is_flag=True, help="Rewrite the sources named to what their documents say now.")
@click.option("--seconds", default=900, show_default=True, type=click.IntRange(1), help="Time for all requests.")
@click.option("--megabytes", default=200, show_default=True, type=click.IntRange(1), help="Bytes of all replies.")
@click.option(
    "--pace", default=1.0, show_default=True, type=click.FloatRange(0), help="Seconds between requests to a host."
)
@click.option(
    "--store", type=click.Path(path_type=Path), help=f"Where replies are kept; {STORE} below the base otherwise."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="Form of the output.",
)
@click.pass_obj
def drift(root: Path | None, /, ids: tuple[str, ...], accept: bool, form: str, **options: Any) -> None:
    """What the documents of sources say today: facts that differ, what moved or is gone, and what that would change.

    Packages are asked for at the index that pip is configured with, files of repositories as schema/hosts.yaml says.
    Ends with 1 where something drifted. Stopped and started again with --since, it goes on where it was.
    """
    from generator.cli.output import drift as report
    from generator.upstream.effects import effects

    if accept and not ids:
        raise Stop("--accept takes the ids of the sources that are to be rewritten")
    folder = found_root(root)
    kb = knowledge_at(folder)
    sources = _asked(kb, ids, options["types"])
    with _looker(kb, folder, options) as (looker, store):
        outcomes, left = _looked(looker, store, sources, _since(options["since"]), bool(ids))
        if accept:
            _accept(folder, kb, looker, outcomes)
            return
    changed = {each.source: effects(kb, each) for each in outcomes if each.news}
    shown = report.ShownDrift(kb, outcomes, changed, left, looker.web.requests, looker.web.received)
    click.echo({"text": report.as_text, "json": report.as_json, "markdown": report.as_markdown}[form](shown))
    raise click.exceptions.Exit(1 if any(each.news for each in outcomes) else 0)


def _asked(kb: KnowledgeBase, ids: Sequence[str], types: Sequence[str]) -> list[Record]:
    """The sources that are meant: those named, else all, those that most rests on first."""
    if ids:
        return [record_named(kb, id, "source") for id in ids]
    known = set(kb.catalog.schemas.documents["source"]["properties"]["type"]["enum"])
    if strange := [each for each in types if each not in known]:
        raise Stop(f"no source has the type `{strange[0]}`; known: {', '.join(sorted(known))}")
    found = [source for source in kb.catalog.sound("source") if not types or source.get("type") in types]
    return sorted(found, key=lambda source: (-len(kb.graph.rests_on(source.id)), source.id))


@contextmanager
def _looker(kb: KnowledgeBase, folder: Path, options: dict[str, Any]) -> Iterator[tuple[Looker, Store]]:
    """The way out, closed at the end."""
    try:
        from generator.upstream.web import Budget, Web
    except ImportError:
        raise Stop(NETWORK) from None
    from generator.cli.upstream_settings import package_indexes
    from generator.upstream.looks import Looker
    from generator.upstream.packages import PackageIndex
    from generator.upstream.places import Hosts
    from generator.upstream.store import Store, Unusable

    try:
        store = Store(options["store"] or folder / STORE)
    except Unusable as problem:
        raise Stop(str(problem)) from None
    budget = Budget(options["seconds"], options["megabytes"] * 1_000_000, pace=options["pace"])
    web = Web(store, lambda: format_datetime(datetime.now(UTC), usegmt=True), budget)
    try:
        hosts = Hosts(kb.catalog.tables.get("hosts", {}))
        yield Looker(web, PackageIndex(web, package_indexes()), hosts, options["to"]), store
    finally:
        web.close()
        store.close()


def _since(since: str | None) -> str:
    """The moment from which on an outcome is taken over; one that lies ahead where none is."""
    from generator.cli.upstream_settings import dated

    days = next(dated(since), None)
    return "9" if days is None else (datetime.now(UTC) - timedelta(days=days)).isoformat()


def _looked(
    looker: Looker, store: Store, sources: Sequence[Record], since: str, told: bool
) -> tuple[list[DriftOutcome], int]:
    """The outcome for each source, from the store or looked for now, and how many are left for a later run."""
    from generator.upstream.places import locator_of
    from generator.upstream.replies import Spent
    from generator.upstream.states import Drift, DriftOutcome

    outcomes: list[DriftOutcome] = []
    with _progress(sources) as bar:
        for number, source in enumerate(sources):
            locator, kept = f"{locator_of(source)} {looker.to or ''}", None
            if not told:
                kept = store.outcome(source.id, locator, since)
            try:
                outcome = DriftOutcome.of(kept) if kept else looker.look(source)
            except Spent as spent:
                click.echo(f"servebook: the budget is used up ({spent}); --since 1d goes on from here", err=True)
                return outcomes, len(sources) - number
            if not kept and outcome.state not in (Drift.UNREACHABLE, Drift.NOT_COMPARABLE):
                store.keep_outcome(source.id, locator, outcome.kept(), datetime.now(UTC).isoformat())
            outcomes.append(outcome)
            bar(1)
    return outcomes, 0


@contextmanager
def _progress(sources: Sequence[Record]) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal; nothing elsewhere."""
    if not sys.stderr.isatty() or len(sources) < 2:
        yield lambda done: None
        return
    with click.progressbar(length=len(sources), label="sources", file=sys.stderr) as bar:
        yield bar.update


def _accept(folder: Path, kb: KnowledgeBase, looker: Looker, outcomes: Sequence[DriftOutcome]) -> None:
    """Rewrite sources to the outcomes; all of them or none."""
    from generator.authoring import fixes
    from generator.authoring.accept import CannotAccept, NewReading, accepted

    mend(folder)
    changes = []
    for each in outcomes:
        source = kb.catalog.records[each.source]
        if not each.facts:
            raise Stop(f"{each.source}: {each.state}, {each.why}; there is nothing that could be accepted")
        gone = frozenset(change.place for change in each.changes if change.after is None)
        reading = NewReading(_pinned(looker, source, each), each.facts, gone, each.digest, each.artifact, each.dated)
        try:
            changes.append(accepted(source, reading, date.today()))
        except CannotAccept as refused:
            raise Stop(str(refused)) from None
    with writing():
        fixes.write(folder, tuple(changes))
    for change in changes:
        click.echo(f"{place_of(folder)}{change.path}: rewritten; compare what cites it, then `servebook review`")


def _pinned(looker: Looker, source: Record, outcome: DriftOutcome) -> str:
    """The address of the edition that was read, which must be one forever."""
    from generator.upstream.places import RepositoryFile, document_place, locator_of
    from generator.upstream.replies import NoReply

    place = document_place(locator_of(source))
    if not isinstance(place, RepositoryFile):
        return outcome.place
    try:
        commit = looker.commit(place, outcome.digest)
    except NoReply as problem:
        raise Stop(f"{outcome.source}: {problem}") from None
    if commit is None:
        raise Stop(f"{outcome.source}: the host names no commit that has this file, so nothing can be pinned")
    return locator_of(source).replace(place.revision, commit, 1)
