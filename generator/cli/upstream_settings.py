"""What the command takes from its surroundings to reach documents: the package indexes that pip is configured with."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator

from generator.cli.targets import Stop

_SETTING = re.compile(r"(:env:|[\w-]+)\.(index.url|extra.index.url)='(.*)'")


def package_indexes() -> list[str]:
    """The addresses of the indexes, pip's own where none is configured. Folders are passed over."""
    found: dict[str, dict[str, str]] = {"index_url": {}, "extra_index_url": {}}
    for line in _pip("config", "list").splitlines():
        if setting := _SETTING.fullmatch(line.strip()):
            found[setting[2].replace("-", "_")][setting[1]] = setting[3]
    first = os.environ.get("PIP_INDEX_URL") or _chosen(found["index_url"]) or _default()
    more = os.environ.get("PIP_EXTRA_INDEX_URL") or _chosen(found["extra_index_url"])
    addresses = [each for each in [first, *more.split()] if each.startswith(("https://", "http://"))]
    if not addresses:
        raise Stop("pip is configured with no index that answers over the network, so no package can be asked for")
    return list(dict.fromkeys(addresses))


def _chosen(settings: dict[str, str]) -> str:
    """What pip would take: the environment, then the command's own section, then the global one."""
    return next((settings[name] for name in (":env:", "install", "download", "global") if name in settings), "")


def _pip(*arguments: str) -> str:
    asked = [sys.executable, "-m", "pip", *arguments]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL).stdout
    except OSError:
        return ""


def _default() -> str:
    """The index that pip itself knows; no address of one stands here."""
    try:
        return str(importlib.import_module("pip._internal.models.index").PyPI.simple_url)
    except (ImportError, AttributeError):
        return ""


def masked(address: str) -> str:
    """An address without the name and password that it may hold."""
    return re.sub(r"//[^/@]*@", "//", address)


def dated(since: str | None) -> Iterator[int]:
    """The days of a span such as ``30d``; none where nothing is asked."""
    if since is not None:
        found = re.fullmatch(r"(\d{1,4})d", since)
        if found is None:
            raise Stop(f"--since {since}: a number of days is wanted, as in 30d")
        yield int(found[1])
