"""Editions of one document among the sources: which of them is newer, and how that is known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from generator.catalog.records import Catalog, Record
from generator.notation.addresses import edition, floats, is_address
from generator.notation.citations import whole
from generator.notation.versions import prerelease, version

_COMMIT = re.compile(r"[0-9a-f]{7,40}")
"""A commit, which may look like a version (`1234567`, `12345a67`) and is not one."""


@dataclass(frozen=True)
class Newer:
    """A newer edition of a document: the names of the two (version, commit or day), and how one knows."""

    source: Record
    this: str
    that: str
    why: str


def newer_editions(catalog: Catalog) -> dict[str, Newer]:
    """For every source that the base has a newer edition of: the newest one."""
    next_one = {}
    for source, newer in (*_by_address(catalog), *_by_word(catalog)):  # what is said outweighs what addresses suggest
        next_one[source.id] = newer
    found = {id: _last(next_one, id) for id in next_one}
    return {id: newer for id, newer in found.items() if newer is not None}


def _last(next_one: Mapping[str, Newer], id: str) -> Newer | None:
    """The end of a chain; one that bites its tail has none."""
    seen, newer = {id}, next_one[id]
    while newer.source.id in next_one:
        if newer.source.id in seen:
            return None
        seen.add(newer.source.id)
        newer = next_one[newer.source.id]
    return replace(newer, this=next_one[id].this)


def _by_word(catalog: Catalog) -> Iterator[tuple[Record, Newer]]:
    """Pairs that the sources themselves state, from either side."""
    for source in catalog.sound("source"):
        for field in ("supersedes", "superseded_by"):
            other = _source(catalog, source.get(field))
            if other is not None and other.id != source.id:
                old, new = (other, source) if field == "supersedes" else (source, other)
                yield old, Newer(new, edition_of(old), edition_of(new), f"`{field}` of {source.id} says so")


def _source(catalog: Catalog, value: Any) -> Record | None:
    mention = whole(str(value or ""))
    record = catalog.resolve(mention).record if mention and not mention.problem else None
    return record if record and record.kind == "source" else None


def _by_address(catalog: Catalog) -> Iterator[tuple[Record, Newer]]:
    """Pairs of one document about one subject. Editions whose order is not known are not a pair."""
    keyed = [(_document(source), source) for source in catalog.sound("source")]
    keyed.sort(key=lambda pair: (pair[0], pair[1].id))
    for _, group in groupby(keyed, key=lambda pair: pair[0]):
        sources = [source for _, source in group]
        for old in sources if len(sources) > 1 else ():
            found = [newer for new in sources if new is not old for newer in [_newer(old, new)] if newer]
            best = next((one for one in found if not any(_newer(one.source, two.source) for two in found)), None)
            if best is not None:
                yield old, best


def _document(source: Record) -> tuple[str, ...]:
    """What is one document: the same place, read as the same kind of thing about the same subjects."""
    return (edition(_address(source))[0], str(source.get("type")), *sorted(source.get("subjects") or ()))


def _address(source: Record) -> str:
    locator = str(source.get("locator"))
    return locator if is_address(locator) else str(source.get("url"))


def _named(source: Record, field: str) -> str | None:
    mention = whole(str(source.get(field) or ""))
    return mention.id if mention else None


def shown(edition: str) -> str:
    """An edition as messages and prose write it: a commit by its first digits."""
    return edition[:8] if _COMMIT.fullmatch(edition) else edition


def edition_of(source: Record) -> str:
    """Which edition a source is, in words: its version or commit, else its day."""
    name = edition(_address(source))[1]
    return (
        name if name and not floats(_address(source)) else str(source.get("upstream_date") or source.get("retrieved"))
    )


def _newer(old: Record, new: Record) -> Newer | None:
    """The second as the newer one: by version, by the day of the document, or by the day on which it was read.

    The day of reading decides only where both were read at one address that can change.
    """
    if any(_named(one, "same_document_as") == two.id for one, two in ((old, new), (new, old))):
        return None
    one, two = edition(_address(old))[1], edition(_address(new))[1]
    first, second = (None if _COMMIT.fullmatch(name or "") else version(name) for name in (one, two))
    if first is not None and second is not None:
        later = first < second and (prerelease(one) or not prerelease(two))
        return Newer(new, str(one), str(two), "by version") if later else None
    if len(_days(old, new, "upstream_date")) == 2:
        return _by_day(old, new, "upstream_date")
    return _by_day(old, new, "retrieved") if one == two and floats(_address(old)) else None


def _days(old: Record, new: Record, field: str) -> set[str]:
    """The two days where they differ and are whole: 2026-01 is not before 2026-01-05."""
    return {day for day in (str(old.get(field)), str(new.get(field))) if len(day) == len("2026-11-29")}


def _by_day(old: Record, new: Record, field: str) -> Newer | None:
    days = sorted(_days(old, new, field))
    if len(days) < 2 or days[1] != new.get(field):
        return None
    return Newer(new, edition_of(old), edition_of(new), f"{days[1]} after {days[0]}")
