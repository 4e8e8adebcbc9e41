"""The curve of a model's cache over context, against the figures that it draws."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, log2

from generator.derive.facts import Facts
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site.html.page import Page
from generator.site.pages.model import contexts
from generator.site.views.curve import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Curve, curve


def page_of(pages: Mapping[str, Page], id: str) -> str:
    return pages[f"models/{id}.md"].html


PICTURE = re.compile(r'<svg viewBox="0 0 440 270".*?</svg>', re.S)
PATH = re.compile(r'<g class="sb-line[^"]*"><path d="M([^"]*)"')


def longest(facts: Facts) -> int:
    return contexts(facts)[-1] if facts.longest else 131072


def drawn(facts: Facts, tokens: int = 0) -> Curve:
    found = curve(facts, tokens or longest(facts))
    assert found is not None, facts.id
    return found


def test_every_model_with_a_cache_has_a_curve(real: KnowledgeBase, real_pages: Mapping[str, Page]) -> None:
    for facts in real.facts.values():
        found = PICTURE.findall(page_of(real_pages, facts.id))
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


def test_the_ends_of_every_path_stand_where_the_bytes_put_them(
    real: KnowledgeBase, real_pages: Mapping[str, Page]
) -> None:
    """Read back from the page: the scale from two ticks, then bytes from the place of each end."""
    for facts in (facts for facts in real.facts.values() if facts.geometry and facts.geometry.streams):
        found = drawn(facts)
        sizes = [size for line in found.lines for _, size in line.points]
        low = floor(log2(min(sizes)))
        high = max(low + 1, ceil(log2(max(sizes))))
        paths = PATH.findall(page_of(real_pages, facts.id))
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
