"""The page of a record that cannot be shown: its errors in place of its contents, for the live preview."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from generator.findings import Finding
from generator.site.html.page import Page
from generator.site.site import Site


def broken_pages(site: Site) -> Iterator[Page]:
    """A page for every record that breaks its schema or cannot be read at all."""
    catalog = site.kb.catalog
    for id in sorted(catalog.unsound):
        record = catalog.records[id]
        yield _page(site, site.path(record), id, record.path, site.errors(record))
    folders = {kind.folder: kind.path for kind in catalog.kinds}
    for id in sorted(catalog.unreadable):
        faults = [finding for finding in site.findings if finding.record == id]
        for file in dict.fromkeys(finding.location.path for finding in faults):
            folder = folders.get(str(PurePosixPath(file).parent))
            if folder and id not in catalog.records:
                yield _page(site, f"{folder}/{id}.md", id, file, faults)


def _page(site: Site, path: str, id: str, file: str, errors: list[Finding]) -> Page:
    return site.page(path, id, "broken.html", file=file, errors=errors, description=f"{id}: errors")
