"""The pages of the site, one module per kind of page, listed by hand in the order of the navigation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from generator.findings import failure
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site.html.page import Page
from generator.site.pages.broken import broken_pages
from generator.site.pages.checks import check_pages
from generator.site.pages.corrections import corrections_page
from generator.site.pages.coverage import coverage_page
from generator.site.pages.families import families_page
from generator.site.pages.fields import field_pages
from generator.site.pages.home import home_page
from generator.site.pages.index import index_pages
from generator.site.pages.matrix import matrix_page
from generator.site.pages.model import model_pages
from generator.site.pages.numbers import numbers_page
from generator.site.pages.overpay import overpay_page
from generator.site.pages.record import record_pages
from generator.site.pages.source import source_pages
from generator.site.pages.unknown_cells import unknown_cells_page
from generator.site.site import Site

__all__ = ["PAGES", "Page", "PagesFailed", "Site", "build", "build_site", "whole"]

TOLD = 20
"""So many failures are listed."""

PAGES: tuple[Callable[[Site], Iterator[Page]], ...] = (
    home_page,
    matrix_page,
    families_page,
    index_pages,
    overpay_page,
    unknown_cells_page,
    numbers_page,
    coverage_page,
    model_pages,
    source_pages,
    record_pages,
    broken_pages,
    corrections_page,
    check_pages,
    field_pages,
)


class PagesFailed(Exception):
    """Pages failed inside; the message names each, and how to report it."""


def build(kb: KnowledgeBase) -> list[Page]:
    """All pages of a knowledge base, each path once. Raises `PagesFailed`."""
    return whole(Site(kb))


def whole(site: Site) -> list[Page]:
    """All pages of a site that is to be published. Raises `PagesFailed` with every page that failed."""
    made = list(build_site(site))
    if site.failures:
        more = f"\nand {len(site.failures) - TOLD} more" if len(site.failures) > TOLD else ""
        raise PagesFailed("\n".join(site.failures[:TOLD]) + more)
    return made


def build_site(site: Site) -> Iterator[Page]:
    """All pages of a site, which may have findings to show and pages to use again.

    A kind of page that fails inside is noted in ``site.failures``; the other kinds are made.
    """
    for pages in PAGES:
        try:
            yield from pages(site)
        except Exception as error:
            name = pages.__name__.replace("_", " ")
            site.failures.append(f"the {name} failed inside ({failure(error)}): please report it")
