"""Where a knowledge base lies, and the text of its files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from generator.catalog.read.conflicts import refuse_conflicts
from generator.catalog.yaml.document import START, SecondFile, Unreadable, located
from generator.findings import Fault

TOLD = 20
"""So many mistakes are listed where ``schema/`` is broken."""


class NoKnowledgeBase(Exception):
    """The folder cannot be read as a knowledge base; the message says what to do."""


class BrokenSchema(NoKnowledgeBase):
    """The files of ``schema/`` are broken, and without them nothing can be read."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        lines = [f"{fault.location}: {fault.code} {fault.message}" for fault in faults[:TOLD]]
        more = [f"and {len(faults) - TOLD} more"] if len(faults) > TOLD else []
        super().__init__("\n".join(lines + more))
        self.faults = tuple(faults)


def find_root(start: Path) -> Path:
    """The nearest folder at or above `start` that holds ``records/`` and ``sources/``."""
    for folder in (start, *start.parents):
        if (folder / "records").is_dir() and (folder / "sources").is_dir():
            return folder
    raise NoKnowledgeBase(
        f"no knowledge base at or above {start}: a folder with records/ and sources/ is expected. "
        "Change into one, or name it with --root."
    )


def decoded(data: bytes, markdown: bool = False) -> str:
    """The text of a file's bytes. Raises `Unreadable` with the place."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable("the file is UTF-16; save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:  # it holds the bytes without their mark
        before = error.object[: error.start].decode("utf-8", "replace")
        line, column = before.count("\n"), len(before) - before.rfind("\n") - 1
        where = (line, column, line, column + 1)
        raise Unreadable(
            f"byte 0x{error.object[error.start]:02x} is not UTF-8; save the file as UTF-8", where
        ) from None
    refuse_conflicts(text, markdown)
    return text


def unread(error: OSError | Unreadable, path: str, id: str | None = None, second: SecondFile | None = None) -> Fault:
    """A file that could not be read, as a fault of its author."""
    if isinstance(error, Unreadable):
        return Fault(error.code, located(path, error.span, second), error.message, id)
    return Fault("YML001", located(path, START, second), f"cannot be read: {error.strerror}", id)
