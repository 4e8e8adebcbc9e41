"""What is covered, and what is not: the bad numbers next to the good ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from generator.compatibility import GLYPHS, VerdictState
from generator.derive.overpay import NO_CACHE, UNDISCLOSED, UNKNOWN
from generator.site.html.page import Page
from generator.site.site import Site
from generator.site.views.verdicts import CLASSES

OPEN = (VerdictState.LISTED, VerdictState.NO_EVIDENCE, VerdictState.SOURCES_DISAGREE)
"""The states that answer neither yes nor no."""


def coverage_page(site: Site) -> Iterator[Page]:
    """One page of counts over the whole base."""
    kb = site.kb
    models = list(kb.catalog.sound("model"))
    sources = kb.catalog.of("source")
    evidence = [citation for citation in kb.graph.citations if citation.evidence]
    states = _states(site)
    yield site.page(
        "coverage.md",
        "Coverage",
        "coverage.html",
        models=models,
        derivable=[model for model in models if kb.facts[model.id].geometry],
        not_derivable=[model for model in models if kb.facts[model.id].no_figure == UNKNOWN],
        uncached=sum(kb.facts[model.id].no_figure == NO_CACHE for model in models),
        undisclosed=sum(kb.facts[model.id].no_figure == UNDISCLOSED for model in models),
        in_doubt=sum(bool(site.doubts(model)) for model in models),
        evidence=len(evidence),
        unverified=sum(site.unverified(citation.resolution.record) for citation in evidence),
        sources=len(sources),
        unread=sum(site.unverified(source) for source in sources),
        cells=len(kb.verdicts),
        states=states,
        open_cells=sum(count for state, _, _, count in states if state in OPEN),
        drifted=[finding for finding in site.findings if finding.code.startswith("DRF")],
        corrected=len(site.corrections),
        in_nav=True,
        hide=("toc",),
        description="What is covered, and what is not: models, cells, evidence",
        search="<h1>Coverage</h1><p>what is covered | not derivable | unverified</p>",
    )


def _states(site: Site) -> list[tuple[VerdictState, str, str, int]]:
    """How many cells of model, engine and GPU have which state."""
    found: Counter[VerdictState] = Counter()
    for answers in site.answers.all:
        for answer in answers.values():
            for group in answer.groups:
                found[group.state] += len(group.gpus)
    return [(state, GLYPHS[state], CLASSES[state], found[state]) for state in VerdictState if found[state]]
