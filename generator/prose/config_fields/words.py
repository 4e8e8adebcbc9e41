"""What prose calls the fields of a config: words to keys, and keys to the values of two configs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class SpokenField:
    """One field under all its spellings; `keys[0]` is the name that messages show.

    `words` mean nothing else; `loose` ones may mean another quantity, and then say nothing against a number.
    """

    keys: tuple[str, ...]
    words: tuple[str, ...]
    loose: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The key by which it is best known."""
        return self.keys[0]

    def values(self, config: Mapping[str, Any]) -> list[Any]:
        """What a config states under any of the spellings."""
        return [value for key in self.keys if (value := _inside(config, key)) is not None]

    def value(self, config: Mapping[str, Any]) -> Any:
        """What a config states under the first spelling that it uses; None where it is silent."""
        return next(iter(self.values(config)), None)


def _inside(config: Mapping[str, Any], key: str) -> Any:
    value: Any = config
    for part in key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


@dataclass(frozen=True)
class SpokenFields:
    """The table ``schema/spoken_fields.yaml``."""

    fields: tuple[SpokenField, ...] = ()
    parts: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> SpokenFields:
        """Read the table; an absent one knows no words."""
        rows = [row for group in table.get("groups", ()) for row in group["fields"]]
        return cls(
            tuple(SpokenField(tuple(row["keys"]), tuple(row["words"]), tuple(row.get("loose", ()))) for row in rows),
            tuple(table.get("parts", ())),
            tuple(table.get("whole", ())),
        )

    @cached_property
    def field_words(self) -> str:
        """A pattern for one field, by a key or by a word, in backticks or not."""
        return _alternatives(self._by_word)

    def field(self, word: str) -> SpokenField | None:
        """The field that a word or key means."""
        return _look_up(self._by_word, word)

    def of_a_part(self, before: str, after: str = "") -> bool:
        """Whether the words before a place, the last ones first, or those behind it speak of a part of the model."""
        named = [match.lastgroup for match in self._parts_and_whole.finditer(before)]
        behind = self._parts_and_whole.search(after)
        return named[-1:] == ["part"] or (behind is not None and behind.lastgroup == "part")

    @cached_property
    def _parts_and_whole(self) -> re.Pattern[str]:
        part, whole = ("|".join(map(re.escape, words)) or "(?!)" for words in (self.parts, self.whole))
        return re.compile(rf"\b(?:(?P<whole>{whole})|(?P<part>{part}))(?:['’]s|s)?\b", re.I)

    @cached_property
    def _by_word(self) -> dict[str, SpokenField]:
        return _index(self.fields)


def _index(fields: Iterable[SpokenField]) -> dict[str, SpokenField]:
    found: dict[str, SpokenField] = {}
    for field in fields:
        for key in field.keys:
            found.setdefault(key.lower(), field)
            found.setdefault(key.rpartition(".")[2].lower(), field)
        for word in field.words:
            found.setdefault(word.lower(), field)
    return found


def _look_up(index: Mapping[str, SpokenField], word: str) -> SpokenField | None:
    plain = " ".join(word.replace("`", "").lower().split()).removeprefix("number of ")
    return index.get(plain) or index.get(plain.removesuffix("s"))


def _alternatives(index: Mapping[str, SpokenField]) -> str:
    words = "|".join(
        re.escape(word).replace(r"\ ", r"\s+") for word in sorted(index, key=lambda word: (-len(word), word))
    )
    return rf"(?:\bnumber\s+of\s+)?`?\b(?:{words})s?\b`?" if words else r"(?!)"
