"""What a live preview serves: a folder of its own, in which pages that did not change stay where they are.

MkDocs empties its output folder before every build and writes all pages again. Here a page that would come out the same
comes out empty instead, which MkDocs does not write; what it does write is moved over the files of before.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from generator.catalog.disk.output import MARKER

FOLDER = ".preview"
"""Inside of MkDocs' output folder, which is emptied of everything but hidden files."""


@dataclass
class Preview:
    """The folder that is served, and what each page in it was made from."""

    folder: Path | None = None
    known: dict[str, Hashable] = field(default_factory=dict)
    fresh: dict[str, Hashable] = field(default_factory=dict)

    def start(self, output: Path) -> Path:
        """Serve from a folder of our own, with what the first build has put into the output folder."""
        self.folder = output / FOLDER
        self._move(output)
        self.known, self.fresh = self.fresh, {}
        logging.getLogger("mkdocs.commands.build").addFilter(_not_about_empty_pages)
        return self.folder

    def unchanged(self, path: str, key: Hashable) -> bool:
        """Whether the page that is served was made from the same; what it is made from is noted for the next build."""
        self.fresh[path] = key
        return self.folder is not None and path in self.known and self.known[path] == key

    def built(self, output: Path, expected: set[str]) -> None:
        """Take over what a build has written, and drop what is not part of the site any more."""
        if self.folder is None:
            return
        self._move(output)
        for path in list(_files(self.folder)):
            name = path.relative_to(self.folder).as_posix()
            if name.endswith(".html") and name not in expected and name != "404.html":
                path.unlink()
        self.known, self.fresh = self.fresh, {}

    def _move(self, output: Path) -> None:
        assert self.folder is not None
        for path in list(_files(output)):
            target = self.folder / path.relative_to(output)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.name == "404.html":
                shutil.copyfile(path, target)  # MkDocs itself reads it where it was
            else:
                os.replace(path, target)


def _files(folder: Path) -> Iterator[Path]:
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != FOLDER]
        yield from (Path(where, name) for name in names if name != MARKER)


def _not_about_empty_pages(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith("Page skipped")
