"""Every reader of text does work in proportion to its length: by counted work, and for patterns by proof.

Time is not measured: machines that test are busy. `work` counts lines of Python and characters that patterns are run
over; `pattern_time` proves of each pattern that no text makes it do more than a number of steps for each character.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from safety.pattern_time import more_than_linear
from safety.shapes import SHAPES

HERE = Path(__file__).parent
SMALL, LARGE = 300, 1200
TIMES = LARGE / SMALL * 1.3
"""Work may grow by so much between the two sizes; the square of the length grows by 16."""
PER_CHARACTER = 20
"""Steps for each further character that say nothing yet: a text may reach a limit between the two sizes."""

OUR_OWN = {
    r"^```yaml (\S+)\n(.*?)^```": "the examples in the docstrings of our checks: no text of a record is read by it",
    r"(<pre\b.*?</pre>)": "HTML that we have written, where each <pre> is closed",
}
"""Patterns that may take more, with the reason."""


@pytest.fixture(scope="module")
def measured() -> dict[str, Any]:
    """The work on every shape, and the patterns that were used meanwhile, from a process of its own."""
    command = [sys.executable, str(HERE / "work.py"), str(SMALL), str(LARGE)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _used_in_source(place: str) -> set[str]:
    """How a pattern that nothing has called is used in its module: the methods of the name that it is given there."""
    path, _, line = place.partition(":")
    text = (ROOT / path).read_text("utf-8")
    name = re.match(r"(\w+) = re\.compile\(", text.splitlines()[int(line) - 1])
    return set(re.findall(rf"\b{name[1]}\.(\w+)\(", text)) or {"search"} if name else {"search"}


def steep(pair: Sequence[int]) -> bool:
    """Whether the work on the larger text is more than in proportion."""
    return pair[1] > TIMES * pair[0] + PER_CHARACTER * (LARGE - SMALL)


@pytest.mark.parametrize("shape", SHAPES)
def test_work_is_in_proportion_to_the_text(measured: dict[str, Any], shape: str) -> None:
    works = measured["work"][shape]
    assert len(works) > 50, "every check was measured"
    assert {part: pair for part, pair in works.items() if steep(pair)} == {}


def test_a_reader_that_takes_the_square_is_found() -> None:
    assert not steep((40 * SMALL, 40 * LARGE))
    assert not steep((100_000, 100_000 + 10 * LARGE)), "what costs the same for every text"
    assert steep((SMALL**2 // 4, LARGE**2 // 4))
    assert steep((SMALL**2, LARGE**2))


def test_every_pattern_is_searched_for_in_linear_time(measured: dict[str, Any]) -> None:
    told = {}
    for pattern, flags, place, methods in measured["patterns"]:
        anchored = set(methods or _used_in_source(place)) <= {"match", "fullmatch"}
        if pattern not in OUR_OWN and (why := more_than_linear(pattern, flags, anchored)):
            told[place] = why
    assert told == {}
    assert len(measured["patterns"]) > 150
    assert set(OUR_OWN) <= {pattern for pattern, *_ in measured["patterns"]}, "an exception that is used no more"


# --- the prover, on patterns of which the answer is known -------------------------------------------------------------

LINEAR = [
    *(
        r"(?<!a)a+b",
        r"\bfoo\s+bar\b",
        r'"[^"]*"',
        r"a+",
        r"\b\w+=",
        r"(?<!\s)\s+$",
        r"(?<!\w)\w++\s*+=",
        r"[a-z]{1,9}=",
    ),
    *(r"the\s+(?:big\s+)?model", r"\d+(?:,\d+)*", r"\A\s*x", r"\bthe\s+x", r"<[^<>]*>", r"\[\[[^\[\]]*\]\]", r"^\s*x$"),
]
SLOW = [
    *(
        r"(a+)+b",
        r"a+b",
        r"\s*\s*x",
        r"(\w|\d)+x",
        r"\s+$",
        r"\([^)]*\)",
        r"x*y*x*z",
        r"(?s)\{\{.*?\}\}",
        r"(?:a|b|ab)*c",
    ),
    *(r"\s+\n\s*x", r"\w+\s*=", r"(?s)<!--.*?-->", r"(?s)(`+).*?\1", r"[\w.]*\w;", r"(?m)^\s*x$", r"(ab)+c"),
]


@pytest.mark.parametrize("pattern", LINEAR)
def test_a_linear_pattern_is_proved(pattern: str) -> None:
    assert more_than_linear(pattern) is None


@pytest.mark.parametrize("pattern", SLOW)
def test_a_slow_pattern_is_refused(pattern: str) -> None:
    assert more_than_linear(pattern) is not None


def test_a_match_at_one_place_is_another_question() -> None:
    assert more_than_linear(r"\s*x") is not None
    assert more_than_linear(r"\s*x", anchored=True) is None
    assert more_than_linear(r"\s*\s*x", anchored=True) is not None
