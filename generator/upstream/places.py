"""Where a document is today: from the address on record to a package, a file in a repository, or a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator.catalog.records import Record
from generator.notation.addresses import edition, is_address


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a package's release."""

    project: str
    version: str
    path: str


@dataclass(frozen=True, slots=True)
class RepositoryFile:
    """A file in a repository of a forge, at a revision."""

    forge: str
    repository: str
    revision: str
    path: str


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page at an address of its own."""

    url: str


DocumentPlace = Member | RepositoryFile | WebPage


def locator_of(source: Record) -> str:
    """The address that was really read."""
    read_from = source.get("read_from", "locator")
    locator = str(read_from or source.get("locator"))
    return locator if is_address(locator) else str(source.get("url"))


def document_place(locator: str) -> DocumentPlace | None:
    """The place that an address names; None where it is none that can be asked, as a folder of a package.

    >>> document_place("pkg:pypi/vllm@0.33.0#vllm/registry.py!X")
    Member(project='vllm', version='0.33.0', path='vllm/registry.py')
    """
    document, revision = edition(locator)
    kind, _, rest = document.partition(":")
    path = rest.partition("#")[2].partition("!")[0]
    if kind == "pkg":
        name = rest.partition("#")[0].removeprefix("pypi/")
        whole = rest.startswith("pypi/") and revision and path and "*" not in path
        return Member(name, str(revision), path) if whole else None
    if kind in ("github", "hf") and revision:
        return (
            RepositoryFile(kind, rest.partition("#")[0], revision, path.partition("?")[0]) if "*" not in path else None
        )
    return WebPage(locator.partition("#")[0]) if kind in ("http", "https") and " " not in locator else None


@dataclass(frozen=True)
class Hosts:
    """How files of each forge are asked for, from ``schema/hosts.yaml``; mirrors write their own."""

    table: Mapping[str, Mapping[str, Any]]

    def file(self, place: RepositoryFile, revision: str | None = None) -> str | None:
        """The address of a file's bytes, at another revision if one is named."""
        row = self.table.get(place.forge)
        return self._filled(row["file"], place, revision or place.revision) if row else None

    def head(self, place: RepositoryFile) -> str:
        """What the default branch is called in an address."""
        return str(self.table[place.forge]["default"])

    def repository(self, place: RepositoryFile) -> str:
        """The address at which a repository that is there answers: the control for what is not."""
        return self._filled(self.table[place.forge]["repository"], place, place.revision)

    def commits(self, place: RepositoryFile) -> str | None:
        """The address whose first line names the commit of the default branch; None where there is none such."""
        asked = self.table[place.forge].get("commits")
        return self._filled(asked, place, place.revision) if asked else None

    def _filled(self, template: str, place: RepositoryFile, revision: str) -> str:
        names = {"repository": place.repository, "revision": revision, "path": place.path}
        for name, value in names.items():
            template = template.replace("{" + name + "}", value)
        return template
