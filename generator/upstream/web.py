"""Requests: one at a time for each host, conditional where a reply is in the store, within a budget.

The one module that imports httpx2. What is cut short, refused or too long is no reply (`NoReply`), never an absence.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

import httpx2

from generator import __version__
from generator.upstream.replies import ABSENT, NoReply, Reply, Spent
from generator.upstream.store import Store

KEPT = ("etag", "last-modified", "content-type", "content-range")
RETRIED = (429, 500, 502, 503, 504)
ATTEMPTS = 3
_SPAN = re.compile(r"bytes (\d{1,15})-(\d{1,15})/(\d{1,15})")
_AGENT = f"servebook/{__version__} (drift)"


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may take: seconds and bytes in all, bytes of one reply, seconds between requests to one host."""

    seconds: float = 900.0
    bytes: int = 200_000_000
    largest: int = 32_000_000
    pace: float = 1.0
    patience: float = 60.0
    """So many seconds a host may ask to wait; where it asks for more, the source is left for another time."""


@dataclass
class Web:
    """The way out. `clock` and `sleep` are those of the system but in tests; `now` gives the moment as text."""

    store: Store
    now: Callable[[], str]
    budget: Budget = field(default_factory=Budget)
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    requests: int = 0
    received: int = 0

    def __post_init__(self) -> None:
        self._began = self.clock()
        self._free: dict[str, float] = {}
        self._known: dict[str, Reply] = {}
        self._client = httpx2.Client(
            follow_redirects=True, max_redirects=5, timeout=30.0, headers={"user-agent": _AGENT}
        )

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def get(self, url: str, accept: str = "*/*") -> Reply:
        """A document. Raises `NoReply`, and `Spent` where the budget is used up."""
        if url in self._known:
            return self._known[url]
        before = self.store.reply(url)
        headers = {"accept": accept, **_conditions(before)}
        reply = self._asked(url, headers)
        if reply.status == 304 and before is not None:
            reply = before
        elif reply.status == 200:
            self.store.keep(url, reply, self.now())
        self._known[url] = reply
        return reply

    def part(self, url: str, start: int | None, length: int) -> tuple[bytes, int]:
        """Bytes of a file, from `start` or the last ones, and the size of the whole file. Raises `NoReply`."""
        span = f"bytes=-{length}" if start is None else f"bytes={start}-{start + length - 1}"
        reply = self._asked(url, {"range": span, "accept-encoding": "identity"})
        found = _SPAN.fullmatch(reply.headers.get("content-range", ""))
        if reply.status != 206 or found is None or len(reply.body) != int(found[2]) - int(found[1]) + 1:
            raise NoReply(f"{url}: the host gives no parts of files (status {reply.status})")
        return reply.body, int(found[3])

    def head(self, url: str, length: int) -> bytes:
        """The first bytes of a document whose rest is not wanted."""
        return self._asked(url, {}, cut=length).body

    def _asked(self, url: str, headers: dict[str, str], cut: int | None = None) -> Reply:
        """One reply, asked for again where the host is busy."""
        for attempt in range(1, ATTEMPTS + 1):
            reply = self._once(url, headers, cut)
            if reply.status not in RETRIED:
                break
            wait = self._wait(reply, attempt)
            if attempt == ATTEMPTS or wait > self.budget.patience:
                raise NoReply(f"{url}: the host is busy (status {reply.status}, wait {wait:.0f} s)")
            self.sleep(wait)
        if reply.status in (200, 206, 304, *ABSENT):
            return reply
        raise NoReply(f"{url}: refused with status {reply.status}")

    def _once(self, url: str, headers: dict[str, str], cut: int | None) -> Reply:
        with self._turn(url):
            try:
                with self._client.stream("GET", url, headers=headers) as response:
                    status = response.status_code
                    body = self._body(response, cut) if status in (200, 206) else b""
                    kept = {name: response.headers[name] for name in (*KEPT, "retry-after") if name in response.headers}
                    return Reply(str(response.url), status, body, kept)
            except (httpx2.HTTPError, httpx2.InvalidURL) as problem:
                raise NoReply(f"{url}: {type(problem).__name__}: {problem}") from None

    def _body(self, response: httpx2.Response, cut: int | None) -> bytes:
        parts, size = [], 0
        for part in response.iter_bytes():
            parts.append(part)
            size += len(part)
            self.received += len(part)
            if cut is not None and size >= cut:
                break
            if size > self.budget.largest:
                raise NoReply(f"{response.url}: more than {self.budget.largest:,} bytes")
        return b"".join(parts)[:cut]

    @contextmanager
    def _turn(self, url: str) -> Iterator[None]:
        """Wait until the host may be asked again, and take from the budget."""
        host = _host(url)
        wait = self._free.get(host, 0.0) - self.clock()
        if self.received >= self.budget.bytes or self.clock() + max(wait, 0) - self._began >= self.budget.seconds:
            raise Spent(f"{self.requests:,} requests, {self.received:,} bytes")
        if wait > 0:
            self.sleep(wait)
        self.requests += 1
        try:
            yield
        finally:
            self._free[host] = self.clock() + self.budget.pace

    def _wait(self, reply: Reply, attempt: int) -> float:
        """The seconds that a busy host asks for, else some more after each attempt."""
        asked = reply.headers.get("retry-after", "").strip()
        if asked.isdigit():
            return float(asked)
        try:
            until = parsedate_to_datetime(asked)
            return max(0.0, (until - parsedate_to_datetime(self.now())).total_seconds())
        except (ValueError, TypeError):
            return 2.0**attempt


def _host(url: str) -> str:
    """The host of an address that can be asked. Raises `NoReply`."""
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL as problem:
        raise NoReply(f"{url}: no address: {problem}") from None
    if parsed.scheme not in ("http", "https"):
        raise NoReply(f"{url}: only addresses of the web are asked for")
    return parsed.host


def _conditions(before: Reply | None) -> dict[str, str]:
    """The headers by which a host need not send again what the store has."""
    names = {"etag": "if-none-match", "last-modified": "if-modified-since"}
    held = before.headers if before else {}
    return {names[name]: held[name] for name in names if name in held}
