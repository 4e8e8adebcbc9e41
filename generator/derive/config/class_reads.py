"""Which keys of a config the code of its class reads: the proof that a key nobody has judged shapes nothing.

A key that no configuration, modeling, cache or mask code of the class reads cannot change what it keeps. The table is
the facts of a source of the pinned library; a model type that it does not hold proves nothing. See
docs/kv-geometry.md#keys-that-the-class-does-not-read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

FACTS = ("every:", "folders:", "open:")
"""What the file of a source with such facts holds."""


@dataclass(frozen=True)
class ClassReads:
    """The table of one release: names that are read for every model, and those of each model type."""

    source: str
    facts: Mapping[str, Any] = field(repr=False)

    def unread(self, key: str, config: Mapping[str, Any]) -> bool:
        """Whether the config's class is in the table and never reads the key.

        A checkpoint that brings code of its own (``auto_map``) is not served by the class, and of a key inside an
        object (a dotted one) the table says nothing.
        """
        names = self._of.get(str(config.get("model_type"))) if self.knows(config) else None
        return names is not None and "." not in key and key not in names and key not in self._every

    def knows(self, config: Mapping[str, Any]) -> bool:
        """Whether the table has the config's class."""
        return str(config.get("model_type")) in self._of and not config.get("auto_map")

    def readers(self, config: Mapping[str, Any]) -> tuple[str, ...]:
        """The folders of the library whose code the config's class is made of; none where ``knows`` says no."""
        if not self.knows(config):
            return ()
        rows = (self.facts.get("folders") or {}).items()
        return tuple(name for name, row in rows if config["model_type"] in (row.get("model_types") or ()))

    @cached_property
    def _every(self) -> frozenset[str]:
        return frozenset(str(self.facts.get("every") or "").split())

    @cached_property
    def _of(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        for row in (self.facts.get("folders") or {}).values():
            names = frozenset(str(row.get("reads") or "").split())
            for model_type in row.get("model_types") or ():
                found[model_type] = found.get(model_type, frozenset()) | names
        return found
