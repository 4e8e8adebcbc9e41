"""Everything that is published for programs, in one go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from generator.site.edition import Edition
from generator.site.html.links import Style
from generator.site.html.page import Page
from generator.site.machine.api import Published, api
from generator.site.machine.lists import feed, llms, tables
from generator.site.machine.markdown import as_markdown, twin
from generator.site.site import Site


def machine_files(site: Site, pages: Iterable[Page], edition: Edition, style: Style, url: str) -> Iterator[Published]:
    """The files with their texts; the same site, edition and address give the same bytes."""
    yield from api(site, edition, style, url)
    yield from tables(site)
    yield feed(site, edition, style, url)
    yield llms(site, edition, style)
    for page in pages:
        yield twin(page.path, style), as_markdown(page, style)
