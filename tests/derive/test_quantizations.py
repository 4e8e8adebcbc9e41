"""Quantizations: blocks against ggml's own assertions, file sizes against what llama.cpp and Ollama say of theirs."""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
import yaml
from conftest import ROOT
from weight_table import weight_table

from generator.catalog.read import read
from generator.derive.config.fields import NotDerivable
from generator.derive.parameters import Parameters, WeightBytes, count
from generator.derive.parameters.gguf import LAYERS, Mixture, MixtureRule, mixture_bytes
from generator.derive.parameters.weight_layouts import WeightLayout, layout_from
from generator.derive.quantizations import stored_size, stored_sizes
from generator.knowledge.knowledge_base import KnowledgeBase, assemble

TABLE = weight_table()
HEADER = yaml.safe_load((ROOT / "sources/llamacpp-0c1e5709-ggml-common.yaml").read_text(encoding="utf-8"))["facts"]
SIZES = {"ggml_half": 2, "float": 4, "uint8_t": 1, "uint16_t": 2, "uint32_t": 4, "int16_t": 2}
GIB = 1 << 30


def asserted(expression: str) -> int:
    """A C expression over sizes and constants, such as ``2*sizeof(ggml_half) + QK_K/16``."""
    plain = re.sub(r"sizeof\((\w+)\)", lambda found: str(SIZES[found[1]]), expression)
    while names := re.findall(r"[A-Z]\w*", plain):
        for name in names:
            plain = re.sub(rf"\b{name}\b", HEADER["constants"][name], plain)
    return int(eval(plain.replace("/", "//"), {"__builtins__": {}}))


@pytest.mark.parametrize("block", HEADER["asserted_bytes"])
def test_a_block_takes_what_ggml_asserts_of_it(block: str) -> None:
    layout = layout_from(TABLE, f"ggml-{block.lower().replace('_', '-')}", {}, 16)
    (stored,) = layout.blocks
    assert sum((part.count or 0) * part.bits for part in stored.parts) == 8 * asserted(HEADER["asserted_bytes"][block])
    assert stored.weights == asserted(HEADER["values_per_block"][block])


def test_at_least_25_types_of_ggml_are_on_record() -> None:
    assert len(HEADER["asserted_bytes"]) >= 25


# Comments of ggml-common.h ("Effectively 4.5 bits per weight"), where they count all parts.
@pytest.mark.parametrize(
    ("type", "bits"),
    [("q2-k", "2.625"), ("q3-k", "3.4375"), ("q4-k", "4.5"), ("q5-k", "5.5"), ("q6-k", "6.5625"), ("iq2-xs", "2.3125")],
)
def test_bits_for_a_weight_are_those_of_the_comments(type: str, bits: str) -> None:
    assert layout_from(TABLE, f"ggml-{type}", {}, 16).bits_per_weight == Fraction(bits)


# --- mixtures -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kb() -> KnowledgeBase:
    return assemble(read(ROOT), date(2026, 11, 30))


def size(kb: KnowledgeBase, model: str, quantization: str) -> int:
    found = stored_size(kb.catalog, kb.facts[model], kb.catalog.records[quantization])
    assert found.bytes is not None, found.reason
    return found.bytes


# https://github.com/ollama/ollama/issues/6795 lists the files of llama3.1:8b in GB, to two digits.
OLLAMA = {
    **{"f16": "16", "q2-k": "3.2", "q3-k-s": "3.7", "q3-k-m": "4.0", "q3-k-l": "4.3", "q4-0": "4.7", "q4-1": "5.1"},
    **{"q4-k-s": "4.7", "q4-k-m": "4.9", "q5-0": "5.6", "q5-1": "6.1"},
}


@pytest.mark.parametrize("name", OLLAMA)
def test_files_of_llama_3_1_8b_are_as_large_as_ollama_lists_them(kb: KnowledgeBase, name: str) -> None:
    digits = 0 if "." not in OLLAMA[name] else 1
    assert f"{size(kb, 'llama-3-1-8b', f'gguf-{name}') / 1e9:.{digits}f}" == OLLAMA[name]


# "model size" of logs, which is of the tensors alone: the threads are those of records/observations/.
LOGS = [
    ("qwen3-30b-a3b", "gguf-q4-k-m", 17.28),
    ("qwen3-30b-a3b", "gguf-q8-0", 30.25),
    ("llama-3-1-70b-instruct", "gguf-q4-0", 37.22),
    ("llama-3-2-3b-instruct", "gguf-q4-k-m", 1.87),
    ("qwen2-5-3b-instruct", "gguf-q8-0", 3.05),
    ("mixtral-8x7b", "gguf-q8-0", 46.22),
    ("mixtral-8x7b", "gguf-q6-k", 35.74),
]


@pytest.mark.parametrize(("model", "quantization", "gib"), LOGS)
def test_tensors_take_what_logs_say(kb: KnowledgeBase, model: str, quantization: str, gib: float) -> None:
    assert abs(size(kb, model, quantization) / GIB - gib) < 0.006


def test_a_mixture_of_qwen3_30b_has_the_tensors_that_a_log_counts(kb: KnowledgeBase) -> None:
    """llama.cpp #14235: 241 tensors in f32, 289 in q4_K, 49 in q6_K; experts of a layer are one tensor there."""
    layers = 48
    more = sum(LAYERS["more bits"](index, layers) for index in range(layers))
    matrices = layers * 7 + 2
    assert (2 * more + 1, matrices - 2 * more - 1) == (49, 289)
    assert layers * 5 + 1 == 241  # four norms and a router, and the last norm


def test_a_24_gib_card_takes_qwen3_30b_in_q4_k_m_and_not_in_q8_0(kb: KnowledgeBase) -> None:
    assert size(kb, "qwen3-30b-a3b", "gguf-q4-k-m") < 24 * GIB < size(kb, "qwen3-30b-a3b", "gguf-q8-0")


def test_most_counted_models_have_sizes(kb: KnowledgeBase) -> None:
    sized = {
        model.id
        for model in kb.catalog.sound("model")
        for one in stored_sizes(kb.catalog, kb.facts[model.id])
        if one.bytes is not None
    }
    counted = [model.id for model in kb.catalog.sound("model") if isinstance(kb.facts[model.id].parameters, Parameters)]
    assert set(counted) == sized
    assert len(sized) >= 175


# --- rules ----------------------------------------------------------------------------------------------------------

LAYOUTS: dict[str, WeightLayout] = {
    id: layout_from(TABLE, id, {}, 16) for id, record in TABLE["layouts"].items() if record["form"] == "block type"
}
SMALL: dict[str, Any] = {
    **{"model_type": "llama", "hidden_size": 256, "num_hidden_layers": 16, "num_attention_heads": 4},
    **{"num_key_value_heads": 1, "head_dim": 64, "intermediate_size": 512, "vocab_size": 1000},
    "tie_word_embeddings": False,
}


def stored(config: dict[str, Any], *rules: MixtureRule) -> WeightBytes | NotDerivable:
    found = count(config)
    assert isinstance(found, Parameters), found
    return mixture_bytes(found, 16, Mixture("X", "ggml-q4-k", "ggml-q6-k", rules), LAYOUTS, TABLE)


def by_type(config: dict[str, Any], *rules: MixtureRule) -> dict[str, int]:
    found = stored(config, *rules)
    assert isinstance(found, WeightBytes), found
    return dict(found.by_type)


def test_the_output_has_its_own_type_and_takes_the_input_along_where_they_are_one() -> None:
    assert by_type(SMALL)["Q6_K"] == 1000 * 210
    tied = by_type({**SMALL, "tie_word_embeddings": True})
    assert tied["Q6_K"] == 1000 * 210
    assert by_type(SMALL)["Q4_K"] - tied["Q4_K"] == 1000 * 144


def test_what_has_one_dimension_stays_in_f32() -> None:
    assert by_type(SMALL)["F32"] == 4 * (2 * 16 + 1) * 256


def test_a_rule_holds_in_its_layers_and_the_first_that_does_decides() -> None:
    down = 256 * 512 // 256 * 144
    plain, ruled = by_type(SMALL), by_type(SMALL, MixtureRule("ffn_down", "first eighth", "ggml-q8-0"))
    assert plain["Q4_K"] - ruled["Q4_K"] == 2 * down
    both = by_type(SMALL, MixtureRule("ffn_down", "first 2", "ggml-q6-k"), MixtureRule("ffn_down", "all", "ggml-q8-0"))
    assert both["Q6_K"] - plain["Q6_K"] == 2 * 256 * 512 // 256 * 210
    assert "Q8_0" in both


@pytest.mark.parametrize(
    ("when", "holds"),
    [({"gqa_from": 4}, True), ({"gqa_from": 5}, False), ({"experts": 8}, False), ({"layers": 16}, True)],
)
def test_a_rule_may_be_for_some_models_only(when: dict[str, int], holds: bool) -> None:
    assert ("Q8_0" in by_type(SMALL, MixtureRule("attention_v", "all", "ggml-q8-0", when))) == holds


def test_a_row_that_no_block_fits_gets_the_type_that_llama_cpp_falls_back_to() -> None:
    """Rows of 320 are no multiple of 256: q4_K becomes q5_0, and the output Q8_0."""
    found = by_type({**SMALL, "hidden_size": 320, "num_attention_heads": 5})
    assert {"Q5_0", "Q8_0"} <= set(found)
    assert found["Q8_0"] == 1000 * 320 // 32 * 34


def test_a_row_that_nothing_fits_is_in_f16() -> None:
    assert "F16" in by_type({**SMALL, "intermediate_size": 500})


def test_a_model_whose_tensors_llama_cpp_names_otherwise_is_refused() -> None:
    refused = stored({**SMALL, "model_type": "phi3"})
    assert isinstance(refused, NotDerivable)
    assert "phi3" in refused.reason


def test_a_type_that_is_not_on_record_is_refused() -> None:
    found = count(SMALL)
    assert isinstance(found, Parameters)
    assert isinstance(
        mixture_bytes(found, 16, Mixture("X", "ggml-q9-k", "ggml-q6-k", ()), LAYOUTS, TABLE), NotDerivable
    )
