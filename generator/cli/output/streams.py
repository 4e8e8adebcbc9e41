"""Standard output and standard error of the command: whatever is written there is text, and no order.

The one filter of all commands and formats. GitHub's commands, which `validate --format github` gives on purpose, and
patches that go to a file or a program are written as bytes, past it.
"""

from __future__ import annotations

import io
import os
import sys

from generator.notation.plain import disarmed


class PlainStream(io.TextIOWrapper):
    """A text stream over the bytes of another one, through the filter."""

    def __init__(self, stream: io.TextIOWrapper) -> None:
        super().__init__(
            stream.buffer,
            encoding=stream.encoding,
            errors="backslashreplace",  # a name that is not UTF-8 holds halves of characters
            line_buffering=stream.line_buffering,
            write_through=stream.write_through,
        )
        self._new_line = True

    def write(self, text: str) -> int:
        """Write a text; what it would order is written out."""
        shown = disarmed(text, self._new_line)
        if text:
            tail = text.rpartition("\n")
            self._new_line = not tail[2].strip() and (bool(tail[1]) or self._new_line)
        super().write(shown)
        return len(text)


def guard() -> None:
    """Put the filter before the streams of this process."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and not isinstance(stream, PlainStream):
            setattr(sys, name, PlainStream(stream))


def patch(text: str) -> str | bytes:
    """A patch to the byte, for a file or a program; where a terminal or a runner's log shows it, through the filter."""
    shown = sys.stdout.isatty() or os.environ.get("GITHUB_ACTIONS") == "true"
    return text if shown else text.encode("utf-8")
