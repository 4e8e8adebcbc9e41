"""DRF601: evidence that can change and was not read again for long."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from generator.catalog.records import Record
from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Related, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.addresses import floats, is_address, may_change


@check("DRF601", Severity.OVERDUE)
def stale_source(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A value rests on a document that can change and was not read again for longer than its type allows.

    Why it matters
    A thread is closed, a documentation page follows the next release, a branch moves on. Nothing in the base shows it:
    the facts here still match their digest, but are no longer what the document says.

    How long a reading holds is data, `schema/rereading.yaml`, with a reason for each type. A package at a version, a
    commit, a revision, the documentation of a release or an archived copy never changes. Age is counted to the
    day on which the base is checked. CIT110 reports a branch that could be pinned; where that is excused, this
    check sees to it that somebody looks again.

    Nobody has made a mistake here; time has passed. So this is reported as overdue: it fails `validate --overdue`,
    which belongs in a scheduled job, and `validate --against REF` where the source differs from REF.

    Bad
    ```yaml sources/tiny-engine-issue.yaml
    read_from: {locator: "https://github.com/tiny/engine/issues/7"}
    retrieved: 2025-06-06
    upstream_date: 2025-06-06
    ```

    Good
    ```yaml sources/tiny-engine-issue.yaml
    read_from: {locator: "https://github.com/tiny/engine/issues/7"}
    retrieved: 2026-11-20
    upstream_date: 2025-06-06
    ```

    How to fix
    Open the address, compare it with `facts`, correct what has changed there and in the records that cite it, and set
    `retrieved` to the day on which you did. Better still, where the document has a version, a commit or an
    archived copy: pin it.
    """
    limits = kb.catalog.tables.get("rereading", {})
    for source in tally.sound(kb, "source"):
        address, limit = _address(source), limits.get(source.get("type"))
        if address is None or limit is None:
            tally.not_checkable += 1  # there is nothing that somebody could read again, or nothing says how soon
            continue
        if floats(address) and not _excused(source, kb.today):
            tally.skipped += 1  # CIT110 asks for a pin, and a pinned source does not age
            continue
        tally.checked += 1
        why, resting = may_change(address), kb.graph.rests_on(source.id)
        due = _due(date.fromisoformat(source.get("retrieved")), limit["days"])
        if why and resting and due < kb.today:
            age = (kb.today - due).days + limit["days"]
            many = "1 value rests" if len(resting) == 1 else f"{len(resting)} values rest"
            message = (
                f"read on {source.get('retrieved')}, {age} days ago, and {why}; of this type ({source.get('type')}) a "
                f"reading holds for {limit['days']} days: {limit['because']}. {many} on it; read {address} again, "
                "correct what has changed, and set `retrieved` to the day"
            )
            related = [Related(citation.location, f"`{citation.place}` rests on it") for citation in resting[:10]]
            data = {"address": address, "why": why, "age_days": age, "allowed_days": limit["days"], "due": str(due)}
            yield this.finding(source.at("retrieved"), message, source.id, related, data=data | {"rests": len(resting)})


def _address(source: Record) -> str | None:
    """Where one could read again what was read; None where only words say where that was.

    What we know through another document can be read again only where that one has an address.
    """
    read_from, locator = source.get("read_from", "locator"), str(source.get("locator"))
    places = [read_from, locator, source.get("url") if source.get("retrieval") != "secondary" else None]
    return next((place for place in places if place and is_address(place) and " " not in place), None)


def _excused(source: Record, today: date) -> bool:
    """Whether the source says why it cannot be pinned."""
    waivers = source.get("waivers") or ()
    return any(each["code"] == "CIT110" and each["until"] >= today.isoformat() for each in waivers)


def _due(read: date, days: int) -> date:
    """The day on which a reading is to be repeated, as far as there are days."""
    return read + timedelta(days=min(days, (date.max - read).days))
