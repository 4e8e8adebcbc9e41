"""The list of the records of a kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generator.catalog.kinds import Kind
from generator.catalog.records import Record
from generator.site.html import render
from generator.site.html.page import Page
from generator.site.sections.record_fields import RecordView
from generator.site.site import Site

TEMPLATES = {"model": "models.html", "source": "sources.html"}
COLUMNS = 4


def index_pages(site: Site) -> Iterator[Page]:
    """One list per kind; models and sources have columns of their own."""
    for kind in site.kb.catalog.kinds:
        records = list(site.kb.catalog.sound(kind.name))
        yield site.page(
            f"{kind.path}/index.md",
            kind.plural,
            TEMPLATES.get(kind.name, "index.html"),
            kind=kind,
            records=records,
            columns=_columns(site, kind, records),
            families=site.families,
            unsound=[id for id in sorted(site.kb.catalog.unsound) if site.kb.catalog.records[id].kind == kind.name],
            summary=lambda record: _summary(site, record),
            view=lambda record: RecordView(site, record),
            description=kind.about,
            in_nav=True,
            hide=("toc",),
            search=f'<h1 id="{kind.path}">{kind.plural}</h1><p>{kind.about}</p>',
        )


def _columns(site: Site, kind: Kind, records: list[Record]) -> list[str]:
    """The first required fields that are short: what distinguishes the records of the kind at a glance."""
    tree = site.kb.catalog.schemas.field(kind.name)
    wanted = [
        name for name, child in tree.children.items() if child.required and name not in ("name", "title", "cites")
    ]
    return [name for name in wanted if all(_fits(record.get(name)) for record in records)][:COLUMNS]


def _fits(value: Any) -> bool:
    short = isinstance(value, str) and len(value) <= 60 and "\n" not in value and "[[" not in value
    return value is None or isinstance(value, int | float) or short or (isinstance(value, dict) and "value" in value)


def _summary(site: Site, record: Record) -> str:
    """The first sentence that a record says about itself."""
    prose = next((record.get(name) for name in ("definition", "cause", "notes") if record.get(name)), "")
    text = render.plain(site.prose(str(prose), record))
    return render.clip(text.split(". ")[0].rstrip(".") + "." if text else "", 240)
