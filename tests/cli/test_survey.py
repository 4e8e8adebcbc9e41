"""``servebook stats``, ``where`` and ``gaps``, held against the files and the cells themselves."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from conftest import Base

from generator.cli import cli
from generator.knowledge.knowledge_base import KnowledgeBase

ROOT = Path(__file__).resolve().parents[2]


def run(*words: str, root: Path = ROOT) -> Result:
    """A command on a base."""
    return CliRunner().invoke(cli, ["--root", str(root), *words])


def said(*words: str, root: Path = ROOT) -> dict[str, Any]:
    """Its JSON."""
    result = run(*words, "--format", "json", root=root)
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


@pytest.fixture(scope="module")
def counted() -> dict[str, Any]:
    """The counts of the real base."""
    return said("stats")


@pytest.mark.parametrize("kind", ["model", "engine", "gpu", "gotcha"])
def test_records_are_counted_as_files(counted: dict[str, Any], kind: str) -> None:
    files = (ROOT / "records" / f"{kind}s").glob("*.yaml")
    assert counted["records"][kind] == sum(not path.name.endswith(".corrections.yaml") for path in files)


def test_cells_are_all_counted(counted: dict[str, Any]) -> None:
    records = counted["records"]
    assert sum(counted["cells"].values()) == records["model"] * records["engine"] * records["gpu"]
    assert list(counted["cells"]) == [
        *("supported", "partial", "blocked", "listed", "not-listed", "no-evidence", "sources-disagree")
    ]


def test_sources_and_models_add_up(counted: dict[str, Any]) -> None:
    assert sum(counted["sources"].values()) == counted["records"]["source"]
    assert 0 < counted["models"]["weights"] <= counted["models"]["derived"] <= counted["records"]["model"]


FOUND = [
    # kind, conditions, some that are found, some that are not
    ("gpu", ["compute_capability=sm_90"], {"h100-sxm", "h200-sxm"}, {"a100-sxm-80gb"}),
    ("gpu", ["memory.bytes>=150000000000", "vendor=NVIDIA"], {"b200"}, {"h100-sxm", "mi300x"}),
    ("model", ["architecture.architectures=GptOssForCausalLM"], {"gpt-oss-20b", "gpt-oss-120b"}, {"qwen3-8b"}),
    (
        "model",
        ["architecture.sliding_window!=1024", "architecture.architectures=Gemma3ForConditionalGeneration"],
        set(),
        {"gemma-3-27b-it"},
    ),
    ("engine", ["version=0.33.0"], {"vllm"}, {"sglang"}),
    ("engine", ["cache_policy.rows.keeps=share"], {"sglang"}, {"vllm", "mlc-llm"}),
]


@pytest.mark.parametrize(("kind", "conditions", "there", "absent"), FOUND)
def test_where_finds_records_by_their_fields(
    kind: str, conditions: list[str], there: set[str], absent: set[str]
) -> None:
    ids = {row["id"] for row in said("where", kind, *conditions)["records"]}
    assert there <= ids
    assert not absent & ids


def test_nothing_found_is_an_answer() -> None:
    result = run("where", "gpu", "vendor=Nobody")
    assert (result.exit_code, result.stdout.strip()) == (0, "no gpu is like that")


MISTAKES = [
    (("where", "gpus", "vendor=NVIDIA"), "gpu"),
    (("where", "gpu", "vendr=NVIDIA"), "did you mean vendor"),
    (("where", "gpu", "memory.byte>=1"), "memory.bytes"),
    (("where", "gpu", "memory.bytes>=much"), "compares numbers"),
    (("where", "gpu", "NVIDIA"), "FIELD=VALUE"),
    (("where", "gpu"), "FIELD=VALUE"),
    (("gaps", "--engine", "vlm"), "vllm"),
]


@pytest.mark.parametrize(("words", "says"), MISTAKES)
def test_a_mistake_ends_with_2_and_the_next_step(words: tuple[str, ...], says: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert says in result.output


def test_gaps_are_the_open_cells(real: KnowledgeBase, counted: dict[str, Any]) -> None:
    found = said("gaps", "--engine", "tensorrt-llm", "--most", "1000")
    cells = counted["cells"]
    assert found["open"] == cells["listed"] + cells["no-evidence"] + cells["sources-disagree"]
    assert sum(each["cells"] for each in found["questions"]) == found["open_here"]
    open_ = Counter(
        str(real.verdicts.verdict(model.id, "tensorrt-llm", gpu).state)
        for model in real.catalog.sound("model")
        for gpu in real.verdicts.gpus
    )
    assert found["open_here"] == open_["listed"] + open_["no-evidence"] + open_["sources-disagree"]
    policy = found["policies"]["tensorrt-llm"]
    assert policy["read"] == 0
    assert policy["unread"][0]["reason"] == "what the cache of TensorRT-LLM keeps was not read"


def test_a_small_base_can_be_asked_as_well(tiny: Base) -> None:
    assert said("stats", root=tiny.root)["records"]["model"] >= 1
    assert run("gaps", root=tiny.root).exit_code == 0
