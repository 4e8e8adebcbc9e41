"""Keys that nobody judged: inert where the code of the class never reads them, in the way everywhere else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from generator.derive.attention import Geometry, NotDerivable, derive
from generator.derive.cited_config import CitedConfig, config_keys
from generator.derive.config.class_reads import ClassReads
from generator.derive.config.keys import ConfigKeys
from generator.knowledge.knowledge_base import KnowledgeBase

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "hidden_size": 4096,
    "head_dim": 128,
}
TABLE = ClassReads(
    "a library", {"every": "shared_odd", "folders": {"llama": {"model_types": ["llama"], "reads": "own_odd"}}}
)


@pytest.fixture(scope="module")
def keys(real: KnowledgeBase) -> ConfigKeys:
    return replace(config_keys(real.catalog), reads=TABLE)


def test_a_key_that_the_class_never_reads_changes_nothing(keys: ConfigKeys) -> None:
    plain, odd = derive(LLAMA, keys), derive({**LLAMA, "wibble": 3}, keys)
    assert isinstance(plain, Geometry)
    assert isinstance(odd, Geometry)
    assert odd.streams == plain.streams
    assert odd.notes == (*plain.notes, "not read by the class (a library): wibble")


IN_THE_WAY = {
    "read by the class": {"own_odd": 3},
    "read for every model": {"shared_odd": 3},
    "code of its own": {"wibble": 3, "auto_map": {"AutoModel": "modeling_x.X"}},
    "another class": {"wibble": 3, "model_type": "unheard_of"},
    "no class": {"wibble": 3, "model_type": None},
    "a name that speaks of the cache": {"n_kv_heads_extra": 3},
    "another spelling": {"num_kv_head": 8},
}


@pytest.mark.parametrize("more", IN_THE_WAY.values(), ids=IN_THE_WAY)
def test_other_keys_stay_in_the_way(keys: ConfigKeys, more: dict[str, Any]) -> None:
    assert isinstance(derive({**LLAMA, **more}, keys), NotDerivable)


def test_the_message_says_that_the_class_reads_it(keys: ConfigKeys) -> None:
    refused = derive({**LLAMA, "own_odd": 3}, keys)
    assert isinstance(refused, NotDerivable)
    assert "the code of `llama` (llama; a library) reads it" in refused.reason


def test_beside_a_language_model_the_wrapper_s_class_decides(keys: ConfigKeys) -> None:
    table = ClassReads("a library", {"every": "", "folders": {"w": {"model_types": ["llava"], "reads": "own_odd"}}})
    outer = {"model_type": "llava", "text_config": {**LLAMA}}
    wrapped = replace(keys, reads=table)
    assert isinstance(derive({**outer, "wibble": 1}, wrapped), Geometry)
    assert isinstance(derive({**outer, "own_odd": 1}, wrapped), NotDerivable)


def test_configs_on_record_need_no_judgement_of_what_their_class_never_reads(real: KnowledgeBase) -> None:
    """The list by hand and the code of the class agree: without the one, the other gives the same geometry."""
    listed = config_keys(real.catalog)
    assert listed.reads is not None
    dropped = compared = 0
    for model in real.catalog.sound("model"):
        source = CitedConfig.of(real.catalog, model).source
        facts = source.get("facts") if source else None
        whole = derive(facts, listed) if isinstance(facts, dict) else None
        if not isinstance(whole, Geometry):
            continue
        by_hand = {key for key in facts if key in listed.explicit and listed.role(key) == "neutral"}
        named = {key for key in by_hand if listed.words.why_not_neutral(key)}
        unread = {key for key in by_hand - named if listed.reads.unread(key, facts)}
        explicit = {key: entry for key, entry in listed.explicit.items() if key not in unread}
        again = derive(facts, replace(listed, explicit=explicit))
        assert isinstance(again, Geometry), f"{model.id}: {again.reason}"
        assert again.streams == whole.streams, model.id
        dropped, compared = dropped + len(unread), compared + 1
    assert compared > 60
    assert dropped > 100
