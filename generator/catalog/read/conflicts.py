"""Lines that git leaves where two versions of a file could not be merged."""

from __future__ import annotations

import re

from generator.catalog.yaml.document import Document, Unreadable

CONFLICT = "YML006"
_OPENED = re.compile(r"^[ \t]*(<{7}|>{7}|\|{7})(?: [^\n]*)?\r?$", re.M)
_BETWEEN = re.compile(r"^[ \t]*={7}\r?$", re.M)
_BETWEEN_VERSIONS = re.compile(r"^={7}\r?$", re.M)


def refuse_conflicts(text: str, markdown: bool) -> None:
    """Raise `Unreadable` at the first marker of a merge that was not finished, wherever it is, in a text block too.

    A line of seven ``=`` alone is a heading in Markdown; in YAML, at the start of a line, it is a marker.
    """
    opened = [match.start() for match in _OPENED.finditer(text)]
    if not opened:
        between = None if markdown else _BETWEEN_VERSIONS.search(text)
        opened = [between.start()] if between else []
    if not opened:
        return
    document = Document(text, None)
    markers = sorted({*opened, *(match.start() for match in _BETWEEN.finditer(text))})
    lines = [document.position(at)[0] for at in markers]
    line = lines[0]
    shown = document.line(line)
    column = len(shown) - len(shown.lstrip())
    more = f"; there are markers on lines {', '.join(str(each + 1) for each in lines[:6])}" if lines[1:] else ""
    message = (
        f"`{shown.strip()[:60]}` is a marker of a merge that was not finished{more}: keep one version and remove the "
        "marker lines"
    )
    raise Unreadable(message, (line, column, line, len(shown)), CONFLICT)
