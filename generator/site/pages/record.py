"""The page of a record of any kind that has no page module of its own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from generator.catalog.records import Record
from generator.derive.parameters import Parameters
from generator.derive.quantizations import layout_of, open_sizes, stored_size
from generator.knowledge.evidence.applicability import applies
from generator.knowledge.observations import compared
from generator.site import rebuild
from generator.site.html import render
from generator.site.html.page import Page
from generator.site.sections.record_fields import RecordView, sheet
from generator.site.site import Site
from generator.site.views.identifiers import of_record

FALLBACK = "record.html"
OWN_MODULE = ("model", "source")
BOOST = {"engine": 1.5, "gpu": 1.6, "concept": 2.5, "gotcha": 1.3}
"""Whose pages come before others that are found equally well."""


def record_pages(site: Site) -> Iterator[Page]:
    """One page per record, by the template that its kind names, else by the one that shows all fields."""
    for kind in site.kb.catalog.kinds:
        if kind.name not in OWN_MODULE:
            yield from rebuild.pages_of(
                site, site.kb.catalog.sound(kind.name), partial(_page, site, kind.template or FALLBACK)
            )


def _page(site: Site, template: str, record: Record) -> Page:
    view = RecordView(site, record)
    short, long = sheet(view.fields("name", "title"))
    return site.record_page(
        record,
        template,
        view=view,
        short=short,
        long=long,
        search=site.search_entry(record, *_sections(site, record), names=_names(record)),
        boost=BOOST.get(record.kind, 1.0),
        citing=site.citing(record),
        **_extra(site, record),
    )


def _names(record: Record) -> list[str]:
    """What else it is looked for by. An engine's own record holds rows about everything: its name is enough."""
    return [] if record.kind == "engine" else of_record(record)


def _sections(site: Site, record: Record) -> Iterator[tuple[str, str, str]]:
    """What else must be found by search: the literal text of an error, the names of cache formats."""
    if isinstance(record.get("symptom"), str):
        yield ("symptom", record.get("symptom"), record.title)
    for row in record.get("cache_formats") or ():
        names = ", ".join(row.get("aliases") or ())
        yield (row["id"], f"{record.title} {row['id']}", names)


def _extra(site: Site, record: Record) -> dict[str, Any]:
    """What a kind's own template shows in addition."""
    if record.kind == "concept":
        named = record.get("families") or ()
        families = [(name, models) for name, models in site.summary.families.items() if name in named]
        description = render.clip(render.plain(site.prose(str(record.get("definition")), record)))
        return {"description": description, "families": families, "applies": _applies(site, record)}
    summary, answers = site.summary, site.answers
    if record.kind == "engine":
        places = answers.places
        rows = [
            (family, anchor(family, record), [summary.counts(family, record.id, place.gpus) for place in places])
            for family in summary.families
        ]
        return {"sums": rows, "places": places, "gotchas": site.gotchas.of_engine(record)}
    if record.kind == "gpu":
        rows = [
            (family, "", [summary.counts(family, engine.id, (record.id,)) for engine in answers.engines])
            for family in summary.families
        ]
        place = next((place for place in answers.places if record.id in place.gpus), None)
        return {"sums": rows, "engines": answers.engines, "place": place, "gotchas": site.gotchas.of_gpu(record.id)}
    if record.kind == "gotcha":
        found = site.summary.by_gotcha.get(record.id, {})
        met = [(site.kb.catalog.records[id], effect, one) for (id, effect), one in found.items()]
        return {"met": met, "conditions_": site.gotchas.of_gotcha(record)}
    if record.kind == "observation":
        return {"one": compared(site.kb, record)}
    if record.kind == "quantization":
        return _stored(site, record)
    return {}


def _stored(site: Site, record: Record) -> dict[str, Any]:
    """What a quantization stores, and what each counted model would take in it."""
    layout = layout_of(site.kb.catalog, record) if record.get("blocks") else None
    first = layout.blocks[0] if layout else None
    block = None
    if first and record.get("form") == "block type":
        block = first.weights, sum((part.count or 0) * part.bits for part in first.parts) // 8
    sized = record.get("mixture") or record.get("as_stated")
    sizes = [each for model in site.kb.catalog.sound("model") if (each := _sized(site, record, model))] if sized else []
    return {"layout": layout, "block": block, "sizes": sizes, "open": open_sizes(record)}


def _sized(site: Site, record: Record, model: Record) -> tuple[Record, int, float] | None:
    facts = site.kb.facts[model.id]
    size = stored_size(site.kb.catalog, facts, record)
    if size.bytes is None or not isinstance(facts.parameters, Parameters):
        return None
    return model, size.bytes, 8 * size.bytes / facts.parameters.total


def _applies(site: Site, concept: Record) -> tuple[str, list[Record]] | None:
    """The conditions of a concept in words, and the models that meet them; None where its families say it all."""
    if not concept.get("applies"):
        return None
    answers = [(model, applies(site.kb, model, concept)) for model in site.kb.catalog.sound("model")]
    return next((each.asks for _, each in answers), ""), [model for model, each in answers if each.holds]


def anchor(family: str, engine: Record) -> str:
    """The anchor of a family on an engine, on the page of families."""
    return f"{family.replace(' ', '-')}--{engine.id}"
