"""A bounded attack with fixed seeds; `make fuzz` goes on for longer with fresh ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from fuzz.mutations import VALUES, mutated
from fuzz.tally import Tally
from fuzz.targets import configs, judged, records, sample_base

ENOUGH = {"records": 60, "configs": 24}


def so_many(number: int) -> Callable[[int], bool]:
    return lambda tried: tried < number


@pytest.mark.parametrize("seed", ["one", "two"])
def test_no_mutated_record_fails_inside(seed: str, tmp_path: Path) -> None:
    tally = records(random.Random(seed), tmp_path, so_many(ENOUGH["records"]))
    assert tally.tried >= ENOUGH["records"]
    assert tally.falls == []


def test_no_mutated_config_fails_inside(tmp_path: Path) -> None:
    tally = configs(random.Random("three"), tmp_path, so_many(ENOUGH["configs"]))
    assert tally.tried >= ENOUGH["configs"]
    assert tally.falls == []


def test_the_clean_sample_holds(tmp_path: Path) -> None:
    assert judged(sample_base(tmp_path, random.Random("four")), pages=True) is None


def test_a_fall_is_found_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the attack is for: a page that fails is told with the file that made it fail."""
    monkeypatch.setattr("generator.site.pages.model._page", lambda *_: 1 / 0)
    told = judged(sample_base(tmp_path, random.Random("five")), pages=True)
    assert told is not None
    assert "ZeroDivisionError" in told


def test_the_same_seed_makes_the_same_file() -> None:
    text, other = "a: 1\nb:\n  c: [x]\n", "d: y\n"
    first = [mutated(random.Random(seed), text, other) for seed in range(40)]
    assert first == [mutated(random.Random(seed), text, other) for seed in range(40)]
    assert len(set(first)) > 20
    assert len(VALUES) > 50
    assert Tally().held == 0


def test_no_page_fails_for_sources_that_cannot_be_read(tmp_path: Path) -> None:
    """The steps of a verdict name what they rest on, and of that nothing may be there."""
    root = sample_base(tmp_path, random.Random("1775580715 records"))
    for path in (root / "sources").glob("hf-config-*.yaml"):
        path.write_text("title: \x00\n", "utf-8")
    assert judged(root, pages=True) is None
