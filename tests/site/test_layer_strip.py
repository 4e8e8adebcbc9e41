"""A model's layers in their order, and what an encoder has filled before the first token."""

from __future__ import annotations

from fractions import Fraction

import pytest
from conftest import ROOT

from generator.derive.attention.geometry import Geometry
from generator.derive.cited_config import config_keys
from generator.derive.facts import Facts
from generator.derive.figures import figures_of
from generator.derive.model_facts import derived
from generator.derive.stored_formats import formats
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site.views.curve import curve
from generator.site.views.layer_strip import strip

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
    drawn = curve(facts, 448)
    assert drawn is not None
    line = drawn.lines[0]
    assert line.points[-1] == (448, Fraction(32 * 2 * 1280 * 2 * (1500 + 448)))
    assert line.points[0][1] == 32 * 2 * 1280 * 2 * (1500 + line.points[0][0])
