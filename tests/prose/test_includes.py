"""Includes: what they may name, what they bring to a page, and that an owner's change reaches the including pages."""

from __future__ import annotations

import pytest
from conftest import TODAY, Base

from generator.authoring.fixes import plan, write
from generator.cli.output.record import graph_text, show_text
from generator.findings import Finding
from generator.knowledge.evidence.impact import consequences
from generator.knowledge.includes import sections
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation import headings
from generator.notation.braces import both, find, includes
from generator.prose.expressions.evaluator import evaluate
from generator.site.html.page import Page
from generator.site.memory import Memory
from generator.site.pages import build_site
from generator.site.site import Site

MODEL = "records/models/tiny-a.yaml"
OTHER = "records/models/tiny-b.yaml"
IDEA = "records/concepts/tiny-latent.yaml"
NOTES = "notes: |\n  Keeps one latent row per token, see [[tiny-latent]]. The page is not meant for `[[code]]`.\n"
SHARED = """per_model: |
  Kept as one row: {{ kv.growth('bf16') }}, or {{ kv.naive / kv.growth('bf16') | times }} less
  ([[tiny-a-config]]).
"""


def with_shared(tiny: Base, shared: str = SHARED, include: str = "{{ include('tiny-latent#per_model') }}") -> Base:
    """Tiny A and Tiny B, each with the shared text on its page."""
    tiny.edit(IDEA, "families: [mla]", f"{shared}families: [mla]")
    tiny.edit(MODEL, NOTES, f"notes: |\n  See [[tiny-latent]].\n\n  {include}\n\n  More.\n")
    return tiny.lay({OTHER: (tiny.root / OTHER).read_text() + f"notes: |\n  {include}\n"})


def pages(kb: KnowledgeBase, memory: Memory | None = None) -> dict[str, Page]:
    return {page.path: page for page in build_site(Site(kb, memory=memory))}


def at(found: list[Finding]) -> list[tuple[str, int, int]]:
    return [(each.location.path, each.location.line, each.location.column) for each in found]


# --- the grammar ----------------------------------------------------------------------------------------------------

ALONE = {
    "the whole text": ("{{ include('a#b') }}", True),
    "between paragraphs": ("One.\n\n{{ include('a#b') }}\n\nTwo.\n", True),
    "with blanks on the empty lines": ("One.\n  \n{{ include('a#b') }}  \n  \nTwo.\n", True),
    "double quotes": ('{{ include("a#b") }}\n', True),
    "two of them": ("{{ include('a#b') }}\n\n{{ include('a#c') }}\n", True),
    "in a sentence": ("See {{ include('a#b') }}.", False),
    "with text behind it": ("{{ include('a#b') }} and more", False),
    "on a line of a paragraph": ("One.\n{{ include('a#b') }}\n", False),
    "with a line below it": ("{{ include('a#b') }}\nOne.", False),
    "in a list": ("- {{ include('a#b') }}\n", False),
    "indented below a list": ("- One.\n\n  {{ include('a#b') }}\n", False),
}


@pytest.mark.parametrize(("text", "alone"), ALONE.values(), ids=ALONE)
def test_an_include_stands_alone_in_its_paragraph(text: str, alone: bool) -> None:
    found = includes(text)
    assert found
    assert all((not each.problem) is alone for each in found)


FORMS = {
    "a filter behind it": "{{ include('a#b') | kib }}",
    "two texts": "{{ include('a#b', 'c') }}",
    "no quotes": "{{ include(a#b) }}",
    "nothing": "{{ include() }}",
    "no section": "{{ include('a') }}",
    "an empty section": "{{ include('a#') }}",
    "a citation": "{{ include('[[a#b]]') }}",
    "capitals": "{{ include('A#b') }}",
    "in a sum": "{{ 1 + include('a#b') }}",
    "a word": "{{ include }}",
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_any_other_form_is_told_with_an_example(text: str) -> None:
    (only,) = includes(text)
    assert "an example is {{ include('" in only.problem


def test_includes_and_expressions_are_told_apart() -> None:
    text = "{{ include('a#b') }}\n\n{{ kv.naive }} and `{{ include('code#b') }}`"
    assert [each.inner for each in find(text)] == ["kv.naive"]
    assert [each.target for each in includes(text)] == ["a#b"]
    assert len(both(text)) == 2


def test_headings_name_what_is_below_them() -> None:
    text = "Intro.\n\n## Page size\n\nOne.\n\n### More\n\nTwo.\n\n## Page size\n\nAgain.\n\n## {{ kv.naive }}\n"
    below = headings.below(text)
    assert text[slice(*below["page-size"])] == "One.\n\n### More\n\nTwo."
    assert text[slice(*below["more"])] == "Two."
    assert list(below) == ["page-size", "more", "kv-naive"]


# --- what it may name -----------------------------------------------------------------------------------------------

WRONG = {
    "no such record": ("tiny-latnet#definition", "no record has the id `tiny-latnet`; did you mean tiny-latent#defin"),
    "nothing like it": ("nobody#definition", "no record has the id `nobody`"),
    "no such section": ("tiny-latent#definitoin", "no section `definitoin`; did you mean tiny-latent#definition?"),
    "no section like it": ("tiny-latent#zzz", "tiny-latent has no section `zzz`; it has definition"),
    "a field that is no prose": ("tiny-latent#families", "tiny-latent has no section `families`"),
    "a symptom, which is another's words": ("tiny-crash#symptom", "tiny-crash has no section `symptom`"),
    "a model": ("tiny-b#notes", "`tiny-b` is of the kind model; a text that serves many records lives in a concept"),
    "an engine": ("tiny-engine#notes", "`tiny-engine` is of the kind engine"),
    "a source": ("tiny-a-config#excerpt", "`tiny-a-config` is of the kind source"),
}


@pytest.mark.parametrize(("target", "message"), WRONG.values(), ids=WRONG)
def test_what_brings_nothing_is_one_finding_in_its_place(tiny: Base, target: str, message: str) -> None:
    found = tiny.edit(MODEL, NOTES, f"notes: |\n  One.\n\n  {{{{ include('{target}') }}}}\n").findings()
    assert [each.code for each in found] == ["CIT113"]
    assert message in found[0].message
    assert at(found) == [(MODEL, 22, 3)]


def test_the_one_near_name_is_a_fix(tiny: Base) -> None:
    (found,) = tiny.edit(MODEL, NOTES, "notes: |\n  {{ include('tiny-latent#definitoin') }}\n").findings()
    assert found.fix is not None
    assert not found.fix.safe
    assert found.fix.edits[0].text == "{{ include('tiny-latent#definition') }}"


def test_a_record_that_cannot_be_read_is_told_once(tiny: Base) -> None:
    tiny.edit(MODEL, NOTES, "notes: |\n  {{ include('tiny-latent#definition') }}\n")
    assert [each.code for each in tiny.lay({IDEA: "a: [\n"}).findings()] == ["YML001"]


def test_a_record_does_not_include_itself(tiny: Base) -> None:
    tiny.edit(IDEA, "families: [mla]", "notes: |\n  {{ include('tiny-latent#definition') }}\nfamilies: [mla]")
    (found,) = tiny.findings()
    assert (found.code, found.message) == ("CIT113", "a record does not include itself")


def test_includes_do_not_nest_nor_go_in_circles(tiny: Base) -> None:
    tiny.edit(
        "records/gotchas/tiny-crash.yaml",
        "status: open",
        "status: open\nnotes: |\n  {{ include('tiny-latent#per_model') }}",
    )
    with_shared(tiny, "per_model: |\n  {{ include('tiny-crash#notes') }}\n")
    found = tiny.findings()
    assert {each.code for each in found} == {"CIT113"}
    assert len(found) == 4  # each of the two in the circle, and both models
    assert all("includes another text itself" in each.message for each in found)


def test_an_old_id_is_redirected_with_a_fix_that_keeps_the_form(tiny: Base) -> None:
    tiny.edit(MODEL, NOTES, "notes: |\n  {{ include('old-idea#definition') }}\n")
    (found,) = tiny.lay({"records/redirects.yaml": "old-idea: tiny-latent\n"}).findings()
    assert found.code == "CIT106"
    assert found.fix is not None
    assert found.fix.edits[0].text == "{{ include('tiny-latent#definition') }}"


# --- values in a shared text ----------------------------------------------------------------------------------------


def test_a_shared_text_shows_each_models_own_figure(tiny: Base) -> None:
    kb = with_shared(tiny).read()
    assert tiny.findings() == []
    made = pages(kb)
    for id in ("tiny-a", "tiny-b"):
        own = str(evaluate(kb, kb.catalog.records[id], "kv.growth('bf16')"))
        html = made[f"models/{id}.md"].html
        assert f">{own}</span>" in html
        assert '<p class="sb-from sb-owner"><a class="sb-ref sb-ref-concept"' in html
        assert "{{" not in html


def test_the_owners_page_shows_which_value_stands_there(tiny: Base) -> None:
    html = pages(with_shared(tiny).read())["concepts/tiny-latent.md"].html
    assert '<code class="sb-open"' in html
    assert "kv.growth(&#39;bf16&#39;)</code>" in html
    assert "{{" not in html
    assert "sb-broken" not in html


def test_a_broken_include_never_shows_its_braces(tiny: Base) -> None:
    html = pages(with_shared(tiny, include="{{ include('tiny-latent#nothing') }}").read())["models/tiny-a.md"].html
    assert "✕ include(&#39;tiny-latent#nothing&#39;)" in html
    assert "{{" not in html


def test_an_included_text_is_escaped_like_any_prose(tiny: Base) -> None:
    shared = "per_model: |\n  <script>alert(1)</script> ![x](http://example.org/x.png) [y](javascript:alert)\n"
    html = pages(with_shared(tiny, shared).read())["models/tiny-a.md"].html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "<img" not in html
    assert "javascript:alert)" in html
    assert 'href="javascript' not in html


def test_a_heading_can_be_included_cited_and_linked_to(tiny: Base) -> None:
    shared = "notes: |\n  Not this.\n\n  ## Widths\n\n  That one.\n\n  ## Other\n\n  Nor this.\n"
    kb = with_shared(tiny, shared, "{{ include('tiny-latent#widths') }}").read()
    assert sections(kb.catalog, kb.catalog.records["tiny-latent"])["widths"].value == "That one."
    made = pages(kb)
    included = made["models/tiny-a.md"].html.partition('<div class="sb-included">')[2].partition("</div>")[0]
    assert "That one." in included
    assert "this" not in included
    assert "concepts/tiny-latent.md#widths" in included
    assert made["concepts/tiny-latent.md"].html.count('id="widths"') == 1
    tiny.edit(MODEL, "See [[tiny-latent]].", "See [[tiny-latent#widths]].")
    assert tiny.findings() == []


def test_a_value_that_no_model_has_is_told_once_where_it_stands(tiny: Base) -> None:
    (found,) = with_shared(tiny, "per_model: |\n  So wide: {{ config.only_here }}.\n").findings()
    assert (found.code, *at([found])[0][:2]) == ("NUM409", IDEA, 6)
    assert "config has no `only_here`" in found.message
    assert "(for tiny-a, which includes this text)" in found.message


def test_a_value_that_one_model_lacks_is_told_at_its_include(tiny: Base) -> None:
    with_shared(tiny, "per_model: |\n  So wide: {{ config.num_hidden_layers / config.first_k_dense_replace }}.\n")
    tiny.edit(MODEL, "  v_head_dim: 16\n", "  v_head_dim: 16\n  first_k_dense_replace: 1\n")
    tiny.edit("sources/tiny-a-config.yaml", "  v_head_dim: 16\n", "  v_head_dim: 16\n  first_k_dense_replace: 1\n")
    (found,) = tiny.findings("NUM409")
    assert (found.record, found.location.path) == ("tiny-b", OTHER)
    assert "in tiny-latent#per_model has no value here: config has no `first_k_dense_replace`" in found.message
    assert found.related[0].location.path == IDEA


def test_a_value_that_nobody_includes_is_told_where_it_stands(tiny: Base) -> None:
    tiny.edit(IDEA, "families: [mla]", f"{SHARED}families: [mla]")
    found = tiny.findings()
    assert [each.code for each in found] == ["NUM409", "NUM409"]
    assert "asks for a model's figure, and no model includes this text" in found[0].message
    assert at(found)[0] == (IDEA, 6, 20)


def test_an_engine_has_no_figures_of_a_model(tiny: Base) -> None:
    tiny.lay(
        {
            "records/engines/tiny-engine.yaml": (tiny.root / "records/engines/tiny-engine.yaml").read_text()
            + "notes: |\n  {{ kv.naive }}\n"
        }
    )
    (found,) = tiny.findings()
    assert (found.code, found.record) == ("NUM409", "tiny-engine")


# --- pasted paragraphs ---------------------------------------------------------------------------------------------

WORDS = """Keys and values of all heads are made from one latent row per token, so the cache holds that row and
  nothing else; decoding multiplies the projections into the query and the output, and every head then reads
  the same row of the same layer, whatever the number of heads is."""


def test_a_pasted_section_is_replaced_by_its_include(tiny: Base) -> None:
    tiny.edit(IDEA, "families: [mla]", f"per_model: |\n  {WORDS}\nfamilies: [mla]")
    tiny.edit(MODEL, NOTES, f"notes: |\n  See [[tiny-latent]].\n\n  {WORDS}\n\n  More.\n")
    (found,) = tiny.findings()
    assert (found.code, found.record) == ("NUM407", "tiny-a")
    assert "write {{ include('tiny-latent#per_model') }} instead" in found.message
    assert found.fix is not None
    assert found.fix.safe
    write(tiny.root, plan(tiny.root, TODAY, unsafe=False).changes)
    assert (
        (tiny.root / MODEL)
        .read_text()
        .endswith("  See [[tiny-latent]].\n\n  {{ include('tiny-latent#per_model') }}\n\n  More.\n")
    )
    assert tiny.findings() == []


PASTED = {
    "a part of a section": (
        f"per_model: |\n  {WORDS}\n\n  And more.\nfamilies: [mla]",
        "give it a heading of its own in",
    ),
    "words of its own in it": (
        f"per_model: |\n  {WORDS.replace('number', 'count')}\nfamilies: [mla]",
        "write {{ include",
    ),
    "of another family": (f"per_model: |\n  {WORDS}\nfamilies: [gqa]", "write {{ include('tiny-latent#per_model') }}"),
}


@pytest.mark.parametrize(("owner", "message"), PASTED.values(), ids=PASTED)
def test_what_is_no_plain_copy_of_a_section_has_no_fix(tiny: Base, owner: str, message: str) -> None:
    tiny.edit(IDEA, "families: [mla]", owner)
    tiny.edit(MODEL, NOTES, f"notes: |\n  See [[tiny-latent]].\n\n  {WORDS}\n")
    (found,) = tiny.findings("NUM407")
    assert message in found.message
    assert found.fix is None


# --- the graph ------------------------------------------------------------------------------------------------------


def test_an_include_is_an_edge_on_which_a_page_rests(tiny: Base) -> None:
    kb = with_shared(tiny).read()
    (edge,) = [each for each in kb.graph.cited_by("tiny-latent") if each.citing == "tiny-b"]
    assert (edge.included, edge.place, edge.mention.fragment) == (True, "notes", "per_model")
    falls = {(each.record, each.place): each.published for each in consequences(kb, "tiny-latent")}
    assert falls["tiny-b", "notes"] == ("the text of tiny-latent#per_model on the page of tiny-b",)
    text = graph_text(kb, kb.catalog.records["tiny-latent"])
    assert "(include)" in text
    assert "tiny-b  notes  -> the text of tiny-latent#per_model on the page of tiny-b" in text


def test_what_an_included_text_cites_is_cited_by_its_owner(tiny: Base) -> None:
    kb = with_shared(tiny).read()
    citing = {each.citing for each in kb.graph.cited_by("tiny-a-config") if each.place == "per_model"}
    assert citing == {"tiny-latent"}


def test_show_fills_in_values_and_texts(tiny: Base) -> None:
    kb = with_shared(tiny).read()
    text = show_text(kb, kb.catalog.records["tiny-b"])
    assert "(from tiny-latent#per_model)" in text
    assert "Kept as one row: 400 B/token, or" in text
    assert "{{" not in text


# --- the live preview -----------------------------------------------------------------------------------------------

CHANGES = {
    "the owner's text": (IDEA, "Kept as one row", "Stored as one row"),
    "the owner's name": (IDEA, "name: Latent rows", "name: Other rows"),
    "the name of what the text cites": ("sources/tiny-a-config.yaml", "title: ", "title: New "),
    "a figure's input": (MODEL, "num_hidden_layers: 4", "num_hidden_layers: 3"),
}


@pytest.mark.parametrize(("path", "old", "new"), CHANGES.values(), ids=CHANGES)
def test_a_preview_writes_the_including_page_again(tiny: Base, path: str, old: str, new: str) -> None:
    memory = Memory()
    before = pages(with_shared(tiny).read(), memory)["models/tiny-a.md"]
    assert pages(tiny.read(), memory)["models/tiny-a.md"] is before
    tiny.edit(path, old, new)
    again, anew = pages(tiny.read(), memory), pages(tiny.read())
    assert again["models/tiny-a.md"].html != before.html
    assert {name: page.html for name, page in again.items()} == {name: page.html for name, page in anew.items()}
