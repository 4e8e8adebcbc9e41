r"""``{{ ... }}`` in prose: where expressions and includes stand, and what an include names. Nothing is evaluated here.

::

    expression = "{{" anything "}}"                             a computed value, see `expressions`
    include    = "{{ include('" id "#" section "') }}"          the text of another record, alone in its paragraph

What stands in a code span, a code block or a comment of HTML is text.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

from generator.notation.citations import ID

_EXPRESSION = re.compile(r"\{\{((?:(?!\{\{).)*?)\}\}", re.S)
_CODE = re.compile(r"(`+)(?:(?!\1).)*?\1|^(?:```|~~~).*?^(?:```|~~~)|<!--.*?(?:-->|\Z)", re.S | re.M)
_INCLUDES = re.compile(r"\binclude\b")
_TARGET = re.compile(rf"(?P<id>{ID})#(?P<section>[A-Za-z0-9_.-]+)\Z")
EXAMPLE = "{{ include('mla-latent-attention#per_model') }}"


@dataclass(frozen=True, slots=True)
class Expression:
    """One ``{{ ... }}`` in a text: characters `start` to `end`."""

    start: int
    end: int
    raw: str

    @property
    def inner(self) -> str:
        """What stands between the braces."""
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


def code_spans(text: str) -> list[tuple[int, int]]:
    """Where code and comments stand in a text."""
    return [(found.start(), found.end()) for found in _CODE.finditer(text)] if re.search("`|~~~|<!--", text) else []


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
    'an include stands alone in its paragraph: a blank line before it and one behind'
    """
    return [_include(text, each) for each in both(text) if _INCLUDES.search(each.inner)]


def both(text: str) -> list[Expression]:
    """All that stands in double braces, expressions and includes alike."""
    if "{{" not in text:
        return []
    code = code_spans(text)
    return [
        Expression(found.start(), found.end(), found[0])
        for found in _EXPRESSION.finditer(text)
        if not any(start <= found.start() < end for start, end in code)
    ]


def unclosed(text: str) -> int | None:
    """Where a ``{{`` stands that nothing closes, code left alone; None where there is none.

    >>> unclosed("it grows by {{ kv.naive }, and"), unclosed("`{{` and {{ kv.naive }}")
    (12, None)
    >>> unclosed("by {{ kv.naive }, so {{ kv.naive }}")  # it does not swallow the next one
    3
    """
    if "{{" not in text:
        return None
    blank = _EXPRESSION.sub(lambda found: " " * len(found[0]), _CODE.sub(lambda found: " " * len(found[0]), text))
    at = blank.find("{{")
    return at if at >= 0 else None


def _include(text: str, each: Expression) -> Include:
    place = (each.start, each.end, each.raw)
    named = _argument(each.inner)
    if named is None:
        return Include(*place, problem=f"an include takes one quoted text and nothing else; an example is {EXAMPLE}")
    target = _TARGET.match(named)
    if target is None:
        return Include(*place, problem=f"`{named}` is no id with a section; an example is {EXAMPLE}")
    problem = (
        "" if _alone(text, each) else "an include stands alone in its paragraph: a blank line before it and one behind"
    )
    return Include(*place, target["id"], target["section"], problem)


def _alone(text: str, each: Expression) -> bool:
    """Whether an include fills a line that no other line of prose touches; an indented one belongs to a list."""
    line = text.rfind("\n", 0, each.start) + 1
    before = text[:line].rpartition("\n")[0].rpartition("\n")[2] if line else ""
    behind = re.match(r"[ \t]*(?:\n[ \t]*(?:\n|\Z)|\Z)", text[each.end :])
    return line == each.start and not before.strip() and behind is not None


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
