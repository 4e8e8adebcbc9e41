"""Weights on pages, and the marks that say what a figure rests on."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from generator.derive.cited_config import CitedConfig
from generator.derive.counts import weights_of
from generator.derive.parameters import NotDerivable, WeightBytes
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site.html.page import Page
from generator.site.html.render import plain as words
from generator.site.site import Site


def page_of(pages: Mapping[str, Page], id: str) -> str:
    return pages[f"models/{id}.md"].html


def test_weights_are_shown_with_what_they_take_for_granted_or_with_the_reason(
    real: KnowledgeBase, real_pages: Mapping[str, Page]
) -> None:
    for facts in real.facts.values():
        text = words(page_of(real_pages, facts.id))
        if isinstance(facts.weights, WeightBytes):
            assert f"{facts.weights.total:,} B" in text, facts.id
            assert facts.weights.assumptions[0] in text, facts.id
        elif facts.weights:
            assert f"Weight bytes: not derivable. {facts.weights.reason.replace('`', '')}" in text, facts.id


SILENT = {
    "quantised, which only the wrapper says": ("kimi-k2-6-nvfp4", "NVFP4"),
    "a copy with gaps, whose name is not silent": ("glm-4-7-fp8", "its name says FP8"),
    "the particular reason before the general": ("deepseek-v4-1-flash", "the release is quantised"),
}


@pytest.mark.parametrize(("model", "reason"), SILENT.values(), ids=SILENT)
def test_weights_are_not_guessed(real: KnowledgeBase, model: str, reason: str) -> None:
    found = real.facts[model].weights
    assert isinstance(found, NotDerivable)
    assert reason in found.reason


def test_without_a_count_there_are_no_weights() -> None:
    assert weights_of(CitedConfig(None), {}, NotDerivable("none"), {}) is None


DOUBTS = {
    "a whole config": ("deepseek-v4-flash", set()),
    "a copy with gaps": ("codellama-7b-hf", {"gaps"}),
    "the class's own window pattern": ("gemma-3-27b-it", {"class default"}),
}


@pytest.mark.parametrize(("model", "marks"), DOUBTS.values(), ids=DOUBTS)
def test_what_a_figure_rests_on_is_marked_beside_it(
    real: KnowledgeBase, real_pages: Mapping[str, Page], model: str, marks: set[str]
) -> None:
    site = Site(real)
    found = {mark for mark, _ in site.doubts(real.catalog.records[model])}
    assert marks <= found
    assert marks or not found
    cards = page_of(real_pages, model).split('<div class="sb-cards">')[1].split('id="growth"')[0]
    assert all(f">{mark}</span>" in cards for mark in found)


def test_a_count_is_marked_by_what_it_rests_on_itself(real: KnowledgeBase, real_pages: Mapping[str, Page]) -> None:
    """Gemma 2's class ties the embeddings and sets the pattern of windows; Gemma 3's count needs neither."""
    site = Site(real)
    marks = {
        id: [mark for mark, _ in site.doubts_of_count(real.catalog.records[id])]
        for id in ("gemma-2-27b-it", "gemma-3-27b-it", "deepseek-v4-flash", "granite-4-0-micro")
    }
    assert "class default" in marks["gemma-2-27b-it"]
    assert "class default" not in marks["gemma-3-27b-it"]
    assert marks["deepseek-v4-flash"] == marks["granite-4-0-micro"] == []
    after = page_of(real_pages, "gemma-2-27b-it").split('id="parameters"')[1].split("<details")[0]
    assert after.count(">class default</span>") == 3


def test_a_key_that_only_the_class_sets_is_named_with_its_source(real_pages: Mapping[str, Page]) -> None:
    html = page_of(real_pages, "gemma-3-27b-it")
    assert "The config is silent on sliding_window_pattern; Gemma3TextConfig sets 6:" in words(html)
    assert 'href="page:sources/transformers-5-24-0-gemma3-config.md"' in html
