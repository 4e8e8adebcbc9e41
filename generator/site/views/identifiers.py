"""What a record may be looked for by, apart from its name: Hub ids, classes, types, formats, block sizes, figures.

Found in the record and not listed anywhere: short strings and numbers that are not prose, evidence or a reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from generator.catalog.records import Record
from generator.derive.facts import Facts
from generator.notation.citations import whole

LONGEST = 48
"""Characters up to which a string is a name rather than a sentence."""

APART = (
    "cite",
    "cites",
    "aliases",
    "name",
    "title",
    "symptom",
    "notes",
    "cause",
    "workaround",
    "definition",
    "subjects",
)
BEHIND = (
    "corrections",
    "waivers",
    "why_null",
    "claims",
    "memory_claims",
    "rates",
    "power",
    "links",
    "reports",
    "requires",
)
"""Fields that are in the index in other ways, and those whose contents nobody looks for."""


def of_model(model: Record, facts: Facts) -> list[str]:
    """The repository, the classes and the model type of a model, its family, and the bytes per token of each layout."""
    config = facts.config
    named = [model.get("repo"), *(config.get("architectures") or ()), config.get("model_type")]
    served = (model.get("serving_architecture") or {}).get("value")
    family = facts.geometry.family if facts.geometry else None
    growths = (figure.growth for figure in facts.figures if figure.growth and figure.growth.denominator == 1)
    texts = (str(one) for one in (*named, served, family, *growths) if one)
    return list(dict.fromkeys(text for text in texts if len(text) <= LONGEST * 2))


def of_record(record: Record) -> list[str]:
    """The names and numbers in a record's fields; a number follows the name of its field."""
    return list(dict.fromkeys(_walk({key: value for key, value in record.data.items() if key not in APART})))


def _walk(value: Any, name: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, below in value.items():
            if key not in (*APART, *BEHIND):
                yield from _walk(below, str(key))
    elif isinstance(value, list):
        numbers = [item for item in value if isinstance(item, int) and not isinstance(item, bool)]
        if numbers:
            yield _said(name, numbers)
        for item in value if not numbers else ():
            yield from _walk(item, name)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield _said(name, [value])
    elif isinstance(value, str) and len(value) <= LONGEST and not value.startswith("http"):
        cited = whole(value)
        yield (cited.id or "") if cited else value


def _said(name: str, numbers: Iterable[int]) -> str:
    return " ".join([name.replace("_", " "), *map(str, numbers)])
