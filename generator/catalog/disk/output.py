"""Folders that commands write: never one that is not their own, and never half of one.

A folder is ours if it holds a marker that names this very base. A new one is built next to its place and then moved
there; what an interrupted run has left is cleaned up by the next one.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from generator.catalog.disk.authored import AUTHORED, contents
from generator.catalog.disk.runs import locked, uninterrupted
from generator.catalog.yaml.document import Unreadable

MARKER = ".servebook"
"""The file that says which base has written a folder."""

PROTECTED = (*AUTHORED, "generator", "tests")
"""Folders of a base that no command writes pages into, nor anything below them."""


class Occupied(Exception):
    """The folder is not for us to write; the message says why and what to do."""


def refuse_foreign(root: Path, out: Path) -> None:
    """Raise `Occupied` unless `out` may be replaced: it does not exist, is empty, or was written from this base."""
    root, wanted = Path(os.path.realpath(root)), Path(os.path.abspath(out))
    _refuse_links(root, wanted)
    real = Path(os.path.realpath(wanted))
    if real in (root, *root.parents) or _same_as_any(real, (root, *root.parents)):
        raise Occupied(f"{out} is the knowledge base itself or holds it; name a folder of its own")
    if real.is_relative_to(root):
        parts = real.relative_to(root).parts
        hidden = any(part.startswith(".") and not part.endswith(MARKER) for part in parts)
        if parts[0].casefold() in PROTECTED or hidden:
            raise Occupied(f"{out} is in {parts[0]}/, which is not for pages; name a folder of its own, such as site")
    if not os.path.lexists(real):
        return
    if not real.is_dir():
        raise Occupied(f"{out} is not a folder; name a new or an empty one")
    if any(real.iterdir()) and not _is_ours(root, real):
        raise Occupied(f"{out} holds files that are not ours, from no build of this base; empty it, or name another")


def _refuse_links(root: Path, wanted: Path) -> None:
    """A link in the folder's own place, or on the way to it inside the base, may have come with somebody's change."""
    for folder in (wanted, *wanted.parents):
        inside = root in Path(os.path.realpath(folder.parent), folder.name).parents
        if folder.is_symlink() and (folder == wanted or inside):
            raise Occupied(f"{folder} is a symbolic link, and nothing is written through one; remove it")


def _same_as_any(folder: Path, others: tuple[Path, ...]) -> bool:
    """Whether a folder is one of others under another name, as in file systems that ignore case."""
    return folder.exists() and any(folder.samefile(other) for other in others)


def mark(root: Path, out: Path) -> None:
    """Say in a folder that it was written from this base; the folder is made where there is none."""
    out.mkdir(parents=True, exist_ok=True)
    (out / MARKER).write_text(_mark(root), "utf-8")


def _mark(root: Path) -> str:
    """The marker of a base. It names the place of the base by a digest, for the folder may be published."""
    digest = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()
    return f"Written by Servebook, which replaces this whole folder.\nbase: sha256:{digest}\n"


def _is_ours(root: Path, out: Path) -> bool:
    try:
        return contents(out, MARKER) == _mark(root).encode("utf-8")
    except (OSError, Unreadable):
        return False


@contextmanager
def replaced(root: Path, out: Path) -> Iterator[Path]:
    """A fresh folder that takes the place of `out` when the block ends well; otherwise `out` stays as it was.

    Raises `Occupied` where `out` is not for us to write, and OSError.
    """
    refuse_foreign(root, out)
    mended(root, out)
    scratch = _scratch(out)
    scratch.mkdir(parents=True)
    try:
        with locked(scratch / "lock"):
            fresh = scratch / "new"
            fresh.mkdir()
            yield fresh
            mark(root, fresh)
            refuse_foreign(root, out)
            with uninterrupted():
                _swap(fresh, out, scratch / "old")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _swap(fresh: Path, out: Path, old: Path) -> None:
    """Replace one folder by another, or leave the old one where it is."""
    if not os.path.lexists(out):
        os.rename(fresh, out)
        return
    os.rename(out, old)
    try:
        os.rename(fresh, out)
    except OSError:
        os.rename(old, out)
        raise


def _scratch(out: Path) -> Path:
    """Where a folder is built: in the same folder as its place, so that it can be moved there in one step."""
    wanted = Path(os.path.abspath(out))
    return wanted.parent / f".{wanted.name}{MARKER}"


def mended(root: Path, out: Path) -> str:
    """Clean up what an interrupted run has left next to a folder; returns what was done, or an empty text.

    Raises `Occupied` where another run is at work there.
    """
    refuse_foreign(root, out)
    scratch = _scratch(out)
    if not os.path.lexists(scratch):
        return ""
    if scratch.is_symlink() or not scratch.is_dir():
        raise Occupied(f"{scratch} is in the way of building {out}; remove it")
    with locked(scratch / "lock"):
        done = f"removed what an interrupted run has left next to {out}"
        old = scratch / "old"
        if not os.path.lexists(out) and old.is_dir() and not old.is_symlink():
            os.rename(old, out)
            done = f"put {out} back, which an interrupted run had set aside"
        shutil.rmtree(scratch)
    return done
