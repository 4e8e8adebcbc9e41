"""INT901: a check that failed inside."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Location, Severity, failure
from generator.knowledge.knowledge_base import KnowledgeBase


@check("INT901", Severity.ERROR)
def internal_error(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A check, or what is derived for a record, failed inside: a fault of Servebook, not of the record alone.

    Why it matters
    Skipped is not passed. What the check would have found in the rest of the records is not known, so the run fails;
    the other checks have run, and their findings count.

    How to fix
    Report it with the record that the message names, `servebook --version` and the message itself. Until it is fixed,
    a value of another form in that record usually lets the run pass: the message says what the check stumbled over.
    """
    # `judge_all` makes these findings where a check fails; what failed before the checks were run is reported here.
    tally.checked += len(kb.facts)
    for fault in kb.catalog.faults:
        if fault.code == this.code:
            yield this.finding(fault.location, fault.message, fault.record)


def failed(this: Check, error: Exception) -> Finding:
    """The finding of a check that has failed, at the record that it was at."""
    record = _record_in(error.__traceback__)
    where = record.at() if record else Location("records")
    on = f" on {record.id}" if record else ""
    message = f"the check {this.code} {this.name} failed inside{on} ({failure(error)}): please report it"
    return internal_error.finding(where, message, record.id if record else None, data={"check": this.code})


def _record_in(trace: TracebackType | None) -> Record | None:
    """The record that the innermost function was about: the checks hold it in a variable."""
    found = None
    while trace is not None:
        for value in trace.tb_frame.f_locals.values():
            held = value if isinstance(value, Record) else getattr(value, "record", None)
            if isinstance(held, Record):
                found = held
        trace = trace.tb_next
    return found
