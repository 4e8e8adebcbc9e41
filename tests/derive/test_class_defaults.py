"""What a config class sets by itself: counted with a pinned source for exactly this model type, and never without."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Base

from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.digests import facts_digest

GEMMA2: dict[str, Any] = {
    "architectures": ["Gemma2ForCausalLM"],
    "model_type": "gemma2",
    "num_hidden_layers": 4,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "sliding_window": 32,
}
GEMMA3: dict[str, Any] = GEMMA2 | {"model_type": "gemma3_text", "num_hidden_layers": 12, "head_dim": 16}
RULES = {"model_type": "gemma2", "class": "Gemma2Config", "defaults": {"sliding_window_pattern": 2}}
SIZES = {"default_sizes": {"head_dim": 16}}
COMPLETE = "complete: true\n"


def source(subject: str, type: str, facts: dict[str, Any], more: str = "") -> str:
    address = "pkg:pypi/transformers@5.24.0#transformers/models/gemma2/configuration_gemma2.py!Gemma2Config"
    hub = "https://huggingface.co/TinyWorks/Tiny-G/raw/0123456789012345678901234567890123456789/config.json"
    return f"""# yaml-language-server: $schema=../schema/source.schema.json
title: A document
publisher: Tiny Works
type: {type}
url: {hub if type == "hf-config" else "pkg:pypi/transformers@5.24.0"}
locator: {hub if type == "hf-config" else address}
subjects: [{subject}]
retrieved: 2026-01-05
upstream_date: 2026-01-02
retrieval: read
digest: sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb
facts_digest: {facts_digest(facts)}
license: MIT
{more}facts: {json.dumps(facts)}
"""


def model(config: dict[str, Any], more: str = "", cited: str = "gemma2-class") -> str:
    return f"""# yaml-language-server: $schema=../../schema/model.schema.json
name: Tiny G
vendor: Tiny Works
repo: TinyWorks/Tiny-G
released: 2026-01-02
license: MIT
config: "[[tiny-g-config]]"
class_defaults: "[[{cited}]]"
{more}architecture: {json.dumps(config)}
"""


def laid(tiny: Base, config: dict[str, Any], facts: dict[str, Any], whole: bool = True, more: str = "") -> Base:
    return tiny.lay(
        {
            "sources/gemma2-class.yaml": source("pypi:transformers", "source-code", facts),
            "sources/tiny-g-config.yaml": source("hf:TinyWorks/Tiny-G", "hf-config", config, COMPLETE * whole),
            "records/models/tiny-g.yaml": model(config, more),
        }
    )


def told(base: Base) -> list[tuple[str, str]]:
    return [(found.code, found.message) for found in base.findings() if found.record == "tiny-g"]


def test_a_rule_of_the_class_fills_a_gap_and_is_named(tiny: Base) -> None:
    base = laid(tiny, GEMMA2 | {"head_dim": 16}, RULES, whole=False)
    facts = base.read().facts["tiny-g"]
    assert facts.geometry is not None
    assert facts.geometry.layers == {"full_attention": 2, "sliding_attention": 2}
    assert "class default: sliding_window_pattern 2" in facts.geometry.notes
    assert facts.class_defaults is not None
    assert (facts.class_defaults.source, facts.class_defaults.class_name) == ("gemma2-class", "Gemma2Config")
    assert facts.class_defaults.keys == {"sliding_window_pattern": 2}
    assert told(base) == []


def test_what_the_config_states_is_no_class_default(tiny: Base) -> None:
    stated = GEMMA2 | {"head_dim": 16, "layer_types": ["full_attention"] * 3 + ["sliding_attention"]}
    base = laid(tiny, stated, RULES)
    facts = base.read().facts["tiny-g"]
    assert facts.geometry is not None
    assert facts.geometry.layers == {"full_attention": 3, "sliding_attention": 1}
    assert facts.class_defaults is None
    ((code, message),) = told(base)
    assert code == "DRV302"
    assert "no class default is used" in message


@pytest.mark.parametrize("whole", [True, False], ids=["a whole config", "a copy with gaps"])
def test_a_size_counts_only_where_the_whole_config_was_read(tiny: Base, whole: bool) -> None:
    base = laid(tiny, GEMMA2, RULES | SIZES, whole)
    facts = base.read().facts["tiny-g"]
    assert (facts.geometry is not None) == whole
    assert [code for code, _ in told(base)] == ([] if whole else ["DRV302"])
    if whole:
        assert facts.class_defaults is not None
        assert facts.class_defaults.keys == {"sliding_window_pattern": 2, "head_dim": 16}
    else:
        assert facts.class_defaults is None
        assert "head_dim" in facts.fields


def test_another_model_type_is_no_evidence_even_where_the_gap_is_accepted(tiny: Base) -> None:
    base = laid(tiny, GEMMA3, RULES, more="underivable: This is known and accepted.\n")
    facts = base.read().facts["tiny-g"]
    assert facts.geometry is None
    ((code, message),) = told(base)
    assert code == "DRV302"
    assert "gemma2-class states the defaults of model type `gemma2`; this config's is `gemma3_text`" in message


def test_a_source_that_states_no_defaults_is_none(tiny: Base) -> None:
    base = laid(tiny, GEMMA2 | {"head_dim": 16}, {"model_type": "gemma2"})
    ((code, message),) = told(base)
    assert code == "DRV302"
    assert "no model_type, class and defaults" in message


def test_a_config_is_no_source_of_class_defaults(tiny: Base) -> None:
    base = laid(tiny, GEMMA2 | {"head_dim": 16}, RULES)
    base.lay({"records/models/tiny-g.yaml": model(GEMMA2 | {"head_dim": 16}, cited="tiny-g-config")})
    assert "CIT104" in [code for code, _ in told(base)]


# The figures of docs/kv-geometry.md for configs that leave their pattern to the class.
REAL = [
    ("gemma-3-27b-it", 81_920, {"full_attention": 10, "sliding_attention": 52}),
    ("gemma-2-27b-it", 188_416, {"full_attention": 23, "sliding_attention": 23}),
    ("gemma-2-2b-it", 53_248, {"full_attention": 13, "sliding_attention": 13}),
    ("olmo-3-7b-instruct", 131_072, {"full_attention": 8, "sliding_attention": 24}),
    ("llama-4-scout-17b-16e-instruct", 49_152, {"full_attention": 12, "chunked_attention": 36}),
    ("llama-4-maverick-17b-128e-instruct", 49_152, {"full_attention": 12, "chunked_attention": 36}),
    ("llama-4-scout-17b-16e-instruct-fp8-dynamic", 49_152, {"full_attention": 12, "chunked_attention": 36}),
]


@pytest.mark.parametrize(("id", "growth", "layers"), REAL, ids=[row[0] for row in REAL])
def test_real_models_that_rest_on_a_class(real: KnowledgeBase, id: str, growth: int, layers: dict[str, int]) -> None:
    facts = real.facts[id]
    assert facts.geometry is not None
    assert {name: count for name, count in facts.geometry.layers.items() if count} == layers
    figure = facts.figure("bf16")
    assert figure is not None
    assert figure.growth == growth
    assert facts.class_defaults is not None
    stated = real.catalog.records[facts.class_defaults.source].get("facts")
    assert {key: stated["defaults"][key] for key in facts.class_defaults.keys} == facts.class_defaults.keys


def test_each_source_of_class_defaults_quotes_its_rule(real: KnowledgeBase) -> None:
    cited = {facts.class_defaults.source for facts in real.facts.values() if facts.class_defaults}
    assert cited
    for id in cited:
        record = real.catalog.records[id]
        assert record.get("locator").endswith(f"!{record.get('facts', 'class')}")
        assert record.get("retrieval") == "read"
        assert record.get("quotes")


# --- the command ----------------------------------------------------------------------------------------------------


def run(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "generator", *arguments]
    root = str(ROOT)
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env={"PYTHONPATH": root, "PATH": ""})


def written(tmp_path: Path, config: object) -> str:
    path = tmp_path / "config.json"
    path.write_text(config if isinstance(config, str) else json.dumps(config), encoding="utf-8")
    return str(path)


SCOUT = {
    "architectures": ["Llama4ForConditionalGeneration"],
    "model_type": "llama4",
    "text_config": {
        "model_type": "llama4_text",
        "attention_chunk_size": 8192,
        "head_dim": 128,
        "hidden_size": 5120,
        "num_attention_heads": 40,
        "num_hidden_layers": 48,
        "num_key_value_heads": 8,
    },
}


def test_kv_names_a_class_default_and_computes_with_it_only_when_told(tmp_path: Path) -> None:
    path = written(tmp_path, SCOUT)
    refused = run("kv", "--config", path, "--format", "json")
    assert refused.returncode == 1
    payload = json.loads(refused.stdout)
    wanted = {
        "source": "transformers-5-24-0-llama4-config",
        "class": "Llama4TextConfig",
        "keys": {"no_rope_layer_interval": 4},
    }
    assert payload["derivable"] is False
    assert payload["class_defaults_on_record"] == wanted
    assert "--class-defaults computes with it" in run("kv", "--config", path).stdout
    told = run("kv", "--config", path, "--class-defaults", "--format", "json")
    assert told.returncode == 0
    payload = json.loads(told.stdout)
    assert payload["growth_bytes_per_token"]["bf16"] == 49_152
    assert payload["class_defaults"] == wanted
    text = run("kv", "--config", path, "--class-defaults").stdout
    assert "class default: no_rope_layer_interval 4 (Llama4TextConfig, transformers-5-24-0-llama4-config)" in text


def test_kv_says_why_class_defaults_do_not_help(tmp_path: Path) -> None:
    unknown = written(tmp_path, GEMMA2 | {"head_dim": 16, "kv_teleport": 3, "auto_map": {"AutoModel": "x.Y"}})
    said = run("kv", "--config", unknown, "--class-defaults")
    assert said.returncode == 1
    assert "do not help: unknown config key `kv_teleport`" in said.stdout
    none = run("kv", "--config", written(tmp_path, {"model_type": "llama"}), "--class-defaults")
    assert "no source on record states the class defaults of model type `llama`" in none.stdout
    outside = run("kv", "--config", written(tmp_path, SCOUT), "--class-defaults", cwd=tmp_path)
    assert outside.returncode == 1
    assert "outside a knowledge base no class defaults are known" in outside.stdout
    record = run("kv", "deepseek-v2", "--class-defaults")
    assert record.returncode == 2
    assert "--class-defaults goes with --config" in record.stderr


def test_kv_reads_sources_only_where_a_config_is_refused(tmp_path: Path) -> None:
    """A source costs about a millisecond to parse; five hundred of them would cost more than all the rest."""
    program = (
        "import sys; from generator.catalog.read.folders import Reader as r; f = r.file; n = []; "
        "r.file = lambda s, k, p: "
        "(n.append(k.name), f(s, k, p))[1]; sys.argv = ['x', 'kv', '--config', sys.argv[1], '--class-defaults'];\n"
        "from generator.cli import cli\n"
        "cli.main(standalone_mode=False)\nprint('sources', n.count('source'), file=sys.stderr)"
    )
    plain = written(tmp_path, SCOUT | {"text_config": SCOUT["text_config"] | {"no_rope_layer_interval": 4}})  # type: ignore[operator]
    for path, count in ((plain, 0), (written(tmp_path / "..", SCOUT), 1)):
        said = subprocess.run(
            [sys.executable, "-c", program, path], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert said.stderr.splitlines()[-1:] == [f"sources {count}"], said.stderr


LLAMA = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
}
ODD: Sequence[tuple[str, object, int, str]] = [
    ("plain", LLAMA, 0, "131,072"),
    ("nested twice", {"text_config": {"text_config": LLAMA}}, 0, "131,072"),
    ("nulls that say nothing", LLAMA | {"head_dim": None, "rope_scaling": None}, 0, "131,072"),
    ("a mark at the start", "\ufeff" + json.dumps(LLAMA), 0, "131,072"),
    ("a null that matters", LLAMA | {"num_key_value_heads": None}, 1, "`num_key_value_heads` is missing"),
    ("text for a number", LLAMA | {"hidden_size": "4096"}, 1, "`hidden_size` is '4096'"),
    ("half a layer", LLAMA | {"num_hidden_layers": 32.5}, 1, "`num_hidden_layers` is 32.5"),
    ("absurd", LLAMA | {"head_dim": 10**30}, 1, "no such model is known"),
    ("too many digits", json.dumps(LLAMA)[:-1] + ', "head_dim": ' + "9" * 5000 + "}", 1, "no such model is known"),
    ("two language models", {"text_config": LLAMA, "llm_config": LLAMA}, 1, "more than one language model"),
    ("a wrapper of text", {"text_config": "llama"}, 1, "an object is needed"),
    ("nothing in it", {}, 1, "missing"),
    ("a key twice", json.dumps(LLAMA)[:-1] + ', "num_hidden_layers": 16}', 2, "appears twice"),
    ("a list", [LLAMA], 2, "holds no config"),
    ("no JSON", "model_type: llama", 2, "is not JSON"),
    ("empty", "", 2, "is not JSON"),
    ("nested for ever", "[" * 200_000, 2, "nested too deeply"),
]


@pytest.mark.parametrize(("what", "config", "status", "says"), ODD, ids=[row[0] for row in ODD])
def test_kv_on_odd_configs(tmp_path: Path, what: str, config: object, status: int, says: str) -> None:
    said = run("kv", "--config", written(tmp_path, config), "--cache", "bf16", cwd=tmp_path)
    assert said.returncode == status, said.stdout + said.stderr
    assert says in (said.stderr if status == 2 else said.stdout)
    assert "Traceback" not in said.stderr


def test_the_process_ends_with_the_status_of_its_command(tiny: Base) -> None:
    """Of the process, not of click's own runner: scripts and CI see nothing else."""
    assert run("--root", str(tiny.root), "validate").returncode == 0
    tiny.edit("records/models/tiny-a.yaml", "num_hidden_layers: 4", "num_hidden_layers: 5")
    assert run("--root", str(tiny.root), "validate").returncode == 1
    assert run("--root", str(tiny.root / "none"), "validate").returncode == 2
    assert run("--help").returncode == 0
