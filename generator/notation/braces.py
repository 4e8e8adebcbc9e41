r"""``{{ ... }}`` in prose: where expressions and includes are, and what an include names. Nothing is evaluated here.

::

    expression = "{{" anything "}}"                             a computed value, see `expressions`
    include    = "{{ include('" id "#" section "') }}"          the text of another record, alone in its paragraph

In a code span, a code block or an HTML comment it is plain text.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from generator.notation.citations import ID
from generator.notation.code import CodeGaps, blanked, hidden

_INCLUDES = re.compile(r"\binclude\b")
_TARGET = re.compile(rf"(?P<id>{ID})#(?P<section>[A-Za-z0-9_.-]+)\Z")
_PARAGRAPH_ENDS = re.compile(r"[ \t]*+(?:\n[ \t]*+(?:\n|\Z)|\Z)")
EXAMPLE = "{{ include('mla-latent-attention#per_model') }}"


@dataclass(frozen=True, slots=True)
class Expression:
    """One ``{{ ... }}`` in a text: characters `start` to `end`."""

    start: int
    end: int
    raw: str

    @property
    def inner(self) -> str:
        """The text between the braces."""
        return self.raw[2:-2].strip()


@dataclass(frozen=True, slots=True)
class Include:
    """One include in a text: characters `start` to `end`, the record and section that it names, or its `problem`."""

    start: int
    end: int
    raw: str
    id: str = ""
    section: str = ""
    problem: str = ""

    @property
    def target(self) -> str:
        """What it names, as written."""
        return f"{self.id}#{self.section}"


def find(text: str) -> list[Expression]:
    """All expressions of a text, in order, includes not among them.

    >>> [each.inner for each in find("it grows by {{ kv.growth('bf16') }}, not by `{{ this }}`")]
    ["kv.growth('bf16')"]
    """
    return [each for each in both(text) if not _INCLUDES.search(each.inner)]


def includes(text: str) -> list[Include]:
    """All includes of a text, in order.

    >>> [(each.id, each.section) for each in includes("{{ include('a-b#c') }}")]
    [('a-b', 'c')]
    >>> includes("Or: {{ include('a-b#c') }}")[0].problem
    'an include must be alone in its paragraph: a blank line before it and one after'
    """
    return [_include(text, each) for each in both(text) if _INCLUDES.search(each.inner)]


def both(text: str) -> list[Expression]:
    """Everything in double braces, expressions and includes alike."""
    if "{{" not in text:
        return []
    apart = CodeGaps(hidden(text))
    return [Expression(start, end, text[start:end]) for start, end in _closed(text) if not apart.hold(start)]


def unclosed(text: str) -> int | None:
    """The place of a ``{{`` that nothing closes, outside code; None where there is none.

    >>> unclosed("it grows by {{ kv.naive }, and"), unclosed("`{{` and {{ kv.naive }}")
    (12, None)
    >>> unclosed("by {{ kv.naive }, so {{ kv.naive }}")  # it does not swallow the next one
    3
    """
    if "{{" not in text:
        return None
    plain = blanked(text, hidden(text))
    at = blanked(plain, _closed(plain)).find("{{")
    return at if at >= 0 else None


def _closed(text: str) -> Iterator[tuple[int, int]]:
    """From each ``{{`` to the next ``}}``, where there is no other ``{{`` between the two."""
    at = 0
    while (end := text.find("}}", at)) >= 0:
        start = text.rfind("{{", at, end)
        if start > at and text[start - 1] == "{" and start + 2 <= end:  # "{{{ x }}" begins at its first brace
            start -= 1
        if start >= 0:
            yield start, end + 2
        at = end + 2 if start >= 0 else end + 1


def _include(text: str, each: Expression) -> Include:
    place = (each.start, each.end, each.raw)
    named = _argument(each.inner)
    if named is None:
        return Include(*place, problem=f"an include takes one quoted text and nothing else; an example is {EXAMPLE}")
    target = _TARGET.match(named)
    if target is None:
        return Include(*place, problem=f"`{named}` is not an id with a section; an example is {EXAMPLE}")
    problem = (
        "" if _alone(text, each) else "an include must be alone in its paragraph: a blank line before it and one after"
    )
    return Include(*place, target["id"], target["section"], problem)


def _alone(text: str, each: Expression) -> bool:
    """Whether an include fills a line that no other line of prose touches; an indented one belongs to a list."""
    line = text.rfind("\n", 0, each.start) + 1
    before = text[text.rfind("\n", 0, line - 1) + 1 : line - 1] if line else ""
    return line == each.start and not before.strip() and _PARAGRAPH_ENDS.match(text, each.end) is not None


def _argument(inner: str) -> str | None:
    """The text in the brackets of ``include('...')``; None where the form is another one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(inner, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    match tree:
        case ast.Call(func=ast.Name(id="include"), args=[ast.Constant(value=str() as named)], keywords=[]):
            return named
    return None
