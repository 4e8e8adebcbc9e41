"""What the theme asks to be told in its own words: the titles that mkdocs.yml gives, and a page's table of contents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markupsafe import escape
from mkdocs.structure.toc import AnchorLink, TableOfContents

from generator.site.html.page import Heading


def titles(nav: Any) -> Iterator[tuple[str, str]]:
    """The titles that mkdocs.yml gives to pages: path and title."""
    for item in nav if isinstance(nav, list) else []:
        for title, below in item.items() if isinstance(item, dict) else ():
            if isinstance(below, str):
                yield below, title
            else:
                yield from titles(below)


def contents_of(headings: tuple[Heading, ...]) -> TableOfContents:
    """The headings as the theme wants them: each below the nearest that is above it in rank."""
    top: list[AnchorLink] = []
    open_: list[AnchorLink] = []
    for heading in headings:
        link = AnchorLink(escape(heading.text), heading.anchor, heading.level)
        while open_ and open_[-1].level >= heading.level:
            open_.pop()
        (open_[-1].children if open_ else top).append(link)
        open_.append(link)
    return TableOfContents(top)
