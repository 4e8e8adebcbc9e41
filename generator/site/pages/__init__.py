"""The pages of the site, one module per kind of page, listed by hand in the order of the navigation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site.html.page import Page
from generator.site.pages.broken import broken_pages
from generator.site.pages.checks import check_pages
from generator.site.pages.corrections import corrections_page
from generator.site.pages.families import families_page
from generator.site.pages.fields import field_pages
from generator.site.pages.home import home_page
from generator.site.pages.index import index_pages
from generator.site.pages.matrix import matrix_page
from generator.site.pages.model import model_pages
from generator.site.pages.overpay import overpay_page
from generator.site.pages.record import record_pages
from generator.site.pages.source import source_pages
from generator.site.pages.unknown_cells import unknown_cells_page
from generator.site.site import Site

__all__ = ["PAGES", "Page", "Site", "build", "build_site"]

PAGES: tuple[Callable[[Site], Iterator[Page]], ...] = (
    home_page,
    matrix_page,
    families_page,
    index_pages,
    overpay_page,
    unknown_cells_page,
    model_pages,
    source_pages,
    record_pages,
    broken_pages,
    corrections_page,
    check_pages,
    field_pages,
)


def build(kb: KnowledgeBase) -> Iterator[Page]:
    """All pages of a knowledge base, each path once."""
    return build_site(Site(kb))


def build_site(site: Site) -> Iterator[Page]:
    """All pages of a site, which may have findings to show and pages to use again."""
    for pages in PAGES:
        yield from pages(site)
