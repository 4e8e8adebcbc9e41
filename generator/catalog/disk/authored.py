"""The one walk over authored files: regular files below the root, opened without following a link.

Whatever else lies there (a link, a pipe, a device, a folder without rights) is named with the reason, so that it is a
finding and never an absence.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from generator.catalog.yaml.document import Unreadable

AUTHORED = ("records", "sources", "docs", "schema", "templates")
"""The folders of a knowledge base that people write."""

MAX_BYTES = 4 * 1024 * 1024
"""A larger file is refused unread: the longest list on record has 50 kB."""

DEEPEST = 20
"""Folders nested deeper than this are not gone into: no record needs them."""

LINK = "this is a symbolic link, and links are not followed; put the file or folder itself here"
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@dataclass(frozen=True, slots=True)
class Barred:
    """What is not read: its path, relative to the root, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Tree:
    """The contents of a folder, however deep: regular files by their paths relative to the root, and what is barred."""

    files: tuple[str, ...] = ()
    barred: tuple[Barred, ...] = ()


def tree(root: Path, top: str) -> Tree:
    """Everything below ``root/top``, in the order of paths; nothing where there is no such folder.

    What begins with a dot is passed over, as MkDocs does, but a link there is barred unless it leads nowhere: that is
    what some editors mark an open file with.
    """
    if not os.path.lexists(root / top):
        return Tree()
    files, barred = [], []
    for path, why in _below(root, top):
        if why:
            barred.append(Barred(path, why))
        elif not any(part.startswith(".") for part in path.split("/")):
            files.append(path)
    return Tree(tuple(sorted(files)), tuple(sorted(barred, key=lambda each: each.path)))


def _below(root: Path, top: str) -> Iterator[tuple[str, str]]:
    """Each file below a folder, with the reason why it is barred, or an empty one."""
    if (root / top).is_symlink():
        yield top, LINK
        return
    folders = [top]
    while folders:
        folder = folders.pop()
        try:
            if folder.count("/") > DEEPEST:
                raise OSError(errno.ENAMETOOLONG, f"folders are nested deeper than {DEEPEST} here")
            entries = list(os.scandir(root / folder))
        except NotADirectoryError:
            yield folder, "this is a file, and a folder is expected"
        except OSError as error:
            yield folder, f"the folder cannot be read: {error.strerror}"
        else:
            for entry in entries:
                path = f"{folder}/{entry.name}"
                if entry.is_dir(follow_symlinks=False) and not entry.name.endswith((".yaml", ".yml", ".md")):
                    folders.append(path)
                else:
                    yield path, _why_barred(entry)


def _why_barred(entry: os.DirEntry[str]) -> str:
    """Why an entry that is not a folder is not read; empty for a regular file, and for the marks that editors leave."""
    if entry.is_symlink():
        return LINK if os.path.exists(entry.path) or not entry.name.startswith(".") else ""
    return "" if entry.is_file(follow_symlinks=False) else _no_file(os.lstat(entry.path).st_mode)


def _no_file(mode: int) -> str:
    return f"this is {_KINDS.get(stat.S_IFMT(mode), 'no file')}, and a file is expected"


def contents(root: Path, path: str, most: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file, by its path relative to the root. Raises OSError, or `Unreadable` with the reason.

    Neither a link on the way nor one in its place is followed, and no pipe is waited for.
    """
    refuse_links(root, path)
    place = f"{root}/{path}"
    mode = os.lstat(place).st_mode
    if not stat.S_ISREG(mode):
        raise Unreadable(_no_file(mode))
    handle = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with open(handle, "rb") as file:
        size = os.fstat(handle).st_size
        if size > most:
            raise Unreadable(f"the file has {size:,} bytes; more than {most:,} are not read")
        return file.read(most)


def refuse_links(root: Path, path: str) -> None:
    """Raise `Unreadable` unless a path lies below the root with no link on the way; it need not exist."""
    parts = path.split("/")
    if os.path.isabs(path) or not set(parts).isdisjoint(("", ".", "..")):
        raise Unreadable(f"{path} is not in the knowledge base")
    at = str(root)
    for part in parts:
        at = f"{at}/{part}"
        if os.path.islink(at):
            raise Unreadable(LINK)
