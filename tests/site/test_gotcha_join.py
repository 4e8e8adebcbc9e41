"""Gotchas joined with what is on record: what they are about, who meets them, and why nobody does."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from conftest import Base
from site_reading import seen

from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site import pages
from generator.site.html.page import Page
from generator.site.site import Site
from generator.site.views.gotcha_join import GotchaRow

GOTCHA = "records/gotchas/tiny-crash.yaml"
WHEN = '  - {engine: "[[tiny-engine]]", engine_versions: "<1.1"}'


@pytest.fixture(scope="module")
def site(real: KnowledgeBase) -> Site:
    """The real base as pages see it."""
    return Site(real)


def row(base: Base, when: str) -> GotchaRow:
    """The one row of the gotcha of the tiny base, under another condition."""
    base.edit(GOTCHA, WHEN, f"  - {when}")
    (found,) = Site(base.read()).gotchas.rows
    return found


MET = ('{engine: "[[tiny-engine]]", engine_versions: "<1.1"}', '{engine: "[[tiny-engine]]", gpus: [sm_90]}')
FAILS = {
    '{engine: "[[tiny-engine]]", engine_versions: "<0.9"}': "it holds before 0.9; on record is Tiny Engine 1.0",
    '{engine: "[[tiny-engine]]", gpus: [sm_75]}': "no GPU on record is sm_75",
    '{engine: "[[tiny-engine]]", families: [csa2]}': "no model on record is of csa2",
    '{engine: "[[tiny-engine]]", cache_formats: [fp4]}': (
        "2 models and the GPUs fit, but none of their cells is on record with the cache type fp4"
    ),
}
"""Conditions that no cell meets, and which part of each fails, in the words of the page."""


@pytest.mark.parametrize("when", MET)
def test_what_a_cell_meets_does_not_fail(tiny: Base, when: str) -> None:
    found = row(tiny, when)
    assert found.met
    assert found.fails == ""


@pytest.mark.parametrize(("when", "fails"), FAILS.items())
def test_what_no_cell_meets_says_which_condition_fails(tiny: Base, when: str, fails: str) -> None:
    found = row(tiny, when)
    assert not found.met
    assert found.fails == fails
    page = next(page for page in pages.build(tiny.read()) if page.path == "gotchas/tiny-crash.md")
    assert fails in " ".join("".join(seen(page.html).text).split())


def test_every_gotcha_is_met_or_says_why_not(site: Site) -> None:
    assert {each.gotcha.id for each in site.gotchas.rows} == {each.id for each in site.kb.catalog.sound("gotcha")}
    assert [each.gotcha.id for each in site.gotchas.rows if bool(each.met) is bool(each.fails)] == []


def test_gotchas_of_sglang_on_hopper_are_found_by_name(site: Site, real_pages: Mapping[str, Page]) -> None:
    """By hand from the records: what names SGLang, or a library alone, and sm_90, H100 or no GPU at all."""
    html = real_pages["gotchas/index.md"].html
    rows = re.findall(r'<tr data-engine="([^"]*)" data-gpu="([^"]*)".*?href="page:gotchas/([^"#]*)\.md', html, re.S)
    met = {id for engine, gpus, id in rows if engine in ("sglang", "*") and {"h100", "*"} & set(gpus.split())}
    assert met >= {"fa3-mla-no-fp8-kv", "glm53-flash-fp8-kv-sglang", "flashinfer-fp8-kv-hopper-slow-path"}
    assert not met & {"fa4-sm100-page-128", "sglang-trtllm-mha-sm120", "aiter-mla-head-count", "fp8-kv-e4m3-ampere"}


def test_engines_gpus_and_matrices_list_the_gotchas_about_them(real_pages: Mapping[str, Page]) -> None:
    for path, id in (
        ("engines/sglang.md", "fa4-sm100-page-128"),
        ("gpus/rtx-5090.md", "gpt-oss-sinks-flashinfer-sm120"),
        ("matrix/sm-120.md", "sm120-deepgemm-indexer-page"),
    ):
        page = real_pages[path]
        assert "gotchas" in page.anchors
        assert f'href="page:gotchas/{id}.md"' in page.html.split('id="gotchas"')[1]
