"""Who cites whom: prose and fields alike, redirects, orphans, circles, and what falls if a source falls."""

from __future__ import annotations

import pytest
from conftest import Base

from generator.knowledge.evidence.impact import consequences
from generator.knowledge.graph import Citation
from generator.knowledge.knowledge_base import KnowledgeBase

IDEA = "records/concepts/tiny-latent.yaml"
MODEL = "records/models/tiny-a.yaml"
GOTCHA = "records/gotchas/tiny-crash.yaml"
CLOSED = """\
# yaml-language-server: $schema=../../schema/model.schema.json
name: Closed
vendor: Tiny Works
repo: null
released: null
license: null
config: null
architecture: {{}}
notes: |
  Said to be like {}.
why_null: {{repo: closed, released: closed, license: closed, config: closed}}
"""


def places(citations: tuple[Citation, ...]) -> list[tuple[str, str, str | None, bool]]:
    return [(each.citing, each.place, each.target, each.evidence) for each in citations]


def test_fields_and_prose_are_edges_alike(tiny: Base) -> None:
    graph = tiny.read().graph
    assert places(graph.cites("tiny-latent")) == [
        ("tiny-latent", "definition", "tiny-a", False),
        ("tiny-latent", "cites[0]", "tiny-a-config", True),
    ]
    assert places(graph.cited_by("tiny-a")) == [
        ("tiny-b", "corrections[0].wrong", "tiny-a", False),
        ("tiny-latent", "definition", "tiny-a", False),
        ("docs/guide.md", "", "tiny-a", False),
    ]
    assert graph.neighbours("tiny-a") == (["tiny-b", "tiny-latent"], ["tiny-a-config", "tiny-latent"])


def test_a_correction_cites_but_no_value_rests_on_it(tiny: Base) -> None:
    graph = tiny.read().graph
    by = {each.place: each.evidence for each in graph.cited_by("tiny-b-config")}
    assert by == {"config": True, "corrections[0].cite": False}
    assert [each.place for each in graph.rests_on("tiny-b-config")] == ["config"]


def test_places_are_those_of_the_brackets(tiny: Base) -> None:
    for citation in tiny.read().graph.citations:
        where = citation.location
        line = (tiny.root / where.path).read_text("utf-8").split("\n")[where.line - 1]
        assert line[where.column - 1 : where.end_column - 1] == citation.mention.raw
        assert citation.exact


def test_another_documents_words_cite_nothing(tiny: Base) -> None:
    tiny.edit("sources/tiny-datasheet.yaml", "{memory: 80 GB}", "{memory: 'as in [[tiny-b]]'}")
    tiny.edit("sources/tiny-datasheet.yaml", "license: null", "license: null\nquotes: [{exact: see [[tiny-b]] there}]")
    tiny.edit(MODEL, "v_head_dim: 16", 'v_head_dim: 16\n  auto_map: "[[tiny-b]]"')
    assert "tiny-a" not in tiny.read().graph.neighbours("tiny-b")[0]
    assert "tiny-datasheet" not in tiny.read().graph.neighbours("tiny-b")[0]


def test_a_record_that_cites_itself_is_no_neighbour(tiny: Base) -> None:
    tiny.edit(MODEL, "see [[tiny-latent]]", "see [[tiny-a]] and [[tiny-latent]]")
    graph = tiny.read().graph
    assert "tiny-a" not in graph.neighbours("tiny-a")[1]
    assert all(each.citing != "tiny-a" for each in graph.cited_by("tiny-a"))
    assert tiny.findings() == []


def test_a_redirect_is_an_edge_to_the_new_id(tiny: Base) -> None:
    tiny.lay({"records/redirects.yaml": "row: tiny-latent\n"}).edit(MODEL, "[[tiny-latent]]", "[[row|the row]]")
    graph = tiny.read().graph
    assert "tiny-a" in graph.neighbours("tiny-latent")[0]
    (it,) = (each for each in graph.cites("tiny-a") if each.place == "notes")
    assert (it.mention.id, it.target, it.resolution.redirected_to) == ("row", "tiny-latent", "tiny-latent")


def test_what_is_not_there_is_no_node(tiny: Base) -> None:
    tiny.edit(MODEL, "[[tiny-latent]]", "[[nobody]]")
    graph = tiny.read().graph
    assert graph.neighbours("nobody") == ([], [])
    assert graph.cited_by("nobody") == ()
    assert graph.neighbours("tiny-a")[1] == ["tiny-a-config"]


ORPHANS = {
    "cited by a field": (GOTCHA, "status: open", "status: open", []),
    "cited by prose": (GOTCHA, 'cites: ["[[tiny-engine-issue]]"]', 'notes: "[[tiny-engine-issue]]"', []),
    "cited in code only": (
        GOTCHA,
        'cites: ["[[tiny-engine-issue]]"]',
        'notes: "`[[tiny-engine-issue]]`"',
        ["tiny-engine-issue"],
    ),
    "no longer cited": (GOTCHA, 'cites: ["[[tiny-engine-issue]]"]', "aliases: [x]", ["tiny-engine-issue"]),
}


@pytest.mark.parametrize(("path", "old", "new", "orphans"), ORPHANS.values(), ids=ORPHANS)
def test_orphans(tiny: Base, path: str, old: str, new: str, orphans: list[str]) -> None:
    assert list(tiny.edit(path, old, new).read().graph.orphans()) == orphans


def closed(cited: str) -> str:
    return CLOSED.format(cited)


CIRCLES = {
    "silent: a chain": ({"x": "[[y]]", "y": "[[tiny-a]]"}, []),
    "silent: one alone": ({"x": "[[x]]"}, []),
    "silent: one of them cites a source": ({"x": "[[y]]", "y": "[[x]] and [[tiny-a-config]]"}, []),
    "two": ({"x": "[[y]]", "y": "[[x]]"}, [["x", "y"]]),
    "three": ({"x": "[[y]]", "y": "[[z]]", "z": "[[x]]"}, [["x", "y", "z"]]),
    "two and two": ({"w": "[[x]]", "x": "[[w]]", "y": "[[z]]", "z": "[[y]]"}, [["w", "x"], ["y", "z"]]),
    "two that cite a record which cites a source": ({"x": "[[y]]", "y": "[[x]] and [[tiny-a]]"}, [["x", "y"]]),
}


@pytest.mark.parametrize(("cited", "expected"), CIRCLES.values(), ids=CIRCLES)
def test_circles_without_a_source(tiny: Base, cited: dict[str, str], expected: list[list[str]]) -> None:
    tiny.lay({f"records/models/{id}.yaml": closed(text) for id, text in cited.items()})
    assert tiny.read().graph.circles_without_source() == expected
    found = tiny.findings()
    assert [each.data["circle"] for each in found] == expected
    assert {each.code for each in found} <= {"CIT109"}


# --- what falls -----------------------------------------------------------------------------------------------------


def falls(kb: KnowledgeBase, id: str) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(each.record, each.place, each.published) for each in consequences(kb, id)]


def test_what_rests_on_a_config_falls_with_it(tiny: Base) -> None:
    kb = tiny.read()
    figures = len(kb.facts["tiny-a"].figures)
    assert figures == 2
    assert falls(kb, "tiny-a-config") == [
        ("tiny-a", "config", ("2 cache figures of tiny-a",)),
        ("tiny-latent", "cites[0]", ()),
    ]


def test_what_rests_on_an_engines_list_falls_with_it(tiny: Base) -> None:
    assert falls(tiny.read(), "tiny-engine-registry") == [
        ("tiny-engine", "architectures", ("2 matrix cells of tiny-engine",)),
        ("tiny-engine", "cache_formats[0].cite", ("the figures of 2 models in tiny-engine#fp8_latent",)),
        ("tiny-engine", "cache_layouts[0].cite", ()),
    ]


def test_nothing_rests_on_what_is_only_mentioned(tiny: Base) -> None:
    assert falls(tiny.read(), "tiny-a") == []
    assert falls(tiny.read(), "nobody") == []


def test_the_real_configs_carry_their_figures(real: KnowledgeBase) -> None:
    found = {each.record: each.published for each in consequences(real, "model-cn-deepseek-v3-config")}
    assert found["deepseek-v3"] == (f"{len(real.facts['deepseek-v3'].figures)} cache figures of deepseek-v3",)
    assert "deepseek-v2" not in found
