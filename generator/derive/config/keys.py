"""Which part of a Hugging Face config is the language model, and what each config key means for the cache."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from generator.derive.config.class_reads import ClassReads
from generator.derive.config.likeness import KeyWords

ROLE_NAMES = ("kv", "state", "neutral", "identity")
SHAPING = ("kv", "state")
EMPTY: tuple[object, ...] = (False, 0, [], {}, "")
"""What ``off_at: empty`` means in the table."""


@dataclass(frozen=True, slots=True)
class MustState:
    """Keys whose absence proves nothing for these model types, because their class switches a mechanism on by itself.

    The config must have one of ``keys``; ``null_counts`` says that an explicit null is a statement too, and
    ``off_counts`` names keys of which false or 0 is. Without keys nothing can be stated: no family reads such a class.
    """

    keys: tuple[str, ...]
    null_counts: bool
    why: str
    model_types: frozenset[str]
    off_counts: tuple[str, ...] = ()

    def met(self, config: Mapping[str, Any]) -> bool:
        """Whether the config makes the statement; an empty list or text makes none."""
        states = any(key in config and (self.null_counts or _says(config[key])) for key in self.keys)
        return states or any(is_one_of(config.get(key), (False, 0)) for key in self.off_counts)


def is_one_of(value: object, values: Iterable[object]) -> bool:
    """Whether a value equals one of these and is of its type: to Python, false is 0 and a list may be a subclass."""
    return any(
        value == each and isinstance(value, bool) == isinstance(each, bool) and isinstance(value, type(each))
        for each in values
    )


def _says(value: object) -> bool:
    return value is not None and not is_one_of(value, ([], {}, ""))


def class_stem(name: str) -> str:
    """One spelling for model types and class names: ``gemma3_text`` and ``Gemma3ForConditionalGeneration`` agree."""
    stem = re.sub(r"(?s)(?<=[a-z0-9])(For[A-Z].*|LMHeadModel\Z|Model\Z)", "", name)
    return re.sub(r"[^a-z0-9]", "", stem.lower()).removesuffix("text")


@dataclass(frozen=True)
class ClassesWithoutCache:
    """Classes that keep nothing from one step to the next, and words by which others may be of that kind."""

    names: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()
    suspects: tuple[str, ...] = ()

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> ClassesWithoutCache:
        """Build from ``names``, ``alone`` and ``suspects``."""
        lists = (table.get(key) or () for key in ("names", "alone", "suspects"))
        names, alone, suspects = lists
        return cls(frozenset(names), frozenset(alone), tuple(suspects))

    def suspect(self, name: str) -> bool:
        """Whether a class may be an encoder by its name, and nobody has judged it."""
        return name not in self.names and any(
            name.endswith(word[:-1]) if word.endswith("$") else word in name for word in self.suspects
        )


@dataclass(frozen=True)
class ConfigKeys:
    """The closed world of config keys, made from the parsed ``schema/config_keys.yaml``."""

    explicit: Mapping[str, tuple[str, str]]
    patterns: tuple[tuple[str, str, str], ...]
    statements: tuple[MustState, ...]
    tied: tuple[str, ...] = ()
    off: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    governed: Mapping[str, str] = field(default_factory=dict)
    switches: frozenset[str] = frozenset()
    holds_for: Mapping[str, frozenset[str]] = field(default_factory=dict)
    words: KeyWords = field(default_factory=lambda: KeyWords(()))
    reads: ClassReads | None = None
    without_cache: ClassesWithoutCache = field(default_factory=lambda: ClassesWithoutCache())
    read_in: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> ConfigKeys:
        """Build from ``groups``, ``patterns`` and ``must_state``; ValueError names a bad role or a repeated key."""
        explicit: dict[str, tuple[str, str]] = {}
        for key, role, why in _entries(table.get("groups") or ()):
            if key in explicit:
                raise ValueError(f"config key listed twice: {key}")
            explicit[key] = (role, why)
        # Shaping patterns come first: where two fit, refusing is the safe side.
        patterns = sorted(_entries(table.get("patterns") or ()), key=lambda entry: entry[1] not in SHAPING)
        rows = [row for part in ("groups", "patterns") for row in table.get(part) or ()]
        tied = tuple(str(key) for row in rows if row.get("tied") for key in row["keys"])
        off = {str(key): _off(row["off_at"]) for row in rows if row.get("off_at") for key in row["keys"]}
        governed = {str(key): str(row["key"]) for row in table.get("switches") or () for key in row["governs"]}
        switches = (str(key) for row in table.get("types") or () if row["type"] == "boolean" for key in row["keys"])
        statements = tuple(_statements(table.get("must_state") or ()))
        stems = [(row["keys"], frozenset(map(class_stem, row["holds_for"]))) for row in rows if row.get("holds_for")]
        holds_for = {str(key): names for keys, names in stems for key in keys}
        read_in = {str(key): frozenset(row["model_types"]) for row in table.get("read_in") or () for key in row["keys"]}
        return cls(
            explicit,
            tuple(patterns),
            statements,
            tied,
            off,
            governed,
            frozenset(switches),
            holds_for,
            _key_words(explicit, table.get("names") or {}),
            without_cache=ClassesWithoutCache.from_table(table.get("classes_without_cache") or {}),
            read_in=read_in,
        )

    def _find(self, key: str) -> tuple[str, str] | None:
        if key in self.explicit:
            return self.explicit[key]
        return next(((role, why) for glob, role, why in self.patterns if fnmatchcase(key, glob)), None)

    def role(self, key: str) -> str | None:
        """``kv``, ``state``, ``neutral`` or ``identity``; None for an unjudged key. Listed keys beat patterns."""
        found = self._find(key)
        return found[0] if found else None

    def proved_inert(self, key: str, config: Mapping[str, Any]) -> bool:
        """Whether nobody has judged a key, and the code of the config's class shows that it shapes nothing.

        A name that speaks of the cache is not waved through: it may be another spelling of what the class reads.
        """
        unread = self.reads is not None and self.role(key) is None and self.reads.unread(key, config)
        return unread and not self.words.why_not_neutral(key)

    def why(self, key: str) -> str:
        """The reason for the role; empty for an unknown key."""
        found = self._find(key)
        return found[1] if found else ""

    def judged_in(self, key: str, names: Iterable[str]) -> bool:
        """Whether the reason for a key was written for a class of one of these names; most hold for any class."""
        return key not in self.holds_for or bool({class_stem(name) for name in names} & self.holds_for[key])

    def is_off(self, key: str, value: object) -> bool:
        """Whether this value says in so many words that the mechanism is not used: false, 0, an empty list."""
        values = self.off.get(key)
        if values is None and key not in self.explicit:
            values = next((off for glob, off in self.off.items() if "*" in glob and fnmatchcase(key, glob)), None)
        return values is not None and is_one_of(value, values)

    def says_nothing(self, key: str) -> bool:
        """Whether a key is neutral and no sentence may tie it to the cache. A listed key beats a pattern here, too."""
        tied = key in self.tied if key in self.explicit else any(fnmatchcase(key, glob) for glob in self.tied)
        return self.role(key) == "neutral" and not tied

    def must_state(self, names: Iterable[str]) -> Iterator[MustState]:
        """The statements asked of a config that goes by any of these model types or class names."""
        stems = {class_stem(name) for name in names}
        return (statement for statement in self.statements if statement.model_types & stems)


def _off(stated: Any) -> tuple[object, ...]:
    return EMPTY if stated == "empty" else tuple(stated)


def _entries(groups: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str, str]]:
    for group in groups:
        if group["role"] not in ROLE_NAMES:
            raise ValueError(f"no such role: {group['role']!r}")
        why = " ".join(str(group["why"]).split())
        for key in group["keys"]:
            yield str(key), str(group["role"]), why


def _statements(groups: Iterable[Mapping[str, Any]]) -> Iterator[MustState]:
    for group in groups:
        why = " ".join(str(group["why"]).split())
        stems = frozenset(class_stem(name) for name in group["model_types"])
        off = tuple(group.get("off_counts") or ())
        yield MustState(tuple(group["keys"]), bool(group.get("null_counts", False)), why, stems, off)


def _key_words(explicit: Mapping[str, tuple[str, str]], named: Mapping[str, Any]) -> KeyWords:
    shaping = tuple(key for key, (role, _) in explicit.items() if role in SHAPING and "." not in key)
    return KeyWords(shaping, named.get("same") or {}, named.get("counted") or {}, tuple(named.get("apart") or ()))
