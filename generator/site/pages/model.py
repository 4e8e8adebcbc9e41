"""The page of a model: the answer first, the arithmetic behind it, the evidence behind that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generator.catalog.records import Record
from generator.derive.attention import window_formula
from generator.derive.cited_config import CitedConfig
from generator.derive.config.fields import NotDerivable
from generator.derive.facts import Facts
from generator.derive.figures import CONTEXTS, Figure
from generator.derive.overpay import NO_CACHE
from generator.derive.parameters import Parameters, WeightBytes
from generator.derive.quantizations import stored_sizes
from generator.derive.stored_formats import StoredLayout
from generator.derive.witnesses import size_witnesses
from generator.knowledge.evidence.impact import layout_cite
from generator.notation import units
from generator.site import rebuild
from generator.site.html import render
from generator.site.html.page import Page
from generator.site.sections import verdict_rows as answerview
from generator.site.sections.record_fields import RecordView, Shown, sheet, verbatim
from generator.site.site import Site
from generator.site.views import curve as curves
from generator.site.views.fit_table import fit_table
from generator.site.views.identifiers import of_model
from generator.site.views.layer_strip import strip

APART = ("name", "architecture", "claims", "evidence", "config", "evidence_basis", "underivable", "checkpoint")


def model_pages(site: Site) -> Iterator[Page]:
    """One page per model."""
    yield from rebuild.pages_of(site, site.kb.catalog.sound("model"), lambda model: _page(site, model))


def _page(site: Site, model: Record) -> Page:
    facts = site.kb.facts[model.id]
    view = RecordView(site, model)
    headline = list(_headline(site, facts))
    description = _description(site, model, facts, headline)
    short, long = sheet(view.fields(*APART))
    length = contexts(facts)[-1] if facts.longest else 131072
    return site.record_page(
        model,
        "model.html",
        facts=facts,
        short=short,
        long=long,
        config=view.one("config"),
        config_source=site.cited(model.get("config")),
        claims=view.one("claims"),
        basis=model.get("evidence_basis"),
        plain=facts.figure("bf16"),
        family=site.families.get(facts.geometry.family, "") if facts.geometry else "",
        headline=headline,
        windows=window_formula(facts.geometry, headline[0][1].layout) if facts.geometry and headline else "",
        **_counted(site, model, facts),
        length=length,
        curve=curves.curve(facts, length),
        basis_notes=_basis_notes(facts),
        rows=[FigureRow(figure, tuple(_storing(figure))) for figure in facts.figures],
        contexts=contexts(facts),
        longest=facts.longest,
        traps=list(_traps(facts)),
        strip=strip(facts),
        engines=list(answerview.rows(site, model)),
        gotchas=answerview.gotchas(site, model),
        fits=fit_table(site.kb, site.answers, model, contexts(facts)),
        fields=list(_fields(site, model)),
        citing=site.citing(model),
        boost=2.0,
        description=description,
        search=site.search_entry(model, names=of_model(model, facts)),
    )


def _counted(site: Site, model: Record, facts: Facts) -> dict[str, object]:
    """How many weights there are, what they take as released and what they would take, each or why it is not known."""
    sized = (one for one in stored_sizes(site.kb.catalog, facts) if one.bytes)
    return {
        "witnesses": list(size_witnesses(model, facts)),
        "sizes": sorted(sized, key=lambda one: one.bytes or 0),
        "parameters": facts.parameters if isinstance(facts.parameters, Parameters) else None,
        "why_no_parameters": facts.parameters.reason if isinstance(facts.parameters, NotDerivable) else None,
        "weights": facts.weights if isinstance(facts.weights, WeightBytes) else None,
        "why_no_weights": facts.weights.reason if isinstance(facts.weights, NotDerivable) else None,
    }


def contexts(facts: Facts) -> list[int]:
    """The lengths at which bytes are published: none beyond the longest that the config states, and that one too."""
    longest = facts.longest
    if longest is None:
        return list(CONTEXTS)
    return sorted({*(length for length in CONTEXTS if length <= longest), longest})


def _headline(site: Site, facts: Facts) -> Iterator[tuple[str, Figure]]:
    """The figures that answer first: bf16 where an engine stores it, and what engines store least and most of."""
    plain = facts.figure("bf16")
    least, most = facts.smallest, facts.largest
    if facts.no_figure:
        return
    if plain and (plain.engines or not least):
        yield "each token", plain
    if least and least is not plain:
        yield "smallest stored, each token", least
    if most and plain and not plain.engines and most is not least:
        yield "largest stored, each token", most


# --- figures --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FigureRow:
    """A row of the cache table: the figure, and who stores it."""

    figure: Figure
    stored: tuple[tuple[Record, StoredLayout, str | None], ...]


def _storing(figure: Figure) -> Iterator[tuple[Record, StoredLayout, str | None]]:
    for stored in figure.layouts:
        if stored.engine is not None:
            yield stored.engine, stored, layout_cite(stored)


def _traps(facts: Facts) -> Iterator[tuple[str, int, Fraction, str]]:
    """The two figures that are met elsewhere: name, bytes per token, factor to ours, and whose they are."""
    plain = facts.figure("bf16")
    if facts.geometry is None or plain is None or not plain.growth:
        return
    naive, materialised = facts.geometry.naive_gqa_bytes_per_token, facts.geometry.materialised_bytes_per_token
    if naive:
        yield "naive", naive, naive / plain.growth, "what a calculator says that knows only grouped-query attention"
    if materialised:
        about = "an engine that stores the expanded keys and values of every head instead of the latent"
        yield "materialised", materialised, materialised / plain.growth, about


def _basis_notes(facts: Facts) -> list[str]:
    """What the geometry notes of itself, without the class defaults, which are shown with the figures."""
    notes = facts.geometry.notes if facts.geometry else ()
    return [note for note in notes if not note.startswith("class default: ")]


def _description(site: Site, model: Record, facts: Facts, headline: list[tuple[str, Figure]]) -> str:
    name = render.clip(model.title, 80)
    if word := facts.no_figure:
        return f"{name}: no KV cache" if word == NO_CACHE else f"{name}: KV cache {word}"
    if not headline:
        return f"{name}: KV cache not derivable"
    figure = headline[0][1]
    if not figure.growth:
        return f"{name}: KV cache bounded by its windows, in {figure.key}"
    return f"{name}: KV cache {units.grouped(figure.growth)} B/token in {figure.key}"


# --- evidence -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ConfigField:
    """A field of the architecture: its value, and what its source says of it."""

    shown: Shown
    source: Record | None
    state: str
    theirs: Any = None
    used: bool = False


def _fields(site: Site, model: Record) -> Iterator[ConfigField]:
    config = site.cited(model.get("config"))
    elsewhere = model.get("evidence") or {}
    facts = site.kb.facts[model.id]
    reads = facts.geometry.reads if facts.geometry else frozenset(facts.fields)
    for key, value in (model.get("architecture") or {}).items():
        source = site.cited(elsewhere[key]) if key in elsewhere else config
        said = CitedConfig(source)
        state = "not stated" if key not in said.flat else "quoted" if said.says(key, value) else "differs"
        yield ConfigField(verbatim(key, value), source, state, said.flat.get(key), key in reads)
