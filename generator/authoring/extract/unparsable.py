"""Why a document yields no facts: it is not such a document, which says nothing, or a fact is not in it."""

from __future__ import annotations


class Unparsable(Exception):
    """The bytes are not a document of the form that is expected: truncated, an error page, another format."""


class Missing(str):
    """Stands for a fact that a whole document does not state; the text says what was looked for."""


def decoded(data: bytes) -> str:
    """The text of a document. Raises `Unparsable`."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise Unparsable(f"it is not UTF-8: {problem.reason} at byte {problem.start}") from None
