"""The first page: what this is, which model, what was corrected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.catalog.records import Record
from generator.findings import Severity
from generator.site.html.page import Page
from generator.site.site import Site

RECENT = 5


def home_page(site: Site) -> Iterator[Page]:
    """One page: which model, and what was corrected lately."""
    kb = site.kb
    models = list(kb.catalog.sound("model"))
    yield site.page(
        "index.md",
        "Servebook",
        "home.html",
        models=models,
        vendors=_by_vendor(models),
        engines=list(kb.catalog.sound("engine")),
        corrections=_recent(site),
        corrected=len(site.corrections),
        errors=[finding for finding in site.findings if finding.severity is Severity.ERROR],
        in_nav=True,
        hide=("toc", "navigation"),
        description="What it takes to serve a large language model, each value with its formula and its sources",
        search='<h1 id="servebook">Servebook</h1><p>KV cache, engines, GPUs, sources</p>',
    )


def _by_vendor(models: list[Record]) -> list[tuple[str, list[Record]]]:
    """The models of each vendor, by name."""
    vendors: dict[str, list[Record]] = {}
    for model in models:
        vendors.setdefault(str(model.get("vendor")), []).append(model)
    return sorted(vendors.items(), key=lambda pair: pair[0].lower())


def _recent(site: Site) -> list[tuple[Record, Mapping[str, Any]]]:
    """The latest corrections, one of each record."""
    latest: dict[str, tuple[Record, Mapping[str, Any]]] = {}
    for record, correction in site.corrections:
        latest.setdefault(record.id, (record, correction))
    return list(latest.values())[:RECENT]
