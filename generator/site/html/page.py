"""One page of the site, its headings and its anchors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from markupsafe import Markup

from generator.notation.code import blanked
from generator.site.html import render


@dataclass(frozen=True, slots=True)
class Heading:
    """One line of a page's table of contents."""

    level: int
    anchor: str
    text: str


@dataclass(frozen=True)
class Page:
    """One page of the site: where it lies, and its body as HTML with ``page:`` addresses (see `links`).

    `search` is the little that the search index gets, as HTML with the page's own anchors; empty keeps the page out of
    it. `hide` names parts of the theme that are in the way.
    """

    path: str
    title: str
    html: str
    description: str = ""
    search: str = ""
    boost: float = 1.0
    in_nav: bool = False
    hide: tuple[str, ...] = ()

    @cached_property
    def toc(self) -> tuple[Heading, ...]:
        """The headings that can be linked to."""
        return tuple(
            Heading(int(level), anchor, render.plain(re.split(r"<small|<a class=.headerlink", text)[0]))
            for level, anchor, text, _ in _headings(self.html)
        )

    @cached_property
    def anchors(self) -> frozenset[str]:
        """Every anchor of the page."""
        return frozenset(Markup(anchor).unescape() for anchor in _ANCHOR.findall(self.html))

    def with_anchors(self, names: Iterable[str]) -> Page:
        """The page with an anchor on top for each of these names that it does not have yet."""
        lacking = sorted(set(names) - self.anchors)
        if not lacking:
            return self
        spans = Markup("").join(Markup('<span id="{}"></span>').format(name) for name in lacking)
        return replace(self, html=f'<div class="sb-anchors">{spans}</div>\n{self.html}')


_HEADING = re.compile(r'<h([1-6]) id="([^"]*)"[^<>]*>')
_ANCHOR = re.compile(r'\sid="([^"]*)"')


def _headings(html: str) -> Iterator[tuple[str, str, str, tuple[int, int]]]:
    """The level, anchor, content and place of each heading that can be linked to."""
    for found in _HEADING.finditer(html):
        end = html.find(f"</h{found[1]}>", found.end())
        if end >= 0:
            yield found[1], found[2], html[found.end() : end], (found.start(), end)


def each_anchor_once(html: str) -> str:
    """Where two places would have one anchor, a heading keeps it, else the first."""
    headings = list(_headings(html))
    taken = {anchor for _, anchor, _, _ in headings}
    heads = {start + len("<h1") for _, _, _, (start, _) in headings}
    apart = blanked(html, (place for _, _, _, place in headings))
    if len(taken) + len(_ANCHOR.findall(apart)) == len(set(_ANCHOR.findall(html))):
        return html

    def once(found: re.Match[str]) -> str:
        if found.start() in heads:
            return found[0]
        if found[1] in taken:
            return ""
        taken.add(found[1])
        return found[0]

    return _ANCHOR.sub(once, html)
