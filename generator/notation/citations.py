r"""The grammar of citations, in one place.

::

    citation = "[[" target [ "|" label ] "]]"
    target   = [ kind "/" ] id [ "#" fragment ]
    id       = lower-case words joined by "-"
    fragment = letters, digits, "_", ".", "-"
    label    = any text without brackets

``\[[`` is text, and so is a citation inside a code span, a code block, an HTML tag or comment, or the text of a link
(``[[1]](address)`` included). In a table cell the bar is written ``\|``. Whatever else is in ``[[ ]]`` on one line
is malformed, and so is a ``[[`` that is not closed there: a mention with a `problem`, never half a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from generator.notation.code import blanked, comments

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

ID = r"[a-z0-9]+(?:-[a-z0-9]+)*"
_TARGET = re.compile(rf"(?:(?P<kind>[a-z]+)/)?(?P<id>{ID})(?:#(?P<fragment>[A-Za-z0-9_.-]+))?\Z")
_CONTEXT = re.compile(r"[`<\t]|~~~| {4}|\]\(|\]:")


@dataclass(frozen=True, slots=True)
class Mention:
    """One ``[[...]]`` in a text: characters `start` to `end`, what it names, or the `problem` that it has."""

    start: int
    end: int
    raw: str
    id: str = ""
    kind: str | None = None
    fragment: str | None = None
    label: str | None = None
    problem: str | None = None

    @property
    def target(self) -> str:
        """What the citation names, as written before the bar."""
        return f"{self.kind + '/' if self.kind else ''}{self.id}{'#' + self.fragment if self.fragment else ''}"


def find(text: str) -> list[Mention]:
    """All mentions in a Markdown text, in order. Text in code, comments and link texts is left alone.

    >>> [m.id for m in find("see [[deepseek-v2|V2]] and `[[not-this]]`")]
    ['deepseek-v2']
    """
    return list(_find(text)) if "[[" in text else []


@lru_cache(maxsize=4096)
def _find(text: str) -> tuple[Mention, ...]:
    """Kept, because the graph, the checks and the pages ask about one text each, and a live preview again and again."""
    mentions = list(_scan(text))
    return tuple(_in_prose(text, mentions) if mentions and _CONTEXT.search(text) else mentions)


def whole(text: str) -> Mention | None:
    """The citation that a field consists of, or None where the field is anything else.

    >>> whole("[[deepseek-v2]]").id, whole("see [[deepseek-v2]]")
    ('deepseek-v2', None)
    """
    mentions = list(_scan(text))
    if len(mentions) == 1 and mentions[0].start == 0 and mentions[0].end == len(text):
        return mentions[0]
    return None


def write(target: str, label: str | None = None) -> str:
    """A citation of `target`, as text."""
    return f"[[{target}|{label}]]" if label else f"[[{target}]]"


def replace(text: str, mentions: list[Mention], texts: list[str]) -> str:
    """`text` with each mention replaced by the text at its place in `texts`."""
    parts, at = [], 0
    for mention, instead in zip(mentions, texts, strict=True):
        parts += [text[at : mention.start], instead]
        at = mention.end
    return "".join([*parts, text[at:]])


def retargeted(mention: Mention, target: str) -> str:
    """The citation as written, but of another target; its label stays.

    >>> retargeted(find("[[old#part|label]]")[0], "new")
    '[[new|label]]'
    """
    return f"[[{target}{mention.raw[2 + len(mention.target) :]}"


def _scan(text: str) -> Iterator[Mention]:
    """All that looks like a citation, from ``[[`` to the next ``]]`` on its line with no other ``[[`` between."""
    at, line_end = 0, -1
    while (start := text.find("[[", at)) >= 0:
        if _escaped(text, start):
            at = start + 1
            continue
        if line_end < start:
            line_end = text.find("\n", start)
            line_end = len(text) if line_end < 0 else line_end
        body = start + 2
        while body < line_end and text[body] == "[":  # "[[[x]]]" has one bracket too many, and holds no citation
            body += 1
        again = text.find("[[", body, line_end)
        end = text.find("]]", body, again if again >= 0 else line_end)
        if end < 0:
            yield Mention(start, body, text[start:body], problem="`[[` is not closed on its line")
            at = body
            continue
        end += 2
        while end < line_end and text[end] == "]":
            end += 1
        yield _read(text[start:end], start)
        at = end


def _escaped(text: str, at: int) -> bool:
    before = at
    while before and text[before - 1] == "\\":
        before -= 1
    return (at - before) % 2 == 1


def _read(raw: str, start: int) -> Mention:
    end = start + len(raw)
    inner = raw[2:-2].replace("\\|", "|")
    target, bar, label = inner.partition("|")
    if "[" in inner or "]" in inner:
        return Mention(start, end, raw, problem="brackets inside a citation")
    if bar and not label.strip():
        return Mention(start, end, raw, problem="there is nothing after the bar")
    named = _TARGET.match(target)
    if not named:
        return Mention(start, end, raw, problem=_why_no_target(target))
    return Mention(start, end, raw, named["id"], named["kind"], named["fragment"], label.strip() or None)


def _why_no_target(target: str) -> str:
    if not target.strip():
        return "the citation is empty"
    if target != target.strip():
        return "blanks around the id"
    if re.fullmatch(_TARGET.pattern, target.lower()):
        return "ids are lower case"
    return "not an id: lower-case words joined by `-`, with an optional kind/ before and #fragment behind"


# --- where Markdown says that text is not prose ---------------------------------------------------------------------
# Markdown gets a mark for each citation, and we look where the marks come out.

_OPEN, _CLOSE = "\ue000", "\ue001"
_MARKED = re.compile(rf"{{{_OPEN}([0-9]++){_OPEN}[^{_OPEN}{_CLOSE}]*{_CLOSE}(\]\])?")
_FOREIGN = str.maketrans({_OPEN: "\ufffd", _CLOSE: "\ufffd"})
_TAG = re.compile(r"<[a-zA-Z/][^<>]*>")


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark").enable("table")
    reader.core.ruler.before("inline", "linked citation", _linked)
    reader.inline.ruler.after("link", "citation", _citation)
    return reader


def _citation(state: StateInline, silent: bool) -> bool:
    """Markdown's rule for a mark, which is met where Markdown, from left to right, has found no code and no tag."""
    found = _MARKED.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push("citation", "", 0).meta["number"] = int(found[1])
    state.pos = found.end()
    return True


def _linked(state: StateCore) -> None:
    """Give the citations that are a link to Markdown, as in ``[[1]](address)``, their brackets back."""
    for token in state.tokens:
        if token.type == "inline" and "]](" in token.content:
            token.content = _without_links(token.content)


def _without_links(text: str) -> str:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline, link

    plain = _MARKED.sub(_bracketed, text)
    state = StateInline(plain, MarkdownIt("commonmark"), {}, [])
    parts, at = [], 0
    for mark in _MARKED.finditer(text):
        state.pos = mark.start()
        if mark[2] and text.startswith("(", mark.end()) and link(state, silent=True):
            parts += [text[at : mark.start()], _bracketed(mark)]
            at = mark.end()
    return "".join([*parts, text[at:]])


def _bracketed(mark: re.Match[str]) -> str:
    return "[[" + mark[0][2:] if mark[2] else mark[0]


def _in_prose(text: str, mentions: list[Mention]) -> list[Mention]:
    """Those that Markdown shows as text."""
    marks = [_mark(number, mention) for number, mention in enumerate(mentions)]
    tokens = _markdown().parse(replace(text.translate(_FOREIGN), mentions, marks))
    shown = set(_shown(tokens))
    return [mention for number, mention in enumerate(mentions) if number in shown]


def _mark(number: int, mention: Mention) -> str:
    """A mark with what the citation held, since a backtick in it may end a code span; but no bar, which ends a cell.

    What is malformed is not a citation, and Markdown reads its signs one by one: there a mark that holds nothing comes
    after the brackets that open it.
    """
    raw = mention.raw
    brackets = len(raw) - len(raw.lstrip("["))
    if mention.problem:
        return f"{raw[:brackets]}{{{_OPEN}{number}{_OPEN}{_CLOSE}{raw[brackets:]}"
    return f"{{{_OPEN}{number}{_OPEN}{raw[2:-2].replace('|', '')}{_CLOSE}]]"


def _shown(tokens: list[Token]) -> Iterator[int]:
    """The numbers of the marks in Markdown's tokens that are not code, an HTML tag or comment, or a link's."""
    for token in tokens:
        if token.type == "html_block":  # what we render shows such lines as text
            yield from (int(mark[1]) for mark in _MARKED.finditer(_without_tags(token.content)))
        linked = 0
        for child in token.children or ():
            linked += {"link_open": 1, "link_close": -1}.get(child.type, 0)
            if child.type == "citation" and not linked:
                yield child.meta["number"]


def _without_tags(html: str) -> str:
    """What is shown of a block of HTML: no tags, no comments, and nothing behind one that stays open."""
    return _TAG.sub("", blanked(html, comments(html)).partition("<!--")[0])
