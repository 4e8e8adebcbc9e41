"""JSON led by the version of its keys."""

from __future__ import annotations

import json
from typing import Any

SCHEMA_VERSION = 1


def to_json(payload: dict[str, Any]) -> str:
    """A payload as JSON, led by the version of its keys."""
    return dumped({"schema_version": SCHEMA_VERSION, **payload})


def dumped(payload: dict[str, Any]) -> str:
    """JSON that any stream takes: half a character, of a file name that is no UTF-8, is written as its number."""
    text = json.dumps(payload, indent=2, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
