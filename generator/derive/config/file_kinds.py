"""Files that people mistake for a config.json, recognised from ``schema/file_kinds.yaml``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from generator.derive.config.fields import shown

FIRST_BYTES = 4096
NO_KEY = "a JSON object with no key of a model's config"
HUB = "give the config.json of the model's repository, whole"


@dataclass(frozen=True)
class FileKinds:
    """The rows of the table, in order; the first that fits a file names it."""

    table: Mapping[str, Any]

    def of_bytes(self, data: bytes) -> str | None:
        """What a file is by its first bytes, and what to ask for instead; None where they do not show it."""
        start = data[:FIRST_BYTES].removeprefix(b"\xef\xbb\xbf").decode("latin-1")
        rows = self.table.get("bytes") or ()
        return next((_sentence(row, {}) for row in rows if re.match(row["begins"], start)), None)

    def of_json(self, value: object) -> str | None:
        """The same of what a JSON file holds; None for what may be a config."""
        if not isinstance(value, Mapping):
            return f"it is {'a JSON list' if isinstance(value, list) else shown(value)}, not an object of keys; {HUB}"
        only = self.table.get("only_in_configs") or ()
        config_like = any(key in value for key in only)
        for row in self.table.get("json") or ():
            if not (config_like and row.get("weak")) and _fits(row, value):
                return _sentence(row, value)
        return None if config_like or not (only and value) else f"it is {NO_KEY}; {HUB}"


def _fits(row: Mapping[str, Any], value: Mapping[str, Any]) -> bool:
    some = row.get("any_of") or ()
    return (
        all(_has(value, key) for key in row.get("all_of") or ())
        and (not some or any(_has(value, key) for key in some))
        and not any(_has(value, key) for key in row.get("none_of") or ())
    )


def _has(value: Mapping[str, Any], key: str) -> bool:
    head, inside, rest = key.partition("/")
    if inside:
        part = value.get(head)
        return isinstance(part, Mapping) and _has(part, rest)
    return key in value or ("*" in key and any(fnmatchcase(name, key) for name in value))


def _sentence(row: Mapping[str, Any], value: Mapping[str, Any]) -> str:
    """What it is and what to ask for, with the file's own names put in."""

    def named(match: re.Match[str]) -> str:
        found = value.get(match[1])
        return "which it does not name" if found is None else shown(found)

    text = " ".join(f"it is {row['is']}; {row['ask']}".split())
    return re.sub(r"\{([a-z_]+)\}", named, text)
