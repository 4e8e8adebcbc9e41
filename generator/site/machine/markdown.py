"""A page as Markdown, for readers that are programs: headings, lists, tables and links, and nothing of the layout."""

from __future__ import annotations

import html
import re
from urllib.parse import unquote

from generator.site.html.links import SCHEME, Style, relative
from generator.site.html.page import Page

_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)([^<>]*)>")
_HREF = re.compile(r'href="([^"]*)"')
_SPACE = re.compile(r"[ \t]*\n[ \t\n]*|[ \t]{2,}")
_AROUND = re.compile(r" *\n *")
_INLINE = re.compile(r"</?(?:span|small|bdi|abbr|time|i|output|tbody|colgroup|col)\b[^<>]*>")
_EMPTY = re.compile(r"\n{3,}")
_DROPPED = re.compile(r'<a class="headerlink".*?</a>|<(svg|form|datalist|select|label)\b.*?</\1>|<input[^<>]*>', re.S)
_BLOCK = {"p", "div", "section", "ul", "ol", "dl", "details", "figure", "table", "pre", "nav", "blockquote"}
_MARKS = {"strong": "**", "b": "**", "em": "*", "code": "`"}


def as_markdown(page: Page, style: Style) -> str:
    """The Markdown twin of a page: its title as the first heading, its links relative to the page itself."""
    body = _SPACE.sub(" ", _INLINE.sub("", _DROPPED.sub("", page.html)))
    written = html.unescape(_TAG.sub(_Writer(page, style).tag, body))
    return _EMPTY.sub("\n\n", _AROUND.sub("\n", written)).strip() + "\n"


class _Writer:
    """Tags as Markdown, one after the other."""

    def __init__(self, page: Page, style: Style) -> None:
        self.page, self.style = page, style
        self.known: dict[str, str] = {}
        self.links: list[str] = []
        self.columns, self.in_cell = 0, False

    def tag(self, found: re.Match[str]) -> str:
        """What is written for a tag. A cell of a table is one line, whatever is in it."""
        closes, name = found[1] == "/", found[2]
        if name in ("td", "th"):
            self.columns += closes
            self.in_cell = not closes
            return " |" if closes else " "
        if name == "a":
            return self._link(closes, found[3])
        if name in _MARKS:
            return _MARKS[name]
        return " " if self.in_cell else self._block(closes, name)

    def _block(self, closes: bool, name: str) -> str:
        if name == "tr":
            self.columns = self.columns if closes else 0
            return "" if closes else "\n|"
        if name == "thead":
            return "\n|" + " --- |" * self.columns if closes else "\n"
        if name == "li":
            return "" if closes else "\n- "
        if name in ("dt", "dd", "br", "summary", "figcaption"):
            return {"dt": "\n- ", "dd": ": "}.get(name, "\n") if not closes else ""
        if len(name) == 2 and name[0] == "h" and name[1].isdigit():
            return "\n\n" if closes else "\n\n" + "#" * int(name[1]) + " "
        return "\n\n" if name in _BLOCK else ""

    def _link(self, closes: bool, attributes: str) -> str:
        if closes:
            address = self.links.pop() if self.links else ""
            return f"]({address})" if address else ""
        found = _HREF.search(attributes)
        self.links.append(self._address(found[1]) if found else "")
        return "[" if self.links[-1] else ""

    def _address(self, href: str) -> str:
        if not href.startswith(SCHEME):
            return href
        path, hash_, fragment = href.removeprefix(SCHEME).partition("#")
        if path not in self.known:
            self.known[path] = relative(self.page.path, unquote(path), self.style)
        return self.known[path] + hash_ + fragment


def twin(path: str, style: Style) -> str:
    """Where the twin of a page is: next to its HTML."""
    address = style.address(path)
    return f"{address}index.md" if address.endswith("/") or not address else address.removesuffix(".html") + ".md"
