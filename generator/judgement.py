"""What a check is, how checks are run, and how their work is counted.

A check is a function ``(kb, tally) -> Iterator[Finding]`` in a file of its own, made by `check`. Its docstring is what
``servebook explain`` prints and what the site publishes; the examples in it are executed by the tests.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from generator.findings import Finding, Fix, Related, Severity
from generator.knowledge import KnowledgeBase
from generator.records import Record
from generator.spans import Location


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
    def summary(self) -> str:
        """The first sentence of the docstring."""
        return self.doc.split("\n\n")[0].replace("\n", " ")


def check(code: str, severity: Severity) -> Callable[[Judge], Check]:
    """Make a check of a function; its name is the function's."""

    def make(judge: Judge) -> Check:
        return Check(code, judge.__name__.replace("_", "-"), severity, inspect.getdoc(judge) or "", judge)

    return make


def of_faults(code: str, name: str, doc: str) -> Judge:
    """The judgement over faults that were met while reading: each becomes a finding of its check."""

    def judge(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
        tally.checked += kb.catalog.files
        for fault in kb.catalog.faults:
            if fault.code == code:
                yield this.finding(fault.location, fault.message, fault.record, fault.related, fault.fix)

    judge.__name__, judge.__doc__ = name, doc
    return judge


@dataclass(frozen=True)
class Verdicts:
    """The outcome of a run: findings in the order of their places, counts, what was waived, how many were known."""

    findings: tuple[Finding, ...]
    checked: int
    skipped: int
    not_checkable: int
    waived: tuple[Finding, ...] = ()
    by_check: Mapping[str, Tally] = field(default_factory=dict)
    known: int = 0

    def without(self, known: Iterable[Finding]) -> Verdicts:
        """The outcome less the findings that were known before; each known one excuses one of its kind."""
        left = Counter(finding.identity for finding in known)
        new = []
        for finding in self.findings:
            if left[finding.identity]:
                left[finding.identity] -= 1
            else:
                new.append(finding)
        return replace(self, findings=tuple(new), known=len(self.findings) - len(new))

    def count(self, severity: Severity) -> int:
        """How many findings are of a severity."""
        return sum(finding.severity is severity for finding in self.findings)

    def failing(self, strict: bool) -> bool:
        """Whether the run fails: errors always, warnings under --strict."""
        return bool(self.count(Severity.ERROR) or (strict and self.count(Severity.WARNING)))


def judge_all(kb: KnowledgeBase, checks: Iterable[Check], waiver_check: Check) -> Verdicts:
    """Run all checks, take out what one mistake causes twice, and what records excuse with a reason."""
    tallies: dict[str, Tally] = {}
    findings: list[Finding] = []
    for each in checks:
        tallies[each.code] = Tally()
        findings += each.run(kb, tallies[each.code])
    findings = _absorbed(findings)
    kept, waived = _waive(kb, findings, waiver_check, tallies.setdefault(waiver_check.code, Tally()))
    return Verdicts(
        tuple(sorted(kept, key=lambda finding: finding.order)),
        sum(tally.checked for tally in tallies.values()),
        sum(tally.skipped for tally in tallies.values()),
        sum(tally.not_checkable for tally in tallies.values()),
        tuple(waived),
        tallies,
    )


def _absorbed(findings: list[Finding]) -> list[Finding]:
    """One mistake, one finding: a finding says in ``data["absorbs"]`` which (code, record) pairs it causes."""
    absorbed = {pair for finding in findings for pair in finding.data.get("absorbs", ())}
    kept = [finding for finding in findings if (finding.code, finding.record) not in absorbed]
    return [
        replace(finding, data={key: value for key, value in finding.data.items() if key != "absorbs"})
        for finding in kept
    ]


def _waive(
    kb: KnowledgeBase, findings: list[Finding], waiver_check: Check, tally: Tally
) -> tuple[list[Finding], list[Finding]]:
    """Split findings into kept and waived; a waiver that excuses nothing, or has expired, is a finding of its own."""
    kept, waived = list(findings), []
    for record in kb.catalog.records.values():
        waivers = record.get("waivers")
        for index, waiver in enumerate(waivers if isinstance(waivers, list) else ()):
            if not isinstance(waiver, dict) or not isinstance(waiver.get("code"), str):
                continue  # the schema check has said so
            tally.checked += 1
            code, until = waiver["code"], str(waiver.get("until", ""))
            excused = [finding for finding in kept if finding.record == record.id and finding.code == code]
            where = record.at("waivers", index, "code")
            if until and until < kb.today.isoformat():
                kept.append(waiver_check.finding(where, f"the waiver of {code} ended on {until}; remove it", record.id))
            elif not excused:
                message = f"the waiver of {code} excuses nothing in this record; remove it"
                kept.append(waiver_check.finding(where, message, record.id))
            else:
                kept = [finding for finding in kept if finding not in excused]
                waived += excused
    return kept, waived


EXAMPLE = re.compile(r"^```yaml (\S+)\n(.*?)^```", re.M | re.S)
SECTIONS = ("Why it matters", "Bad", "Good", "How to fix")


def sections(doc: str) -> dict[str, str]:
    """A check's docstring by section; the text before the first heading has the key ``""``."""
    parts = re.split(r"^(" + "|".join(SECTIONS) + r")$\n", doc + "\n", flags=re.M)
    return {"": parts[0].strip(), **{name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}}


def examples(doc: str, section: str) -> dict[str, str]:
    """The files of a section's examples: path to text."""
    return dict(EXAMPLE.findall(sections(doc).get(section, "") + "\n"))
