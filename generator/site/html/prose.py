"""Texts as HTML: citations as links, expressions as their values, includes as the texts that they bring."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from generator.catalog.records import Record
from generator.knowledge.includes import IncludeError, resolve
from generator.notation import braces
from generator.notation.citations import find, replace
from generator.prose.expressions import evaluator as expressions
from generator.site.html import links, render
from generator.site.html.linker import Linker

OF_EACH_MODEL = "the page of each model that includes this text shows its own value here"


def prose(site: Linker, text: str, record: Record | None = None) -> Markup:
    """A prose field as HTML; what it computes or includes is computed for the record that it is in."""
    found = braces.includes(text) if record else []
    if record is None or not found:
        return _passage(site, text, record)
    ends = [0, *(each.end for each in found)]
    parts = [_passage(site, text[end : each.start], record) for end, each in zip(ends, found, strict=False)]
    blocks = [_included(site, each, record) for each in found]
    last = _passage(site, text[ends[-1] :], record)
    return Markup("\n").join([*(both for pair in zip(parts, blocks, strict=True) for both in pair), last])


def _included(site: Linker, include: braces.Include, record: Record) -> Markup:
    """The text that an include brings, below the name of whose it is; its values are those of `record`."""
    try:
        section = resolve(site.kb.catalog, record, include)
    except IncludeError as why:
        return Markup('<p><span class="sb-broken" title="{}">✕ {}</span></p>').format(why, include.raw[2:-2].strip())
    source = Markup('<p class="sb-from sb-owner">{}</p>').format(site.link(section.record, fragment=section.name))
    return Markup('<div class="sb-included">\n{}{}</div>').format(source, _passage(site, section.value, record))


def _passage(site: Linker, text: str, record: Record | None) -> Markup:
    """Prose without includes as HTML."""
    pieces = [*_links(site, text), *(_values(site, text, record) if record else ())]
    apart: list[render.Piece] = []
    for piece in sorted(pieces):
        if not apart or piece[0] >= apart[-1][1]:
            apart.append(piece)
    return render.markdown(text, tuple(apart))


def line(site: Linker, text: str) -> Markup:
    """A plain text as HTML, its citations as links."""
    return render.text(text, _links(site, text))


def document(site: Linker, text: str, path: str, style: links.Style) -> str:
    """A hand-written page with its citations as links; the rest of its Markdown is left to who reads it."""
    mentions = find(text)
    written = [links.resolved(str(site.citation(one)), path, style) for one in mentions]
    return replace(text, mentions, [render.in_markdown(html) for html in written])


def _links(site: Linker, text: str) -> tuple[render.Piece, ...]:
    found = render.mentions(text) if "[[" in text else ()
    return tuple((one.start, one.end, str(site.citation(one))) for one in found)


def _values(site: Linker, text: str, record: Record) -> Iterator[render.Piece]:
    """The computed values of a text, each at its expression."""
    for one in braces.both(text):
        yield one.start, one.end, str(_value(site, record, one.inner))


def _value(site: Linker, record: Record, expression: str) -> Markup:
    """A value with its formula; an expression that has none as its text with a visible mark."""
    try:
        value = expressions.evaluate(site.kb, record, expression)
    except expressions.ExpressionError as why:
        if expressions.of_a_model(record, expression):
            return Markup('<code class="sb-open" title="{}">{}</code>').format(OF_EACH_MODEL, expression)
        return Markup('<span class="sb-broken" title="{}">✕ {}</span>').format(why, expression)
    html = '<span class="sb-computed {}sb-num" tabindex="0" data-formula="{}">{}</span>'
    return Markup(html).format("sb-said " if value.said else "", value.formula, value)
