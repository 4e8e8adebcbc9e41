"""What was asked and what came back, on disk: replies for conditional requests, and the outcome for each source.

Each entry is written by itself, so that a run can be stopped at any time and go on later. The one module that imports
sqlite3.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from generator.upstream.replies import Reply

_TABLES = """
create table if not exists replies (
  url text primary key, asked text not null, final text not null, status integer not null,
  headers text not null, body blob not null
);
create table if not exists outcomes (
  source text primary key, at text not null, locator text not null, told text not null
);
"""


class Unusable(Exception):
    """The store cannot be read or written; the message says why."""


class Store:
    """The store in a file; it is made where there is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(path, isolation_level=None, timeout=5)
            self._base.executescript(_TABLES)
        except (sqlite3.Error, OSError) as problem:
            raise Unusable(f"{path}: {problem}; remove the file, or name another with --store") from None

    def reply(self, url: str) -> Reply | None:
        """The last whole reply for an address."""
        row = self._one("select final, status, body, headers from replies where url = ?", url)
        return Reply(row[0], row[1], row[2], json.loads(row[3])) if row else None

    def keep(self, url: str, reply: Reply, at: str) -> None:
        """Keep a whole reply in the place of an earlier one."""
        values = (url, at, reply.url, reply.status, json.dumps(dict(reply.headers)), reply.body)
        self._base.execute("insert or replace into replies values (?, ?, ?, ?, ?, ?)", values)

    def outcome(self, source: str, locator: str, since: str) -> Any:
        """What was found of a source at this locator since a moment; None where it was not looked at since."""
        asked = "select told from outcomes where source = ? and locator = ? and at >= ?"
        row = self._one(asked, source, locator, since)
        return json.loads(row[0]) if row else None

    def keep_outcome(self, source: str, locator: str, told: Any, at: str) -> None:
        """Keep what was found of a source."""
        self._base.execute(
            "insert or replace into outcomes values (?, ?, ?, ?)", (source, at, locator, json.dumps(told))
        )

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def _one(self, asked: str, *values: str) -> Any:
        with closing(self._base.execute(asked, values)) as found:
            return found.fetchone()
