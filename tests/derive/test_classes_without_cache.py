"""The class in `architectures` decides what is kept, not the family that its config looks like."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from conftest import ROOT, Base

from generator.derive.attention import ConfigKeys, Geometry, NotDerivable, derive

KEYS = ConfigKeys.from_table(
    yaml.load((ROOT / "schema/config_keys.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
)
T5 = {"d_model": 512, "d_kv": 64, "num_heads": 6, "num_layers": 8, "num_decoder_layers": 8, "is_encoder_decoder": True}
BART = {
    "d_model": 768,
    "encoder_layers": 6,
    "decoder_layers": 6,
    "decoder_attention_heads": 12,
    "encoder_attention_heads": 12,
}
LLAMA = {"num_hidden_layers": 4, "hidden_size": 256, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64}


def found(model_type: str, sizes: dict[str, Any], *classes: str, **more: Any) -> Geometry | NotDerivable:
    return derive({"model_type": model_type, "architectures": list(classes), **sizes, **more}, KEYS)


# transformers 5.24.0: the heads of decoder families run the decoder with its cache (modeling_layers.py, past_key_values
# in forward), and so do the whole encoder-decoders; bytes per token in bf16 by 2 x layers x heads x width x 2.
KEEPING = [
    ("llama", LLAMA, "LlamaForCausalLM", 4 * 2 * 2 * 64 * 2),
    ("llama", LLAMA, "LlamaForSequenceClassification", 4 * 2 * 2 * 64 * 2),
    ("llama", LLAMA, "LlamaForTokenClassification", 4 * 2 * 2 * 64 * 2),
    ("mistral", {**LLAMA, "sliding_window": None}, "MistralModel", 4 * 2 * 2 * 64 * 2),
    ("umt5", T5, "UMT5ForConditionalGeneration", 8 * 2 * 6 * 64 * 2),
    ("t5", T5, "T5ForSequenceClassification", 8 * 2 * 6 * 64 * 2),
    ("bart", BART, "BartForSequenceClassification", 6 * 2 * 768 * 2),
]


@pytest.mark.parametrize(("model_type", "sizes", "name", "growth"), KEEPING, ids=[row[2] for row in KEEPING])
def test_decoders_keep_their_cache_whatever_their_head(
    model_type: str, sizes: dict[str, Any], name: str, growth: int
) -> None:
    geometry = found(model_type, sizes, name)
    assert isinstance(geometry, Geometry), geometry
    assert sum(2 * s.layers * s.scalars * s.entries.slope() for s in geometry.streams) == growth


NOTHING = [
    ("umt5", T5, "UMT5EncoderModel"),
    ("t5", T5, "T5EncoderModel"),
    ("mt5", T5, "MT5ForTokenClassification"),
    ("longt5", T5, "LongT5EncoderModel"),
    ("bart", BART, "BartEncoder"),
    ("whisper", {**BART, "max_source_positions": 1500}, "WhisperForAudioClassification"),
    ("roberta", {**LLAMA}, "RobertaForMaskedLM"),
    ("clip_text_model", {**LLAMA}, "CLIPTextModelWithProjection"),
]


@pytest.mark.parametrize(("model_type", "sizes", "name"), NOTHING, ids=[row[2] for row in NOTHING])
def test_encoders_of_any_family_keep_nothing(model_type: str, sizes: dict[str, Any], name: str) -> None:
    geometry = found(model_type, sizes, name, a_key_of_its_own=3)
    assert isinstance(geometry, Geometry), geometry
    assert not geometry.streams
    assert not geometry.states
    assert any(name in note and "no cache" in note for note in geometry.notes)


REFUSED = [
    ("an encoder nobody has judged", ("mistral", LLAMA, "MistralBidirectionalModel"), "MistralBidirectionalModel"),
    ("another", ("t5", T5, "T5EncoderForSequenceClassification"), "T5EncoderForSequenceClassification"),
    ("a decoder alone", ("bart", BART, "BartForCausalLM"), "BartForCausalLM"),
    ("two classes, of which one keeps", ("t5", T5, "T5EncoderModel", "T5ForConditionalGeneration"), "both are named"),
]


@pytest.mark.parametrize(("config", "named"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_classes_nobody_has_judged_are_refused(config: Any, named: str) -> None:
    refused = found(*config)
    assert isinstance(refused, NotDerivable)
    assert named in refused.reason


def test_a_causal_encoder_is_refused() -> None:
    refused = found("roberta", LLAMA, "RobertaForMaskedLM", is_decoder=True)
    assert isinstance(refused, NotDerivable)
    assert "is_decoder" in refused.reason


def test_the_class_of_a_wrapper_decides() -> None:
    config = {"architectures": ["SiglipTextModel"], "text_config": {"architectures": ["LlamaForCausalLM"], **LLAMA}}
    geometry = derive({**config, "model_type": "siglip"}, KEYS)
    assert isinstance(geometry, Geometry)
    assert not geometry.streams


def test_no_model_on_record_lost_its_cache(real: Any, tiny: Base) -> None:
    """No class of a served model is in the list by mistake: none of them is an encoder by its engine's lists."""
    for facts in real.facts.values():
        if facts.geometry and set(facts.config.get("architectures") or ()) & KEYS.without_cache.names:
            assert facts.geometry.family == "encoder_only"
    assert all(facts.geometry for facts in tiny.read().facts.values())
