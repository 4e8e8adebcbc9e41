"""A page as a browser sees it: what it links to, what can be linked to, and its text outside code."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

CODE = ("code", "pre", "script", "style")
VOID = ("br", "hr", "img", "input", "link", "meta", "col", "wbr", "path", "source")


@dataclass
class Seen(HTMLParser):
    """What was met while reading one page."""

    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    headings: list[int] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    prose: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    open_: list[str] = field(default_factory=list)
    misnested: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        given = dict(attrs)
        if given.get("id"):
            self.ids.append(str(given["id"]))
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        if tag[0] == "h" and tag[1:].isdigit():
            self.headings.append(int(tag[1:]))
        if tag not in VOID:
            self.open_.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if not self.open_ or self.open_.pop() != tag:
            self.misnested.append(tag)

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if not any(tag in CODE for tag in self.open_):
            self.prose.append(data)


def seen(html: str) -> Seen:
    """Read a page."""
    found = Seen()
    found.feed(html)
    found.close()
    return found


def broken_links(folder: Path) -> list[str]:
    """Links between the HTML files below a folder that lead to no file or to no anchor: ``page -> address``."""
    pages = {path.relative_to(folder).as_posix(): seen(path.read_text("utf-8")) for path in folder.rglob("*.html")}
    broken = []
    for name, page in pages.items():
        if name == "404.html":
            continue  # its addresses start at the root of the server
        for link in page.links:
            address, fragment = urldefrag(urljoin(f"http://here/{name}", link))
            if not address.startswith("http://here/"):
                continue
            target = unquote(address.removeprefix("http://here/"))
            target = f"{target}index.html" if target.endswith("/") or not target else target
            if (target not in pages and not (folder / target).is_file()) or (
                fragment and target in pages and unquote(fragment) not in pages[target].ids
            ):
                broken.append(f"{name} -> {link}")
    return broken
