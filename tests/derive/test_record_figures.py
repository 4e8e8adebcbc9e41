"""Records against figures that others found for their models: source, record and formula at once."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import yaml
from conftest import HERE

from generator.derive.attention import CacheFormat, CacheLayout, exact, growth
from generator.derive.parameters import Parameters
from generator.knowledge.knowledge_base import KnowledgeBase

FOUND: dict[str, Any] = yaml.safe_load((HERE / "data" / "kv_of_records.yaml").read_text(encoding="utf-8"))
CLASSES: list[dict[str, Any]] = yaml.safe_load((HERE / "data" / "parameters_counted.yaml").read_text(encoding="utf-8"))
COUNTED: dict[str, int] = {id: row["parameters"] for row in CLASSES for id in (row["id"], *row.get("also", ()))}
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


def test_records_have_the_parameters_of_their_real_class(real: KnowledgeBase) -> None:
    """A wrapper's class around a language model is no reason to refuse; a copy that lacks a key is."""
    records = {model.get("repo"): real.facts[model.id].parameters for model in real.catalog.of("model")}
    found = {repo: records[repo] for repo in COUNTED if repo in records}
    counts = {repo: each.total for repo, each in found.items() if isinstance(each, Parameters)}
    assert counts == {repo: COUNTED[repo] for repo in counts}
    silent = [each.reason for each in found.values() if not isinstance(each, Parameters)]
    assert [reason for reason in silent if "is missing" not in reason] == []
    assert len(counts) > 150
