"""What a config class of a library sets by itself, as a pinned source on record states it.

A library's default is never assumed. It counts where a source gives it for exactly the model type at hand, and every
figure that rests on one says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator.catalog.records import Record


@dataclass(frozen=True)
class ClassDefaults:
    """One config class. ``rules`` are the design that all its checkpoints share, such as which layers slide.

    ``sizes`` differ from checkpoint to checkpoint: a class's own size is a checkpoint's only where the whole config was
    read and is silent about it. What a copy with gaps leaves out may have been in the gap.
    """

    source: str
    class_name: str
    model_type: str
    rules: Mapping[str, Any]
    sizes: Mapping[str, Any]

    def keys(self, whole: bool) -> dict[str, Any]:
        """What fills the gaps of a config; of a whole one also the sizes."""
        return {**self.rules, **(self.sizes if whole else {})}

    def misfit(self, config: Mapping[str, Any]) -> str | None:
        """Why they are not evidence for this config, or None where its model type is exactly the class's."""
        stated = config.get("model_type")
        if stated == self.model_type:
            return None
        return f"{self.source} states the defaults of model type `{self.model_type}`; this config's is `{stated}`"

    def used(self, keys: Mapping[str, Any]) -> DefaultsUsed:
        """The part of them that something was derived from."""
        return DefaultsUsed(self.source, self.class_name, dict(keys))


@dataclass(frozen=True)
class DefaultsUsed:
    """The class defaults behind a figure: the keys with their values, and the source that shows them."""

    source: str
    class_name: str
    keys: Mapping[str, Any]

    def __str__(self) -> str:
        return ", ".join(f"{key} {value}" for key, value in self.keys.items()) + f" ({self.class_name}, {self.source})"


def class_defaults(source: Record | None) -> ClassDefaults | None:
    """The defaults that a source's facts hold; None for a source about something else."""
    facts = source.get("facts") if source else None
    if source is None or not isinstance(facts, Mapping):
        return None
    model_type, name = facts.get("model_type"), facts.get("class")
    rules, sizes = facts.get("defaults"), facts.get("default_sizes") or {}
    if not (isinstance(model_type, str) and isinstance(name, str)):
        return None
    if not (isinstance(rules, Mapping) and isinstance(sizes, Mapping)):
        return None
    return ClassDefaults(source.id, name, model_type, dict(rules), dict(sizes))
