"""Which state of the records a site shows: the day, the commit, and the versions of the engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from generator.site.site import Site

COMMIT, MOMENT = "SERVEBOOK_COMMIT", "SOURCE_DATE_EPOCH"
"""What `servebook build` tells in the environment. Without a moment the day is that on which the site is built."""


@dataclass(frozen=True)
class Edition:
    """What every footer says. `commit` is empty where nobody told it, as in a preview."""

    date: str
    commit: str
    engines: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, site: Site, environment: Mapping[str, str]) -> Edition:
        """That of a site."""
        moment = environment.get(MOMENT, "")
        date = datetime.fromtimestamp(int(moment), UTC).date() if moment.isdigit() else site.kb.today
        versions = ((one.title, str(one.get("version") or one.get("commit") or "")) for one in site.answers.engines)
        return cls(
            date.isoformat(),
            environment.get(COMMIT, ""),
            tuple((title[:60], version if "." in version else version[:9]) for title, version in versions),
        )
