"""The grammars that we read ourselves, and what holds of any text: citations, braces and headings; expressions.

``python -m fuzz.parsers citations 60 1`` attacks one of them for a minute with a seed. Atheris watches which
branches an input reaches, and goes on from those that reach new ones. YAML, JSON and Markdown are read by parsers of
others, and mutated records go through them in `targets`.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from fuzz.tally import Tally

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 2000
ARITHMETIC = re.compile(r"[0-9.+*/() -]{1,200}")
NUMBER = re.compile(r"[0-9]+\.?[0-9]*|\.[0-9]+")


def citations(text: str) -> None:
    """What is found in a text stands there, in order, and reads alike when it is read alone."""
    from generator.notation import braces, headings
    from generator.notation.citations import find, replace, retargeted, whole

    mentions = find(text)
    _stands(text, mentions)
    assert replace(text, mentions, [each.raw for each in mentions]) == text
    for each in mentions:
        alone = whole(each.raw)
        assert alone is not None or each.problem, each
        if alone is not None:
            assert (alone.target, alone.label, alone.problem) == (each.target, each.label, each.problem)
        if not each.problem:
            moved = whole(retargeted(each, "other"))
            assert moved is not None
            assert (moved.target, moved.label) == ("other", each.label)
    both, found, included = braces.both(text), braces.find(text), braces.includes(text)
    _stands(text, both)
    assert sorted(each.start for each in (*found, *included)) == [each.start for each in both]
    assert all("{{" not in each.raw[3:-2] for each in both), "one expression holds another"
    open_ = braces.unclosed(text)
    assert open_ is None or text.startswith("{{", open_)
    for start, end in headings.below(text).values():
        assert 0 <= start <= end <= len(text)


def _stands(text: str, found: list[Any]) -> None:
    """Whether each thing found is the text at its place, behind the one before."""
    at = 0
    for each in found:
        assert at <= each.start < each.end <= len(text), each
        assert text[each.start : each.end] == each.raw, each
        at = each.end


def expressions(inner: str) -> None:
    """An expression has an exact value or a reason why not; plain arithmetic has the value that Python gives it."""
    from generator.prose.expressions.evaluator import ExpressionError, evaluate

    kb = _tiny()
    try:
        value = evaluate(kb, kb.catalog.records["tiny-a"], inner)
    except ExpressionError:
        return
    assert str(value)
    assert isinstance(value.value, Fraction)
    if ARITHMETIC.fullmatch(inner) and "**" not in inner and "//" not in inner:
        exact = NUMBER.sub(lambda number: f"Fraction('{number[0]}')", inner.strip())
        if all(len(number) < 16 for number in NUMBER.findall(inner)):  # what a float holds
            assert value.value == eval(exact, {"__builtins__": {}, "Fraction": Fraction}), inner


@cache
def _tiny() -> Any:
    """The tiny base, whose model expressions ask for."""
    from datetime import date

    from generator.catalog.read import read
    from generator.knowledge.knowledge_base import assemble

    return assemble(read(ROOT / "tests/bases/tiny"), date(2026, 11, 29))


PARSERS: Mapping[str, Callable[[str], None]] = {"citations": citations, "expressions": expressions}


def beginnings(parser: str) -> list[str]:
    """What an attack starts from: shapes that made readers slow, and the expressions of our own records."""
    from safety.shapes import SHAPES

    if parser == "citations":
        return [shape * 3 for shape in SHAPES.values()]
    texts = [path.read_text("utf-8") for path in sorted((ROOT / "records").rglob("*.yaml"))]
    found = {inner.strip() for text in texts for inner in re.findall(r"\{\{([^{}\n]+)\}\}", text)}
    return [*sorted(found), "1 + 2 * (3 - 4) / 5", "-1.5", "7 | round(1)", "1048576 | mib"]


def parser_attacked(parser: str, seed: int, seconds: float) -> Tally | str:
    """An attack on one parser, in a process of its own; libFuzzer ends at the first input that falls."""
    if importlib.util.find_spec("atheris") is None:
        return "atheris is not installed (requirements-fuzz.txt says for which machines there is one)"
    command = [sys.executable, "-m", "fuzz.parsers", parser, str(max(1, round(seconds))), str(seed)]
    path = os.pathsep.join((str(ROOT / "tests"), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])))
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, check=False)
    told = done.stderr.decode("utf-8", "replace") + done.stdout.decode("utf-8", "replace")
    tried = re.search(r"stat::number_of_executed_units: (\d+)", told)
    return Tally(int(tried[1]) if tried else 1, [f"{parser}: {told[-4000:]}"] if done.returncode else [])


def main(parser: str, seconds: int, seed: int) -> None:
    """Attack until the time is over; libFuzzer writes how many inputs it ran, or what fell, on stderr."""
    import atheris

    with atheris.instrument_imports(include=["generator.notation", "generator.prose.expressions"]):
        PARSERS[parser]("[[tiny-a]] {{ 1 }}")

    def one(data: bytes) -> None:
        PARSERS[parser](data.decode("utf-8", "replace"))

    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(beginnings(parser)):
            (Path(folder) / str(number)).write_text(text, "utf-8")
        # libFuzzer counts a seed of 0 as none
        options = [f"-max_total_time={seconds}", f"-seed={seed % 2**31 or 1}", f"-max_len={LONGEST}", "-timeout=20"]
        atheris.Setup(
            [sys.argv[0], *options, f"-artifact_prefix={folder}/", "-verbosity=0", "-print_final_stats=1", folder], one
        )
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
