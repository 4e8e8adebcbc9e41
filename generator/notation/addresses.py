"""Addresses of documents: which repository and edition they name, and whether they can change under a citation."""

from __future__ import annotations

import re
from collections.abc import Iterator

FLOATING = frozenset({"main", "master", "latest", "head", "stable", "nightly", "trunk", "develop", "dev"})

_GITHUB = re.compile(
    r"https?://(?:www\.)?github\.com/(?!(?:advisories|apps|collections|features|marketplace|orgs|sponsors|topics)/)"
    r"([^/\s]+)/([^/\s#?@]+?)(?:\.git)?(?:[/#?@]|$)"
)
_RAW = re.compile(r"https?://raw\.githubusercontent\.com/([^/\s]+)/([^/\s]+)/([^/\s]+)/")
_HUB = re.compile(
    r"https?://huggingface\.co/(?!(?:api|blog|collections|datasets|docs|learn|papers|posts|spaces|tasks)/)"
    r"([^/\s]+)/([^/\s#?]+)"
)
_FORGES = ("github.com", "www.github.com", "huggingface.co")
_PYPI = re.compile(r"pkg:pypi/([A-Za-z0-9._-]+)")
_COPY = re.compile(r"/([A-Za-z0-9.][\w.-]{0,95}?)--([\w.-]{1,95}?)_config\.json")
_THREAD = re.compile(r"/(?:issues|pull|discussions)/\d+")
_RELEASE = re.compile(r"/v?\d{1,9}\.\d[\w.-]{0,99}/|/\d{4}\.\d{4,5}v\d+")
_SNAPSHOT = re.compile(r"https?://web\.archive\.org/web/\d{14}[a-z_]*/")
_AT_COMMIT = re.compile(r"git\+https?://github\.com/([^/\s]{1,99}/[^/\s@]{1,99}?)(?:\.git)?@([^#\s]{1,99})#(\S+)")
_BLOB = re.compile(r"https?://(?:www\.)?github\.com/([^/\s]+/[^/\s]+)/(?:blame|blob|raw)/([^/\s]+)/([^\s?#]+)")
_RAW_FILE = re.compile(r"https?://raw\.githubusercontent\.com/([^/\s]+/[^/\s]+)/([^/\s]+)/([^\s?#]+)")
_HUB_FILE = re.compile(r"https?://huggingface\.co/([^/\s]+/[^/\s]+)/(?:blame|blob|raw|resolve)/([^/\s]+)/([^\s?#]+)")


def repositories(address: str) -> Iterator[str]:
    """The subjects that an address names: ``hf:Org/Name``, ``github:owner/repo``, ``pypi:name``.

    >>> sorted(repositories("https://huggingface.co/deepseek-ai/DeepSeek-V2/raw/main/config.json"))
    ['hf:deepseek-ai/DeepSeek-V2']
    """
    yield from (f"github:{owner}/{name}" for owner, name in _GITHUB.findall(address))
    yield from (f"github:{owner}/{name}" for owner, name, _ in _RAW.findall(address))
    yield from (f"hf:{owner}/{name}" for owner, name in _HUB.findall(address))
    yield from (f"hf:{owner}/{name}" for owner, name in _COPY.findall(address))
    yield from (f"pypi:{name}" for name in _PYPI.findall(address))


def is_address(text: str) -> bool:
    """Whether a locator is an address by itself, and not words such as a heading."""
    return "://" in text or text.startswith("pkg:")


def floats(address: str) -> str | None:
    """Why an address can change under a citation, or None where it is pinned (or a thread, which is what it is).

    >>> floats("https://github.com/deepseek-ai/FlashMLA")
    'it is the root of a repository'
    >>> floats("pkg:pypi/vllm@0.33.0#vllm/registry.py!X") is None
    True
    """
    if address.startswith("pkg:"):
        return None if "@" in address.split("#")[0] else "it names no version"
    if _THREAD.search(address):
        return None
    place = re.split(r"[#?]", re.sub(r"^(?:git\+)?https?://", "", address))[0]
    host, _, path = place.partition("/")
    if host in _FORGES:
        return _floats_on_forge(path)
    if not path.strip("/"):
        return "it is the root of a site"
    return _moving(path.split("/"))


def _floats_on_forge(path: str) -> str | None:
    """On a forge the repository's name comes first, then what kind of place, then the branch or commit."""
    path, _, commit = path.partition("@")
    parts = [part for part in path.split("/") if part][2:]
    if commit:
        return _moving([commit])
    if not parts:
        return "it is the root of a repository"
    return _moving(parts[1:2] if parts[0] in ("blob", "raw", "resolve", "tree") else parts)


def _moving(parts: list[str]) -> str | None:
    moving = next((part for part in parts if part.lower() in FLOATING), None)
    return f"it follows `{moving}`" if moving else None


def edition(address: str) -> tuple[str, str | None]:
    """The document that an address names, and which edition of it: a version, a commit, a revision or a branch.

    >>> edition("pkg:pypi/vllm@0.33.0#vllm/registry.py!X")
    ('pkg:pypi/vllm#vllm/registry.py!X', '0.33.0')
    >>> edition("https://github.com/tiny/engine/blob/v1/a.py#L3")
    ('github:tiny/engine#a.py', 'v1')
    """
    if address.startswith("pkg:"):
        package, _, member = address.partition("#")
        name, _, version = package.partition("@")
        return f"{name}#{member}", version or None
    commit = _AT_COMMIT.match(address)
    if commit:
        return f"github:{commit[1]}#{commit[3]}", commit[2]
    for pattern, owner in ((_BLOB, "github"), (_RAW_FILE, "github"), (_HUB_FILE, "hf")):
        found = pattern.match(address)
        if found:
            return f"{owner}:{found[1]}#{found[3]}", found[2]
    return address, None


def may_change(address: str) -> str | None:
    """Why a document may say something else one day, or None where its address is of one edition forever.

    Wider than `floats`: a thread and a page without a version are what they are, and go on all the same.

    >>> may_change("https://docs.example.org/2.0.6/models.html") is None
    True
    >>> may_change("https://docs.example.org/models.html")
    'its address names no version'
    """
    if _SNAPSHOT.match(address):
        return None
    why = floats(address)
    if why is not None:
        return why
    if _THREAD.search(address):
        return "it is a thread"
    pinned = edition(address)[1] is not None or _RELEASE.search(address)
    return None if pinned else "its address names no version"
