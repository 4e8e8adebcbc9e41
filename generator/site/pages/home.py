"""The first page: what this is, which model, what is covered and what is not, what was corrected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from generator.catalog.records import Record
from generator.compatibility import GLYPHS, VerdictState
from generator.derive.overpay import NO_CACHE, UNDISCLOSED, UNKNOWN
from generator.findings import Severity
from generator.site.html.page import Page
from generator.site.site import Site
from generator.site.views.verdicts import CLASSES

RECENT = 5

OPEN = (VerdictState.LISTED, VerdictState.NO_EVIDENCE, VerdictState.SOURCES_DISAGREE)
"""The states that answer neither yes nor no."""


def home_page(site: Site) -> Iterator[Page]:
    """One page; the bad numbers are shown next to the good ones."""
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
        not_derivable=[model for model in models if kb.facts[model.id].no_figure == UNKNOWN],
        uncached=sum(kb.facts[model.id].no_figure == NO_CACHE for model in models),
        undisclosed=sum(kb.facts[model.id].no_figure == UNDISCLOSED for model in models),
        in_doubt=sum(bool(site.doubts(model)) for model in models),
        evidence=len(evidence),
        unverified=len(unverified),
        sources=len(sources),
        unread=sum(site.unverified(source) for source in sources),
        cells=len(kb.verdicts),
        states=_states(site),
        open_cells=sum(count for state, _, _, count in _states(site) if state in OPEN),
        drifted=[finding for finding in site.findings if finding.code.startswith("DRF")],
        corrections=_recent(site),
        corrected=len(site.corrections),
        errors=[finding for finding in site.findings if finding.severity is Severity.ERROR],
        in_nav=True,
        hide=("toc", "navigation"),
        description="What it takes to serve a large language model, each value with its formula and its sources",
        search='<h1 id="servebook">Servebook</h1><p>KV cache, engines, GPUs, sources</p>',
    )


def _states(site: Site) -> list[tuple[VerdictState, str, str, int]]:
    """How many cells of model, engine and GPU have which state."""
    found: Counter[VerdictState] = Counter()
    for answers in site.answers.all:
        for answer in answers.values():
            for group in answer.groups:
                found[group.state] += len(group.gpus)
    return [(state, GLYPHS[state], CLASSES[state], found[state]) for state in VerdictState if found[state]]


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
