"""Expressions in prose: what they may name, how units go, where an error is told, and that nothing is executed."""

from __future__ import annotations

import ast
import re
from contextlib import suppress
from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest
from conftest import TINY, Base
from hypothesis import example, given
from hypothesis import strategies as st
from work import counted

from generator.catalog.read import read
from generator.knowledge.knowledge_base import KnowledgeBase, assemble
from generator.notation.braces import Expression, find, unclosed
from generator.prose.expressions import evaluator as expressions
from generator.prose.expressions import vocabulary
from generator.prose.expressions.evaluator import MAX_LENGTH, ExpressionError, Value, evaluate

MODEL = "records/models/tiny-a.yaml"
IDEA = "records/concepts/tiny-latent.yaml"
PROSE = "Keys and values of all heads are kept as one latent row, as in [[tiny-a|Tiny A]]."


@pytest.fixture(scope="module")
def kb() -> KnowledgeBase:
    return assemble(read(TINY), date(2026, 11, 29))


def value(kb: KnowledgeBase, inner: str, record: str = "tiny-a") -> Value:
    return evaluate(kb, kb.catalog.records[record], inner)


def refusal(kb: KnowledgeBase, inner: str, record: str = "tiny-a") -> str:
    with pytest.raises(ExpressionError) as refused:
        value(kb, inner, record)
    return str(refused.value)


# --- what can be named ----------------------------------------------------------------------------------------------

OF_THE_REAL_BASE = {
    "kv.layers.csa",
    "config.compress_ratios.entries",
    "parameters.total",
    "parameters.active",
    "parameters.active_without_embedding",
    "weights.bytes",
}
SHOWN = {
    "an author's word": ("said(10, 'a rough guess') * 2", "20"),
    "growth": ("kv.growth('bf16')", "320 B/token"),
    "growth in an engine's layout": ("kv.growth('fp8_latent')", "176 B/token"),
    "bytes": ("kv.bytes('bf16', 1000)", "320,000 B"),
    "naive": ("kv.naive", "4,096 B/token"),
    "materialised": ("kv.materialised", "1,280 B/token"),
    "one layer": ("kv.layer('full', 'bf16')", "80 B/token"),
    "windows": ("kv.windows('bf16')", "0 B"),
    "without support": ("kv.unsupported", "1,280 B/token"),
    "what it costs": ("kv.unsupported / kv.growth('bf16') | times", "4.0×"),
    "entries of a list": ("config.architectures.entries", "1"),
    "billion": ("235741434880 | billion", "235.74 billion"),
    "billion, with digits": ("21376122880 | billion(1)", "21.4 billion"),
    "layers, short": ("kv.layers.full", "4"),
    "layers, long": ("kv.layers.full_attention", "4"),
    "a field": ("config.kv_lora_rank", "32"),
    "a format": ("format('tiny-engine#fp8_latent')", "44 B"),
    "a format of one scalar": ("format('uniform#bf16')", "2 B"),
    "another model": ("model('tiny-b').kv.growth('bf16')", "400 B/token"),
    "another model's field": ("model('tiny-b').config.num_hidden_layers", "5"),
    "a whole number": ("1234567", "1,234,567"),
    "decimals": ("0.1 + 0.2", "0.3"),
    "kib": ("kv.growth('bf16') | kib", "0.31 KiB/token"),
    "kib, with digits": ("kv.growth('bf16') | kib | round(4)", "0.3125 KiB/token"),
    "kib with its own digits": ("kv.growth('bf16') | kib(1)", "0.3 KiB/token"),
    "mib": ("kv.bytes('bf16', 131072) | mib", "40.00 MiB"),
    "gib": ("kv.bytes('bf16', 131072) | gib(3)", "0.039 GiB"),
    "times": ("kv.naive / kv.growth('bf16') | times", "12.8×"),
    "percent": ("(config.kv_lora_rank + config.qk_rope_head_dim) / config.hidden_size | percent", "15.6 %"),
    "percent, with digits": ("1 / 3 | percent | round(3)", "33.333 %"),
    "round": ("10 / 3 | round", "3"),
    "a minus": ("-kv.layers.full + 5", "1"),
    "brackets": ("(1 + 2) * 3", "9"),
    "bytes and bytes": ("kv.bytes('bf16', 10) - kv.bytes('bf16', 9)", "320 B"),
    "bytes over growth are tokens": ("kv.bytes('bf16', 10) / kv.growth('bf16')", "10 tokens"),
    "a number of bytes": ("kv.growth('bf16') * 2", "640 B/token"),
    "half of it": ("kv.growth('bf16') / 2", "160 B/token"),
    "a ratio has no unit": ("kv.growth('bf16') / kv.growth('fp8_latent') | round(2)", "1.82"),
    "KiB and KiB": ("(kv.naive | kib) - (kv.materialised | kib) | round(2)", "2.75 KiB/token"),
    "over several lines": ("kv.growth(\n  'bf16'\n)", "320 B/token"),
}


@pytest.mark.parametrize(("inner", "shown"), SHOWN.values(), ids=SHOWN)
def test_what_an_expression_shows(kb: KnowledgeBase, inner: str, shown: str) -> None:
    assert str(value(kb, inner)) == shown


def test_every_name_of_the_manual_is_known_here(kb: KnowledgeBase) -> None:
    """The table in the module's docstring is the manual; each row of it is tried above, or here."""
    rows = [line.split("``")[1] for line in str(expressions.__doc__).splitlines() if line.startswith("``")]
    assert rows
    names = {row.split("(")[0].removesuffix("...") for row in rows} - {"kv.state"} - OF_THE_REAL_BASE
    tried = " ".join(inner for inner, _ in SHOWN.values())
    assert [name for name in names if name.split("...")[0] not in tried and name != "kv.layers.csa"] == []
    for name in ("kib", "mib", "gib", "percent", "times", "round(1)"):
        assert f"| {name}" in str(expressions.__doc__)


def test_the_guide_for_contributors_has_the_same_table(real_root: Path) -> None:
    guide = (real_root / "docs/contributing-a-record.md").read_text("utf-8")
    rows = [line.split("  ")[0] for line in str(expressions.__doc__).splitlines() if line.startswith("``")]
    names = [name.split("...")[0] for row in rows for name in re.findall("``(.+?)``", row)]
    assert len(names) > 6
    assert [name for name in names if f"`{name}" not in guide] == []


def test_state_and_short_layer_names_of_the_real_base(real: KnowledgeBase) -> None:
    v4 = real.catalog.records["deepseek-v4-flash"]
    facts = real.facts["deepseek-v4-flash"]
    assert facts.geometry is not None
    (state, size), *_ = facts.state.items()
    assert evaluate(real, v4, f"kv.state('{state}')") == Value(Fraction(size), "B", f"state {state}")
    for short, long in vocabulary.LAYERS.items():
        if long in facts.geometry.layers:
            assert evaluate(real, v4, f"kv.layers.{short}").value == evaluate(real, v4, f"kv.layers.{long}").value


@pytest.mark.parametrize(
    ("id", "inner", "shown"),
    [
        ("deepseek-v2", "parameters.total | billion", "235.74 billion"),
        ("deepseek-v2", "parameters.active | billion", "21.38 billion"),
        ("deepseek-v2", "parameters.active_without_embedding | billion", "20.85 billion"),
        ("deepseek-v4-flash", "config.compress_ratios.entries", "44"),
        ("deepseek-v4-flash", "kv.layers.csa", "21"),
        ("deepseek-v4-flash", "kv.layer('csa', 'bf16')", "320 B/token"),
        ("deepseek-v4-flash", "kv.layer('hca', 'bf16')", "8 B/token"),
        ("deepseek-v4-flash", "kv.windows('bf16') / (43 * 128 * 512 * 2)", "1 B"),
        ("qwen3-next-80b-a3b-instruct", "kv.state('vllm')", "39,518,208 B"),
        ("qwen3-next-80b-a3b-instruct", "kv.state('vllm') / kv.growth('bf16') | round", "1,608 tokens"),
        ("gemma-3-27b-it", "kv.windows('bf16') / (52 * 16 * 256 * 2)", "1,024 B"),
        ("gemma-3-27b-it", "kv.unsupported / (62 * 16 * 256 * 2)", "1 B/token"),
        ("codellama-34b-instruct-hf", "weights.bytes / parameters.total", "2 B"),
    ],
)
def test_figures_of_the_real_base(real: KnowledgeBase, id: str, inner: str, shown: str) -> None:
    """Published counts and formulas of the papers, worked out by hand."""
    assert str(evaluate(real, real.catalog.records[id], inner)) == shown


def test_each_expression_of_the_real_base_has_a_value(real: KnowledgeBase) -> None:
    for record in real.catalog.records.values():
        for text in real.catalog.texts(record):
            if text.field and text.field.schema.get("x-prose"):
                for each in find(text.value):
                    if expressions.of_a_model(record, each.inner):
                        continue  # worked out where the text is included: NUM409 has looked
                    assert str(evaluate(real, record, each.inner))


def test_a_renamed_model_is_found_by_its_old_id(tiny: Base) -> None:
    base = tiny.lay({"records/redirects.yaml": "old: tiny-b\n"}).read()
    assert str(value(base, "model('old').kv.growth('bf16')")) == "400 B/token"


def test_a_value_comes_with_its_formula(kb: KnowledgeBase) -> None:
    assert value(kb, "kv.growth('bf16')").formula.startswith("4 × (32 + 8) × 2")
    assert value(kb, "kv.naive / 2").formula == "(the naive formula, bf16) / (2)"


# --- refusals --------------------------------------------------------------------------------------------------------

REFUSED = {
    "no such name": ("kb", "an expression has no `kb`; it has config, format, kv, model"),
    "no such part": ("kv.grwth('bf16')", "kv has no `grwth`; did you mean `growth`?"),
    "no such layout": ("kv.growth('bf17')", "tiny-a has no layout `bf17`; it has bf16, fp8_latent"),
    "no such layout, of bytes": ("kv.bytes('bf17', 5)", "tiny-a has no layout `bf17`"),
    "no such layer": ("kv.layer('csa', 'bf16')", "tiny-a has no layer `csa` with a cache; it has full"),
    "no such layout of a layer": ("kv.layer('full', 'bf17')", "tiny-a has no layout `bf17`"),
    "parameters that are not derivable": ("parameters.total", "the parameters of tiny-a are not derivable: "),
    "weights that are not derivable": ("weights.bytes", "the bytes of the weights of tiny-a are not derivable: "),
    "billions of bytes": ("kv.bytes('bf16', 1) | billion", "| billion needs a count, not B"),
    "no tokens": ("kv.bytes('bf16', 0)", "at least one token"),
    "no such state": ("kv.state('x')", "tiny-a has no state `x`; it has none"),
    "no such field": ("config.nobody", "config has no `nobody`; it has architectures,"),
    "a field that is no number": ("config.model_type", "config.model_type is no number"),
    "a field that is a list": (
        "config.architectures",
        "is the group config.architectures (a list, which .entries counts), not a number",
    ),
    "no such format": ("format('x#y')", "no record has the cache format `x#y`"),
    "no such model": ("model('nobody').kv.naive", "no model has the id `nobody`"),
    "a record that is no model": ("model('tiny-gpu').kv.naive", "no model has the id `tiny-gpu`"),
    "a group": ("kv", "`kv` is the group kv, not a number"),
    "a group in a sum": ("kv + 1", "`kv` is the group kv, not a number"),
    "a function": ("kv.growth", "`kv.growth` is the function kv.growth(layout), not a number"),
    "a function of nothing": ("kv.growth()", "kv.growth(layout) takes a text"),
    "a function of too much": ("kv.growth('bf16', 1)", "kv.growth(layout) takes a text"),
    "the wrong kind": ("kv.bytes(1, 'bf16')", "kv.bytes(layout, tokens) takes a text, a whole number"),
    "a truth value": ("kv.bytes('bf16', True)", "kv.bytes(layout, tokens) takes a text, a whole number"),
    "a computed argument": ("kv.bytes('bf16', 2 * 3)", "a quoted text or a whole number is expected"),
    "a named argument": ("kv.growth(key='bf16')", "is not in the vocabulary"),
    "a number that is called": ("5(3)", "only functions take brackets"),
    "a part of a number": ("kv.naive.real", "`.real` has nothing to stand on"),
    "bytes and bytes per token": ("kv.bytes('bf16', 1) + kv.naive", "B and B/token do not add up"),
    "bytes and a number": ("kv.naive + 1", "B/token and a plain number do not add up"),
    "a number and bytes": ("1 - kv.naive", "a plain number and B/token do not add up"),
    "bytes squared": ("kv.naive * kv.naive", "B/token times B/token is no unit"),
    "a number over bytes": ("1 / kv.naive", "a plain number over B/token is no unit"),
    "nothing": ("1 / 0", "division by zero"),
    "nothing, computed": ("kv.naive / (kv.naive - kv.naive)", "division by zero"),
    "a filter that is none": (
        "1 | upper",
        "no filter is called `upper`; known: billion, gib, kib, mib, percent, round(n), times",
    ),
    "a filter of a number without unit": ("1 | kib", "| kib needs bytes, not a plain number"),
    "a filter twice": ("kv.naive | kib | kib", "| kib needs bytes, not KiB/token"),
    "percent of bytes": ("kv.naive | percent", "| percent needs a ratio, not B/token"),
    "percent of percent": ("0.5 | percent | percent", "| percent needs a ratio, not 50.0 %"),
    "a sum with percent": ("(0.5 | percent) + 1", "is written as % already; that filter comes last"),
    "a filter of a group": ("kv | kib", "a filter needs a number before its bar"),
    "a filter of a filter": ("1 | (2 | round)", "is no filter"),
    "too many digits": ("1 | round(7)", "is no filter"),
    "negative digits": ("1 | round(-1)", "is no filter"),
    "a power": ("2 ** 3", "only + - * / are known"),
    "a tower of powers": ("9**9**9**9**9", "only + - * / are known"),
    "a remainder": ("7 % 2", "only + - * / are known"),
    "whole division": ("7 // 2", "only + - * / are known"),
    "a shift": ("1 << 9999999", "only + - * / are known"),
    "a plus sign": ("+1", "is not in the vocabulary"),
    "infinity": ("1e999", "`1e309` is not in the vocabulary"),
    "an imaginary number": ("1j", "is not in the vocabulary"),
    "true": ("True", "true and false are no numbers"),
    "a text": ("'bf16'", "is not in the vocabulary"),
    "bytes literals": ("kv.growth(b'bf16')", "a quoted text or a whole number is expected"),
    "nothing at all": ("", "this is no expression; an example is"),
    "half an expression": ("kv.growth('bf16'", "this is no expression; an example is"),
    "two expressions": ("1; 2", "this is no expression"),
    "a null byte": ("1\0", "this is no expression"),
    "too long": ("1" + " + 1" * MAX_LENGTH, f"longer than {MAX_LENGTH} characters"),
}


@pytest.mark.parametrize(("inner", "why"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_value_says_why(kb: KnowledgeBase, inner: str, why: str) -> None:
    assert why in refusal(kb, inner)


def test_a_record_that_is_no_model_has_no_cache_of_its_own(kb: KnowledgeBase) -> None:
    said = "this asks for a model's figure, and stands in the text of no model"
    assert refusal(kb, "kv.naive", "tiny-latent") == said


def test_a_model_whose_cache_is_not_derivable_says_what_is_missing(tiny: Base) -> None:
    base = tiny.edit(MODEL, "  v_head_dim: 16\n", "  cache_of_a_new_kind: 3\n  v_head_dim: 16\n").read()
    assert "the cache of tiny-a is not derivable" in refusal(base, "kv.naive")
    assert "cache_of_a_new_kind" in refusal(base, "model('tiny-a').kv.naive", "tiny-b")


def test_a_model_that_breaks_its_schema_says_so(tiny: Base) -> None:
    base = tiny.edit(MODEL, "vendor: Tiny Works\n", "").read()
    assert "the record breaks its schema" in refusal(base, "model('tiny-a').kv.naive", "tiny-b")


# --- the sandbox -----------------------------------------------------------------------------------------------------

HOSTILE = [
    "kv.__class__",
    "kv.growth.__globals__",
    "kv.growth.__call__('bf16')",
    "kv._known",
    "kv.known",
    "kv.title",
    "config.__len__",
    "config.items",
    "config.get('x')",
    "model.__self__",
    "model('tiny-a').__dict__",
    "model('tiny-a').record",
    "model('../../etc/passwd').kv.naive",
    "().__class__.__bases__[0].__subclasses__()",
    "''.__class__.__mro__",
    "__import__('os').system('true')",
    "open('/etc/passwd')",
    "eval('1')",
    "exec('1')",
    "getattr(kv, 'naive')",
    "print(1)",
    "globals()",
    "[x for x in (1, 2)]",
    "(lambda: 1)()",
    "(x := 1)",
    "1 if 1 else 2",
    "1 and 2",
    "1 < 2",
    "not 1",
    "~1",
    "f'{kv}'",
    "'a' * 10**9",
    "[1] * 10**9",
    "{1: 2}",
    "kv['naive']",
    "kv[0]",
    "*kv",
    "await kv",
    "yield",
    "...",
    "None",
    "1 @ 2",
    "kv.growth(*['bf16'])",
    "kv.growth(**{'key': 'bf16'})",
    "kv.growth(open('/etc/passwd'))",
    "1 | __import__('os')",
    "1 | round(open('x'))",
    "1 | round(True)",
    "1 | kv.naive",
]


@pytest.mark.parametrize("inner", HOSTILE)
def test_nothing_outside_the_vocabulary_is_reached(kb: KnowledgeBase, inner: str) -> None:
    assert refusal(kb, inner)


def test_nothing_is_compiled_or_looked_up_by_name() -> None:
    """The evaluator walks the tree itself; it never hands it, or a name of it, to Python."""
    tree = ast.parse(Path(expressions.__file__).read_text("utf-8"))
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & {"eval", "exec", "compile", "getattr", "vars", "globals", "__import__", "open"}


HEAVY = [
    "(" * 95 + "1" + ")" * 95,
    "-" * 198 + "1",
    "9" * MAX_LENGTH,
    "*".join(["9" * 19] * 10),
    "/".join(["9" * 19] * 10),
    f"kv.bytes('bf16', {'9' * 150})",
    "1" + "|round" * 30,
    "kv" + ".x" * 90,
    "f" + "()" * 90,
    "1e308*1e308*1e308",
    "1e-308/1e308",
    "model('" + "x" * 180 + "')",
]


@pytest.mark.parametrize("inner", HEAVY)
def test_no_expression_takes_long(kb: KnowledgeBase, inner: str) -> None:
    def asked() -> None:
        with suppress(ExpressionError):
            str(value(kb, inner))

    assert counted(asked) < 20_000


VOCABULARY = """kv config model format growth naive layers full 'bf16' 'tiny-b' 1 0 2.5 1e999 1_0 . ( ) , | + - * / **
kib round percent times __class__ [ ] lambda : ' " \\ # é \U0001f600 { } = if else not"""
WORDS = st.sampled_from([*VOCABULARY.split(), " ", "\n", "\ud800"])


@given(st.lists(WORDS, max_size=14).map("".join) | st.text(max_size=40))
@example("1e999")
@example("-(1|percent)")
@example("1\\\n+1")
def test_any_text_is_a_number_or_a_refusal(kb: KnowledgeBase, inner: str) -> None:
    try:
        found = value(kb, inner)
    except ExpressionError:
        return
    assert isinstance(found.value, Fraction)
    assert str(found)


NUMBERS = st.integers(-(10**30), 10**30)


@given(NUMBERS, NUMBERS.filter(bool), st.integers(0, 6))
def test_rounding_is_exact_for_numbers_of_any_size(kb: KnowledgeBase, top: int, bottom: int, digits: int) -> None:
    shown = str(value(kb, f"{top} / {bottom} | round({digits})")).replace(",", "")
    exact = Fraction(top, bottom)
    assert abs(Fraction(shown) - exact) <= Fraction(1, 2 * 10**digits)
    assert len(shown.partition(".")[2]) == digits
    assert not (Fraction(shown) == 0 and shown.startswith("-"))


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_arithmetic_is_exact(kb: KnowledgeBase, one: int, two: int) -> None:
    assert value(kb, f"({one} / {two}) * {two} - {one}").value == 0
    assert value(kb, f"{one} - {two} * 3").value == one - two * 3


# --- where they stand ------------------------------------------------------------------------------------------------

FOUND = {
    "none": ("no braces", []),
    "one": ("a {{ x }} b", ["x"]),
    "two": ("{{ x }}{{ y }}", ["x", "y"]),
    "not greedy": ("{{ x }} and }}", ["x"]),
    "in a code span": ("`{{ x }}` {{ y }}", ["y"]),
    "in a long code span": ("``{{ x }} ` `` {{ y }}", ["y"]),
    "in a fence": ("```\n{{ x }}\n```\n{{ y }}", ["y"]),
    "after a lone backtick": ("a ` {{ y }}", ["y"]),
    "with blanks and lines": ("{{\n x\n}}", ["x"]),
    "empty": ("{{}}", [""]),
    "not closed": ("{{ x }", []),
}


@pytest.mark.parametrize(("text", "inner"), FOUND.values(), ids=FOUND)
def test_where_expressions_are(text: str, inner: list[str]) -> None:
    assert [each.inner for each in find(text)] == inner
    assert all(text[each.start : each.end] == each.raw for each in find(text))


OPEN = {"closed": ("{{ x }} }}", None), "code": ("`{{`", None), "one brace": ("{ x", None), "open": ("a {{ x }", 2)}
OPEN["the second"] = ("{{ x }} {{ y", 8)


@pytest.mark.parametrize(("text", "at"), OPEN.values(), ids=OPEN)
def test_where_braces_are_not_closed(text: str, at: int | None) -> None:
    assert unclosed(text) == at


@given(st.text(alphabet="{}` x\n~", max_size=60))
def test_find_takes_any_text(text: str) -> None:
    assert all(isinstance(each, Expression) and text[each.start : each.end] == each.raw for each in find(text))
    at = unclosed(text)
    assert at is None or text.startswith("{{", at)


# --- NUM409, and the expressions that NUM414 offers -------------------------------------------------------------------

BLOCK = """# yaml-language-server: $schema=../../schema/concept.schema.json
name: An idea
definition: |
  \U0001f600 one, `{{ kv.nobody }}` and
  é {{ model('tiny-a').kv.naive }}, not {{ model('tiny-a').kv.nobody }}
  and {{ model('nobody').kv.naive }}.
cites: ["[[tiny-a-config]]"]
"""


def test_errors_stand_at_their_own_line_and_column(tiny: Base) -> None:
    found = tiny.lay({"records/concepts/an-idea.yaml": BLOCK}).findings()
    assert [(each.code, each.location.line, each.location.column, each.location.end_column) for each in found] == [
        ("NUM409", 5, 41, 72),
        ("NUM409", 6, 7, 37),
    ]
    lines = BLOCK.split("\n")
    for each in found:
        source = lines[each.location.line - 1][each.location.column - 1 : each.location.end_column - 1]
        assert source.startswith("{{")
        assert source.endswith("}}")


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_the_place_is_right_whatever_ends_the_lines(tiny: Base, end: str) -> None:
    found = tiny.lay({"records/concepts/an-idea.yaml": BLOCK.replace("\n", end)}).findings()
    assert [(each.location.line, each.location.column) for each in found] == [(5, 41), (6, 7)]


STYLES = {
    "quoted": 'definition: "It is {{ kv.x }}."',
    "in single quotes": "definition: 'It is {{ kv.x }}.'",
    "plain": "definition: It is {{ kv.x }}.",
    "folded": "definition: >-\n  It is {{ kv.x }}.",
}


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_one_error_in_any_style_of_scalar(tiny: Base, style: str) -> None:
    (found,) = tiny.lay(
        {"records/concepts/an-idea.yaml": BLOCK.split("definition")[0] + style + '\ncites: ["[[tiny-a-config]]"]\n'}
    ).findings()
    text = (tiny.root / found.location.path).read_text("utf-8").split("\n")[found.location.line - 1]
    assert (found.code, text[found.location.column - 1 :][:10]) == ("NUM409", "{{ kv.x }}")


def test_braces_that_are_not_closed_are_told_where_they_open(tiny: Base) -> None:
    (found,) = tiny.edit(IDEA, PROSE, "It is `{{` and\n  then {{ kv.naive }, and so on.").findings()
    assert (found.code, found.location.line, found.location.column) == ("NUM409", 5, 8)
    assert "not closed" in found.message


# The layouts of tiny-a are bf16 (320 B/token) and fp8_latent (176); 4,096 is the naive figure, 1,280 the materialised
# one, 80 and 44 are those of one layer.
TYPED = {
    "silent: another number": ("In bf16 it takes 321 B/token.", None),
    "silent: another unit": ("In bf16 it takes 320 B.", None),
    "silent: rounded too far": ("In bf16 it takes 0.3 KiB/token.", None),
    "silent: another figure in KiB": ("Naively it takes 4.12 KiB/token.", None),
    "silent: KiB of something else": ("It takes 4.00 KiB.", None),
    "silent: parameters that are not derivable": ("It has 4.00 billion parameters.", None),
    "silent: a part of a longer number": ("In bf16 it takes 1,320 B/token or 320.5 B/token.", None),
    "silent: the expression itself": ("In bf16 it takes {{ kv.growth('bf16') }}.", None),
    "silent: of another model": ("Tiny B takes 320 B/token in bf16.", None),
    "silent: of a draft": ("The draft adds 320 B/token in bf16.", None),
    "silent: on one of several GPUs": ("In bf16 that is 320 B/token per GPU.", None),
    "the end of a calculation": ("It takes 4 x 40 x 2 = 320 B/token in bf16.", "kv.growth('bf16')"),
    "KiB": ("A naive formula gives 4.00 KiB/token.", "kv.naive | kib(2)"),
    "KiB per token": ("Materialised it takes 1.250 KiB per token.", "kv.materialised | kib(3)"),
    "bf16": ("It takes 320 B/token in bf16.", "kv.growth('bf16')"),
    "another word for it": ("In bfloat16 it takes 320 B/token.", "kv.growth('bf16')"),
    "one of the layouts": ("Stored as `fp8_latent` it takes 176 B/token.", "kv.growth('fp8_latent')"),
    "by a part of its key": ("In fp8 it takes 176 B/token.", "kv.growth('fp8_latent')"),
    "each beside its own format": ("In bf16 it takes 320 B/token, in some other 9 B.", "kv.growth('bf16')"),
    "naive": ("A calculator says 4,096 B/token.", "kv.naive"),
    "materialised": ("With keys expanded it takes 1,280 B/token.", "kv.materialised"),
    "no format": ("It takes 320 B/token.", ""),
    "no format, in a calculation": ("It takes 4 x 40 x 2 = 320 B/token.", ""),
    "in a format that is no layout": ("In int3 it takes 320 B/token.", ""),
    "no quantity": ("It takes 4,096 B/token.", ""),
    "two formats in one breath": ("In bf16 or fp8_latent it takes 320 B/token.", "kv.growth('bf16')"),
    "another quantity": ("A naive formula gives 320 B/token in bf16.", ""),
    "a figure of another format": ("In bf16 it takes 176 B/token.", "wrong"),
    "and the other way": ("Its fp8_latent rows take 320 B/token.", "wrong"),
}


@pytest.mark.parametrize(("prose", "expression"), TYPED.values(), ids=TYPED)
def test_typed_figures(tiny: Base, prose: str, expression: str | None) -> None:
    """An expression where the words name the figure; else what the model's figure is, without a fix; or no offer."""
    tiny.edit(MODEL, "Keeps one latent row per token, see [[tiny-latent]].", f"See [[tiny-latent]]. {prose}")
    found = tiny.findings("NUM414")
    if expression is None:
        assert [each.fix for each in found if each.fix] == []
        return
    each, *_ = found
    assert each.severity == "warning"
    if expression in ("", "wrong"):
        assert each.fix is None
        assert "kv." in each.message
        if expression == "wrong":
            assert "320 B/token in bf16" in each.message or "176 B/token in fp8_latent" in each.message
        return
    assert each.message.rpartition("write ")[2] == f"{{{{ {expression} }}}}"
    assert each.fix is not None
    assert str(value(tiny.read(), expression)) in prose.replace(" per ", "/"), "the expression shows what was typed"


WRONG = {  # of real models, whose figures are published: the number, what may not be offered, what is told
    "Qwen3-32B in bf16 is 262,144": ("qwen3-32b", "In bf16 it takes 524,288 B/token.", "262,144 B/token in bf16"),
    "the same in KiB": ("qwen3-32b", "In bf16 it takes 512 KiB/token.", "262,144 B/token in bf16"),
    "V2 in bf16 is 69,120": ("deepseek-v2", "Its bf16 cache grows by 34,560 B/token.", "69,120 B/token in bf16"),
}


@pytest.mark.parametrize(("model", "prose", "told"), WRONG.values(), ids=WRONG)
def test_a_wrong_figure_is_never_made_an_expression(real_copy: Base, model: str, prose: str, told: str) -> None:
    path = real_copy.root / f"records/models/{model}.yaml"
    text = path.read_text("utf-8")
    notes = f"notes: |\n  {prose}\n"
    edited = text.replace("notes: |\n", notes, 1) if "notes: |\n" in text else text.rstrip() + "\n" + notes
    real_copy.lay({f"records/models/{model}.yaml": edited})
    (found,) = [each for each in real_copy.findings("NUM414") if each.record == model]
    assert found.fix is None
    assert found.severity == "warning"
    assert told in found.message


# --- one fault of a model is told once -------------------------------------------------------------------------------

ASKS = """# yaml-language-server: $schema=../../schema/concept.schema.json
name: Another idea
definition: |
  {{ model('tiny-a').kv.naive }} and {{ model('tiny-a').kv.growth('bf16') }}.
cites: ["[[tiny-a-config]]"]
"""
OWN = "notes: |\n  {{ kv.naive }}, {{ kv.growth('bf16') }}, {{ config.num_hidden_layers }}, {{ parameters.total }}.\n"
FAULTS = {
    "silent: the record breaks its schema, which SCH101 says": ("vendor: Tiny Works\n", "", []),
    "silent: the record cannot be read, which YML001 says": ("vendor: Tiny Works", "vendor Tiny Works", []),
    "silent: a key stands twice, which YML002 says": ("vendor: Tiny Works", "vendor: T\nvendor: T", []),
    "a key that nobody knows, for which there is DRV302": ("  kv_lora_rank:", "  kv_lora_rnk:", ["tiny-a"]),
    "silent: a number as a text, which SCH101 says": ("  num_hidden_layers: 4", '  num_hidden_layers: "4"', []),
}


@pytest.mark.parametrize(("old", "new", "told"), FAULTS.values(), ids=FAULTS)
def test_one_fault_of_a_model_is_not_told_at_each_expression(tiny: Base, old: str, new: str, told: list[str]) -> None:
    model = "records/models/tiny-a.yaml"
    tiny.lay({"records/concepts/a-second-idea.yaml": ASKS})
    tiny.edit(model, "notes: |\n", OWN).edit(model, old, new)
    assert [each.record for each in tiny.findings("NUM409")] == told


def test_where_a_record_says_that_it_is_underivable_each_expression_is_at_fault(tiny: Base) -> None:
    tiny.lay({"records/concepts/a-second-idea.yaml": ASKS})
    tiny.edit("records/models/tiny-a.yaml", "  kv_lora_rank:", "  kv_lora_rnk:")
    tiny.edit("records/models/tiny-a.yaml", "notes: |\n", "underivable: A new design.\nnotes: |\n")
    found = tiny.findings("NUM409")
    assert len([each for each in found if each.record == "a-second-idea"]) == 2


COMMENTED = [
    "Text. <!-- {{ x }} --> More.",
    "<!--\n{{ kv.nothing }}\n-->\n\nText.",
    "A <!-- {{ unclosed --> b.",
    "It ends <!-- with {{ x }}",
]


@pytest.mark.parametrize("text", COMMENTED)
def test_a_comment_holds_no_expression(tiny: Base, text: str) -> None:
    asks = ASKS.replace("  {{ model('tiny-a').kv.naive }} and {{ model('tiny-a').kv.growth('bf16') }}.", "  {TEXT}")
    indented = text.replace("\n", "\n  ")
    assert tiny.lay({"records/concepts/a-second-idea.yaml": asks.replace("{TEXT}", indented)}).findings("NUM409") == []


MISSPELT = {
    "a function": ("kv.grwoth('bf16')", "did you mean `growth`?"),
    "a key of the config": ("config.num_hiden_layers", "did you mean `num_hidden_layers`?"),
    "a group": ("cofnig.num_hidden_layers", "did you mean `config`?"),
    "another group": ("paramters.total", "did you mean `parameters`?"),
    "nothing": ("kv.growth('bf16')", "no model includes this text"),
}


@pytest.mark.parametrize(("inner", "said"), MISSPELT.values(), ids=MISSPELT)
def test_a_misspelt_name_in_a_gotcha_is_told_before_that_no_model_includes_it(
    tiny: Base, inner: str, said: str
) -> None:
    gotcha = "records/gotchas/tiny-crash.yaml"
    tiny.lay({gotcha: (tiny.root / gotcha).read_text("utf-8") + f"notes: |\n  It takes {{{{ {inner} }}}}.\n"})
    (found,) = tiny.findings("NUM409")
    assert said in found.message


def test_an_expression_that_is_not_closed_does_not_swallow_the_next(tiny: Base) -> None:
    text = ASKS.replace("kv.naive }} and", "kv.naive } and")
    (found,) = tiny.lay({"records/concepts/a-second-idea.yaml": text}).findings("NUM409")
    assert (found.location.line, found.location.column, found.message) == (4, 3, "`{{` is not closed by `}}`")
