"""Addresses of documents: which repository or package they name, and whether they can change under a citation."""

from __future__ import annotations

import re
from collections.abc import Iterator

FLOATING = frozenset({"main", "master", "latest", "head", "stable", "nightly", "trunk", "develop", "dev"})

_GITHUB = re.compile(r"https?://(?:www\.)?github\.com/([^/\s]+)/([^/\s#@]+?)(?:\.git)?(?:[/#@]|$)")
_RAW = re.compile(r"https?://raw\.githubusercontent\.com/([^/\s]+)/([^/\s]+)/([^/\s]+)/")
_HUB = re.compile(r"https?://huggingface\.co/(?!api/|datasets/|spaces/|docs/)([^/\s]+)/([^/\s#?]+)")
_PYPI = re.compile(r"pkg:pypi/([A-Za-z0-9._-]+)")
_COPY = re.compile(r"/([A-Za-z0-9.][\w.-]*?)--([\w.-]+?)_config\.json")
_THREAD = re.compile(r"/(?:issues|pull|discussions)/\d+")


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
    place = re.sub(r"^(?:git\+)?https?://", "", address)
    if place.startswith(("github.com/", "huggingface.co/")) and not _below_root(address):
        return "it is the root of a repository"
    path = place.split("#")[0].partition("/")[2]
    if not path.strip("/") and "@" not in address:
        return "it is the root of a site"
    moving = next((part for part in re.split(r"[/@]", path) if part.lower() in FLOATING), None)
    return f"it follows `{moving}`" if moving else None


def _below_root(address: str) -> bool:
    """Whether an address on a forge names a file, a commit or a release and not the repository alone."""
    place = re.sub(r"^(?:git\+)?https?://[^/]+/", "", address)
    owner_and_name = re.match(r"[^/]+/[^/#@?]+/?", place)
    return bool(owner_and_name and place[owner_and_name.end() :].strip("#"))
