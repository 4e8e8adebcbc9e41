"""Verdicts as pages and `servebook why` show them: what is grouped, summed up and fitted, and that nothing is lost."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction

import pytest
from click.testing import CliRunner
from conftest import Base

from generator.cli import cli
from generator.compatibility.fit import bare_fit, figure_for, load
from generator.compatibility.gpu_memory import memory_of
from generator.derive.config.fields import NotDerivable
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site.site import Site
from generator.site.views.verdicts import VerdictGroups


@pytest.fixture(scope="module")
def site(real: KnowledgeBase) -> Site:
    """The real base as pages see it."""
    return Site(real)


def test_groups_hold_every_verdict_as_it_is(site: Site) -> None:
    """Every cell of a sample of models: the state, the steps and the flips, but for the name of the GPU."""
    cube = site.kb.verdicts
    for model in list(site.kb.catalog.sound("model"))[::9]:
        for engine, answer in site.answers.of(model.id).items():
            held = [gpu for group in answer.groups for gpu in group.gpus]
            assert sorted(held) == sorted(cube.gpus)
            for group in answer.groups:
                for gpu in group.gpus:
                    verdict = cube.verdict(model.id, engine, gpu)
                    name = cube.gpus[gpu].shown
                    assert group.state is verdict.state
                    assert group.modifiers == verdict.modifiers
                    shown = [each.text.replace("these GPUs", name) for each in group.reasons]
                    assert shown == [each.text.replace("these GPUs", name) for each in verdict.reasons]
                    assert [each.cites for each in group.reasons] == [each.cites for each in verdict.reasons]
                    assert len(group.flips_if) == len(verdict.flips_if)


def test_what_all_groups_share_and_their_own_steps_are_the_chain(site: Site) -> None:
    for answer in site.answers.of("deepseek-v4-flash").values():
        for group in answer.groups:
            both = [*answer.common, *answer.own(group)]
            assert all(step in both for step in group.reasons)
            assert all(step in group.reasons for step in both)


def test_sums_of_families_count_every_model_once_per_state(site: Site) -> None:
    place = next(place for place in site.answers.places if place.name == "sm_80")
    for family, models in site.summary.families.items():
        for engine in site.answers.engines:
            counts = site.summary.counts(family, engine.id, place.gpus)
            assert sum(count for _, _, count in counts) == len(models), (family, engine.id)


def test_every_cell_without_evidence_has_its_reason_below_the_families(site: Site) -> None:
    for family in site.summary.families:
        for engine in site.answers.engines:
            cells = sum(one.cells for one in site.summary.unknown(family, engine.id))
            states = (
                verdict.state
                for answer in site.summary.of(family, engine.id)
                for verdict in (site.kb.verdicts.verdict(answer.model, engine.id, gpu) for gpu in site.kb.verdicts.gpus)
            )
            assert cells == Counter(map(str, states))["no-evidence"], (family, engine.id)


def test_a_gotcha_knows_the_cells_that_show_it(site: Site) -> None:
    met = site.summary.by_gotcha["sm120-sparse-mla-block-size"]
    assert {engine for engine, _ in met} == {"vllm"}
    assert {model for one in met.values() for model in one.models} == {"deepseek-v4-1-flash"}
    gpus = {gpu for one in met.values() for gpu in one.gpus}
    assert {site.kb.verdicts.gpus[gpu].capability for gpu in gpus} == {"sm_120", "sm_121"}


def test_a_source_knows_the_cells_whose_chain_names_it(site: Site) -> None:
    found = site.summary.by_source["vllm-0-33-0-backend-triton-mla"]
    assert "deepseek-v2" in found["vllm"].models


def test_answers_of_before_are_used_where_nothing_changed(tiny: Base) -> None:
    from generator.site.memory import Memory

    memory = Memory()
    before = VerdictGroups(tiny.read(), memory)
    first = {model: before.of(model) for model in ("tiny-a", "tiny-b")}
    tiny.edit("records/models/tiny-a.yaml", "name: Tiny A\n", "name: Tiny Alpha\n")
    after = VerdictGroups(tiny.read(), memory)
    assert after.of("tiny-b") is first["tiny-b"]
    assert after.of("tiny-a") is not first["tiny-a"]


def test_a_plain_cell_has_its_list_at_the_head_of_its_column(site: Site) -> None:
    from generator.site.pages.matrix import matrix_page

    entry, first, *_ = matrix_page(site)
    for page in (entry, first):
        for engine in site.answers.engines:
            row = page.html.split(f'id="list-of-{engine.id}"')[1].split("</tr>")[0]
            assert f'<a href="#list-of-{engine.id}">' in page.html
            assert str(engine.get("architectures")).strip("[]") in row
            assert ("the list is whole" in row) is bool(
                site.kb.catalog.records[str(engine.get("architectures")).strip("[]")].get("exhaustive")
            )


def test_the_page_of_coverage_counts_every_cell(site: Site) -> None:
    from generator.site.pages.coverage import coverage_page

    (home,) = coverage_page(site)
    states = Counter(str(verdict.state).replace("-", " ") for verdict in site.kb.verdicts.values())
    tally = home.html.split("cells of model, engine and GPU")[1].split("</div>")[0]
    for state, count in states.items():
        assert f"{state} {count:,}" in tally
    assert f"{len(site.kb.verdicts):,}" in tally


# --- memory ---------------------------------------------------------------------------------------------------------


def test_weights_and_cache_by_hand(real: KnowledgeBase) -> None:
    """Llama-3.1-70B in bf16: 70,553,706,496 parameters; 2 x 80 layers x 8 heads x 128 x 2 bytes a token."""
    model = real.catalog.records["llama-3-1-70b"]
    figure = figure_for(real.facts[model.id])
    for tp, heads in ((1, 8), (4, 2), (8, 1), (16, 1)):
        found = load(real.facts[model.id], figure, 8192, 3, tp)
        assert found.weights == Fraction(2 * 70_553_706_496, tp)
        assert found.cache == 3 * 8192 * 2 * 80 * heads * 128 * 2
    h100 = real.catalog.records["h100-sxm"]
    one = bare_fit(load(real.facts[model.id], figure, 8192, 3, 8), h100)
    assert one.memory == 81559 * 2**20  # as nvidia-smi reports it
    assert one.share == (one.load.bytes or 0) / Fraction(81559 * 2**20)


def test_a_latent_stands_whole_on_every_gpu(real: KnowledgeBase) -> None:
    model = real.catalog.records["deepseek-v3"]
    figure = figure_for(real.facts[model.id])
    caches = {load(real.facts[model.id], figure, 1000, 1, tp).cache for tp in (1, 2, 8)}
    assert caches == {Fraction(70272 * 1000)}
    assert any("held whole by every GPU" in text for text in load(real.facts[model.id], figure, 1000, 1, 2).assumptions)


def test_what_is_not_known_is_refused_with_its_reason(real: KnowledgeBase, tiny: Base) -> None:
    model = real.catalog.records["deepseek-v2"]
    found = load(real.facts[model.id], figure_for(real.facts[model.id]), 1000, 1, 8)
    counted = real.facts[model.id].weights
    assert isinstance(counted, NotDerivable)
    assert found.weights == counted.reason
    assert found.bytes is None
    sheet = 'memory: {value: 80, unit: GB, cite: "[[tiny-datasheet]]"}'
    bare = tiny.edit("records/gpus/tiny-gpu.yaml", sheet, "memory: null")
    bare.edit("records/gpus/tiny-gpu.yaml", "why_null:", "why_null:\n  memory: the datasheet does not say")
    unknown = bare_fit(found, bare.read().catalog.records["tiny-gpu"])
    assert unknown.memory is None
    assert unknown.share is None
    assert unknown.memory_basis == "the datasheet does not say"


def test_heads_and_gpus_that_do_not_divide_are_refused(real: KnowledgeBase) -> None:
    model = real.catalog.records["llama-3-1-70b"]
    assert isinstance(load(real.facts[model.id], figure_for(real.facts[model.id]), 1000, 1, 3).cache, str)


def test_memory_in_decimal_units_says_so(real: KnowledgeBase, tiny: Base) -> None:
    assert memory_of(real.catalog.records["a10g"]) == (24 * 10**9, "nominal, taken as decimal")
    size, basis = memory_of(tiny.read().catalog.records["tiny-gpu"])
    assert size == 80 * 10**9
    assert "taken as 80,000,000,000 bytes" in basis


def test_why_prints_the_figure_and_never_a_state() -> None:
    ask = ["why", "llama-3-1-70b", "--engine", "vllm", "--gpu", "h100-sxm", "--format", "json"]
    plain = CliRunner().invoke(cli, ask)
    asked = CliRunner().invoke(cli, [*ask, "--context", "131072", "--batch", "2", "--tp", "1"])
    assert plain.exit_code == asked.exit_code == 0  # far too much for one GPU, and supported all the same
    without, with_ = json.loads(plain.output), json.loads(asked.output)
    fitted = with_.pop("fit")
    assert without == with_
    assert fitted["cache_bytes_per_gpu"] == 2 * 131072 * 327680
    assert fitted["share_of_memory"] > 1
    assert fitted["assumptions"]
    assert fitted["layout"] == "bf16"
