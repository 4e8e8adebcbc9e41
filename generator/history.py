"""A knowledge base as it was at a git revision, read without touching the work tree."""

from __future__ import annotations

import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

AUTHORED = ("records", "sources", "schema", "docs")


class NoRevision(Exception):
    """The revision cannot be read; the message says why."""


@contextmanager
def checkout(root: Path, revision: str) -> Iterator[Path]:
    """A temporary folder with the authored files of `root` as they were at a revision."""
    if revision.startswith("-"):
        raise NoRevision(f"`{revision}` is no revision")
    prefix = _git(root, "rev-parse", "--show-prefix").decode().strip()
    _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    tree = f"{revision}:{prefix}" if prefix else revision
    held = _git(root, "ls-tree", "--name-only", tree).decode().split("\n")
    archive = _git(root, "archive", "--format=tar", tree, "--", *[name for name in AUTHORED if name in held])
    with tempfile.TemporaryDirectory(prefix="servebook-") as folder:
        with tarfile.open(fileobj=BytesIO(archive)) as tar:
            tar.extractall(folder, filter="data")
        yield Path(folder)


def _git(root: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=False)
    except OSError as error:
        raise NoRevision(f"git cannot be run: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise NoRevision(said[-1] if said else f"git knows no revision `{arguments[-1].removesuffix('^{commit}')}`")
    return done.stdout
