"""The pages as plain files: Markdown with a title in front and the body as one block of HTML, for any site builder.

The folder appears whole or not at all: it is written beside its place and then moved there.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from generator.catalog.shipped import shipped
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site import pages
from generator.site.html import prose as typesetting
from generator.site.html import render
from generator.site.html.links import Style, resolved
from generator.site.html.page import Page
from generator.site.site import Site

MARKER = ".servebook"
"""Says that a folder was written by us, so that it may be replaced."""

_PRE = re.compile(r"(<pre\b.*?</pre>)", re.S)


class Occupied(Exception):
    """The target holds something that is not ours; the message says so."""


def materialise(kb: KnowledgeBase, out: Path) -> int:
    """Write all pages and assets into `out`; count the pages. Raises `Occupied` rather than replace foreign files."""
    out = out.absolute()
    _check(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as scratch:
        fresh = Path(scratch, "new")
        count = _write(kb, fresh)
        if out.exists():
            out.rename(Path(scratch, "old"))
        fresh.rename(out)
    return count


def _check(out: Path) -> None:
    if not out.exists() and not out.is_symlink():
        return
    if out.is_symlink() or not out.is_dir():
        raise Occupied(f"{out} is no folder; name a new or an empty one")
    if any(out.iterdir()) and not (out / MARKER).is_file():
        raise Occupied(f"{out} holds files that are not ours; name a new or an empty folder")


def _write(kb: KnowledgeBase, folder: Path) -> int:
    site = Site(kb)
    files = {page.path: as_file(page) for page in pages.build_site(site)}
    for page in kb.catalog.docs:  # what is written by hand wins
        path = page.path.removeprefix("docs/")
        files[path] = typesetting.document(site, page.document.text, path, Style.MARKDOWN)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    shutil.copytree(shipped("templates") / "assets", folder / "assets")
    (folder / MARKER).write_text("Written by `servebook materialise`, which replaces this whole folder.\n", "utf-8")
    return len(files)


def as_file(page: Page) -> str:
    """A page as a Markdown file: front matter that any YAML reader takes, then one block of HTML."""
    head = {"title": page.title, "description": page.description}
    lines = [f"{key}: {render.as_json(value)}" for key, value in head.items() if value]
    return "\n".join(["---", *lines, "---", "", _one_block(resolved(page.html, page.path, Style.MARKDOWN)), ""])


def _one_block(html: str) -> str:
    """HTML without blank lines: a blank line would end the block for a Markdown reader."""
    parts = _PRE.split(html)
    blank = re.compile(r"\n\s*\n")
    return "".join(
        re.sub(r"\n(?=\s*\n)", "&#10;", part) if number % 2 else blank.sub("\n", part)
        for number, part in enumerate(parts)
    ).strip()
