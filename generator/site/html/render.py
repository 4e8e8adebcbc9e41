"""Templates and prose to HTML. The one module that imports jinja2; everything that comes from a record is escaped.

Prose is CommonMark with tables. HTML in it is shown as text, images are not loaded, and links lead to http, https,
mailto or a relative address only. Citations are taken out before Markdown sees the text and put in afterwards, so that
the text in which they are looked for is the one that validation reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

from generator.catalog.shipped import shipped
from generator.notation import citations, headings, units
from generator.notation.units import BYTES

LONGEST_NAME = 160
"""Names are cut to so many characters wherever they appear next to others; a record's own page shows them whole."""

_OPEN, _CLOSE = "\ue000", "\ue001"
_PLACEHOLDER = re.compile(rf"{_OPEN}(\d+){_CLOSE}")
_ENCODED = re.compile(rf"{re.escape(quote(_OPEN))}(\d+){re.escape(quote(_CLOSE))}")
_TAG_OR_PLACEHOLDER = re.compile(rf"<[^<>]*>|{_PLACEHOLDER.pattern}")


@cache
def environment(folder: Path | None = None) -> Environment:
    """The Jinja environment over the templates of a folder, else over those that come with the generator."""
    made = Environment(
        loader=FileSystemLoader(folder or shipped("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "grouped": units.grouped,
        "binary": units.binary,
        "clip": clip,
        "counted": counted,
        "gib": gib,
        "percent": units.percent,
        "times": times,
        "words": words,
        "json": as_json,
        "plain": plain,
    }
    return made


# --- filters --------------------------------------------------------------------------------------------------------


def clip(text: object, length: int = LONGEST_NAME) -> str:
    """Text cut to a length, with an ellipsis where something was cut."""
    whole = str(text)
    return whole if len(whole) <= length else whole[: length - 1].rstrip() + "…"


def counted(number: int) -> str:
    """A count of parameters as people say it.

    >>> counted(235741434880), counted(559214592)
    ('235.74 billion', '559.21 million')
    """
    size, word = (10**9, "billion") if number >= 10**9 else (10**6, "million")
    return f"{number / size:,.2f} {word}"


def gib(size: Fraction | int) -> str:
    """Bytes in GiB, so that a column can be compared at a glance; small ones to three significant digits.

    >>> gib(Fraction(16 * 2**30)), gib(2**20 * 5), gib(92341796864)
    ('16.00 GiB', '0.00488 GiB', '86.00 GiB')
    """
    value = float(size) / BYTES["GiB"]
    return f"{value:,.2f} GiB" if value >= 0.1 or not value else f"{value:.3g} GiB"


def times(ratio: Any) -> str:
    """A ratio as people say it.

    >>> times(17.777), times(1)
    ('17.8×', '1×')
    """
    return f"{float(ratio):,.1f}".removesuffix(".0") + "×"


_SPELLINGS = {"kv": "KV", "gpu": "GPU", "gpus": "GPUs", "url": "URL", "cuda": "CUDA", "id": "id"}
_LABELS = {"cites": "Sources", "cite": "Source", "upstream_date": "Date of the document"}


def words(name: str) -> str:
    """A field's name as people read it.

    >>> words("cache_formats"), words("kv_cache_dtypes"), words("cites")
    ('Cache formats', 'KV cache dtypes', 'Sources')
    """
    if name in _LABELS:
        return _LABELS[name]
    text = " ".join(_SPELLINGS.get(word, word) for word in name.split("_"))
    return text[:1].upper() + text[1:]


def as_json(value: Any, indent: int | None = None) -> str:
    """A value of another document, verbatim."""
    return json.dumps(value, ensure_ascii=False, indent=indent)


def plain(html: str) -> str:
    """The text of a piece of HTML of ours, on one line."""
    return " ".join(Markup(re.sub(r"<(?:br|/p|/li|/td|/th|/h\d)[^<>]*>", " ", html)).striptags().split())


# --- prose ----------------------------------------------------------------------------------------------------------

mentions = lru_cache(maxsize=16384)(citations.find)
"""The citations in a text, as validation sees them."""

Piece = tuple[int, int, str]
"""Characters from, to, and the HTML that replaces them: a citation's link, a computed value."""


@lru_cache(maxsize=16384)
def markdown(text: str, pieces: tuple[Piece, ...] = (), inline: bool = False) -> Markup:
    """Markdown to HTML, with `pieces` of HTML in it. Cached by content."""
    source = _replaced(
        _without_placeholders(text), pieces, [f"{_OPEN}{number}{_CLOSE}" for number in range(len(pieces))]
    )
    html = _markdown().renderInline(source) if inline else _markdown().render(source)
    return Markup(_filled(html, [text[start:end] for start, end, _ in pieces], [piece[2] for piece in pieces]))


_TAG = re.compile(r"(<[^<>]*>)")
_ATTRIBUTE = re.compile(r'="([^"]*)"')
_SIGN = re.compile(r"[^\w\s&#;]|_")
_SIGN_IN_ATTRIBUTE = re.compile(r"[^\w\s&#;./:%-]|_")


def in_markdown(html: str) -> str:
    """HTML of ours for a Markdown text that another program reads: no sign in its words means anything there.

    >>> in_markdown('<a href="x">![x](x){: onerror=y }</a>')
    '<a href="x">&#33;&#91;x&#93;&#40;x&#41;&#123;&#58; onerror&#61;y &#125;</a>'
    """
    parts = _TAG.split(" ".join(html.split()))
    return "".join(
        _ATTRIBUTE.sub(lambda found: f'="{_coded(_SIGN_IN_ATTRIBUTE, found[1])}"', part)
        if number % 2
        else _coded(_SIGN, part)
        for number, part in enumerate(parts)
    )


def _coded(signs: re.Pattern[str], text: str) -> str:
    return signs.sub(lambda sign: f"&#{ord(sign[0])};", text)


@lru_cache(maxsize=16384)
def text(value: str, pieces: tuple[Piece, ...] = ()) -> Markup:
    """Plain text to HTML: escaped, with `pieces` of HTML in it."""
    source = _replaced(
        _without_placeholders(value), pieces, [f"{_OPEN}{number}{_CLOSE}" for number in range(len(pieces))]
    )
    return Markup(_filled(str(escape(source)), [], [piece[2] for piece in pieces]))


def _replaced(text: str, pieces: Sequence[Piece], instead: Sequence[str]) -> str:
    parts, at = [], 0
    for (start, end, _), word in zip(pieces, instead, strict=True):
        parts += [text[at:start], word]
        at = end
    return "".join([*parts, text[at:]])


def _without_placeholders(value: str) -> str:
    return value.replace(_OPEN, "\ufffd").replace(_CLOSE, "\ufffd")


def _filled(html: str, raws: Sequence[str], links: Sequence[str]) -> str:
    """Links for placeholders; inside a tag (an address, a title) the text that was written."""
    if not links:
        return html

    def fill(found: re.Match[str]) -> str:
        if found[1] is not None:
            return links[int(found[1])]
        tag = _PLACEHOLDER.sub(lambda mark: str(escape(raws[int(mark[1])])), found[0])
        return _ENCODED.sub(lambda mark: quote(raws[int(mark[1])]), tag)

    return _TAG_OR_PLACEHOLDER.sub(fill, html)


@cache
def _markdown() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    reader.validateLink = _harmless  # type: ignore[assignment]
    reader.add_render_rule("link_open", _link_open)
    reader.add_render_rule("heading_open", _heading)
    reader.add_render_rule("heading_close", _heading)
    reader.add_render_rule("td_open", _cell)
    reader.add_render_rule("th_open", _cell)
    reader.add_render_rule("table_open", lambda *_: '<div class="sb-scroll"><table class="sb-table">\n')
    reader.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return reader


def _harmless(address: str) -> bool:
    """Whether a link may be followed: http, https, mailto, or relative to the page."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return False
    if parts.scheme:
        return parts.scheme in ("http", "https", "mailto")
    return not parts.netloc and not address.startswith(("//", "\\", "/\\"))


def _link_open(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    if re.match(r"https?:", str(tokens[index].attrs.get("href", ""))):
        tokens[index].attrSet("rel", "noopener")
    return renderer.renderToken(tokens, index, options, env)


def _cell(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """A cell of a table; how it is aligned is a class, since the content policy allows no styles in a page."""
    style = str(tokens[index].attrs.pop("style", ""))
    if style.endswith(("right", "center")):
        tokens[index].attrSet("class", "sb-right" if style.endswith("right") else "sb-center")
    return renderer.renderToken(tokens, index, options, env)


def _heading(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """A record's own headings come below those of its page: never above the third level. Each can be linked to."""
    level = min(6, int(tokens[index].tag[1]) + 2)
    if tokens[index].nesting != 1:
        return f"</h{level}>\n"
    name = headings.name_of(tokens[index + 1].content)
    return f"<h{level}>" + (f'<span id="{name}"></span>' if name else "")
