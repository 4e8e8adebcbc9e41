"""The types of config keys: one table, from which editors and validation read the same."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from conftest import ROOT, Base

from generator.authoring.config_schema import PATH, config_schema
from generator.catalog.read import read
from generator.cli import cli
from generator.knowledge.knowledge_base import KnowledgeBase

MODEL = "records/models/tiny-a.yaml"


def test_the_file_is_what_the_table_gives(real: KnowledgeBase) -> None:
    assert (ROOT / PATH).read_text("utf-8") == config_schema(real.catalog)


def test_the_command_writes_it_and_only_looks_when_told_to(real_copy: Base) -> None:
    path = real_copy.root / PATH
    right = path.read_text("utf-8")
    path.write_text(right.replace('"minimum": 1', '"minimum": 2', 1), "utf-8")
    looked = CliRunner().invoke(cli, ["--root", str(real_copy.root), "schema", "--check"])
    assert (looked.exit_code, looked.output) == (1, f"{path_of(real_copy)}would change\n")
    assert path.read_text("utf-8") != right
    assert CliRunner().invoke(cli, ["--root", str(real_copy.root), "schema"]).exit_code == 0
    assert path.read_text("utf-8") == right
    assert CliRunner().invoke(cli, ["--root", str(real_copy.root), "schema", "--check"]).exit_code == 0


def path_of(base: Base) -> str:
    from generator.cli.targets import place_of

    return f"{place_of(base.root)}{PATH} "


def test_every_known_key_is_there_with_its_reason() -> None:
    config = json.loads((ROOT / PATH).read_text("utf-8"))["$defs"]["config"]
    assert config["properties"]["num_hidden_layers"]["type"] == ["integer", "null"]
    assert config["properties"]["num_hidden_layers"]["minimum"] == 1
    assert config["properties"]["kv_lora_rank"]["minimum"] == 0, "0 says that there is none"
    assert config["properties"]["use_sliding_window"]["type"] == ["boolean", "null"]
    assert config["properties"]["layer_types"]["items"] == {"type": "string"}
    inside = config["properties"]["sparse_attention_config"]["properties"]
    assert inside["use_sparse_attention"]["type"] == ["boolean", "null"]
    assert "Shapes the cache" in config["properties"]["kv_lora_rank"]["description"]
    assert "additionalProperties" not in config, "a key that is new to us is judged by DRV302, with its reason"


WRONG = {
    "text for a size": ("kv_lora_rank: 32", "kv_lora_rank: thirty-two", "is the text `thirty-two`; a whole number"),
    "a size in quotes": ("kv_lora_rank: 32", 'kv_lora_rank: "32"', "is the text `32`; a whole number"),
    "a half size": ("hidden_size: 256", "hidden_size: 256.5", "is the number 256.5; a whole number"),
    "a list for a size": ("hidden_size: 256", "hidden_size: [256]", "is a list; a whole number"),
    "true for a size": ("num_attention_heads: 4", "num_attention_heads: true", "is true; a whole number"),
    "no layers": ("num_hidden_layers: 4", "num_hidden_layers: 0", "less than the minimum of 1"),
    "text for a switch": ("v_head_dim: 16", "v_head_dim: 16\n  use_sliding_window: never", "true or false"),
    "numbers for names": ("v_head_dim: 16", "v_head_dim: 16\n  layer_types: [1, 2]", "text is expected"),
    "a mapping for a type": ("model_type: tiny_mla", "model_type: {a: 1}", "is a mapping; text"),
}


@pytest.mark.parametrize(("old", "new", "said"), WRONG.values(), ids=WRONG)
def test_a_value_of_the_wrong_type_is_one_finding_at_its_place(tiny: Base, old: str, new: str, said: str) -> None:
    found = tiny.edit(MODEL, f"  {old}\n", f"  {new}\n").findings()
    assert {each.code for each in found} == {"SCH101"}
    key = new.strip().split("\n")[-1].split(":")[0].strip()
    line = (tiny.root / MODEL).read_text("utf-8").splitlines()[found[0].location.line - 1]
    assert line.startswith(f"  {key}: ")
    assert found[0].location.column >= line.index(":") + 2
    assert said in found[0].message


RIGHT = [
    "q_lora_rank: null",
    "rope_theta: 10000",
    "rope_theta: 1e+6",
    "kv_lora_rank_of_ours: x",
    "index_topk_pattern: null",
]


@pytest.mark.parametrize("line", RIGHT)
def test_what_configs_really_hold_is_left_alone(tiny: Base, line: str) -> None:
    tiny.edit(MODEL, "  v_head_dim: 16\n", f"  v_head_dim: 16\n  {line}\n")
    assert "SCH101" not in {each.code for each in tiny.findings()}


def test_a_base_without_the_file_is_read_all_the_same(real_copy: Base) -> None:
    assert read(real_copy.root).tables["config_keys"]
