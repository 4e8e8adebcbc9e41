"""A package index as pip is configured with it: the releases of a project, and single members of their archives.

The index must speak JSON (PEP 691). Of a wheel only the directory and the member are read, by ranges; of a source
archive, which has no directory, the whole, where it is not too large.
"""

from __future__ import annotations

import io
import json
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

from generator.notation.versions import prerelease, sortable, version
from generator.upstream.replies import NoReply
from generator.upstream.web import Web

JSON = "application/vnd.pypi.simple.v1+json"
CONTROL = "pip"
"""A project that every index has: where even this is not found, the index is no witness of an absence."""
BLOCK = 64 * 1024
LARGEST_MEMBER = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ReleaseFile:
    """One archive of a release."""

    name: str
    url: str
    digest: str | None
    uploaded: str | None
    yanked: bool


@dataclass(frozen=True, slots=True)
class Release:
    """A version of a project, with its archives."""

    project: str
    version: str
    files: tuple[ReleaseFile, ...]

    @property
    def yanked(self) -> bool:
        """Whether all of it was withdrawn."""
        return bool(self.files) and all(file.yanked for file in self.files)

    def archive(self, like: str | None = None) -> ReleaseFile:
        """The archive that is read: of the build that a name is of, else for any machine, Linux, a source archive."""
        tags = like.split("-")[2:] if like else []

        def rank(file: ReleaseFile) -> tuple[bool, bool, bool, bool, str]:
            wheel = file.name.endswith(".whl")
            same = file.name.split("-")[2:] == tags
            return not same, not wheel, "none-any" not in file.name, "manylinux" not in file.name, file.name

        if not self.files:
            raise NoReply(f"{self.project} {self.version} has no archive")
        return min(self.files, key=rank)


@dataclass
class PackageIndex:
    """The index, or several, of which the first that knows a project counts."""

    web: Web
    addresses: Sequence[str]
    _wheels: dict[str, zipfile.ZipFile] = field(default_factory=dict)

    def releases(self, project: str) -> list[Release] | None:
        """The releases of a project, the oldest first; None where no index has it. Raises `NoReply`."""
        for address in self.addresses:
            page = self.web.get(f"{address.rstrip('/')}/{project.lower().replace('_', '-')}/", JSON)
            if not page.absent:
                return _releases(project, page.url, page.body)
        if project != CONTROL and self.releases(CONTROL) is None:
            raise NoReply(f"the index knows neither {project} nor {CONTROL}: it is no witness")
        return None

    def members(self, file: ReleaseFile) -> list[str]:
        """The names of all members of a wheel; empty for a source archive."""
        return self._wheel(file).namelist() if file.name.endswith(".whl") else []

    def member(self, file: ReleaseFile, name: str) -> bytes | None:
        """The bytes of a member; None where the archive has none of that name. Raises `NoReply`."""
        try:
            if not file.name.endswith(".whl"):
                return _in_source_archive(self.web.get(file.url).body, name)
            wheel = self._wheel(file)
            if name not in wheel.namelist():
                return None
            if wheel.getinfo(name).file_size > LARGEST_MEMBER:
                raise NoReply(f"{name} has {wheel.getinfo(name).file_size:,} bytes")
            return wheel.read(name)
        except (
            zipfile.BadZipFile,
            tarfile.TarError,
            zlib.error,
            lzma.LZMAError,
            EOFError,
            NotImplementedError,
        ) as problem:
            raise NoReply(f"{file.name} cannot be read: {problem}") from None

    def _wheel(self, file: ReleaseFile) -> zipfile.ZipFile:
        if file.url not in self._wheels:
            try:
                self._wheels[file.url] = zipfile.ZipFile(RemoteFile(self.web, file.url))
            except (zipfile.BadZipFile, NotImplementedError) as problem:
                raise NoReply(f"{file.name} cannot be read: {problem}") from None
        return self._wheels[file.url]


def _releases(project: str, url: str, body: bytes) -> list[Release]:
    try:
        page: Any = json.loads(body)
        files = [_file(url, row) for row in page["files"]]
        named = page.get("versions") or []
    except (ValueError, KeyError, TypeError, RecursionError):
        raise NoReply(f"{url}: this is no page of an index in JSON") from None
    found: dict[str, list[ReleaseFile]] = {str(each): [] for each in named if version(str(each)) is not None}
    for file in files:
        own = _version(file.name)
        if version(own) is not None:
            found.setdefault(own, []).append(file)
    releases = [Release(project, name, tuple(each)) for name, each in found.items() if each]
    return sorted(releases, key=lambda each: sortable(each.version))


def _file(page: str, row: Any) -> ReleaseFile:
    digest = (row.get("hashes") or {}).get("sha256")
    uploaded = str(row.get("upload-time") or "")[:10]
    digest = f"sha256:{digest}" if digest else None
    return ReleaseFile(
        str(row["filename"]), urljoin(page, str(row["url"])), digest, uploaded or None, bool(row.get("yanked"))
    )


def _version(name: str) -> str:
    """The version in the name of an archive."""
    if name.endswith(".whl"):
        return name.split("-")[1] if name.count("-") >= 4 else ""
    for ending in (".tar.gz", ".zip", ".tar.bz2"):
        if name.endswith(ending):
            return name.removesuffix(ending).rpartition("-")[2]
    return ""


def newest(releases: Sequence[Release], than: str) -> Release | None:
    """The newest release that is neither withdrawn nor, unless the old one is, a pre-release."""
    early = prerelease(than)
    good = [each for each in releases if not each.yanked and (early or not prerelease(each.version))]
    return good[-1] if good else None


def _in_source_archive(data: bytes, name: str) -> bytes | None:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for entry in archive:
            if entry.isfile() and entry.name.partition("/")[2] == name:
                if entry.size > LARGEST_MEMBER:
                    raise NoReply(f"{name} has {entry.size:,} bytes")
                file = archive.extractfile(entry)
                return file.read() if file else None
    return None


class RemoteFile(io.RawIOBase):
    """A file that is read by ranges, in blocks, each once."""

    def __init__(self, web: Web, url: str) -> None:
        self._web, self._url, self._at = web, url, 0
        tail, self._size = web.part(url, None, BLOCK)
        self._held = [(self._size - len(tail), tail)]

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        end = self._size if size is None or size < 0 else min(self._at + size, self._size)
        start, self._at = self._at, max(self._at, end)
        if end <= start:
            return b""
        for begin, data in self._held:
            if begin <= start and end <= begin + len(data):
                return data[start - begin : end - begin]
        wanted = min(max(end - start, BLOCK // 4), self._size - start)
        data, _ = self._web.part(self._url, start, wanted)
        self._held = [*self._held[-8:], (start, data)]
        return data[: end - start]
