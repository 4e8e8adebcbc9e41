"""The matrices: models by engines, one for each kind of GPU on record, and the page on which one picks the GPU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from generator.catalog.records import Record
from generator.compatibility import GLYPHS, MEANINGS, Listing, VerdictState
from generator.compatibility.deciding_list import dated, on_silence
from generator.compatibility.listing import EngineList, list_of
from generator.site import rebuild
from generator.site.html import render
from generator.site.html.page import Page
from generator.site.site import Site
from generator.site.views.stated_reasons import StatedReason, StatedReasons
from generator.site.views.verdicts import CLASSES, EngineVerdicts, GpuKind


@dataclass(frozen=True)
class MatrixPart:
    """What a cell says of some of its GPUs, named where they differ: its reason, and whether it needs a flag."""

    reason: StatedReason
    flagged: bool
    gpus: str


@dataclass(frozen=True)
class Ruling:
    """The list that decides where a cell shows its state alone; no source where the engine has no list of names."""

    engine: Record
    source: Record | None
    names: int = 0
    dated: str = ""
    on_silence: str = ""


def matrix_page(site: Site) -> Iterator[Page]:
    """The entry, then one page per kind of GPU. ``#model--engine`` opens a cell; a row's anchor is its model."""
    key = (site.answers.all, site.outlines, site.names, tuple(site.kb.listings.values()), site.gotcha_texts)
    yield rebuild.kept(site, "matrix.md", lambda: key, lambda: _entry(site))
    for place in site.answers.places:
        yield rebuild.kept(site, place.path, lambda: key, lambda place=place: _page(site, place))  # type: ignore[misc]


def _entry(site: Site) -> Page:
    listed = Counter(str(listing.state) for listing in site.kb.listings.values())
    return site.page(
        "matrix.md",
        "Matrix",
        "matrix.html",
        places=[(place, _named(site, place), _counts(site, place)) for place in site.answers.places],
        rows=[(model, [_listed(site, model, engine) for engine in site.answers.engines]) for model in _models(site)],
        engines=site.answers.engines,
        rulings=_rulings(site),
        legend=[(state, GLYPHS[state], MEANINGS[state], CLASSES[state], None) for state in VerdictState],
        listed=listed,
        in_nav=True,
        hide=("toc", "navigation"),
        description="Which engine serves which model on which GPU, each answer with its chain of reasons",
        search='<h1 id="matrix">Matrix</h1><p>Which engine serves which model: compatibility, support</p>',
    )


def _page(site: Site, place: GpuKind) -> Page:
    gpus, counts = _named(site, place), _counts(site, place)
    names = ", ".join(render.clip(gpu.title, 60) for gpu in gpus)
    reasons = StatedReasons(site.answers)
    engines = site.answers.engines
    rows = [
        (model, [_cell(site, place, reasons, site.answers.of(model.id)[engine.id]) for engine in engines])
        for model in _models(site)
    ]
    return site.page(
        place.path,
        f"Matrix: {place.called}",
        "matrix_gpu.html",
        place=place,
        places=site.answers.places,
        gpus=gpus,
        gotchas=[row for row in site.gotchas.rows if row.met and not set(place.gpus).isdisjoint(row.gpus)],
        rows=rows,
        engines=engines,
        reasons=[(engine, reasons.by_engine(engine.id)) for engine in engines],
        rulings=_rulings(site),
        legend=[(state, GLYPHS[state], MEANINGS[state], CLASSES[state], counts[state]) for state in VerdictState],
        classes=CLASSES,
        glyphs=GLYPHS,
        hide=("toc", "navigation"),
        description=f"Which engine serves which model on {names}",
        search=Markup('<h1 id="matrix">Matrix: {}</h1><p>{} | {}</p>').format(
            place.called, place.shown, names.replace(", ", " | ")
        ),
        boost=1.75,
    )


def _rulings(site: Site) -> list[Ruling]:
    """For each engine the list that its plain cells come from."""
    return [_ruling(engine, list_of(site.kb.catalog, engine)) for engine in site.answers.engines]


def _ruling(engine: Record, names: EngineList | None) -> Ruling:
    if names is None or names.key is None:
        return Ruling(engine, None)
    return Ruling(engine, names.source, len(names.names), dated(names.source), on_silence(names.source))


def _models(site: Site) -> list[Record]:
    return list(site.kb.catalog.sound("model"))


def _named(site: Site, place: GpuKind) -> list[Record]:
    """The GPUs of a kind."""
    return [site.kb.catalog.records[id] for id in place.gpus]


def _counts(site: Site, place: GpuKind) -> Counter[VerdictState]:
    """How many cells have which state; a cell whose GPUs differ counts for each."""
    return Counter(
        state
        for answers in site.answers.all
        for answer in answers.values()
        for state in {group.state for group, _ in answer.on(place.gpus)}
    )


def _cell(site: Site, place: GpuKind, reasons: StatedReasons, answer: EngineVerdicts) -> list[MatrixPart]:
    found = list(answer.on(place.gpus))
    records = site.kb.catalog.records
    return [
        MatrixPart(
            reasons.of(answer, group), group.flagged, ", ".join(records[id].title for id in held) if found[1:] else ""
        )
        for group, held in found
    ]


def _listed(site: Site, model: Record, engine: Record) -> tuple[Listing, str]:
    """What an engine's own list says: the listing, and the cell's colour."""
    listing = site.kb.listings[model.id, engine.id]
    return listing, CLASSES[VerdictState(str(listing.state))]
