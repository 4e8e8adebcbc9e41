"""The two witnesses of a checkpoint's size: its files as the Hub counts them, and what its config adds up to."""

from __future__ import annotations

import copy
from datetime import date
from math import ceil

import pytest
import yaml
from conftest import HERE, ROOT
from weight_table import weight_table

from generator.catalog.read import read
from generator.derive.parameters import (
    NotDerivable,
    Parameters,
    WeightBytes,
    count,
    elements_bytes,
    explained,
    weight_bytes,
)
from generator.derive.witnesses import size_witnesses
from generator.knowledge.knowledge_base import KnowledgeBase, assemble

COUNTED = yaml.load((HERE / "data/parameters_counted.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
CONFIGS = {id: row["config"] for row in COUNTED for id in (row["id"], *row.get("also", ()))}
TABLE = weight_table()
GEMMA = CONFIGS["google/gemma-7b-it"]
LEFT_OUT = "<145 module names omitted>"

# Sums that the Hub gives for the files, as llmfit 1.1.17 carries them: made from tensors, not from configs.
GEMMA_7B = 8_537_680_896
QWEN3_30B_FP8 = 30_533_947_392


def fp8(config: dict[str, object]) -> dict[str, object]:
    """A config of blocks in FP8 whose list of what is spared was left out of the copy."""
    stated = {"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "weight_block_size": [128, 128]}
    return {**config, "torch_dtype": "bfloat16", "quantization_config": {**stated, "modules_to_not_convert": LEFT_OUT}}


def qwen() -> tuple[Parameters, dict[str, object]]:
    config = fp8(copy.deepcopy(CONFIGS["Qwen/Qwen3-30B-A3B"]))
    found = count(config)
    assert isinstance(found, Parameters)
    return found, config


# --- switches -------------------------------------------------------------------------------------------------------


def test_a_switch_that_a_config_leaves_out_follows_from_the_number_of_elements() -> None:
    config = {key: value for key, value in GEMMA.items() if key != "tie_word_embeddings"}
    assert isinstance(count(config), NotDerivable)
    found = count(config, None, GEMMA_7B)
    assert isinstance(found, Parameters)
    assert (found.total, found.tied, found.settled, found.assumed) == (
        GEMMA_7B,
        True,
        {"tie_word_embeddings": True},
        {},
    )
    untied = count(config, None, GEMMA_7B + 256_000 * 3_072)
    assert isinstance(untied, Parameters)
    assert not untied.tied


@pytest.mark.parametrize("off", [-1, 1, 3072])
def test_any_other_number_settles_nothing(off: int) -> None:
    config = {key: value for key, value in GEMMA.items() if key != "tie_word_embeddings"}
    assert count(config, None, GEMMA_7B + off) == count(config)


def test_sizes_are_never_solved_for() -> None:
    config = {key: value for key, value in GEMMA.items() if key != "vocab_size"}
    assert isinstance(count(config, None, GEMMA_7B), NotDerivable)


# --- elements -------------------------------------------------------------------------------------------------------


def test_scales_of_blocks_account_for_the_files_of_an_fp8_checkpoint() -> None:
    found, _ = qwen()
    # 48 layers: q and o, k and v, and 128 experts of three matrices, each in blocks of 128 x 128; routers stay.
    attention = 2 * ceil(4096 / 128) * ceil(2048 / 128) + 2 * ceil(512 / 128) * ceil(2048 / 128)
    scales = 48 * (attention + 128 * 3 * ceil(768 / 128) * ceil(2048 / 128))
    assert QWEN3_30B_FP8 - found.total == scales
    assert explained(found, QWEN3_30B_FP8, scales) == ("scales",)
    assert explained(found, QWEN3_30B_FP8 + 1, scales) is None


def test_a_list_that_a_copy_leaves_out_is_made_up_for_by_the_number_of_scales() -> None:
    found, config = qwen()
    names = ("Qwen3-30B-A3B-FP8",)
    assert isinstance(weight_bytes(found, config, TABLE, names), NotDerivable)
    weights = weight_bytes(found, config, TABLE, names, elements=QWEN3_30B_FP8)
    assert isinstance(weights, WeightBytes)
    scales = QWEN3_30B_FP8 - found.total
    assert weights.scales == scales
    plain = 2 * 151_936 * 2048 + 48 * 128 * 2048 + 48 * (2 * 2048 + 2 * 128) + 2048
    assert weights.total == (found.total - plain) + 2 * plain + 4 * scales
    assert isinstance(weight_bytes(found, config, TABLE, names, elements=QWEN3_30B_FP8 - 128), NotDerivable)


def test_as_many_elements_as_parameters_say_nothing_of_how_they_are_stored() -> None:
    """The Hub's sum for gpt-oss-20b is 20,914,757,184, its parameters, though they are packed two in a byte."""
    config = {**GEMMA, "tie_word_embeddings": True, "torch_dtype": "bfloat16"}
    found = count(config)
    assert isinstance(found, Parameters)
    refused = weight_bytes(found, config, TABLE, whole=False, elements=found.total)
    assert isinstance(refused, NotDerivable)


UNKNOWN = {"model_type": "tower-of-babel", "torch_dtype": "bfloat16", "num_hidden_layers": 2}


def test_the_only_witness_gives_bytes_where_a_whole_config_states_no_quantisation() -> None:
    found = elements_bytes(1000, UNKNOWN, TABLE)
    assert isinstance(found, WeightBytes)
    assert (found.total, found.alone) == (2000, True)


@pytest.mark.parametrize(
    ("config", "names", "whole"),
    [
        pytest.param(UNKNOWN, (), False, id="a copy with gaps"),
        pytest.param(UNKNOWN, ("Babel-AWQ",), True, id="a name that says it is quantised"),
        pytest.param({**UNKNOWN, "torch_dtype": None}, (), True, id="no type"),
        pytest.param({**UNKNOWN, "quantization_config": {"quant_method": "fp8"}}, (), True, id="a scheme"),
        pytest.param({**UNKNOWN, "text_config": 3}, (), True, id="a broken wrapper"),
    ],
)
def test_else_the_only_witness_gives_none(config: dict[str, object], names: tuple[str, ...], whole: bool) -> None:
    assert elements_bytes(1000, config, TABLE, names, whole=whole) is None


# --- the records ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kb() -> KnowledgeBase:
    return assemble(read(ROOT), date(2026, 11, 30))


def test_most_counts_agree_with_the_files_to_the_last_element(kb: KnowledgeBase) -> None:
    found = [one for model in kb.catalog.sound("model") for one in size_witnesses(model, kb.facts[model.id])]
    exact = [one for one in found if one.what == "elements" and one.agreement in ("same", "beside")]
    assert len(exact) >= 85
    differing = [one for one in found if one.agreement == "differs"]
    assert all(one.difference is not None and one.difference > 0 for one in differing)
    assert all(one.difference == 0 for one in exact if one.agreement == "same")


def test_bytes_of_an_index_are_those_of_the_types_that_the_config_states(kb: KnowledgeBase) -> None:
    """Muse-Glimmer-30B: both witnesses are of the files, and the index has two bytes for each element."""
    muse = kb.catalog.records["muse-glimmer-30b"]
    assert muse.get("checkpoint", "bytes", "value") == 2 * muse.get("checkpoint", "elements", "value")
