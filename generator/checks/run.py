"""Running all checks: what one mistake causes twice is reported once, and waivers excuse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from generator.checks.contract import Check, Tally
from generator.checks.internal_error import failed
from generator.findings import Finding, Location, Severity
from generator.knowledge.evidence.disputes import as_sources_say
from generator.knowledge.knowledge_base import KnowledgeBase

DISPUTE = "WIR202"
UNBALANCED = "NUM414"
OF_FIGURES = ("DRV", "NUM", "CMP")
"""Checks whose findings follow from figures, and with them from every field of a config."""


@dataclass(frozen=True)
class CheckRun:
    """The outcome of a run: findings in the order of their places, counts, what was waived, how many were known."""

    findings: tuple[Finding, ...]
    checked: int
    skipped: int
    not_checkable: int
    waived: tuple[Finding, ...] = ()
    by_check: Mapping[str, Tally] = field(default_factory=dict)
    known: int = 0

    def without(self, known: Iterable[Finding], written: Callable[[Location], bool] = lambda place: False) -> CheckRun:
        """The outcome less the findings that were known before; each known one excuses one of its kind.

        In lines that were `written` since then an unbalanced number is an error, known or not.
        """
        left = Counter(finding.identity for finding in known)
        new = []
        for finding in self.findings:
            if finding.code == UNBALANCED and written(finding.location):
                new.append(replace(finding, severity=Severity.ERROR))
            elif left[finding.identity]:
                left[finding.identity] -= 1
            else:
                new.append(finding)
        return replace(self, findings=tuple(new), known=len(self.findings) - len(new))

    def pressing(self, touched: Callable[[str], bool]) -> CheckRun:
        """The outcome with what is overdue in the files of some paths as errors."""
        return replace(
            self,
            findings=tuple(
                replace(finding, severity=Severity.ERROR)
                if finding.severity is Severity.OVERDUE and touched(finding.location.path)
                else finding
                for finding in self.findings
            ),
        )

    def count(self, severity: Severity) -> int:
        """How many findings are of a severity."""
        return sum(finding.severity is severity for finding in self.findings)

    def failing(self, strict: bool) -> bool:
        """Whether the run fails: errors always, warnings under --strict."""
        return bool(self.count(Severity.ERROR) or (strict and self.count(Severity.WARNING)))


def judge_all(kb: KnowledgeBase, checks: Sequence[Check], waiver_check: Check) -> CheckRun:
    """Run all checks, take out what one mistake causes twice, and what records excuse with a reason.

    A check that fails inside is a finding, which nothing excuses; the others run.
    """
    tallies: dict[str, Tally] = {}
    findings: list[Finding] = []
    failures: list[Finding] = []
    for each in checks:
        tallies[each.code] = Tally()
        try:
            for finding in each.judge(each, kb, tallies[each.code]):
                findings.append(finding)
        except Exception as error:
            failures.append(failed(each, error))
    lost = {finding.data["check"] for finding in failures}
    running = [each for each in checks if each.code not in lost]
    findings = _undisputed(kb, running, _absorbed(findings), tallies)
    kept, waived = _waive(kb, findings, waiver_check, tallies.setdefault(waiver_check.code, Tally()), lost)
    return CheckRun(
        tuple(sorted((*kept, *failures), key=lambda finding: finding.order)),
        sum(tally.checked for tally in tallies.values()),
        sum(tally.skipped for tally in tallies.values()),
        sum(tally.not_checkable for tally in tallies.values()),
        tuple(waived),
        tallies,
    )


def _absorbed(findings: list[Finding]) -> list[Finding]:
    """One mistake, one finding: ``data["absorbs"]`` of a finding says what it causes, as (code, record or place)."""
    absorbed = {pair for finding in findings for pair in finding.data.get("absorbs", ())}
    kept = [
        finding
        for finding in findings
        if (finding.code, finding.record) not in absorbed and (finding.code, finding.location) not in absorbed
    ]
    return [
        replace(finding, data={key: value for key, value in finding.data.items() if key != "absorbs"})
        for finding in kept
    ]


def _undisputed(
    kb: KnowledgeBase, checks: Iterable[Check], findings: list[Finding], tallies: Mapping[str, Tally]
) -> list[Finding]:
    """The findings about figures that hold whichever side is right, where a record and its source disagree (WIR202).

    What a wrong layer count makes wrong in a text is the same mistake. It is counted as skipped.
    """
    disputed = {
        str(finding.record): {key: pair[1] for key, pair in finding.data["fields"].items()}
        for finding in findings
        if finding.code == DISPUTE
    }
    if not disputed:
        return findings
    other = as_sources_say(kb, disputed)
    figures = [each for each in checks if each.code.startswith(OF_FIGURES)]
    found = {(finding.code, finding.location) for each in figures for finding in each.run(other, Tally())}
    kept = []
    for finding in findings:
        if finding.code.startswith(OF_FIGURES) and (finding.code, finding.location) not in found:
            tallies[finding.code].checked -= 1
            tallies[finding.code].skipped += 1
        else:
            kept.append(finding)
    return kept


def _waive(
    kb: KnowledgeBase, findings: list[Finding], waiver_check: Check, tally: Tally, lost: Container[str]
) -> tuple[list[Finding], list[Finding]]:
    """Split findings into kept and waived; a waiver that excuses nothing is a finding of its own.

    One that has ended still excuses: what the day decides is reported as overdue, not as an error. What a waiver would
    excuse of a check in `lost`, which did not finish, is not known.
    """
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
            if not excused and code in lost:
                continue
            if not excused:
                message = f"the waiver of {code} excuses nothing in this record; remove it"
                kept.append(waiver_check.finding(where, message, record.id))
                continue
            kept = [finding for finding in kept if finding not in excused]
            waived += excused
            if until and until < kb.today.isoformat():
                message = (
                    f"the waiver of {code} ended on {until}; settle what it excuses and remove it, or give it a new "
                    "end and say why"
                )
                kept.append(waiver_check.finding(where, message, record.id, severity=Severity.OVERDUE))
    return kept, waived
