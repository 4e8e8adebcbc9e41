"""The digest of a source's facts: by which an edit by hand differs from a new reading."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def facts_digest(facts: Mapping[str, Any]) -> str:
    """``sha256:`` over the facts as canonical JSON: sorted keys, no blanks, UTF-8.

    >>> facts_digest({"b": [1, 2.5], "a": None})
    'sha256:e57f5d37865437a82e1108bafb4e5213dfe7e9085f5c253341ebbab30cac5faf'
    """
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()
