"""A host on loopback that says what a test lets it say, and remembers what it was asked."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass
class Said:
    """One reply: a status, headers, bytes, and whether the bytes break off early."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    ranges: bool = True


class FakeHost:
    """What stands where: an address without the host to a reply, or to several, of which the last one stays."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.says: dict[str, Said | list[Said]] = {"/": Said(b"front page")}
        self.asked: list[tuple[str, Mapping[str, str]]] = []

    def reply(self, path: str) -> Said:
        held = self.says.get(path, Said(b"no such page", 404))
        if isinstance(held, list):
            return held.pop(0) if len(held) > 1 else held[0]
        return held

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]

    def project(self, name: str, releases: Mapping[str, Mapping[str, bytes]], yanked: tuple[str, ...] = ()) -> None:
        """A project of an index with a wheel for each version, given as members."""
        rows = []
        for version, members in releases.items():
            file, data = f"{name.replace('-', '_')}-{version}-py3-none-any.whl", wheel(members)
            self.says[f"/files/{file}"] = Said(data)
            digest = hashlib.sha256(data).hexdigest()
            row = {"filename": file, "url": f"../../files/{file}", "hashes": {"sha256": digest}}
            rows.append({**row, "yanked": version in yanked, "upload-time": "2026-10-01T10:00:00Z"})
        page = {"meta": {"api-version": "1.1"}, "name": name, "versions": list(releases), "files": rows}
        self.says[f"/simple/{name}/"] = Said(json.dumps(page).encode())


def wheel(members: Mapping[str, bytes]) -> bytes:
    """A wheel as a zip, the same bytes each time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


@contextmanager
def fake_host() -> Iterator[FakeHost]:
    """A running host."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            said = host.reply(self.path)
            etag = said.headers.get("etag")
            if etag and self.headers.get("if-none-match") == etag:
                said = Said(b"", 304, {"etag": etag})
            body, status, headers = said.body, said.status, dict(said.headers)
            span = re.fullmatch(r"bytes=(\d*)-(\d+)", self.headers.get("range", ""))
            if span and status == 200 and said.ranges:
                start = int(span[1]) if span[1] else max(0, len(body) - int(span[2]))
                end = min(int(span[2]), len(body) - 1) if span[1] else len(body) - 1
                headers["content-range"] = f"bytes {start}-{end}/{len(body)}"
                body, status = body[start : end + 1], 206
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body) + (100 if said.cut else 0)))
            self.end_headers()
            self.wfile.write(body)
            if said.cut:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    host = FakeHost(f"http://127.0.0.1:{server.server_port}")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
