"""Whether a citation names the right document: a subject look-up, and how two configs compare field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generator.catalog.records import Record
from generator.derive import attention
from generator.derive.attention import growth
from generator.derive.cited_config import CitedConfig, agree
from generator.derive.config.fields import NotDerivable
from generator.knowledge.knowledge_base import KnowledgeBase

Pair = list[Any]
"""A field's two values, ``[right, cited]``."""


@dataclass(frozen=True)
class Comparison:
    """Two configs compared, over the fields that a record relies on and over the others."""

    discriminating: dict[str, Pair]
    shared: list[str]
    absent: list[str]
    elsewhere: dict[str, Pair]


def compare(relied_on: Mapping[str, Any], right: Mapping[str, Any], cited: Mapping[str, Any]) -> Comparison:
    """In which fields two configs differ.

    A field that the right one lacks shows nothing; one that the cited one lacks is `absent`. `elsewhere` are differing
    facts that the record does not rely on.
    """
    both = [key for key in relied_on if key in right and key in cited]
    discriminating = {key: [right[key], cited[key]] for key in both if not agree(right[key], cited[key])}
    shared = [key for key in both if key not in discriminating]
    absent = [key for key in relied_on if key in right and key not in cited]
    elsewhere = {
        key: [right[key], cited[key]]
        for key in right
        if key in cited and key not in relied_on and not agree(right[key], cited[key])
    }
    return Comparison(discriminating, shared, absent, elsewhere)


def growth_of(kb: KnowledgeBase, config: Mapping[str, Any]) -> Fraction | None:
    """KV growth of a config in bf16, in bytes per token; None where it cannot be derived."""
    plain = kb.formats.uniform("bf16")
    geometry = attention.derive(config, kb.keys)
    if plain is None or isinstance(geometry, NotDerivable):
        return None
    return growth(geometry, plain)


def disagreements(record: Record, cited: CitedConfig) -> dict[str, Pair]:
    """The fields in which a model's architecture and a config differ, ``[here, there]``.

    A field whose evidence is another document, or that the config lacks, says nothing; a model type may be the outer
    or the inner one.
    """
    elsewhere = record.get("evidence") or {}
    return {
        key: [value, cited.flat[key]]
        for key, value in (record.get("architecture") or {}).items()
        if key in cited.flat and key not in elsewhere and not cited.says(key, value)
    }
