"""Sources and concepts that tests lay over the small base."""

from __future__ import annotations

import json
from typing import Any

SHA, OTHER = "0123456789abcdef0123456789abcdef01234567", "f" * 40
MODELINE = "# yaml-language-server: $schema=../schema/source.schema.json\n"


def source(**fields: Any) -> str:
    """A source; what is given replaces a field, None leaves it out."""
    plain = {
        "title": "Tiny Engine's page sizes",
        "publisher": "Tiny Works",
        "type": "source-code",
        "url": "pkg:pypi/tiny-engine@1.0",
        "locator": "pkg:pypi/tiny-engine@1.0#tiny_engine/pages.py!SIZES",
        "subjects": ["pypi:tiny-engine"],
        "retrieved": "2026-11-20",
        "upstream_date": "2026-01-03",
        "retrieval": "read-not-hashed",
        "digest": None,
        "license": "MIT",
        "facts": {"page": 64, "heads": [8, 16]},
        "why_null": {"digest": "the bytes were not hashed"},
    }
    given = {key: value for key, value in {**plain, **fields}.items() if value is not None or key == "digest"}
    return MODELINE + "".join(f"{key}: {json.dumps(value)}\n" for key, value in given.items())


def concept(*cites: str, prose: str = "An idea of [[tiny-a]].") -> str:
    listed = ", ".join(f'"[[{id}]]"' for id in cites)
    return (
        "# yaml-language-server: $schema=../../schema/concept.schema.json\n"
        f"name: Pages\ndefinition: |\n  {prose}\ncites: [{listed}]\n"
    )


def package(version: str, **fields: Any) -> str:
    place = f"pkg:pypi/tiny-engine@{version}"
    return source(**{"url": place, "locator": f"{place}#tiny_engine/pages.py!SIZES", **fields})


def at(revision: str, **fields: Any) -> str:
    place = f"https://github.com/tiny/engine/blob/{revision}/pages.md"
    return source(**{"url": place, "locator": place, "subjects": ["github:tiny/engine"], **fields})
