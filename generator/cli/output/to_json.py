"""JSON led by the version of its keys."""

from __future__ import annotations

import json
from typing import Any

from generator.notation.plain import in_json

SCHEMA_VERSION = 1


def to_json(payload: dict[str, Any]) -> str:
    """A payload as JSON, led by the version of its keys."""
    return dumped({"schema_version": SCHEMA_VERSION, **payload})


def dumped(payload: dict[str, Any]) -> str:
    """JSON that any stream takes: what would steer a terminal, and half a character, is written as its number."""
    return in_json(json.dumps(payload, indent=2, ensure_ascii=False))
