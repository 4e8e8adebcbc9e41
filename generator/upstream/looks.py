"""One look at the document of a source as it is today: its facts against those on record, or why there are none."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import partial
from typing import Any

from generator.authoring.extract.extraction import extract, fact_changes, repeatable
from generator.authoring.extract.unparsable import Unparsable
from generator.catalog.records import Record
from generator.notation.versions import version
from generator.upstream.packages import PackageIndex, Release, ReleaseFile, newest
from generator.upstream.places import Hosts, Member, RepositoryFile, WebPage, document_place, locator_of
from generator.upstream.replies import NoReply
from generator.upstream.states import Drift, DriftOutcome
from generator.upstream.web import Web

MOST_ALIKE, BEGINNING = 12, 4
"""So many members are looked into for facts that moved; their names share so many characters behind the folder."""

NEAR = 0.75
"""From this likeness on a sentence is a quote in other words."""

_COMMIT = re.compile(rb"([0-9a-f]{40}) HEAD\b")


@dataclass(frozen=True)
class Looker:
    """Who looks: the ways out, and the version that is wanted where it is not the newest."""

    web: Web
    index: PackageIndex
    hosts: Hosts
    to: str | None = None

    def look(self, source: Record) -> DriftOutcome:
        """What a source's document says today; never raises but `Spent`."""
        place = document_place(locator_of(source))
        told = partial(DriftOutcome, source.id)
        if place is None:
            return told(Drift.NOT_COMPARABLE, f"`{locator_of(source)}` is no address that a machine can ask")
        if not _comparable(source):
            return told(
                Drift.NOT_COMPARABLE, "it has no extractor, no quote and no digest: only a person can compare it"
            )
        try:
            if isinstance(place, Member):
                return self._package(source, place)
            if isinstance(place, RepositoryFile):
                return self._repository(source, place)
            return self._page(source, place)
        except (NoReply, Unparsable) as problem:
            return told(Drift.UNREACHABLE, str(problem))

    # --- packages

    def _package(self, source: Record, place: Member) -> DriftOutcome:
        releases = self.index.releases(place.project)
        if releases is None:
            return DriftOutcome(source.id, Drift.GONE, f"the index has no project {place.project} any more")
        own = next((each for each in releases if version(each.version) == version(place.version)), None)
        artifact = source.get("artifact_digest")
        recorded = next((each for each in (own.files if own else ()) if each.digest == artifact), None)
        if own is None:
            return DriftOutcome(source.id, Drift.GONE, f"the index has {place.project}, and no release {place.version}")
        if artifact and recorded is None and all(each.digest for each in own.files):
            why = f"no archive of {place.project} {place.version} has the digest on record"
            return DriftOutcome(source.id, Drift.CHANGED, why, own.version)
        wanted = self._wanted(releases, place)
        if wanted is None or version(wanted.version) == version(place.version):
            state = Drift.YANKED if own.yanked else Drift.SAME
            return DriftOutcome(source.id, state, f"{place.version} is the newest release", own.version)
        found = self._released(source, place, wanted, wanted.archive(recorded.name if recorded else None))
        if own.yanked:
            return replace(found, state=Drift.YANKED, why=f"{place.version} was withdrawn; {found.why}")
        return found

    def _wanted(self, releases: Sequence[Release], place: Member) -> Release | None:
        if self.to is None:
            return newest(releases, place.version)
        found = next((each for each in releases if version(each.version) == version(self.to)), None)
        if found is None:
            raise NoReply(f"the index has no release {self.to} of {place.project}")
        return found

    def _released(self, source: Record, place: Member, release: Release, file: ReleaseFile) -> DriftOutcome:
        """The member in another release, which may have moved there."""
        data, path = self.index.member(file, place.path), place.path
        if data is None:
            data, path = self._moved(source, place, file)
        locator = f"pkg:pypi/{place.project}@{release.version}#{path}"
        about: dict[str, Any] = {
            "edition": release.version,
            "place": locator,
            "artifact": file.digest or "",
            "dated": file.uploaded or "",
        }
        if data is None:
            why = f"{place.project} {release.version} has no {place.path}, and nothing of that name with these facts"
            return DriftOutcome(source.id, Drift.GONE, why, **about)
        found = replace(self._compared(source, data, f"{place.project} {release.version}"), **about)
        if found.state is Drift.SAME:
            moved = path != place.path
            why = f"{place.project} {release.version} says the same" + (f", in {path}" if moved else "")
            return replace(found, state=Drift.MOVED if moved else Drift.SUPERSEDED, why=why)
        return replace(found, state=Drift.SUPERSEDED) if found.state is Drift.CHANGED else found

    def _moved(self, source: Record, place: Member, file: ReleaseFile) -> tuple[bytes | None, str]:
        """The one member that yields the facts under another path; none where it is not one."""
        if not repeatable(source):
            return None, place.path
        alike = _alike(place.path, self.index.members(file))
        held = []
        for path in alike:
            data = self.index.member(file, path)
            try:
                if data is not None and extract(source, data).facts:
                    held.append((data, path))
            except Unparsable:
                continue
        return held[0] if len(held) == 1 else (None, place.path)

    # --- repositories and pages

    def _repository(self, source: Record, place: RepositoryFile) -> DriftOutcome:
        url = self.hosts.file(place, self.hosts.head(place)) if place.forge in self.hosts.table else None
        if url is None:
            raise NoReply(f"schema/hosts.yaml does not say how to ask {place.forge}")
        reply = self.web.get(url)
        if reply.absent:
            repository = self.hosts.repository(place)
            if self.web.get(repository).absent:
                self._front(repository)
                return DriftOutcome(source.id, Drift.GONE, f"the repository {place.repository} is gone, or not public")
            return DriftOutcome(
                source.id, Drift.GONE, f"{place.path} is not on the default branch of {place.repository}"
            )
        return replace(
            self._compared(source, reply.body, "the default branch"), edition=self.hosts.head(place), place=url
        )

    def _page(self, source: Record, place: WebPage) -> DriftOutcome:
        reply = self.web.get(place.url)
        if reply.absent:
            self._front(place.url)
            return DriftOutcome(source.id, Drift.GONE, f"{place.url}: status {reply.status}, while the host answers")
        found = replace(self._compared(source, reply.body, "the page"), place=reply.url)
        if found.state is Drift.SAME and _other_page(place.url, reply.url):
            return replace(found, state=Drift.REDIRECTED, why=f"it says the same, at {reply.url}")
        return found

    def _front(self, url: str) -> None:
        """The control for what a host does not have: that it has its own front page. Raises `NoReply`."""
        if self.web.get("/".join(url.split("/")[:3]) + "/").absent:
            raise NoReply(f"{url}: the host knows neither this nor its own front page")

    def commit(self, place: RepositoryFile, digest: str) -> str | None:
        """The commit of the default branch, if a file has these bytes there; None where the host does not tell."""
        asked = self.hosts.commits(place)
        found = _COMMIT.search(self.web.head(asked, 2048)) if asked else None
        commit = found[1].decode("ascii") if found else None
        url = self.hosts.file(place, commit)
        same = commit and url and f"sha256:{hashlib.sha256(self.web.get(url).body).hexdigest()}" == digest
        return commit if same else None

    # --- facts

    def _compared(self, source: Record, data: bytes, where: str) -> DriftOutcome:
        """The bytes compared with what is on record: the same bytes, the same facts, or which differ."""
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        told = partial(DriftOutcome, source.id, digest=digest)
        identical = digest in (source.get("digest"), source.get("read_from", "digest"))
        if repeatable(source):
            found = extract(source, data)
            changes = fact_changes(source, found)
            facts: dict[str, Any] = dict(found.facts)
            if changes:
                return told(state=Drift.CHANGED, why=f"{where} says otherwise", changes=changes, facts=facts)
            why = "the bytes are the same" if identical else f"other bytes, the same facts: {where}"
            return told(state=Drift.SAME, why=why, facts=facts)
        if identical:
            return told(state=Drift.SAME, why="the bytes are the same")
        return self._quoted(source, data, where, told)

    def _quoted(self, source: Record, data: bytes, where: str, told: Callable[..., DriftOutcome]) -> DriftOutcome:
        """What was read by hand: its quotes, which are still there, in other words, or not at all."""
        quotes = [str(each["exact"]) for each in source.get("quotes") or ()]
        if not quotes:
            why = f"other bytes on {where}; it was read by hand, so a person compares"
            return told(state=Drift.NOT_COMPARABLE, why=why)
        text = _words(data.decode("utf-8", "replace"))
        lost = [each for each in quotes if _words(each) not in text]
        if not lost:
            return told(state=Drift.SAME, why=f"every quote stands on {where}")
        near = [each for each in lost if _near(_words(each), text)]
        if len(near) == len(lost):
            return told(state=Drift.REWORDED, why=f"{where} says `{lost[0]}` in other words")
        if len(lost) == len(quotes):
            raise NoReply(f"none of its quotes is on {where}: it may be another page")
        gone = next(each for each in lost if each not in near)
        return told(state=Drift.CHANGED, why=f"`{gone}` does not stand on {where} any more")


def _alike(path: str, members: Sequence[str]) -> list[str]:
    """The members that a file may have become: of its name, or in a place that begins as its own does."""
    folder, _, name = path.rpartition("/")
    ending = name.rpartition(".")[2]

    def shared(each: str) -> int:
        return next((at for at, (one, other) in enumerate(zip(each, path, strict=False)) if one != other), len(path))

    near = [
        each
        for each in members
        if each.rpartition("/")[2] == name or (shared(each) > len(folder) + BEGINNING and each.endswith(f".{ending}"))
    ]
    return sorted(near, key=lambda each: (-shared(each), each))[:MOST_ALIKE]


def _comparable(source: Record) -> bool:
    held = source.get("digest") or source.get("read_from", "digest") or source.get("quotes")
    return repeatable(source) or bool(held)


def _words(text: str) -> str:
    """A text without markup of pages and with single blanks."""
    return " ".join(re.sub(r"<[^<>]{0,500}>", " ", text).split())


def _near(quote: str, text: str) -> bool:
    """Whether some stretch of a text, twice as long as a quote, resembles it: a quote that is there gives 1."""
    first = max(quote.split(), key=len, default="")
    at, length = text.find(first), len(quote)
    for _ in range(20):
        if at < 0 or not first:
            return False
        start = max(0, at - length)
        if SequenceMatcher(None, quote, text[start : at + length], autojunk=False).ratio() * 1.5 >= NEAR:
            return True
        at = text.find(first, at + 1)
    return False


def _other_page(asked: str, got: str) -> bool:
    """Whether a reply came from another page than was asked for; another scheme or a slash is none."""
    plain = [re.sub(r"^https?://(?:www\.)?", "", each).rstrip("/") for each in (asked, got)]
    return plain[0] != plain[1]
