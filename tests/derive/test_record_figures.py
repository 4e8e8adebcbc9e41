"""Records against figures that others found for their models (data/kv_of_records.yaml): source, record and formula."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import yaml
from conftest import HERE

from generator.derive.attention import CacheFormat, CacheLayout, exact, growth
from generator.knowledge.knowledge_base import KnowledgeBase

FOUND: dict[str, Any] = yaml.safe_load((HERE / "data" / "kv_of_records.yaml").read_text(encoding="utf-8"))
EVERY = frozenset({"kv", "window", "index", "state"})
BF16 = CacheFormat("uniform#bf16", EVERY, bytes_per_scalar=Fraction(2))
PLAIN = CacheLayout(BF16, None, BF16, ())

# Copies of configs that break off: what they prove decides nothing, whatever related models have.
REFUSED = {
    "c4ai-command-r7b-12-2024": "sliding_window",
    "granite-4-0-h-tiny": "num_hidden_layers",
    "step-3-5-flash": "attention_other_setting",
}


@pytest.mark.parametrize("id", FOUND)
def test_a_record_gives_what_others_found(id: str, real: KnowledgeBase) -> None:
    row, geometry = FOUND[id], real.facts[id].geometry
    assert geometry is not None, real.facts[id].reason
    assert {kind: count for kind, count in geometry.layers.items() if count} == row["layers"]
    assert growth(geometry, PLAIN) == row["growth"]
    assert {length: exact(geometry, PLAIN, length) for length in row["bytes"]} == row["bytes"]


@pytest.mark.parametrize(("id", "key"), REFUSED.items())
def test_a_copy_that_breaks_off_gives_no_figure(id: str, key: str, real: KnowledgeBase) -> None:
    facts = real.facts[id]
    assert facts.geometry is None
    assert key in facts.fields
    assert real.catalog.records[id].get("underivable")
