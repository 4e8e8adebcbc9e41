"""What a check is, how checks are run, and how their work is counted.

A check is a function ``(kb, tally) -> Iterator[Finding]`` in a file of its own, made by `check`. Its docstring is what
``servebook explain`` prints and what the site publishes; the examples in it are executed by the tests.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from generator.catalog.records import Record
from generator.findings import Finding, Fix, Location, Related, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@dataclass
class Tally:
    """Counts of (check, subject) pairs: skipped is not passed.

    Checked: both sides were present. Skipped: a dependency failed. Not checkable: an input is null, missing or unread.
    """

    checked: int = 0
    skipped: int = 0
    not_checkable: int = 0

    def sound(self, kb: KnowledgeBase, kind: str) -> Iterator[Record]:
        """The records of a kind that keep to their schema; the others count as skipped."""
        for record in kb.catalog.of(kind):
            if record.id in kb.catalog.unsound:
                self.skipped += 1
            else:
                yield record


Judge = Callable[["Check", KnowledgeBase, Tally], Iterator[Finding]]


@dataclass(frozen=True)
class Check:
    """A code that never changes its meaning, a name that reads well behind "allow", and the function that judges."""

    code: str
    name: str
    severity: Severity
    doc: str
    judge: Judge

    def run(self, kb: KnowledgeBase, tally: Tally) -> list[Finding]:
        """All findings of this check."""
        return list(self.judge(self, kb, tally))

    def finding(
        self,
        location: Location,
        message: str,
        record: str | None = None,
        related: Iterable[Related] = (),
        fix: Fix | None = None,
        data: Mapping[str, Any] | None = None,
        severity: Severity | None = None,
    ) -> Finding:
        """A finding of this check."""
        return Finding(
            self.code, self.name, severity or self.severity, message, location, record, tuple(related), fix, data or {}
        )

    @property
    def file(self) -> PurePosixPath:
        """The file that it is written in, relative to the root of Servebook's repository."""
        return PurePosixPath(self.judge.__module__.replace(".", "/") + ".py")

    @property
    def summary(self) -> str:
        """The first sentence of the docstring."""
        return self.doc.split("\n\n")[0].replace("\n", " ")


def check(code: str, severity: Severity) -> Callable[[Judge], Check]:
    """Make a check of a function; its name is the function's."""

    def make(judge: Judge) -> Check:
        return Check(code, judge.__name__.replace("_", "-"), severity, inspect.getdoc(judge) or "", judge)

    return make


def of_faults(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """The faults of a check's code that were met while reading, as its findings."""
    tally.checked += kb.catalog.files
    for fault in kb.catalog.faults:
        if fault.code == this.code:
            yield this.finding(fault.location, fault.message, fault.record, fault.related, fault.fix)
