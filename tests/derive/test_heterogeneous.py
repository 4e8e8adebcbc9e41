"""``per_layer_config``: layers that override the config one by one.

The bytes are those that transformers 5.24.0 keeps for its own default Gemma 4 config with six layers, as measured by
``make oracle``; the same config in the older spelling (``global_head_dim``) has to give the same.
"""

from __future__ import annotations

from typing import Any

import pytest
from conftest import ROOT

from generator.catalog.yaml.loader import load
from generator.derive.attention import ConfigKeys, Geometry, NotDerivable, derive

KEYS = ConfigKeys.from_table(load((ROOT / "schema/config_keys.yaml").read_text("utf-8")).data)
GEMMA: dict[str, Any] = {
    "model_type": "gemma4_text",
    "num_hidden_layers": 6,
    "layer_types": ["sliding_attention"] * 5 + ["full_attention"],
    "sliding_window": 512,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "hidden_size": 2304,
    "num_kv_shared_layers": 0,
}
NEW = GEMMA | {"per_layer_config": {"05": {"head_dim": 512}}}


def geometry(config: dict[str, Any]) -> Geometry:
    found = derive(config, KEYS)
    assert isinstance(found, Geometry), found
    return found


def scalars(found: Geometry, tokens: int) -> int:
    return sum(stream.layers * stream.entries.count(tokens) * stream.scalars for stream in found.streams)


def test_gemma_4_as_its_library_saves_it() -> None:
    found = geometry(NEW)
    assert {tokens: scalars(found, tokens) * 2 for tokens in (5, 17)} == {5: 143_360, 17: 487_424}
    assert found.family == "swa_hybrid"
    assert "per_layer_config" in found.reads


def test_both_spellings_of_gemma_4_agree() -> None:
    old = geometry(GEMMA | {"global_head_dim": 512})
    assert {scalars(geometry(NEW), tokens) for tokens in (1, 511, 9_000)} == {scalars(old, n) for n in (1, 511, 9_000)}
    assert geometry(NEW).layers == old.layers


def test_layers_of_one_type_may_differ() -> None:
    plain = {"model_type": "llama", "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 8}
    found = geometry(
        plain | {"head_dim": 64, "hidden_size": 512, "per_layer_config": {"1": {"num_key_value_heads": 2}}}
    )
    assert [(stream.layers, stream.scalars) for stream in found.streams] == [(3, 8 * 128), (1, 2 * 128)]
    assert found.naive_gqa_bytes_per_token == 2 * (3 * 8 * 128 + 2 * 128)


def test_an_empty_object_overrides_nothing() -> None:
    assert geometry(GEMMA | {"global_head_dim": 512, "per_layer_config": {}}).streams


REFUSED = {
    "a layer that the model has not": {"6": {"head_dim": 512}},
    "a name that is no number": {"last": {"head_dim": 512}},
    "one layer twice": {"5": {"head_dim": 512}, "05": {"head_dim": 256}},
    "no object": {"5": 512},
    "a part left out": {"5": {"skip": ["mlp"]}},
    "a list in its place": [{"head_dim": 512}],
    "a key nobody has judged": {"5": {"novel_memory": 3}},
    "another number of layers": {"5": {"num_hidden_layers": 7}},
    "another kind of layer": {"5": {"layer_types": ["full_attention"] * 6}},
}


@pytest.mark.parametrize("overrides", REFUSED.values(), ids=REFUSED)
def test_what_is_no_override_is_refused(overrides: Any) -> None:
    assert isinstance(derive(GEMMA | {"per_layer_config": overrides}, KEYS), NotDerivable)


def test_layers_that_share_a_cache_are_refused() -> None:
    assert isinstance(derive(NEW | {"num_kv_shared_layers": 2}, KEYS), NotDerivable)
