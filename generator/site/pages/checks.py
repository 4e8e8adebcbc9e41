"""The checks: the docstring that ``servebook explain`` prints, as a page."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from generator.checks import CHECKS
from generator.checks.contract import Check
from generator.checks.manual import LEFT_OUT, SECTIONS, sections
from generator.site import rebuild
from generator.site.html import render
from generator.site.html.page import Page
from generator.site.site import Site


def check_pages(site: Site) -> Iterator[Page]:
    """A list of all checks, and a page for each."""
    yield from rebuild.fixed(site, "checks", lambda: _pages(site))


def _pages(site: Site) -> Iterator[Page]:
    yield site.page(
        "checks/index.md",
        "Checks",
        "checks.html",
        checks=CHECKS,
        in_nav=True,
        hide=("toc",),
        description="What is checked before anything is published",
        search='<h1 id="checks">Checks</h1><p>What is checked before anything is published</p>',
    )
    for check in CHECKS:
        yield _page(site, check)


def _page(site: Site, check: Check) -> Page:
    parts = sections(check.doc)
    return site.page(
        f"checks/{check.code}.md",
        f"{check.code} {check.name}",
        "check.html",
        check=check,
        parts=[(name, name.lower().replace(" ", "-"), _example(parts[name])) for name in SECTIONS if name in parts],
        left_out=LEFT_OUT,
        description=check.summary,
        search=Markup('<h1 id="{0}">{0} {1}</h1><p>{2}</p>').format(check.code, check.name, check.summary),
    )


def _example(text: str) -> Markup:
    """A section as HTML; the path behind a fence's language is the file that the example is."""
    return Markup("").join(
        Markup('<p class="sb-file"><code>{}</code></p>').format(part) if number % 2 else render.markdown(part)
        for number, part in enumerate(_with_paths(text))
    )


def _with_paths(text: str) -> Iterator[str]:
    """The text cut at its fences: prose and fences at even places, a path before each fence at odd ones."""
    prose: list[str] = []
    for line in text.splitlines():
        if line.startswith("```yaml "):
            yield "\n".join(prose)
            yield line.removeprefix("```yaml ")
            prose = ["```yaml"]
        else:
            prose.append(line)
    yield "\n".join(prose)
