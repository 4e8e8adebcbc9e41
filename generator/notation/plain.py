"""Text for a terminal or the log of a CI job, which take some characters, and some lines, for orders."""

from __future__ import annotations

import re

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
CONTROL = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029{_BIDI}\ud800-\udfff]")
"""What moves the cursor, breaks the line or turns the direction of writing: nothing in a record gives such an order."""

_OF_LINES = re.compile(
    f"(?P<ours>\x1b\\[(?:0|2|3[1236])m)|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029{_BIDI}\ud800-\udfff]"
)
"""The same in a text of several lines, and our own colours, which hide nothing."""
_COMMAND = re.compile(r"(\n[^\S\n]*)::")
_OLD_COMMAND = "##["


def plain(text: str) -> str:
    """A text on one line, with whatever would steer a terminal written out.

    >>> plain("a\\n::error::b")
    'a\\\\n::error::b'
    """
    return CONTROL.sub(_written_out, text)


def disarmed(text: str, new_line: bool = True) -> str:
    """Lines of text that are shown as they are and order nothing; `new_line` says that the first one begins a line.

    A CI runner takes a line that begins with ``::`` for a command, blanks before it or not, and ``##[`` anywhere.

    >>> disarmed("a\\n  ::set-output name=x::y\\n##[error]z")
    'a\\n  \\\\::set-output name=x::y\\n##\\\\[error]z'
    """
    text = _OF_LINES.sub(lambda found: found[0] if found["ours"] else _written_out(found), text)
    lines = _COMMAND.sub(r"\1\\::", f"\n{text}" if new_line else text).replace(_OLD_COMMAND, "##\\[")
    return lines[1:] if new_line else lines


def in_json(text: str) -> str:
    """JSON whose strings hold such characters, with these as escapes; it means the same."""
    written = _OF_LINES.sub(lambda found: f"\\u{ord(found[0][0]):04x}{found[0][1:]}", text)
    return written.replace(_OLD_COMMAND, "##\\u005b")


def _written_out(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
