"""Scalars that break or end where their author did not mean it, found once the whole text is read."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator

from generator.catalog.yaml.document import Document, Span
from generator.findings import Edit, Fault, Fix, Location

Place = Callable[[Span], Location]


def quoted(location: Location, text: str, safe: bool = True) -> Fix:
    """The fix that puts `text`, quoted, in a place; safe where our own reading stays the same."""
    return Fix("quote the text", (Edit(location, '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'),), safe)


def broken_folds(place: Place, document: Document, folded: list[tuple[Span, str]]) -> Iterator[Fault]:
    """Folding joins lines with a blank: an id or a hyphenated word that is broken over two lines falls apart."""
    for span, style in folded:
        lines = document.source(span).splitlines()
        for number, (line, following) in enumerate(itertools.pairwise(lines)):
            escaped = style == '"' and line.endswith("\\")  # this line break is not a blank
            if not following.strip() or escaped or (style == ">" and number == 0):
                continue
            opened = line.rfind("[[") > line.rfind("]]")
            hyphen = re.search(r"\w-$", line.rstrip()) and re.match(r"\w", following.strip())
            if opened or hyphen:
                what = "a citation" if opened else "a hyphenated word"
                at = span[0] + number
                message = f"the fold breaks {what} over two lines; use a literal block (|)"
                yield Fault("YML005", place((at, 0, at, len(document.line(at)))), message)
                break


_CUT = re.compile(r"[ \t]+(#[^\s#]\S*)")


def cut_texts(place: Place, document: Document, plain: list[Span]) -> Iterator[Fault]:
    """``note: see #3`` ends before the ``#``: YAML takes the rest for a comment."""
    for span in plain:
        found = _CUT.match(document.text, document.offset(span[2], span[3]))
        if found:
            whole = (span[0], span[1], span[2], len(document.line(span[2]).rstrip()))
            fix = quoted(place(whole), document.source(whole), safe=False) if span[0] == span[2] else None
            message = f"the text ends before `{found[1]}`, the rest is a comment; quote it"
            yield Fault("YML003", place(whole), message, fix=fix)
