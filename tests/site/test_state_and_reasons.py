"""State by engine, and the words where there is no figure."""

from __future__ import annotations

from collections.abc import Mapping

from conftest import Base

from generator.cli.output.kv import KvQuestion, as_text, of_record
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site import pages
from generator.site.html.page import Page
from generator.site.html.render import plain as words


def page_of(pages: Mapping[str, Page], id: str) -> str:
    return pages[f"models/{id}.md"].html


def test_what_engines_keep_differently_stands_in_a_row_each_and_is_not_added_up(
    real: KnowledgeBase, real_pages: Mapping[str, Page]
) -> None:
    """36 layers: conv 24,576 numbers in bf16; ssm 524,288 numbers, in SGLang in fp32 and in vLLM in bf16."""
    conv, ssm = 36 * 24576 * 2, 36 * 524288
    states = {state.engine.id: dict(state.parts) for state in real.facts["qwen3-next-80b-a3b-instruct"].states}
    assert states == {
        "sglang": {"conv": conv, "ssm_fp32": 4 * ssm},
        "vllm": {"conv": conv, "ssm_bf16": 2 * ssm},
    }
    text = words(page_of(real_pages, "qwen3-next-80b-a3b-instruct"))
    assert f"{conv + 4 * ssm:,}" in text
    assert f"{conv + 2 * ssm:,}" in text
    assert f"{conv + 6 * ssm:,}" not in text


def test_the_command_keeps_them_apart_as_well(real: KnowledgeBase) -> None:
    lines = as_text(of_record(real, "qwen3-next-80b-a3b-instruct", KvQuestion(batch=2))).splitlines()
    conv, ssm = 2 * 36 * 24576 * 2, 2 * 36 * 524288
    assert [line.split(" B (")[0] for line in lines if line.startswith("state ")] == [
        f"state in sglang: conv in bf16 {conv:,} + ssm_fp32 {4 * ssm:,} = {conv + 4 * ssm:,}",
        f"state in vllm: conv in bf16 {conv:,} + ssm_bf16 {2 * ssm:,} = {conv + 2 * ssm:,}",
    ]


def test_every_state_on_record_belongs_to_an_engine(real: KnowledgeBase) -> None:
    for facts in real.facts.values():
        by_part = {(what, size) for state in facts.states for what, size in state.parts.items()}
        assert {size for _, size in by_part} == set(facts.state.values()), facts.id


def test_no_cache_is_a_value(real_pages: Mapping[str, Page]) -> None:
    assert "No cache0 B for each token" in words(page_of(real_pages, "mamba2-130m"))
    assert real_pages["models/mamba2-130m.md"].description == "mamba2-130m: no KV cache"


def test_a_closed_model_is_undisclosed_on_every_page(tiny: Base) -> None:
    path = "records/models/tiny-b.yaml"
    text = (tiny.root / path).read_text("utf-8")
    start, end = text.index("architecture:"), text.index("corrections:")
    why = "  config: the vendor has not published it\n"
    tiny.lay({path: text[:start].replace('"[[tiny-b-config]]"', "null") + "architecture: {}\n" + text[end:] + why})
    found = {page.path: words(page.html) for page in pages.build(tiny.read())}
    assert "UndisclosedThe vendor publishes no config. the vendor has not published it." in found["models/tiny-b.md"]
    for name in ("index.md", "models/index.md", "overpay.md"):
        assert "undisclosed" in found[name].lower(), name
    assert "Not derivable." not in found["models/tiny-b.md"].split("Parameters")[0]


def test_a_record_says_in_its_own_words_why_nothing_can_be_derived(
    real: KnowledgeBase, real_pages: Mapping[str, Page]
) -> None:
    told = [model for model in real.catalog.sound("model") if model.get("underivable")]
    assert told
    for model in told:
        assert words(str(model.get("underivable"))) in words(page_of(real_pages, model.id)), model.id
        assert words(str(model.get("underivable"))) in words(real_pages["models/index.md"].html), model.id
