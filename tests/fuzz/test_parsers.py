"""What holds of any text, on a fixed choice of texts; `make fuzz` goes on with inputs that atheris finds."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from fuzz.parsers import beginnings, citations, expressions, parser_attacked

import generator.notation.citations as grammar
import generator.prose.expressions.evaluator as evaluator


@pytest.mark.parametrize(("name", "parser"), [("citations", citations), ("expressions", expressions)])
def test_nothing_falls(name: str, parser: Callable[[str], None]) -> None:
    chance, texts = random.Random(name), beginnings(name)
    for _ in range(500):
        one, other = chance.choice(texts), chance.choice(texts)
        at, to = chance.randrange(len(one) + 1), chance.randrange(len(other) + 1)
        parser(one[:at] + other[to:])


@pytest.mark.parametrize(
    "text", ["see [[tiny-a]] and [[b|c]]", "[[ x]] {{ 1 }} {{", "# a\n\nb", "{{ include('a#b') }}"]
)
def test_a_text_that_is_read_well(text: str) -> None:
    citations(text)


def test_a_mention_at_the_wrong_place_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    read = grammar._read
    monkeypatch.setattr(grammar, "_read", lambda raw, start: read(raw, start + 1))
    with pytest.raises(AssertionError):
        citations("a wrong place of [[tiny-a]]")


def test_a_wrong_value_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    expressions("1 + 2 * 3")
    made = evaluator._combine
    monkeypatch.setattr(evaluator, "_combine", lambda left, op, right: made(left, op, _and_one(right)))
    with pytest.raises(AssertionError):
        expressions("1 + 2 * 3")


def _and_one(value: Any) -> Any:
    return evaluator.replace(value, value=value.value + Fraction(1))


def test_without_atheris_it_is_skipped_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "atheris is not installed" in str(parser_attacked("citations", 1, 1))


def test_a_few_inputs_of_atheris() -> None:
    pytest.importorskip("atheris", reason="atheris is not installed: make fuzz installs it where there is one")
    tally = parser_attacked("expressions", 1, 2)
    assert not isinstance(tally, str)
    assert tally.falls == []
    assert tally.tried > 100
