"""What every model costs where its design is not supported, in one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from generator.catalog.records import Record
from generator.compatibility.overpaying import EngineOverpay, overpaying
from generator.derive.overpay import Cost, Overpay
from generator.site.html.page import Page
from generator.site.site import Site

COMPARED = (8192, 32768)
"""Lengths with columns of their own; the longest that a model takes has the last one."""

LONGEST = 131072
"""Tokens at which engines are compared, where a model takes so many."""


def overpay_page(site: Site) -> Iterator[Page]:
    """One page: the dearest first, then those without a figure, each with the reason."""
    models = list(site.kb.catalog.sound("model"))
    yield site.page(
        "overpay.md",
        "Overpay",
        "overpay.html",
        models=sorted(models, key=lambda model: _dearest_first(site, model)),
        compared=COMPARED,
        families=site.families,
        at=_at,
        overpaying={model.id: _who(site, model) for model in models},
        verdicts=Counter(site.kb.facts[model.id].overpay.verdict for model in models),
        in_nav=True,
        hide=("toc", "navigation"),
        description="What an engine without support for a model's attention design allocates for its cache",
        search="<h1>Overpay</h1><p>KV cache without support for windows, hybrids, shared or latent attention</p>",
    )


def _dearest_first(site: Site, model: Record) -> tuple[float, str, str]:
    overpay = site.kb.facts[model.id].overpay
    return (-float(overpay.costs[-1].factor) if overpay.costs else 0.0, overpay.verdict, model.title.lower())


def _who(site: Site, model: Record) -> list[EngineOverpay]:
    """The engines that keep more than the design needs, at the longest that the model takes and 131,072 at most."""
    facts = site.kb.facts[model.id]
    return list(overpaying(site.kb.verdicts.caches, facts, min(facts.longest or LONGEST, LONGEST)))


def _at(overpay: Overpay, tokens: int | None) -> Cost | None:
    return next((cost for cost in overpay.costs if cost.tokens == tokens), None)
