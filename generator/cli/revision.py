"""A knowledge base as it was at a git revision, read without touching the work tree or the index."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from generator.catalog.disk.authored import AUTHORED

READ = (".yaml", ".yml", ".json", ".md")
_LINK, _FILES = "120000", ("100644", "100755", "100664")
_FOREIGN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
"""A hook sets them, and means the repository that it runs in."""


class NoRevision(Exception):
    """The revision cannot be read; the message says why."""


@contextmanager
def checkout(root: Path, revision: str) -> Iterator[Path]:
    """A temporary folder with the authored files of `root` as they were at a revision; empty if it held none."""
    commit, prefix = _commit(root, revision), place(root)
    with tempfile.TemporaryDirectory(prefix="servebook-at-") as folder:
        _write(Path(folder), _entries(root, commit, prefix), root)
        yield Path(folder)


def state(root: Path) -> tuple[str, int]:
    """The commit of the work tree, with ``+`` after it if files differ from it, and its time in seconds since 1970."""
    shown = _git(root, "show", "--no-patch", "--format=%h %ct", "--abbrev=10", "HEAD").decode("ascii").split()
    changed = _git(root, "status", "--porcelain", "--untracked-files=no")
    return shown[0] + ("+" if changed.strip() else ""), int(shown[1])


def place(root: Path) -> str:
    """The path of a folder in its repository, with a slash at the end; empty for the repository's root."""
    return _git(root, "rev-parse", "--show-prefix").decode("utf-8", "surrogateescape").removesuffix("\n")


def differs(root: Path, base: str, head: str | None, name: str) -> bool:
    """Whether a folder of the repository differs between two revisions, or one and the work tree."""
    revisions = [_commit(root, each) for each in (base, head) if each is not None]
    said = _git(
        root,
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--name-only",
        *revisions,
        "--",
        f":(top,literal){place(root)}{name}",
    )
    return bool(said.strip())


def _commit(root: Path, revision: str) -> str:
    place(root)  # that there is no repository is reported first
    try:
        asked = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except NoRevision:
        shallow = _git(root, "rev-parse", "--is-shallow-repository").strip() == b"true"
        hint = "; this clone is shallow: fetch that revision, too" if shallow else ""
        raise NoRevision(f"git knows no revision `{revision}`{hint}") from None
    return asked.decode("ascii").strip().splitlines()[-1]


def _entries(root: Path, commit: str, prefix: str) -> list[tuple[str, str, str]]:
    """(mode, object, path below `root`) of all that is read."""
    wanted = [f"{prefix}{name}" for name in AUTHORED]
    listed = _git(root, "--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", commit, "--", *wanted)
    entries = []
    for line in listed.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        head, _, path = line.partition("\t")
        mode, _, name = head.split(" ")[:3]
        below = path.removeprefix(prefix)
        parts = PurePosixPath(below).parts
        read = mode == _LINK or (mode in _FILES and below.lower().endswith(READ))
        if read and ".." not in parts and parts[0] in AUTHORED:
            entries.append((mode, name, below))
    return entries


def _write(folder: Path, entries: list[tuple[str, str, str]], root: Path) -> None:
    """Write the blobs as git holds them; a link leads nowhere, and is reported as one.

    `git archive` would not do: attributes make it leave files out and fill texts in, and the filters apply.
    """
    if not entries:
        return
    asked = "".join(f"{name}\n" for _, name, _ in entries).encode("ascii")
    held, at = _git(root, "cat-file", "--batch", input=asked), 0
    for mode, _, path in entries:
        end = held.index(b"\n", at)
        said = held[at:end].decode("ascii")
        if not said.rpartition(" ")[2].isdigit():
            raise NoRevision(f"{path} is not in this clone: {said}")
        size = int(said.rpartition(" ")[2])
        data, at = held[end + 1 : end + 1 + size], end + 1 + size + 1
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if mode == _LINK:
            target.symlink_to("nowhere")
        else:
            target.write_bytes(data)


def _git(root: Path, *arguments: str, input: bytes | None = None) -> bytes:
    surroundings = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments],
            input=input,
            stdin=subprocess.DEVNULL if input is None else None,
            capture_output=True,
            check=False,
            env={**surroundings, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"},
        )
    except OSError as error:
        raise NoRevision(f"git cannot be run: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        fatal = next((line for line in said if line.startswith("fatal: ")), said[-1] if said else "git failed")
        raise NoRevision(fatal.removeprefix("fatal: "))
    return done.stdout
