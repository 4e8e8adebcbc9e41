"""The sizes that a record may choose: what is larger is an accident or an attack, and nothing is made of it.

The largest on record are a text of 6,000 characters, a list of 415 items and a mapping of 469 keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Place = tuple[str | int, ...]

MOST_CHARACTERS = 20_000
MOST_ENTRIES = 5_000


def too_large(value: Any, path: Place = ()) -> Iterator[tuple[Place, str]]:
    """Each text, list and mapping of a record that is larger, with what is wrong with it."""
    if isinstance(value, str) and len(value) > MOST_CHARACTERS:
        yield (
            path,
            f"a text of {len(value):,} characters; at most {MOST_CHARACTERS:,} are read: split it, or shorten it",
        )
    elif isinstance(value, dict | list) and len(value) > MOST_ENTRIES:
        what = "list" if isinstance(value, list) else "mapping"
        yield path, f"a {what} of {len(value):,} entries; at most {MOST_ENTRIES:,} are read: split it, or shorten it"
    elif isinstance(value, dict):
        for key, item in value.items():
            if len(key) > MOST_CHARACTERS:
                yield path, f"a key of {len(key):,} characters; at most {MOST_CHARACTERS:,} are read"
            yield from too_large(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from too_large(item, (*path, index))
