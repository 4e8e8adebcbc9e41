"""No text of a record becomes markup or script: every payload in every text of every kind, seen as a browser does."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import markdown
import pytest
import yaml
from conftest import ROOT, TINY, TODAY, Base
from safety.payloads import PAYLOADS

from generator.catalog.read import read
from generator.catalog.schemas import Path as Place
from generator.checks import judge
from generator.knowledge.knowledge_base import assemble
from generator.site.html import prose as typesetting
from generator.site.html.links import Style
from generator.site.materialise import as_file
from generator.site.pages import Site, build_site

PROSE_TAGS = {
    *(
        "p",
        "em",
        "strong",
        "code",
        "pre",
        "ul",
        "ol",
        "li",
        "a",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "blockquote",
        "hr",
        "br",
    ),
    *("table", "thead", "tbody", "tr", "th", "td", "div", "span"),
}
"""What Markdown in a record may become; all else has to stand in our own templates."""
SCHEMES = frozenset(("", "http", "https", "mailto", "page"))


@dataclass
class Met(HTMLParser):
    """The elements, attributes and addresses of a page."""

    tags: set[str] = field(default_factory=set)
    attributes: set[tuple[str, str]] = field(default_factory=set)
    schemes: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add((tag, name))
            if name in ("href", "src", "action", "data", "xlink:href", "formaction"):
                self.schemes.add(urlsplit("".join(str(value or "").split()).lower()).scheme)

    @classmethod
    def of(cls, html: str) -> Met:
        met = cls()
        met.feed(html)
        met.close()
        return met


def texts(kind: str, data: Any, path: Place = ()) -> Iterator[Place]:
    """The places of all texts of a record."""
    if isinstance(data, str):
        yield path
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from texts(kind, value, (*path, key))


def put(data: Any, path: Place, payload: str) -> None:
    for part in path[:-1]:
        data = data[part]
    data[path[-1]] = payload


@dataclass(frozen=True)
class Field:
    """A text of a record, in which the schema allows any words."""

    file: str
    path: Place


@pytest.fixture(scope="module")
def fields() -> list[Field]:
    """Every text of the tiny base that may hold a payload, whatever its kind."""
    catalog = read(TINY)
    found = []
    for record in catalog.records.values():
        for path in texts(record.kind, record.document.data):
            data = json.loads(json.dumps(record.document.data))
            put(data, path, f"Z {PAYLOADS[0]}")
            if not catalog.schemas.violations(record.kind, data):
                found.append(Field(record.path, path))
    kinds = {file.rpartition("/")[0] for file, _ in ((each.file, each.path) for each in found)}
    assert len(kinds) >= 6, "every kind has texts that are free"
    return found


def laid(fields: list[Field], payload: str, root: Path) -> None:
    """The tiny base with a payload in every free text, and free keys of free names."""
    shutil.copytree(TINY, root)
    by_file: dict[str, list[Field]] = {}
    for each in fields:
        by_file.setdefault(each.file, []).append(each)
    paths = {record.path: record for record in read(TINY).records.values()}
    for file, places in by_file.items():
        data = json.loads(json.dumps(paths[file].document.data))
        for each in places:
            put(data, each.path, f"Z {payload}")
        for name in ("facts", "architecture"):
            if isinstance(data.get(name), dict):
                data[name][f"key {payload}"] = payload
        head = paths[file].document.line(0)
        (root / file).write_text(f"{head}\n{json.dumps(data)}\n", "utf-8")


@pytest.fixture(scope="module")
def clean() -> Mapping[str, Met]:
    """What we write ourselves, by the first part of a page's path."""
    kb = assemble(read(TINY), TODAY)
    written: dict[str, Met] = {}
    for page in build_site(Site(kb, judge(kb).findings)):
        met = written.setdefault(page.path.partition("/")[0], Met())
        met.feed(page.html)
    return written


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_page_holds_what_we_did_not_write(
    payload: str, fields: list[Field], clean: Mapping[str, Met], tmp_path: Path
) -> None:
    laid(fields, payload, tmp_path / "base")
    kb = assemble(read(tmp_path / "base"), TODAY)
    site = Site(kb, judge(kb).findings)
    templates = "".join(path.read_text("utf-8") for path in (ROOT / "templates").glob("*.html"))
    ours = frozenset(re.findall(r"<([a-z][a-z0-9]*)", templates)) | PROSE_TAGS
    assert not ours & {"script", "iframe", "object", "embed", "base", "meta", "style", "math", "img"}
    attributes = frozenset().union(*(met.attributes for met in clean.values())) | {
        *(("a", name) for name in ("href", "title", "rel")),
        *(("span", name) for name in ("class", "title", "id", "tabindex", "data-formula")),
        *(("code", name) for name in ("class", "title")),
        *(("div", "class"), ("table", "class"), ("td", "class"), ("th", "class"), ("ol", "start")),
    }
    words = {
        "class",
        "id",
        "title",
        "scope",
        "colspan",
        "aria-label",
        "aria-labelledby",
        "aria-hidden",
        "role",
        "tabindex",
    }
    shown = 0
    for page in build_site(site):
        for html in (page.html, page.search, as_file(page).split("---\n", 2)[2]):
            met = Met.of(html)
            assert met.tags <= ours, page.path
            assert {pair for pair in met.attributes if pair[1] not in words} <= attributes, page.path
            assert met.schemes <= SCHEMES, page.path
            assert not {name for _, name in met.attributes if name.startswith("on")}, page.path
        shown += any(mark in page.html for mark in ("pwn", "passwd", "__class__", "evil.example"))
    assert site.failures == []
    assert shown or "PHNj" in payload, "the payload stands on some page, as text"


AROUND = ("{}", "# {}", "> {}", "- {}", "| a |\n|---|\n| {} |", "*{}*", "[{}](x)")


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_title_is_words_on_a_hand_written_page(payload: str, tiny: Base) -> None:
    name = "records/models/tiny-a.yaml"
    head, _, rest = (tiny.root / name).read_text("utf-8").partition("name: Tiny A\n")
    tiny.lay({name: f"{head}name: {json.dumps(f'Z {payload}')}\n{rest}"})
    site = Site(tiny.read())
    options = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["markdown_extensions"]
    names = [each if isinstance(each, str) else next(iter(each)) for each in options]
    for around in AROUND:
        written = typesetting.document(site, around.format("See [[tiny-a]]!"), "guide.md", Style.DIRECTORY)
        met = Met.of(markdown.markdown(written, extensions=names))
        assert met.tags <= {"p", "a", "h1", "blockquote", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "em"}
        assert {pair for pair in met.attributes if pair[0] == "a"} <= {("a", "class"), ("a", "href")}, around
        assert met.schemes <= {""}, around
        assert {name for _, name in met.attributes} <= {"class", "href", "id"}, around
