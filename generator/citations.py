r"""The grammar of citations, in one place.

::

    citation = "[[" target [ "|" label ] "]]"
    target   = [ kind "/" ] id [ "#" fragment ]
    id       = lower-case words joined by "-"
    fragment = letters, digits, "_", ".", "-"
    label    = any text without brackets

``\[[`` is text, and so is a citation inside a code span, a code block, an HTML comment or the text of a link. In a table cell
the bar is written ``\|``. Whatever else stands in ``[[ ]]`` is malformed: a mention with a `problem`, never half a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

ID = r"[a-z0-9]+(?:-[a-z0-9]+)*"
_TARGET = re.compile(rf"(?:(?P<kind>[a-z]+)/)?(?P<id>{ID})(?:#(?P<fragment>[A-Za-z0-9_.-]+))?\Z")
_OPEN = re.compile(r"\[\[")
_CONTEXT = re.compile(r"[`<]|~~~|\]\(|^(?: {4}|\t)", re.M)


@dataclass(frozen=True, slots=True)
class Mention:
    """One ``[[...]]`` in a text: characters `start` to `end`, what it names, or the `problem` that keeps it from naming."""

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
    if "[[" not in text:
        return []
    masked = _masked(text) if _CONTEXT.search(text) else []
    return [mention for mention in _scan(text) if not any(a <= mention.start < b for a, b in masked)]


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


def _scan(text: str) -> Iterator[Mention]:
    at = 0
    while found := _OPEN.search(text, at):
        start = found.start()
        if _escaped(text, start):
            at = start + 1
            continue
        line_end = text.find("\n", start)
        line_end = len(text) if line_end < 0 else line_end
        close = text.find("]]", start + 2, line_end)
        if close < 0:
            yield Mention(start, start + 2, text[start:line_end], problem="`[[` is not closed on its line")
            at = start + 2
            continue
        end = close + 2
        while end < line_end and text[end] == "]":  # "[[x]]]" is one bracket too many, not a citation and a bracket
            end += 1
        yield _read(text[start:end], start)
        at = end


def _escaped(text: str, at: int) -> bool:
    backslashes = at - len(text[:at].rstrip("\\"))
    return backslashes % 2 == 1


def _read(raw: str, start: int) -> Mention:
    end = start + len(raw)
    inner = raw[2:-2].replace("\\|", "|")
    target, bar, label = inner.partition("|")
    if "[" in inner or "]" in inner:
        return Mention(start, end, raw, problem="brackets inside a citation")
    if bar and not label.strip():
        return Mention(start, end, raw, problem="nothing stands behind the bar")
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

_TICKS = re.compile(r"`+")
_COMMENT = re.compile(r"<!--.*?-->|<[a-zA-Z/][^>]*>", re.S)


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def _masked(text: str) -> list[tuple[int, int]]:
    """Character ranges of code blocks, HTML, code spans and link texts."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    ranges = []
    for token in _markdown().parse(text):
        if token.map is None:
            continue
        begin, end = starts[token.map[0]], starts[min(token.map[1], len(starts) - 1)]
        if token.type in ("fence", "code_block", "html_block"):
            ranges.append((begin, end))
        elif token.type == "inline":
            ranges.extend((begin + a, begin + b) for a, b in _masked_inline(text[begin:end]))
    return ranges


def _masked_inline(text: str) -> list[tuple[int, int]]:
    ranges = list(_code_spans(text))
    ranges += [
        (found.start(), found.end())
        for found in _COMMENT.finditer(text)
        if not any(a <= found.start() < b for a, b in ranges)
    ]
    ranges += [span for span in _link_texts(text) if not any(a <= span[1] - 1 < b for a, b in ranges)]
    return ranges


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Backtick runs pair with the next run of the same length (CommonMark 6.1); an escaped run opens nothing."""
    runs = [(found.start(), found.end()) for found in _TICKS.finditer(text)]
    at = 0
    while at < len(runs):
        start, end = runs[at]
        if _escaped(text, start):
            start += 1
            if start == end:
                at += 1
                continue
        size = end - start
        close = next((k for k in range(at + 1, len(runs)) if runs[k][1] - runs[k][0] == size), None)
        if close is None:
            at += 1
        else:
            yield start, runs[close][1]
            at = close + 1


def _link_texts(text: str) -> Iterator[tuple[int, int]]:
    """``[text](address)``: from the bracket that opens the text to the one that closes it."""
    for found in re.finditer(r"\]\(", text):
        depth, at = 0, found.start()
        while at >= 0:
            depth += {"]": 1, "[": -1}.get(text[at], 0) if not _escaped(text, at) else 0
            if depth == 0:
                yield at, found.start() + 1
                break
            at -= 1
