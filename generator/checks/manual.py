"""A check's docstring as a manual page, by section."""

from __future__ import annotations

import re

LEFT_OUT = "The examples show only what matters here: the other fields of a record are in order."
EXAMPLE = re.compile(r"^```yaml (\S+)\n(.*?)^```", re.M | re.S)


SECTIONS = ("Why it matters", "Bad", "Good", "How to fix")


def sections(doc: str) -> dict[str, str]:
    """A check's docstring by section; the text before the first heading has the key ``""``."""
    parts = re.split(r"^(" + "|".join(SECTIONS) + r")$\n", doc + "\n", flags=re.M)
    return {"": parts[0].strip(), **{name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}}


def examples(doc: str, section: str) -> dict[str, str]:
    """The files of a section's examples: path to text."""
    return dict(EXAMPLE.findall(sections(doc).get(section, "") + "\n"))
