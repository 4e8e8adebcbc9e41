"""The list of the records of a kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from generator.catalog.kinds import Kind
from generator.catalog.records import Record
from generator.site.html import render
from generator.site.html.page import Page
from generator.site.sections.record_fields import RecordView
from generator.site.site import Site
from generator.site.views.gotcha_join import GotchaRow

TEMPLATES = {"model": "models.html", "source": "sources.html", "gotcha": "gotchas.html"}
WIDE = ("gotcha",)
"""Lists that need the whole width."""

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
            gotcha_facets=lambda rows: _gotcha_facets(site, rows),
            gpu_words=lambda row: " ".join(map(_word, site.gotchas.named(row))),
            description=kind.about,
            in_nav=True,
            hide=("toc", "navigation") if kind.name in WIDE else ("toc",),
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


def _gotcha_facets(site: Site, rows: Iterable[GotchaRow]) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """What gotchas can be asked by: a name for the address, a word, and the values with theirs."""
    found = list(rows)
    engines = {row.engine.id for row in found if row.engine}
    products = {name for row in found for name in site.gotchas.named(row)}
    return [
        ("engine", "Engine", [(one.id, one.title) for one in site.answers.engines if one.id in engines]),
        (
            "gpu",
            "GPU",
            [(_word(name), name) for name in dict.fromkeys(site.gotchas.products.values()) if name in products],
        ),
        ("family", "Model", [(name, name) for name in sorted({name for row in found for name in row.about})]),
        (
            "effect",
            "Effect",
            [(str(one), str(one).replace("-", " ")) for one in dict.fromkeys(r.effect for r in found) if one],
        ),
        ("status", "Status", [(one, one) for one in dict.fromkeys(row.status for row in found)]),
    ]


def _word(name: str) -> str:
    """A name as one word of an address."""
    return name.lower().replace(" ", "-")
