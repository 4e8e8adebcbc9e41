"""The index that the search of the pages reads: one line per page, with the names and numbers it is looked for by.

It is JSON: ``kinds`` and ``pages``, each page as ``[address, title, kind, words, weight]``. Words are names, with bars
between them. Sections that have an address of their own, such as the literal text of an error, are lines of their own.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from markupsafe import Markup

from generator.site.html import render
from generator.site.html.links import Style
from generator.site.html.page import Page
from generator.site.site import Site

NAME = "assets/search.json"

_SECTION = re.compile(r'<h([12])(?: id="([^"]*)")?>(.*?)</h\1><p>(.*?)</p>', re.S)
_HEADING = re.compile(r"^(#{1,3}) +(.+?)\s*$", re.M)
_CODE = re.compile(r"`([^`\n]{2,40})`")
OTHER_KINDS = {"checks": "Check", "fields": "Fields", "matrix": "Matrix"}
"""What pages are that are about no record, by their folder; any other is an overview."""

Line = tuple[str, str, str, str, float]


def search_index(site: Site, pages: Iterable[Page], style: Style) -> str:
    """The index of a site, as text; the same pages give the same text."""
    lines = [*_lines(site, pages, style), *_by_hand(site, style)]
    kinds = sorted({kind for _, _, kind, _, _ in lines})
    rows = [[address, title, kinds.index(kind), words, weight] for address, title, kind, words, weight in lines]
    return json.dumps({"kinds": kinds, "pages": rows}, ensure_ascii=False, separators=(",", ":"))


def _lines(site: Site, pages: Iterable[Page], style: Style) -> Iterator[Line]:
    titles = {kind.path: kind.title for kind in site.kb.catalog.kinds} | OTHER_KINDS
    for page in pages:
        folder = PurePosixPath(page.path).parts[0]
        kind = titles.get(folder, "Overview") if not page.path.endswith("index.md") else "Overview"
        for level, anchor, title, text in _SECTION.findall(str(page.search)):
            address = style.address(page.path) + (f"#{Markup(anchor).unescape()}" if level == "2" else "")
            yield address, render.plain(title), kind, render.plain(text), page.boost


def _by_hand(site: Site, style: Style) -> Iterator[Line]:
    """The pages that people wrote: their titles, and the headings and the words in code as what they are found by."""
    for page in site.kb.catalog.docs:
        path, text = page.path.removeprefix("docs/"), page.document.text
        headings = [found[2] for found in _HEADING.finditer(text)]
        if headings:
            often = [word for word, _ in Counter(_CODE.findall(text)).most_common()]
            words = dict.fromkeys([PurePosixPath(path).stem, *often, *headings[1:]])
            yield style.address(path), headings[0], "Guide", " | ".join(words), 1.0
