"""The first page: what this is, which model, what is covered and what is not, what was corrected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.compatibility import State
from generator.findings import Severity
from generator.overpay import NO_CACHE, UNDISCLOSED, UNKNOWN
from generator.publishing import Page, Site
from generator.records import Record

RECENT = 5


def home_page(site: Site) -> Iterator[Page]:
    """One page; the bad numbers stand beside the good ones."""
    kb = site.kb
    models = list(kb.catalog.sound("model"))
    sources = kb.catalog.of("source")
    evidence = [citation for citation in kb.graph.citations if citation.evidence]
    unverified = [citation for citation in evidence if site.unverified(citation.resolution.record)]
    yield site.page(
        "index.md",
        "Servebook",
        "home.html",
        models=models,
        vendors=_by_vendor(models),
        engines=list(kb.catalog.sound("engine")),
        derivable=[model for model in models if kb.facts[model.id].geometry],
        not_derivable=[model for model in models if site.no_figure(kb.facts[model.id]) == UNKNOWN],
        uncached=sum(site.no_figure(kb.facts[model.id]) == NO_CACHE for model in models),
        undisclosed=sum(site.no_figure(kb.facts[model.id]) == UNDISCLOSED for model in models),
        in_doubt=sum(bool(site.doubts(model)) for model in models),
        evidence=len(evidence),
        unverified=len(unverified),
        sources=len(sources),
        unread=sum(site.unverified(source) for source in sources),
        cells=len(kb.listings),
        no_evidence=sum(listing.state is State.NO_EVIDENCE for listing in kb.listings.values()),
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
