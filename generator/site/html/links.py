"""Addresses between pages. A page is written with ``href="page:models/x.md#anchor"``; here they become relative.

The same page is served by MkDocs (``models/x/`` or ``models/x.html``) and lies in a folder of Markdown files
(``models/x.md``); what differs is the `Style`, and nothing else knows it.
"""

from __future__ import annotations

import posixpath
import re
from enum import Enum
from urllib.parse import quote, unquote

SCHEME = "page:"
_LINK = re.compile(rf'"{SCHEME}([^"#]*)(#[^"]*)?"')


class Style(Enum):
    """How a page's address follows from its path."""

    DIRECTORY = "directory"
    HTML = "html"
    MARKDOWN = "markdown"

    def address(self, path: str) -> str:
        """The address of a page, relative to the root of the site.

        >>> [Style.DIRECTORY.address(path) for path in ("models/x.md", "models/index.md")], Style.HTML.address("a.md")
        (['models/x/', 'models/'], 'a.html')
        """
        if self is Style.MARKDOWN or not path.endswith(".md"):
            return path
        stem = path.removesuffix(".md")
        if self is Style.HTML:
            return f"{stem}.html"
        return f"{stem.removesuffix('index')}" if posixpath.basename(stem) == "index" else f"{stem}/"


def to(path: str, fragment: str = "") -> str:
    """The unresolved address of a page, for templates and for prose."""
    return f"{SCHEME}{quote(path)}" + (f"#{quote(str(fragment))}" if fragment else "")


def relative(path: str, target: str, style: Style) -> str:
    """The address of the page `target` as seen from the page `path`."""
    here = style.address(path)
    folder = here if here.endswith("/") or not here else posixpath.dirname(here)
    there = style.address(target)
    found = posixpath.relpath(there or ".", folder or ".")
    return f"{found}/" if there.endswith("/") or not there else found


def resolved(html: str, path: str, style: Style) -> str:
    """A page's HTML with all ``page:`` addresses made relative to it. Text cannot be hit: its quotes are escaped."""
    known: dict[str, str] = {}

    def address(found: re.Match[str]) -> str:
        target = unquote(found[1])
        if target not in known:
            known[target] = relative(path, target, style)
        fragment = found[2] or ""
        return f'"{fragment}"' if fragment and target == path else f'"{known[target]}{fragment}"'

    return _LINK.sub(address, html)
