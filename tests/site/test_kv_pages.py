"""What pages show of a model's cache, against the facts that they show: curves, overpay, state, weights, doubts."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, log2

import pytest
from conftest import ROOT, Base

from generator.cli.output.kv import KvQuestion, as_text, of_record
from generator.derive.attention.geometry import Geometry
from generator.derive.cited_config import CitedConfig, config_keys
from generator.derive.counts import weights_of
from generator.derive.facts import Facts
from generator.derive.figures import figures_of
from generator.derive.model_facts import derived
from generator.derive.parameters import NotDerivable, WeightBytes
from generator.derive.stored_formats import formats
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site import pages
from generator.site.html import render
from generator.site.html.page import Page
from generator.site.pages.model import contexts
from generator.site.site import Site
from generator.site.views.curve import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Curve, curve
from generator.site.views.layer_strip import strip


def words(html: str) -> str:
    return render.plain(html)


@pytest.fixture
def made(real_pages: Mapping[str, Page]) -> Mapping[str, Page]:
    return real_pages


def page_of(made: Mapping[str, Page], id: str) -> str:
    return made[f"models/{id}.md"].html


# --- the curve ------------------------------------------------------------------------------------------------------

PICTURE = re.compile(r'<svg viewBox="0 0 440 270".*?</svg>', re.S)
PATH = re.compile(r'<g class="sb-line[^"]*"><path d="M([^"]*)"')


def longest(facts: Facts) -> int:
    return contexts(facts)[-1] if facts.longest else 131072


def drawn(facts: Facts, tokens: int = 0) -> Curve:
    found = curve(facts, tokens or longest(facts))
    assert found is not None, facts.id
    return found


def test_every_model_with_a_cache_has_a_curve(real: KnowledgeBase, made: Mapping[str, Page]) -> None:
    for facts in real.facts.values():
        found = PICTURE.findall(page_of(made, facts.id))
        assert len(found) == bool(facts.geometry and facts.geometry.streams), facts.id
        assert all(len(one.encode()) < 4096 for one in found), facts.id
        assert all("<title" in one and "<desc" in one and 'role="img"' in one for one in found), facts.id
        assert not any(re.search(r"#[0-9a-f]{3,6}\b|rgb\(", one) for one in found), "colours are the page's"


def test_every_point_of_a_curve_is_what_its_figure_says(real: KnowledgeBase) -> None:
    for facts in (facts for facts in real.facts.values() if facts.geometry and facts.geometry.streams):
        found = drawn(facts)
        assert len(found.lines) <= 4, facts.id
        assert found.tokens[1] == longest(facts), facts.id
        for line in found.lines:
            if line.trap:
                without = facts.overpay.without
                per = (
                    without.bytes_per_token if without else facts.geometry and facts.geometry.naive_gqa_bytes_per_token
                )
                assert all(size == tokens * (per or 0) for tokens, size in line.points), facts.id
            else:
                figure = facts.figure(line.key)
                assert figure is not None, line.key
                assert all(size == figure.bytes(tokens) for tokens, size in line.points), (facts.id, line.key)


def test_the_ends_of_every_path_stand_where_the_bytes_put_them(real: KnowledgeBase, made: Mapping[str, Page]) -> None:
    """Read back from the page: the scale from two ticks, then bytes from the place of each end."""
    for facts in (facts for facts in real.facts.values() if facts.geometry and facts.geometry.streams):
        found = drawn(facts)
        sizes = [size for line in found.lines for _, size in line.points]
        low = floor(log2(min(sizes)))
        high = max(low + 1, ceil(log2(max(sizes))))
        paths = PATH.findall(page_of(made, facts.id))
        assert len(paths) == len(found.lines), facts.id
        for path, line in zip(paths, found.lines, strict=True):
            ends = [tuple(map(float, place.split())) for place in path.split("L")]
            for (x, y), (tokens, size) in ((ends[0], line.points[0]), (ends[-1], line.points[-1])):
                share = (HEIGHT - BOTTOM - y) / (HEIGHT - TOP - BOTTOM)
                assert abs(low + share * (high - low) - log2(size)) < 0.01, (facts.id, line.key)
                along = (x - LEFT) / (WIDTH - LEFT - RIGHT)
                first, last = map(log2, found.tokens)
                assert abs(first + along * (last - first) - log2(tokens)) < 0.01, (facts.id, line.key)


def test_a_window_that_is_full_bends_the_line(real: KnowledgeBase) -> None:
    line = drawn(real.facts["mistral-7b-v0-1"]).lines[0]
    assert {size for tokens, size in line.points if tokens >= 4096} == {Fraction(32 * 2 * 8 * 128 * 2 * 4096)}
    assert line.path.count("L") == 2, "up to the window, then level"


def test_lines_that_say_the_same_are_drawn_once_and_letters_do_not_overlap(real: KnowledgeBase) -> None:
    for facts in (facts for facts in real.facts.values() if facts.geometry and facts.geometry.streams):
        found = drawn(facts)
        ends = [line.points[-1][1] for line in found.lines if not line.trap]
        assert len(ends) == len(set(ends)), facts.id
        places = sorted(line.letter_y for line in found.lines)
        assert all(below - above > 11 for above, below in pairwise(places)), facts.id


def test_too_short_a_context_has_no_curve(real: KnowledgeBase) -> None:
    assert curve(real.facts["llama-3-1-8b"], 4) is None
    assert curve(real.facts["mamba2-130m"], 131072) is None


# --- layers in order ------------------------------------------------------------------------------------------------

STRIPS = {
    "windows": ("gemma-4-26b-a4b", "SSSSSF" * 5),
    "windows, from the first layer": ("gpt-oss-120b", "SF" * 18),
    "recurrent": ("qwen3-next-80b-a3b-instruct", "LLLF" * 12),
    "mamba, attention, experts": (
        "nvidia-nemotron-3-nano-30b-a3b-bf16",
        "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME".replace("E", "F").replace("*", "A"),
    ),
    "sources and consumers": ("deepseek-v4-1-flash", "SSKCCCCCKCCCCCKCCCCCK" + "C" * 19),
}


@pytest.mark.parametrize(("model", "letters"), STRIPS.values(), ids=STRIPS)
def test_layers_stand_in_their_order(real: KnowledgeBase, model: str, letters: str) -> None:
    found = strip(real.facts[model])
    assert found is not None
    assert "".join(letter for _, letter, _, _ in found.cells) == letters


def test_a_strip_has_a_letter_and_a_colour_for_each_kind(real: KnowledgeBase) -> None:
    styles = (ROOT / "templates/assets/servebook.css").read_text("utf-8")
    for facts in real.facts.values():
        found = strip(facts)
        kinds = len(set(facts.geometry.layer_types)) if facts.geometry else 0
        assert (found is not None) == (kinds > 1), facts.id
        if found and facts.geometry:
            assert len({letter for letter, _, _, _ in found.legend}) == kinds
            assert sum(count for _, _, count, _ in found.legend) == len(found.cells)
            assert all(f".sb-tint-{tint} " in styles for _, _, _, tint in found.legend), facts.id


WHISPER_LIKE = {
    "model_type": "whisper",
    "architectures": ["WhisperForConditionalGeneration"],
    "is_encoder_decoder": True,
    "d_model": 1280,
    "decoder_layers": 32,
    "decoder_attention_heads": 20,
    "encoder_layers": 32,
    "encoder_attention_heads": 20,
    "max_source_positions": 1500,
    "max_target_positions": 448,
}


def test_an_encoder_decoder_shows_both_and_begins_with_what_the_encoder_filled(real: KnowledgeBase) -> None:
    """32 layers of 2 x 1,280 numbers in bf16: 1,500 entries for the encoder whatever the length, one for each token."""
    geometry = derived(WHISPER_LIKE, config_keys(real.catalog), {})
    assert isinstance(geometry, Geometry)
    figures = figures_of(geometry, frozenset(), formats(real.catalog))
    facts = Facts("whisper-like", WHISPER_LIKE, geometry, figures=figures)
    found = strip(facts)
    assert found is not None
    assert len(found.legend) == 2
    line = drawn(facts, 448).lines[0]
    assert line.points[-1] == (448, Fraction(32 * 2 * 1280 * 2 * (1500 + 448)))
    assert line.points[0][1] == 32 * 2 * 1280 * 2 * (1500 + line.points[0][0])


# --- overpay --------------------------------------------------------------------------------------------------------

ROW = re.compile(r'<tr id="([^"]+)" data-words.*?</tr>', re.S)
FACTOR = re.compile(r'<td class="sb-num sb-right" data-value="([\d.]+)"><strong>')


def test_the_overpay_page_says_what_the_facts_say_of_every_model(real: KnowledgeBase, made: Mapping[str, Page]) -> None:
    rows = {found[1]: found[0] for found in ROW.finditer(made["overpay.md"].html)}
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


def test_the_overpay_page_begins_with_the_dearest(real: KnowledgeBase, made: Mapping[str, Page]) -> None:
    costs = [real.facts[found[1]].overpay.costs for found in ROW.finditer(made["overpay.md"].html)]
    factors = [float(each[-1].factor) if each else 0 for each in costs]
    assert factors == sorted(factors, reverse=True)


def test_a_model_page_tells_what_lack_of_support_costs(made: Mapping[str, Page]) -> None:
    text = words(page_of(made, "gpt-oss-120b"))
    assert "73,728 B/token: all 36 layers that mix tokens kept in full, per-head." in text
    assert "131,072 its longest 4.50 GiB 9.00 GiB 2× derived" in text
    assert "What an engine without support" not in words(page_of(made, "llama-3-1-8b"))
    assert "Widths not stated" in words(page_of(made, "kimi-linear-48b-a3b-instruct"))


# --- state ----------------------------------------------------------------------------------------------------------


def test_what_engines_keep_differently_stands_in_a_row_each_and_is_not_added_up(
    real: KnowledgeBase, made: Mapping[str, Page]
) -> None:
    """36 layers: conv 24,576 numbers in bf16; ssm 524,288 numbers, in SGLang in fp32 and in vLLM in bf16."""
    conv, ssm = 36 * 24576 * 2, 36 * 524288
    states = {state.engine.id: dict(state.parts) for state in real.facts["qwen3-next-80b-a3b-instruct"].states}
    assert states == {
        "sglang": {"conv": conv, "ssm_fp32": 4 * ssm},
        "vllm": {"conv": conv, "ssm_bf16": 2 * ssm},
    }
    text = words(page_of(made, "qwen3-next-80b-a3b-instruct"))
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


# --- values that are no figures -------------------------------------------------------------------------------------


def test_no_cache_is_a_value(made: Mapping[str, Page]) -> None:
    assert "No cache0 B for each token" in words(page_of(made, "mamba2-130m"))
    assert made["models/mamba2-130m.md"].description == "mamba2-130m: no KV cache"


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
    real: KnowledgeBase, made: Mapping[str, Page]
) -> None:
    told = [model for model in real.catalog.sound("model") if model.get("underivable")]
    assert told
    for model in told:
        assert words(str(model.get("underivable"))) in words(page_of(made, model.id)), model.id
        assert words(str(model.get("underivable"))) in words(made["models/index.md"].html), model.id


# --- weights --------------------------------------------------------------------------------------------------------


def test_weights_are_shown_with_what_they_take_for_granted_or_with_the_reason(
    real: KnowledgeBase, made: Mapping[str, Page]
) -> None:
    for facts in real.facts.values():
        text = words(page_of(made, facts.id))
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


# --- doubts ---------------------------------------------------------------------------------------------------------

DOUBTS = {
    "a whole config": ("deepseek-v4-flash", set()),
    "a copy with gaps": ("codellama-7b-hf", {"gaps"}),
    "the class's own window pattern": ("gemma-3-27b-it", {"class default"}),
}


@pytest.mark.parametrize(("model", "marks"), DOUBTS.values(), ids=DOUBTS)
def test_what_a_figure_rests_on_is_marked_beside_it(
    real: KnowledgeBase, made: Mapping[str, Page], model: str, marks: set[str]
) -> None:
    site = Site(real)
    found = {mark for mark, _ in site.doubts(real.catalog.records[model])}
    assert marks <= found
    assert marks or not found
    cards = page_of(made, model).split('<div class="sb-cards">')[1].split('id="growth"')[0]
    assert all(f">{mark}</span>" in cards for mark in found)


def test_a_count_is_marked_by_what_it_rests_on_itself(real: KnowledgeBase, made: Mapping[str, Page]) -> None:
    """Gemma 2's class ties the embeddings and sets the pattern of windows; Gemma 3's count needs neither."""
    site = Site(real)
    marks = {
        id: [mark for mark, _ in site.doubts_of_count(real.catalog.records[id])]
        for id in ("gemma-2-27b-it", "gemma-3-27b-it", "deepseek-v4-flash", "granite-4-0-micro")
    }
    assert "class default" in marks["gemma-2-27b-it"]
    assert "class default" not in marks["gemma-3-27b-it"]
    assert marks["deepseek-v4-flash"] == marks["granite-4-0-micro"] == []
    after = page_of(made, "gemma-2-27b-it").split('id="parameters"')[1].split("<details")[0]
    assert after.count(">class default</span>") == 3


def test_a_key_that_only_the_class_sets_is_named_with_its_source(made: Mapping[str, Page]) -> None:
    html = page_of(made, "gemma-3-27b-it")
    assert "The config is silent on sliding_window_pattern; Gemma3TextConfig sets 6:" in words(html)
    assert 'href="page:sources/transformers-5-24-0-gemma3-config.md"' in html


# --- finding a model ------------------------------------------------------------------------------------------------


def test_the_first_page_asks_without_scripts(real: KnowledgeBase, made: Mapping[str, Page]) -> None:
    html = made["index.md"].html
    assert '<form class="sb-ask" action="page:models/index.md" method="get"' in html
    options = set(re.findall(r'<option value="([^"]*)">', html))
    names = set(re.findall(r'<bdi class="sb-name">([^<]*)</bdi>', html))
    assert options == names
    assert len(re.findall(r'class="sb-name"', html)) == len(list(real.catalog.sound("model")))
    counts = [int(count) for count in re.findall(r'<span class="sb-count">(\d+)</span>', html)]
    assert sum(counts) == len(list(real.catalog.sound("model")))


def test_the_scripts_stay_small() -> None:
    """As they travel, compressed."""
    assert len(gzip.compress((ROOT / "templates/assets/servebook.js").read_bytes())) < 2048
