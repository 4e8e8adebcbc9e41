"""Expressions before the reader of arithmetic: each is a number, in its own record and where its text is included."""

from __future__ import annotations

import pytest
from conftest import Base

from generator.prose.expressions.filled_text import filled

MODEL = "records/models/tiny-a.yaml"
OTHER = "records/models/tiny-b.yaml"
IDEA = "records/concepts/tiny-latent.yaml"
NOTES = "notes: |\n  Keeps one latent row per token, see [[tiny-latent]]. The page is not meant for `[[code]]`.\n"
G, NAIVE = "{{ kv.growth('bf16') }}", "{{ kv.naive }}"  # 320 and 4,096 B/token
LINK = "\n\n  See [[tiny-latent]].\n"

READ = {
    "silent: a product and its value": (f"4 × (32 + 8) × 2 = {G}.", None),
    "silent: the value first": (f"{G} = 4 × (32 + 8) × 2.", None),
    "silent: a chain": (f"4 × 80 = {G} = 8 × 40.", None),
    "silent: a quotient of values": (f"{NAIVE} / {G} = {{{{ kv.naive / kv.growth('bf16') | round(1) }}}}.", None),
    "silent: a factor": (f"{NAIVE} is 12.8x {G}.", None),
    "silent: a value in two units": (f"{G}, or {{{{ kv.growth('bf16') | kib }}}}.", None),
    "silent: layers and a product": (f"{{{{ kv.layers.full }}}} layers × 80 = {G}.", None),
    "silent: no value, which NUM409 tells": ("4 × 81 = `{{ kv.nothing }}`.", None),
    "silent: in code": (f"4 × 81 = `{G}`.", None),
    "a wrong product": (f"5 × (32 + 8) × 2 = {G}.", ("NUM401", G, "is 320 B/token, and 5 × (32 + 8) × 2 gives 400")),
    "a wrong result of a value": (f"{G} × 2 = 650 B/token.", ("NUM401", "650 B/token", "the right value is 640")),
    "two values in a row": (f"{G} + {G} = 650 B/token.", ("NUM401", "650 B/token", "the right value is 640")),
    "a wrong conversion": (f"{G}, or 0.35 KiB.", ("NUM402", "0.35 KiB", "the right value is 0.31")),
    "a wrong factor": (f"The naive formula gives {NAIVE}, 13.8x the {G}.", ("NUM404", "13.8x", "12.8")),
}


@pytest.mark.parametrize(("text", "told"), READ.values(), ids=READ)
def test_the_reader_takes_an_expression_as_a_number(tiny: Base, text: str, told: tuple[str, str, str] | None) -> None:
    found = tiny.edit(MODEL, NOTES, f"notes: |\n  {text}{LINK}").findings()
    if told is None:
        assert found == []
        return
    code, place, message = told
    assert [each.code for each in found] == [code]
    assert message in found[0].message
    assert (found[0].location.line, found[0].location.column) == (20, 3 + text.rindex(place))


INCLUDE = "{{ include('tiny-latent#per_model') }}"


def share(tiny: Base, text: str) -> Base:
    tiny.edit(IDEA, "families: [mla]", f"per_model: |\n  {text}\nfamilies: [mla]")
    tiny.edit(MODEL, NOTES, f"notes: |\n  {INCLUDE}\n")
    return tiny.lay({OTHER: (tiny.root / OTHER).read_text() + f"notes: |\n  {INCLUDE}\n"})


def test_an_included_text_holds_for_each_model(tiny: Base) -> None:
    assert share(tiny, "{{ config.num_hidden_layers }} layers × 80 = {{ kv.growth('bf16') }}.").findings() == []


def test_where_it_does_not_hold_for_a_model_the_include_is_told(tiny: Base) -> None:
    (found,) = share(tiny, "4 layers × 80 = {{ kv.growth('bf16') }}.").findings()
    assert (found.code, found.record, found.location.path) == ("NUM401", "tiny-b", OTHER)
    assert found.message.startswith(
        "in tiny-latent#per_model, with the figures of this model: `kv.growth('bf16')` is 400"
    )
    assert found.related[0].location.path == IDEA


def test_a_text_without_figures_of_a_model_is_read_once_in_its_own_record(tiny: Base) -> None:
    (found,) = share(tiny, "4 × 80 = 330 B/token.").findings()
    assert (found.code, found.record, found.location.path) == ("NUM401", "tiny-latent", IDEA)


def test_what_is_false_without_a_models_figures_is_told_where_it_stands(tiny: Base) -> None:
    (found,) = share(tiny, "It grows by {{ kv.growth('bf16') }}, and 4 × 80 = 330 B/token.").findings()
    assert (found.code, found.record, found.location.path) == ("NUM401", "tiny-latent", IDEA)


def test_what_is_false_for_every_model_is_one_mistake(tiny: Base) -> None:
    (found,) = share(tiny, "So wide: 7 × 11 = {{ kv.growth('bf16') }}.").findings()
    assert (found.code, found.record, found.location.path) == ("NUM401", "tiny-latent", IDEA)
    assert (found.location.line, found.location.column) == (6, 21)
    assert "on every page that includes this text, such as tiny-a: `kv.growth('bf16')` is 320" in found.message


def test_the_way_back_to_what_was_typed(tiny: Base) -> None:
    kb = tiny.read()
    text = f"a {G} b {{{{ nothing }}}} {NAIVE} c"
    read = filled(kb, kb.catalog.records["tiny-a"], text)
    assert read.value == "a 320 B/token b {{ nothing }} 4,096 B/token c"
    for word in ("a ", " b", "{{ nothing", " c"):
        assert read.typed(read.value.index(word)) == text.index(word)
    for inside in ("320", "B/token"):
        assert read.typed(read.value.index(inside)) == text.index(G)
    assert read.expression(0, 2) is None
    assert str(read.expression(0, 3).raw if read.expression(0, 3) else "") == G
