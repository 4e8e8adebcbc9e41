"""One mistake, one finding, at the place to edit: also where much follows from the mistake."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Base

Mistake = Callable[[Path], None]
V2, V32 = "records/models/deepseek-v2.yaml", "records/models/deepseek-v3-2.yaml"
QWEN, QWEN_CONFIG = "records/models/qwen3-32b.yaml", "sources/hf-config-qwen-qwen3-32b.yaml"


def put(name: str, old: str, new: str) -> Mistake:
    def make(root: Path) -> None:
        text = (root / name).read_text("utf-8")
        assert re.search(old, text, re.M), (name, old)
        (root / name).write_text(re.sub(old, new, text, count=1, flags=re.M), "utf-8")

    return make


def move(name: str, folder: str) -> Mistake:
    return lambda root: (root / name).rename(root / folder / Path(name).name) and None


CITED = r'^config: "\[\[([a-z0-9-]+)\]\]"'

# Each of these has figures, sentences, sources or other records that hang on it.
MISTAKES: dict[str, tuple[Mistake, str, str, str]] = {
    "a layer count in words": (
        put(V2, r"^  num_hidden_layers: 60$", "  num_hidden_layers: sixty"), "SCH101", V2, "num_hidden_layers: sixty"),
    "a layer count as text": (
        put(QWEN, r"^  num_hidden_layers: 64$", '  num_hidden_layers: "64"'), "SCH101", QWEN, 'layers: "64"'),
    "a width that is true": (put(QWEN, r"^  head_dim: 128$", "  head_dim: true"), "SCH101", QWEN, "head_dim: true"),
    "a count below one": (
        put(QWEN, r"^  num_key_value_heads: 8$", "  num_key_value_heads: 0"), "SCH101", QWEN, "num_key_value_heads: 0"),
    "a half layer": (
        put(V32, r"^  num_hidden_layers: 61$", "  num_hidden_layers: 61.5"), "SCH101", V32, "num_hidden_layers: 61.5"),
    "a list of one": (put(QWEN, r"^  hidden_size: 5120$", "  hidden_size: [5120]"), "SCH101", QWEN, "hidden_size: ["),
    "a wrong layer count, with prose that adds it up": (
        put(V2, r"^  num_hidden_layers: 60$", "  num_hidden_layers: 61"), "WIR202", V2, "num_hidden_layers: 61"),
    "a wrong layer count of another": (
        put(V32, r"^  num_hidden_layers: 61$", "  num_hidden_layers: 60"), "WIR202", V32, "num_hidden_layers: 60"),
    "a wrong rank": (put(V2, r"^  kv_lora_rank: 512$", "  kv_lora_rank: 576"), "WIR202", V2, "kv_lora_rank: 576"),
    "a source with another's subject": (
        put(QWEN_CONFIG, r"hf:Qwen/Qwen3-32B", "hf:Qwen/Qwen3-14B"), "WIR205", QWEN_CONFIG, "subjects:"),
    "a citation that is not closed": (put(V2, CITED, r'config: "[[\1]"'), "CIT103", V2, "config:"),
    "a citation in single brackets": (put(V2, CITED, r'config: "[\1]"'), "CIT103", V2, "config:"),
    "a concept in place of a config": (
        put(V2, CITED, 'config: "[[mla-latent-attention]]"'), "CIT104", V2, "config:"),
    "a model in place of a config": (put(V2, CITED, 'config: "[[deepseek-v3]]"'), "CIT104", V2, "config:"),
    "a model in the wrong folder": (move(V2, "records/concepts"), "SCH102", "records/concepts/deepseek-v2.yaml", "#"),
    "a concept in the wrong folder": (
        move("records/concepts/mla-latent-attention.yaml", "records/gotchas"), "SCH102",
        "records/gotchas/mla-latent-attention.yaml", "#"),
    "an engine in the wrong folder": (
        move("records/engines/vllm.yaml", "records/kernels"), "SCH102", "records/kernels/vllm.yaml", "#"),
    "a source in the wrong folder": (
        move(QWEN_CONFIG, "records/concepts"), "SCH102", "records/concepts/hf-config-qwen-qwen3-32b.yaml", "#"),
    "an include of another family, whose figures it lacks": (
        put(QWEN, r"^notes: \|$", "notes: |\n  {{ include('mla-latent-attention#per_model') }}\n"), "CMP503", QWEN,
        "include("),
}  # fmt: skip


@pytest.mark.parametrize(("mistake", "code", "path", "at"), MISTAKES.values(), ids=MISTAKES)
def test_one_mistake_is_one_finding(real_copy: Base, mistake: Mistake, code: str, path: str, at: str) -> None:
    mistake(real_copy.root)
    found = [each for each in real_copy.findings() if each.severity != "info"]
    assert [each.code for each in found] == [code], [f"{each.code} {each.location} {each.message}" for each in found]
    assert found[0].location.path == path
    assert at in (real_copy.root / path).read_text("utf-8").splitlines()[found[0].location.line - 1]


def test_what_depends_on_it_is_counted_as_skipped(real_copy: Base) -> None:
    before = real_copy.judge()
    put(V2, r"^  num_hidden_layers: 60$", "  num_hidden_layers: 61")(real_copy.root)
    assert real_copy.judge().skipped > before.skipped


def test_a_second_mistake_in_the_same_record_is_still_found(real_copy: Base) -> None:
    """A sum that is wrong whichever layer count is right has nothing to do with the layer count."""
    put(V2, r"^  num_hidden_layers: 60$", "  num_hidden_layers: 61")(real_copy.root)
    put(V2, r"^notes: \|$", "notes: |\n  A row has 512 + 64 = 575 scalars.\n")(real_copy.root)
    found = [each.code for each in real_copy.findings() if each.severity != "info"]
    assert found.count("WIR202") == 1
    assert "NUM401" in found
    assert len(found) == 2


def test_two_sources_whose_subjects_were_swapped(real_copy: Base) -> None:
    other = "sources/hf-config-qwen-qwen3-8b.yaml"
    put(QWEN_CONFIG, r"hf:Qwen/Qwen3-32B", "hf:Qwen/Qwen3-8B")(real_copy.root)
    put(other, r"hf:Qwen/Qwen3-8B", "hf:Qwen/Qwen3-32B")(real_copy.root)
    found = [(each.code, each.location.path) for each in real_copy.findings() if each.severity != "info"]
    assert found == [("WIR205", QWEN_CONFIG), ("WIR205", other)]


# --- sources that a record rests on (F25) ---------------------------------------------------------------------------

A, GPU, KERNEL = "records/models/tiny-a.yaml", "records/gpus/tiny-gpu.yaml", "records/kernels/uniform.yaml"


def with_cites(tiny: Base, *ids: str) -> Base:
    return tiny.edit(A, "license: MIT", "license: MIT\ncites: [" + ", ".join(f'"[[{id}]]"' for id in ids) + "]")


def test_further_sources_of_a_model(tiny: Base) -> None:
    """Its own config again, and what is about an engine or about nothing in particular, are nobody's mistake."""
    assert with_cites(tiny, "tiny-a-config", "tiny-datasheet", "tiny-engine-issue").findings() == []


def test_another_models_config_among_them(tiny: Base) -> None:
    (found,) = with_cites(tiny, "tiny-datasheet", "tiny-b-config").findings()
    assert (found.code, found.location.path) == ("WIR201", A)
    line = (tiny.root / A).read_text().splitlines()[found.location.line - 1]
    assert line[found.location.column - 1 :].startswith("[[tiny-b-config]]")
    assert "this record is hf:TinyWorks/Tiny-A, but it cites tiny-b-config" in found.message
    assert "take it out" in found.message
    assert found.fix is None, "its own config is cited already"


def test_a_claim_and_a_class_that_rest_on_another_model(tiny: Base) -> None:
    tiny.edit(
        A, "license: MIT", 'license: MIT\nserving_architecture: {value: TinyMlaForCausalLM, cite: "[[tiny-b-config]]"}'
    )
    assert [(each.code, each.location.path) for each in tiny.findings()] == [("WIR201", A)]


def test_a_source_of_several_models_speaks_of_each(tiny: Base) -> None:
    path = "sources/tiny-datasheet.yaml"
    text = (tiny.root / path).read_text()
    subjects = next(line for line in text.splitlines() if line.startswith("subjects:"))
    tiny.edit(path, subjects, subjects.replace("]", ", hf:TinyWorks/Tiny-B]"))
    assert [each.code for each in with_cites(tiny, "tiny-datasheet").findings()] == ["WIR201"]
    tiny.edit(path, "hf:TinyWorks/Tiny-B]", "hf:TinyWorks/Tiny-B, hf:TinyWorks/Tiny-A]")
    assert tiny.findings() == []


def test_a_gpu_that_rests_on_another_gpus_datasheet(tiny: Base) -> None:
    path = "sources/tiny-datasheet.yaml"
    text = (tiny.root / path).read_text()
    assert "gpu:tiny-gpu" in text
    tiny.lay({path: text.replace("gpu:tiny-gpu", "gpu:another-gpu")})
    found = tiny.findings("WIR201")
    assert {each.location.path for each in found} == {GPU}
    assert "this record is gpu:tiny-gpu" in found[0].message
