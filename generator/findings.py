"""What a check says: one finding, where it is, what to do, and the edits that would do it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

_LINE_NUMBER = re.compile(r"\bline \d+")


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in an authored file. Lines and columns count from 1; columns count characters; the end is exclusive."""

    path: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1

    @classmethod
    def of(cls, path: str, span: tuple[int, int, int, int]) -> Location:
        """The place of a span ``(line, column, end_line, end_column)`` that counts from 0, as a parser's do."""
        return cls(path, *(number + 1 for number in span))

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


class Severity(StrEnum):
    """Errors fail a run; warnings fail it under ``--strict``; infos never do.

    Overdue is what only the passing of time has caused: it fails a run that asks for it, and any change of that file.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    OVERDUE = "overdue"


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace what is at `location` by `text`; nothing else in the file changes."""

    location: Location
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that resolve a finding. A safe fix cannot change what the record means."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that the finding is about."""

    location: Location
    message: str


@dataclass(frozen=True, slots=True)
class Fault:
    """An author's error met while reading, before any check has run; the check of its code makes it a finding."""

    code: str
    location: Location
    message: str
    record: str | None = None
    related: tuple[Related, ...] = ()
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake in one place. `record` is the id it is about, `data` what another program may want to know."""

    code: str
    name: str
    severity: Severity
    message: str
    location: Location
    record: str | None = None
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def identity(self) -> tuple[str, str, str]:
        """What makes it the same finding after lines have moved, those that the message names included."""
        return (self.code, self.location.path, _LINE_NUMBER.sub("line", self.message))

    @property
    def order(self) -> tuple[str, int, int, str]:
        """Findings are shown by place, then by code."""
        return (self.location.path, self.location.line, self.location.column, self.code)


def failure(error: Exception) -> str:
    """An exception that nobody expected in one line, short enough for a message."""
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said[:200]}" if said else type(error).__name__


def within(path: str, wanted: Sequence[str]) -> bool:
    """Whether a root-relative path is in one of the wanted ones; without any, every path is."""
    return not wanted or any(each in (".", path) or path.startswith(f"{each}/") for each in wanted)
