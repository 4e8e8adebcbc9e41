"""The one writer of authored files: all files of a change or none, whenever the process ends.

What is going to be written is first noted in a journal below the root and written next to its place; then one line in
the journal says that all of it is there, and every file is moved into its place. After a kill the next run finds the
journal: it completes a change that was whole and removes one that was not.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from generator.catalog.disk.authored import AUTHORED, contents, refuse_links
from generator.catalog.disk.runs import locked, uninterrupted
from generator.catalog.yaml.document import Unreadable

JOURNAL = ".servebook-writing"
_STAGED = ".servebook-"
_READY = b"\nready\n"

Contents = tuple[bytes | None, bytes]
"""What a file holds before (None: there is no such file) and after."""


class ChangedMeanwhile(Exception):
    """A file is no longer what was fixed, or is where nothing may be written; the message names it."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One file of a change: where the new text lies until it is moved, and the digests of the old and the new."""

    path: str
    staged: str
    before: str | None
    after: str


def write_all(root: Path, changes: Mapping[str, Contents]) -> None:
    """Write authored files by their paths relative to the root: all of them, or none where one cannot be written.

    Raises `ChangedMeanwhile` where a file does not hold what it held before, `Busy`, and OSError.
    """
    if not changes:
        return
    mended(root)
    steps = [_step(path, *texts) for path, texts in changes.items()]
    with uninterrupted(), locked(root / JOURNAL) as journal:
        try:
            _note(journal, json.dumps([asdict(step) for step in steps]).encode("ascii"))
            for step in steps:
                _stage(root, step, *changes[step.path])
            _note(journal, _READY)
        except BaseException:
            for name in (*(step.staged for step in steps), JOURNAL):
                with suppress(OSError):
                    (root / name).unlink()
            raise
        for step in steps:
            os.replace(root / step.staged, root / step.path)
        (root / JOURNAL).unlink()


def _step(path: str, before: bytes | None, after: bytes) -> _Step:
    staged = PurePosixPath(path).parent / f"{_STAGED}{secrets.token_hex(8)}.tmp"
    return _Step(path, staged.as_posix(), None if before is None else _digest(before), _digest(after))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _note(journal: int, data: bytes) -> None:
    os.write(journal, data)
    os.fsync(journal)


def _stage(root: Path, step: _Step, before: bytes | None, after: bytes) -> None:
    """Write a file's new text next to its place, with the old file's permissions."""
    target, staged = root / step.path, root / step.staged
    try:
        refuse_links(root, step.path)
    except Unreadable as problem:
        raise ChangedMeanwhile(f"{step.path}: {problem.message}; nothing was written") from None
    if not _holds(root, step.path, step.before):
        raise ChangedMeanwhile(f"{step.path} was changed meanwhile; nothing was written")
    target.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    with os.fdopen(handle, "wb") as file:
        file.write(after)
        file.flush()
        os.fsync(handle)
    if before is not None:
        found = target.stat()
        os.chmod(staged, found.st_mode & 0o7777)
        with suppress(OSError, AttributeError):  # only root may, and not everywhere
            os.chown(staged, found.st_uid, found.st_gid)


def _holds(root: Path, path: str, digest: str | None) -> bool:
    """Whether a file lies among the authored ones and has this digest, or, for None, is not there."""
    try:
        refuse_links(root, path)
        if path.split("/")[0] not in AUTHORED:
            return False
        if not os.path.lexists(root / path):
            return digest is None
        return _digest(contents(root, path)) == digest
    except (OSError, Unreadable):
        return False


def mended(root: Path) -> str:
    """Complete or remove what an interrupted run has left; what was done, or an empty text. Raises `Busy`, OSError."""
    if not os.path.lexists(root / JOURNAL):
        return ""
    with uninterrupted(), locked(root / JOURNAL):
        noted, steps = _noted(root)
        done = [_mend(root, step, ready=noted.endswith(_READY)) for step in steps]
        (root / JOURNAL).unlink(missing_ok=True)
    if said := [each for each in done if each]:
        return f"an earlier run was interrupted: {'; '.join(said)}"
    if noted.endswith(_READY):
        return "an earlier run was interrupted when all its files were written"
    return "an earlier run was interrupted: what it had not finished is removed, and no file has changed"


def _noted(root: Path) -> tuple[bytes, list[_Step]]:
    """What the journal holds; no steps where it was cut short, for then nothing was laid anywhere yet."""
    try:
        noted = contents(root, JOURNAL)
        steps = [_Step(**step) for step in json.loads(noted.removesuffix(_READY))]
        return noted, [step for step in steps if _is_ours(root, step)]
    except (Unreadable, ValueError, TypeError):
        return b"", []


def _is_ours(root: Path, step: _Step) -> bool:
    """Whether a step of a journal that was found is one that we would take: it may have come with somebody's change."""
    try:
        for path in (step.path, step.staged):
            refuse_links(root, path)
        staged, target = PurePosixPath(step.staged), PurePosixPath(step.path)
    except (TypeError, AttributeError, Unreadable):
        return False
    return staged.parent == target.parent and staged.name.startswith(_STAGED) and staged.parts[0] in AUTHORED


def _mend(root: Path, step: _Step, ready: bool) -> str:
    """Put one file of an interrupted change in its place, or remove what was written next to it."""
    if not os.path.lexists(root / step.staged):
        return ""
    whole = ready and _holds(root, step.staged, step.after)
    if whole and _holds(root, step.path, step.before):
        os.replace(root / step.staged, root / step.path)
        return f"{step.path} is written now"
    (root / step.staged).unlink()
    return f"{step.path} was changed since and stays as it is" if ready else ""
