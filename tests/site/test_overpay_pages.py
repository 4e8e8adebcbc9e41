"""What lack of support costs, on its page and on those of models, against the facts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site.html import render
from generator.site.html.page import Page
from generator.site.html.render import plain as words


def page_of(pages: Mapping[str, Page], id: str) -> str:
    return pages[f"models/{id}.md"].html


ROW = re.compile(r'<tr id="([^"]+)" data-words.*?</tr>', re.S)
FACTOR = re.compile(r'<td class="sb-num sb-right" data-value="([\d.]+)"><strong>')


def test_the_overpay_page_says_what_the_facts_say_of_every_model(
    real: KnowledgeBase, real_pages: Mapping[str, Page]
) -> None:
    rows = {found[1]: found[0] for found in ROW.finditer(real_pages["overpay.md"].html)}
    assert rows.keys() == {model.id for model in real.catalog.sound("model")}
    for id, row in rows.items():
        overpay = real.facts[id].overpay
        if not overpay.costs:
            assert overpay.verdict in words(row), id
            continue
        shown = [Fraction(text) for text in FACTOR.findall(row)]
        wanted = [cost for cost in overpay.costs if cost.tokens in (8192, 32768)]
        wanted += [cost for cost in overpay.costs if cost.tokens == real.facts[id].longest]
        assert [float(one) for one in shown] == [float(cost.factor) for cost in wanted], id
        for cost in wanted:
            assert f"{render.gib(cost.unsupported)} for {render.gib(cost.geometry)}" in words(row), id


def test_the_overpay_page_begins_with_the_dearest(real: KnowledgeBase, real_pages: Mapping[str, Page]) -> None:
    costs = [real.facts[found[1]].overpay.costs for found in ROW.finditer(real_pages["overpay.md"].html)]
    factors = [float(each[-1].factor) if each else 0 for each in costs]
    assert factors == sorted(factors, reverse=True)


def test_a_model_page_tells_what_lack_of_support_costs(real_pages: Mapping[str, Page]) -> None:
    text = words(page_of(real_pages, "gpt-oss-120b"))
    assert "73,728 B/token: all 36 layers that mix tokens kept in full, per-head." in text
    assert "131,072 its longest 4.50 GiB 9.00 GiB 2× derived" in text
    assert "What an engine without support" not in words(page_of(real_pages, "llama-3-1-8b"))
    assert "Widths not stated" in words(page_of(real_pages, "kimi-linear-48b-a3b-instruct"))
