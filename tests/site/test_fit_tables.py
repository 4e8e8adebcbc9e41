"""Every cache and memory figure for a model, engine and GPU is the one of `servebook why`; every GPU has a row."""

from __future__ import annotations

import json
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from conftest import Base

from generator.cli.output import verdict as words
from generator.compatibility import VerdictState
from generator.compatibility.gpu_memory import memory_of
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import binary
from generator.site.html.page import Page
from generator.site.pages.home import home_page
from generator.site.pages.index import index_pages
from generator.site.pages.model import _page as model_page
from generator.site.pages.model import contexts
from generator.site.pages.overpay import overpay_page
from generator.site.site import Site
from generator.site.views.fit_table import RANKS, FitTable, fit_table
from generator.site.views.verdicts import VerdictGroups

SERVED = (VerdictState.SUPPORTED, VerdictState.PARTIAL, VerdictState.LISTED, VerdictState.SOURCES_DISAGREE)


@pytest.fixture(scope="module")
def tables(real: KnowledgeBase) -> dict[str, FitTable]:
    """The table of each model's page."""
    answers = VerdictGroups(real)
    models = real.catalog.sound("model")
    return {model.id: fit_table(real, answers, model, contexts(real.facts[model.id])) for model in models}


def printed(kb: KnowledgeBase, model: str, engine: str, gpu: str, context: int, tp: int) -> dict[str, object]:
    """What the command prints as JSON."""
    verdict = kb.verdicts.verdict(model, engine, gpu)
    fit = words.fitted(kb, verdict, words.VerdictQuestion(context, 1, tp))
    return dict(json.loads(words.as_json(verdict, fit))["fit"])


def number(value: object) -> object:
    """A size as JSON has it; None for a reason."""
    if not isinstance(value, Fraction):
        return None
    return int(value) if value.denominator == 1 else float(value)


def test_each_row_of_the_whole_cube_equals_the_command(real: KnowledgeBase, tables: dict[str, FitTable]) -> None:
    compared, caches = 0, real.verdicts.caches
    asked: dict[object, dict[str, object]] = {}
    for model, table in tables.items():
        for row in table.rows:
            for place, engine in enumerate(row.engines):
                for gpu in row.gpus:
                    load = row.cache.loads[0]
                    chain = real.verdicts.verdict(model, engine, gpu.id)
                    settings = caches.settings(engine, caches.place(gpu.id))
                    key = (model, engine, memory_of(gpu), id(chain.outcome), load.context, settings)
                    if key not in asked:
                        asked[key] = printed(real, model, engine, gpu.id, load.context, 1)
                    said = asked[key]
                    where = (model, engine, gpu.id)
                    assert said["cache_bytes_per_gpu"] == number(load.cache), where
                    assert said["weights_bytes_per_gpu"] == number(load.weights), where
                    if row.cache.known:  # one row stands for all engines without a figure, and names no format
                        assert said["layout"] == load.layout, where
                    assert said["memory_bytes"] == row.memory, where
                    share = row.shares[0]
                    assert said["share_of_memory"] == (None if share is None else round(float(share), 4)), where
                    kept = row.fits[0][place]
                    assert said["reserved_bytes_per_gpu"] == number(kept.kept_free.bytes), where
                    assert said["fits"] == kept.fits, where
                    compared += 1
    assert compared > 2000


@pytest.mark.parametrize(
    "model", ["deepseek-v3-2", "gemma-3-27b-it", "llama-3-1-70b-instruct", "qwen3-next-80b-a3b-instruct"]
)
def test_over_several_gpus_too(real: KnowledgeBase, tables: dict[str, FitTable], model: str) -> None:
    for row in tables[model].rows[::3]:
        for engine in row.engines[:2]:
            for number_of, load in zip(RANKS, row.cache.loads, strict=True):
                said = printed(real, model, engine, row.gpus[0].id, load.context, number_of)
                assert said["cache_bytes_per_gpu"] == number(load.cache)
                assert said["bytes_per_gpu"] == number(load.bytes)


def test_every_gpu_on_record_has_a_row(real: KnowledgeBase, tables: dict[str, FitTable]) -> None:
    gpus = {gpu.id for gpu in real.catalog.sound("gpu")}
    for model, table in tables.items():
        assert not table.rows or {gpu.id for row in table.rows for gpu in row.gpus} == gpus, model
    assert sum(bool(table.rows) for table in tables.values()) >= 50


def test_an_engine_that_serves_somewhere_is_named(real: KnowledgeBase, tables: dict[str, FitTable]) -> None:
    """An engine stands at the cache that it keeps, also where another engine's format is decided on the same GPU."""
    for model, table in tables.items():
        if not table.rows:
            continue
        named = {engine for cache in table.caches for engine in cache.engines}
        for engine in real.catalog.sound("engine"):
            states = {real.verdicts.verdict(model, engine.id, gpu).state for gpu in real.verdicts.gpus}
            assert (engine.id in named) == bool(states & set(SERVED)), (model, engine.id)


def test_a_format_of_another_gpu_is_no_answer(real: KnowledgeBase) -> None:
    """vLLM keeps V3.2 in `nvfp4_ds_mla` on SM10x at most; A100, H200 and RTX 4090 know no such format."""
    for gpu in ("a100-sxm-80gb", "h200-sxm", "rtx-4090"):
        said = printed(real, "deepseek-v3-2", "vllm", gpu, 8192, 1)
        assert "nvfp4" not in str(said["layout"]), gpu
        if not said["layout_decided"]:
            assert (said["layout"], said["cache_bytes_per_gpu"]) == ("bf16", 8192 * 61 * (576 + 128) * 2)
            assert any("no verdict says in which format" in str(text) for text in said["assumptions"])  # type: ignore[attr-defined]


def test_heads_that_cannot_be_dealt_out_have_no_figure(real: KnowledgeBase) -> None:
    """Llama-3.1-70B has 64 query heads: 128 GPUs cannot share them, nor can 5."""
    for ranks in (128, 5):
        said = printed(real, "llama-3-1-70b-instruct", "vllm", "h100-sxm", 8192, ranks)
        assert said["cache_bytes_per_gpu"] is said["weights_bytes_per_gpu"] is None
        assert f"64 query heads cannot be dealt out evenly to {ranks} ranks" in said["reasons"]  # type: ignore[operator]


# --- what pages show -------------------------------------------------------------------------------------------------


class Rows(HTMLParser):
    """The rows of the table under a label, cell by cell, as text."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self.label, self.inside, self.rows = label, False, list[list[str]]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "div" and ("aria-label", self.label) in attrs:
            self.inside = True
        if self.inside and tag == "tr":
            self.rows.append([])
        if self.inside and tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "table"

    def handle_data(self, data: str) -> None:
        if self.inside and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


SHOWN = ["deepseek-v3-2", "gpt-oss-120b", "llama-3-1-70b-instruct-fp8", "mistral-7b-v0-1", "qwen3-8b"]


@pytest.mark.parametrize("model", SHOWN)
def test_rendered_pages_print_what_the_command_prints(
    real: KnowledgeBase, tables: dict[str, FitTable], model: str
) -> None:
    page = model_page(Site(real), real.catalog.records[model])
    reader = Rows("Memory on each GPU")
    reader.feed(page.html)
    table = tables[model]
    if not table.rows:
        assert not reader.rows
        return
    bodies = reader.rows[2 + len(table.caches) :]
    assert len(bodies) == len(table.rows)
    for cells, row in zip(bodies, table.rows, strict=True):
        assert [name.strip() for name in cells[0].split(",")] == [gpu.title for gpu in row.gpus]
        for engine in row.engines:
            said = printed(real, model, engine, row.gpus[-1].id, row.cache.loads[0].context, 1)
            memory, share = said["memory_bytes"], said["share_of_memory"]
            assert cells[1] == (binary(Fraction(memory)) if isinstance(memory, int) else "not known")
            assert str(said["layout"]) in cells[2]
            if isinstance(share, float):
                figure, _, lacking = cells[3].partition(" %")
                assert abs(float(figure) - 100 * share) < 0.51
                short = said["fits"] is False and share <= 1
                assert short == (real.catalog.records[engine].title in lacking)


LISTS = {"index.md": home_page, "models/index.md": index_pages, "overpay.md": overpay_page}


def listed(kb: KnowledgeBase, path: str) -> Page:
    """A page that compares all models."""
    return next(page for page in LISTS[path](Site(kb)) if page.path == path)


@pytest.mark.parametrize("path", LISTS)
def test_lists_name_their_one_basis_above_them(real: KnowledgeBase, path: str) -> None:
    page = listed(real, path)
    first = page.html.index(">DeepSeek-V3<")
    assert "geometry" in page.html[:first]
    assert "bf16" in page.html[:first]


def test_v3_2_is_larger_than_v3_where_both_are_listed(real: KnowledgeBase) -> None:
    """61 layers of 576 scalars in V3; V3.2 keeps 128 more for its indexer: like for like it cannot look smaller."""
    page = listed(real, "index.md")
    sizes = {}
    for name, growth in (("DeepSeek-V3", 61 * 576 * 2), ("DeepSeek-V3.2", 61 * (576 + 128) * 2)):
        entry = page.html[page.html.index(f">{name}</bdi>") :][:400]
        assert binary(Fraction(growth)) in entry, name
        sizes[name] = growth
    assert sizes["DeepSeek-V3.2"] > sizes["DeepSeek-V3"]


# --- memory ----------------------------------------------------------------------------------------------------------

SHEET = 'memory: {value: 80, unit: GB, cite: "[[tiny-datasheet]]"}'
MEMORY = {
    "what the device reports": ("{value: 24564, unit: MiB", None, 24564 * 2**20),
    "in GiB, with a fraction": ("{value: 121.69, unit: GiB", None, int(Fraction("121.69") * 2**30)),
    "bytes with their basis": (
        "{value: 32, unit: GB, bytes: 34190917632, basis: as the device reports it",
        None,
        34190917632,
    ),
    "a name in GB beside a report": ("{value: 96, unit: GB", "{value: 97871, unit: MiB", 97871 * 2**20),
    "a name alone, as decimal": ("{value: 24, unit: GB", None, 24 * 10**9),
}


@pytest.mark.parametrize(("sheet", "claim", "expected"), MEMORY.values(), ids=MEMORY)
def test_memory_is_what_the_device_reports_where_that_is_on_record(
    tiny: Base, sheet: str, claim: str | None, expected: int
) -> None:
    cite = ', cite: "[[tiny-datasheet]]"}'
    more = f"\nmemory_claims:\n  - {claim}{cite}" if claim else ""
    tiny.edit("records/gpus/tiny-gpu.yaml", SHEET, f"memory: {sheet}{cite}{more}")
    size, basis = memory_of(tiny.read().catalog.records["tiny-gpu"])
    assert size == expected
    assert ("GiB" in basis) == (("unit: GB" in sheet and "bytes" not in sheet and claim is None) or "GiB" in sheet)
