"""The pages as plain files: Markdown with a title in front and the body as one block of HTML, for any site builder."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from generator.catalog.shipped import shipped
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site import pages
from generator.site.html import prose as typesetting
from generator.site.html import render
from generator.site.html.links import Style, resolved
from generator.site.html.page import Page
from generator.site.site import Site

_PRE = re.compile(r"(<pre\b.*?</pre>)", re.S)


def write_pages(kb: KnowledgeBase, folder: Path) -> int:
    """Write all pages and assets into an empty folder; count the pages."""
    site = Site(kb)
    files = {page.path: as_file(page) for page in pages.whole(site)}
    for page in kb.catalog.docs:  # what is written by hand wins
        path = page.path.removeprefix("docs/")
        files[path] = typesetting.document(site, page.document.text, path, Style.MARKDOWN)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    shutil.copytree(shipped("templates") / "assets", folder / "assets")
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
