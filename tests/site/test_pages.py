"""Pages of the miniature base, held against files that a person can read; and what must hold for every page.

After a wanted change of the pages: ``UPDATE_GOLDEN=1 python -m pytest tests/test_pages.py``, then read the diff.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from conftest import HERE, Base
from hypothesis import given
from hypothesis import strategies as st
from site_reading import seen

from generator.catalog.records import fragments
from generator.compatibility import GLYPHS
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site import materialise, pages
from generator.site.html import links, render
from generator.site.html.links import Style
from generator.site.html.page import Page
from generator.site.memory import Memory
from generator.site.site import Site

GOLDEN = HERE / "golden"
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))

# One of each kind that has a page of its own, and the pages over all records.
SHOWN = (
    "index",
    "matrix",
    "matrix/sm-90",
    "families",
    "corrections",
    "coverage",
    "overpay",
    "unknown-cells",
    "numbers",
    "models/index",
    "models/tiny-a",
    "models/tiny-b",
    "engines/index",
    "engines/tiny-engine",
    "kernels/uniform",
    "gpus/index",
    "gpus/tiny-gpu",
    "gotchas/index",
    "gotchas/tiny-crash",
    "concepts/index",
    "concepts/tiny-latent",
    "sources/index",
    "sources/tiny-a-config",
    "sources/tiny-datasheet",
)


def built(base: Base) -> dict[str, Page]:
    """The pages of a base by path."""
    found = list(pages.build(base.read()))
    assert len({page.path for page in found}) == len(found), "a path is taken twice"
    return {page.path: page for page in found}


@pytest.mark.parametrize("name", SHOWN)
def test_page_is_the_golden_one(tiny: Base, name: str) -> None:
    page = built(tiny)[f"{name}.md"]
    text = f"<!-- {page.title} | {page.description} -->\n{page.html}\n"
    path = GOLDEN / f"{name.replace('/', '.')}.html"
    if UPDATE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert path.is_file(), "no golden page; UPDATE_GOLDEN=1 writes it"
    assert text == path.read_text("utf-8")


def test_no_golden_page_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.glob("*.html")} == {name.replace("/", ".") for name in SHOWN}


# --- what holds for every page --------------------------------------------------------------------------------------


@pytest.fixture(params=["tiny", "real"])
def kb(request: pytest.FixtureRequest) -> KnowledgeBase:
    """Both bases, one after the other."""
    found = request.getfixturevalue("real") if request.param == "real" else request.getfixturevalue("tiny").read()
    assert isinstance(found, KnowledgeBase)
    return found


@pytest.fixture
def made(request: pytest.FixtureRequest, kb: KnowledgeBase) -> dict[str, Page]:
    """The pages of the base at hand by path."""
    on_record: dict[str, Page] = request.getfixturevalue("real_pages") if len(kb.catalog.records) > 100 else {}
    return on_record or {page.path: page for page in pages.build(kb)}


def test_every_link_between_pages_leads_somewhere(kb: KnowledgeBase, made: dict[str, Page]) -> None:
    by_hand = {page.path.removeprefix("docs/") for page in kb.catalog.docs}
    broken = []
    for page in made.values():
        for link in seen(page.html).links:
            path, _, fragment = link.removeprefix(links.SCHEME).partition("#")
            target = made.get(path or page.path)
            if link.startswith(("http:", "https:", "mailto:")) or path in by_hand:
                continue
            if target is None or (fragment and fragment not in target.anchors):
                broken.append(f"{page.path} -> {link}")
    assert not broken


def test_every_page_is_well_formed(made: dict[str, Page]) -> None:
    for page in made.values():
        found = seen(page.html)
        assert not found.misnested, page.path
        assert not found.open_, page.path
        assert len(found.ids) == len(set(found.ids)), f"{page.path} has an anchor twice"
        assert found.headings[0] == 1, page.path
        assert found.headings.count(1) == 1, page.path
        deeper = zip(found.headings, found.headings[1:], strict=False)
        assert all(after <= before + 1 for before, after in deeper), f"{page.path} skips a level"
        assert not found.tags & {"script", "img", "iframe", "style"}, page.path
        assert page.path.startswith(("checks/", "fields/")) or "[[" not in "".join(found.prose), page.path
        assert page.description, page.path


def test_every_fragment_that_validation_allows_is_an_anchor(kb: KnowledgeBase, made: dict[str, Page]) -> None:
    site = Site(kb)
    for record in kb.catalog.records.values():
        assert fragments(record) <= made[site.path(record)].anchors, record.id


HEAVIEST = 420_000
"""Bytes of the largest page's body: the list of some thousand sources."""

HEAVIEST_MATRIX = 270_000
"""Bytes of the largest matrix: each reason stands on it once, and a cell says its state and refers to it."""


def test_every_cell_of_a_matrix_leads_to_its_reason_and_its_chain(kb: KnowledgeBase, made: dict[str, Page]) -> None:
    site = Site(kb)
    for place in site.answers.places:
        read, reasons = matrix(made[place.path].html)
        assert {(model, engine) for model, engine in read} == set(kb.listings)
        for model, engine in kb.listings:
            words, links_ = read[model, engine]
            verdicts = [kb.verdicts.verdict(model, engine, gpu) for gpu in place.gpus]
            for verdict in verdicts:
                assert f"{GLYPHS[verdict.state]} {str(verdict.state).replace('-', ' ')}" in words, (
                    place,
                    model,
                    engine,
                )
            assert all(link.startswith("#r") for link in links_)
            said = " ".join(reasons[link[1:]] for link in links_)
            sources = {cite for verdict in verdicts for step in verdict.reasons for cite in step.cites}
            assert set(re.findall(r'href="page:sources/([^"]*)\.md"', said)) <= sources
            assert place.anchor(engine) in made[f"models/{model}.md"].anchors
            assert f"on-{engine}" in made[f"models/{model}.md"].anchors


def test_a_reason_stands_on_a_matrix_once_and_says_what_decided(
    real: KnowledgeBase, real_pages: dict[str, Page]
) -> None:
    html = real_pages["matrix/sm-90.md"].html
    read, reasons = matrix(html)
    texts = [" ".join("".join(seen(said).text).split()) for said in reasons.values()]
    by_engine = html.split('id="reasons-')[1:]
    assert all(
        len(re.findall(r"<li .*", part)) == len({re.sub(r' id="r\d+"', "", li) for li in re.findall(r"<li .*", part)})
        for part in by_engine
    )
    _, (link,) = read["deepseek-v2", "vllm"]
    assert "kc-mla: FLASH_ATTN_MLA accepts these GPUs" in texts[list(reasons).index(link[1:])]
    # What an engine does not list is one reason for all models: the name that it was asked for is left open.
    silent = [text for text in texts if "vLLM model registry" in text and "does not list" in text]
    assert len(silent) == len(set(silent)) <= 4


def matrix(html: str) -> tuple[dict[tuple[str, str], tuple[str, list[str]]], dict[str, str]]:
    """A matrix as it is read: the words and the links of each cell by model and engine, and its reasons by anchor."""
    table = html[html.index('class="sb-table sb-matrix') :]
    engines = re.findall(r'<th scope="col" data-engine="([^"]*)"', table)
    found = {}
    for model, row in re.findall(r'<tr id="([^"]*)"[^>]*>(.*?)</tr>', table[: table.index("</table>")], re.S):
        for engine, inner in zip(engines, re.findall(r"<td[^>]*>(.*?)</td>", row, re.S), strict=True):
            read = seen(inner)
            found[model, engine] = " ".join("".join(read.text).split()), read.links
    return found, dict(re.findall(r'<li id="(r\d+)">(.*?)</li>', html, re.S))


def test_every_chain_stands_whole_on_the_page_of_its_model(kb: KnowledgeBase, made: dict[str, Page]) -> None:
    site = Site(kb)
    for model in kb.catalog.sound("model"):
        page = seen(made[f"models/{model.id}.md"].html)
        linked, text = set(page.links), " ".join("".join(page.text).split())
        for answer in site.answers.of(model.id).values():
            for group in answer.groups:
                for reason in group.reasons:
                    assert " ".join(reason.text.split()) in text, (model.id, answer.engine, reason)
                    wanted = reason.cites[:1] if reason.rule == "gotcha" else reason.cites
                    assert {links.to(f"sources/{cite}.md") for cite in wanted} <= linked
                    assert reason.rule != "gotcha" or links.to(f"gotchas/{reason.value}.md") in linked


def test_no_page_is_too_heavy(made: dict[str, Page]) -> None:
    weights = {page.path: len(page.html.encode()) for page in made.values()}
    assert {path: weight for path, weight in weights.items() if weight > HEAVIEST} == {}
    assert {path for path, weight in weights.items() if path.startswith("matrix") and weight > HEAVIEST_MATRIX} == set()


def test_pages_of_one_base_are_the_same_every_time(tiny: Base) -> None:
    assert built(tiny) == built(tiny)


# --- pages of the build before ---------------------------------------------------------------------------------------

EDITS = {
    "a name": ("records/models/tiny-a.yaml", "name: Tiny A\n", "name: Tiny Alpha\n"),
    "a note": ("records/models/tiny-a.yaml", "Keeps one latent row", "Keeps a latent row"),
    "a config": ("sources/tiny-a-config.yaml", "title: Tiny-A config.json", "title: The config of Tiny A"),
    "how a source was read": ("sources/tiny-a-config.yaml", "retrieval: read\n", "retrieval: excerpt\n"),
    "a list": ("sources/tiny-engine-registry.yaml", "TinyMlaForCausalLM]", "TinyOtherForCausalLM]"),
    "an engine": ("records/engines/tiny-engine.yaml", "name: Tiny Engine", "name: Teeny"),
    "a layout": ("records/engines/tiny-engine.yaml", "asked for by cache-dtype fp8", "always"),
    "a dtype": ("records/kernels/uniform.yaml", "bytes_per_scalar: 2", "bytes_per_scalar: 3"),
    "a correction": (
        "records/models/tiny-b.yaml",
        "It has {{ config.num_hidden_layers }}",
        "It has {{ kv.layers.full }}",
    ),
    "a concept": ("records/concepts/tiny-latent.yaml", "name: Latent rows", "name: Rows"),
    "a GPU": ("records/gpus/tiny-gpu.yaml", "name: Tiny GPU", "name: Little GPU"),
    "its memory": ("records/gpus/tiny-gpu.yaml", "{value: 80, unit: GB", "{value: 96, unit: GB"),
    "its capability": ("records/gpus/tiny-gpu.yaml", "compute_capability: sm_90", "compute_capability: sm_80"),
    "a gotcha": ("records/gotchas/tiny-crash.yaml", "title: Tiny Engine stops", "title: The engine stops"),
    "its conditions": ("records/gotchas/tiny-crash.yaml", '"<1.1"', '"<9"'),
    "a kernel": ("records/kernels/uniform.yaml", "name: ", "name: The "),
    "a source of a kernel": ("sources/tiny-dtypes.yaml", "title: ", "title: On "),
    "a source of a GPU": ("sources/tiny-datasheet.yaml", "title: ", "title: The "),
    "a source of a gotcha": ("sources/tiny-engine-issue.yaml", "retrieval: read-not-hashed", "retrieval: excerpt"),
    "a version": ("records/engines/tiny-engine.yaml", 'version: "1.0"', 'version: "9.0"'),
}


def test_pages_of_before_are_used_only_where_nothing_changed(tiny: Base) -> None:
    """After each edit on top of the others, what is remembered and what is made anew come to the same."""
    memory = Memory()
    before = dict.fromkeys(pages.build_site(Site(tiny.read(), memory=memory)))
    for name, (path, old, new) in EDITS.items():
        tiny.edit(path, old, new)
        kb = tiny.read()
        after = list(pages.build_site(Site(kb, memory=memory)))
        assert after == list(pages.build(kb)), name
        assert any(page not in before for page in after), f"{name} changed nothing that is shown"
        assert any(page is kept for page in after for kept in before), f"{name}: nothing was remembered"
        before = dict.fromkeys(after)


# --- figures and reasons --------------------------------------------------------------------------------------------


def test_model_page_answers_with_numbers_that_were_put_in(tiny: Base) -> None:
    text = " ".join("".join(seen(built(tiny)["models/tiny-a.md"].html).text).split())
    assert "4 × 44 = 176 B/token" in text
    assert "4 × (32 + 8) × 2" in text
    assert "geometry only" in text
    assert "12.8× ours in bf16" in text  # naive: 2 x 4 layers x 4 heads x 64 x 2 = 4,096 against 320


def test_no_length_beyond_the_longest_that_the_config_states(tiny: Base) -> None:
    tiny.edit(
        "records/models/tiny-a.yaml", "  num_hidden_layers", "  max_position_embeddings: 10000\n  num_hidden_layers"
    )
    text = "".join(seen(built(tiny)["models/tiny-a.md"].html).text)
    assert "10,000" in text
    assert "32,768" not in text


def test_what_is_not_derivable_says_why_in_the_place_of_the_figure(tiny: Base) -> None:
    tiny.edit("records/models/tiny-a.yaml", "  num_hidden_layers", "  made_up_cache_key: 3\n  num_hidden_layers")
    made = built(tiny)
    for path in ("models/tiny-a.md", "models/index.md"):
        text = "".join(seen(made[path].html).text)
        assert "Not derivable." in text
        assert "made_up_cache_key" in text
    assert "not derivable" in "".join(seen(made["index.md"].html).text)


def test_null_shows_its_reason(tiny: Base) -> None:
    text = "".join(seen(built(tiny)["models/tiny-b.md"].html).text)
    assert "no value: no source states the day" in text


def test_unverified_evidence_is_marked_where_it_is_used(tiny: Base) -> None:
    assert "unverified" not in built(tiny)["models/tiny-a.md"].html
    tiny.edit("sources/tiny-a-config.yaml", "retrieval: read\n", "retrieval: excerpt\n")
    assert "unverified" in built(tiny)["models/tiny-a.md"].html


def test_source_page_says_what_falls_with_it(tiny: Base) -> None:
    made = built(tiny)
    config = made["sources/tiny-a-config.md"]
    assert 'href="page:models/tiny-a.md#kv-cache"' in config.html
    registry = made["sources/tiny-engine-registry.md"]
    assert 'href="page:models/tiny-a.md#on-tiny-engine"' in registry.html
    assert "in the chains of" in registry.html


# --- prose ----------------------------------------------------------------------------------------------------------

LATENT = '<a class="sb-ref sb-ref-concept" href="page:concepts/tiny-latent.md">'
PROSE = {
    "citation": ("see [[tiny-latent]].", f"<p>see {LATENT}Latent rows</a>.</p>"),
    "label": ("see [[tiny-latent|rows]]", f"<p>see {LATENT}rows</a></p>"),
    "label-is-text": ("[[tiny-latent|*a* <b>]]", f"<p>{LATENT}*a* &lt;b&gt;</a></p>"),
    "fragment": ("[[tiny-latent#cites]]", f"<p>{LATENT.replace('.md', '.md#cites')}Latent rows</a></p>"),
    "two-on-a-line": ("[[tiny-latent]] [[tiny-latent]]", f"<p>{LATENT}Latent rows</a> {LATENT}Latent rows</a></p>"),
    "in-emphasis": ("**[[tiny-latent]]**", f"<p><strong>{LATENT}Latent rows</a></strong></p>"),
    "code-span-is-text": ("`[[tiny-latent]]`", "<p><code>[[tiny-latent]]</code></p>"),
    "escaped-is-text": (r"\[[tiny-latent]]", "<p>[[tiny-latent]]</p>"),
    "unknown-is-marked": (
        "[[no-such]]",
        '<p><span class="sb-broken" title="no record has the id `no-such`">✕ [[no-such]]</span></p>',
    ),
    "html-is-text": ("<b onclick='x'>", "<p>&lt;b onclick='x'&gt;</p>"),
    "script-link-is-text": ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
    "data-link-is-text": ("[x](data:text/html,y)", "<p>[x](data:text/html,y)</p>"),
    "other-host-without-scheme-is-text": ("[x](//evil.example)", "<p>[x](//evil.example)</p>"),
    "address": ("[x](https://a.example)", '<p><a href="https://a.example" rel="noopener">x</a></p>'),
    "image-is-a-link": (
        "![x](https://a.example/i.png)",
        '<p>!<a href="https://a.example/i.png" rel="noopener">x</a></p>',
    ),
    "own-scheme-is-no-way-in": ("[x](page:models/tiny-a.md)", "<p>[x](page:models/tiny-a.md)</p>"),
    "placeholder-characters": ("\ue0000\ue001 [[tiny-latent]]", f"<p>\ufffd0\ufffd {LATENT}Latent rows</a></p>"),
    "headings-stand-below-the-page": ("# One", '<h3><span id="one"></span>One</h3>'),
}


@pytest.mark.parametrize(("text", "html"), PROSE.values(), ids=PROSE.keys())
def test_prose(tiny: Base, text: str, html: str) -> None:
    assert Site(tiny.read()).prose(text).strip() == html


def test_citation_in_an_address_stays_what_was_written(tiny: Base) -> None:
    html = Site(tiny.read()).prose(
        '[x](https://a.example/?q=[[tiny-latent]] "see [[tiny-latent]]") and [[tiny-latent]]'
    )
    assert "\ue000" not in html
    assert "%EE%80%80" not in html
    assert len(seen(html).links) >= 1


@given(st.text(alphabet="[]|#`\\<>*_!()\n ab-\ue000\ue001", max_size=60))
def test_no_prose_escapes(text: str) -> None:
    found = seen(render.markdown(text, tuple((one.start, one.end, "<i></i>") for one in render.mentions(text))))
    assert not found.misnested
    assert not found.tags & {"script", "img", "b"}


def test_prose_computes_for_the_record_it_stands_in(tiny: Base) -> None:
    kb = tiny.read()
    text = "{{ kv.growth('bf16') }} by [[tiny-latent]], `{{ kv.growth('bf16') }}`, {{ kv.growth('none') }}"
    html = Site(kb).prose(text, kb.catalog.records["tiny-a"])
    assert (
        '<span class="sb-computed sb-num" tabindex="0" data-formula="4 × (32 + 8) × 2 = 320 B/token">320 B/token</span>'
        in html
    )
    assert "<code>{{ kv.growth('bf16') }}</code>" in html
    assert "✕ kv.growth(&#39;none&#39;)</span>" in html


# --- hostile records ------------------------------------------------------------------------------------------------

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "attribute": '\\" onmouseover=\\"alert(1)\\" x=\'',
    "brackets": "]] [[tiny-a]] {{ 7 * 7 }} {% raw %}",
    "right-to-left": "\\u202Eevil\\u2066",
    "long": "x" * 70_000,
    "close-comment": "--> <img src=x onerror=alert(1)>",
}


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_name_is_harmless(tiny: Base, name: str) -> None:
    for path, old in (
        ("records/models/tiny-a.yaml", "name: Tiny A\n"),
        ("records/engines/tiny-engine.yaml", "name: Tiny Engine\n"),
        ("sources/tiny-a-config.yaml", "title: Tiny-A config.json\n"),
    ):
        tiny.edit(path, old, f'{old.split(":")[0]}: "{name}"\n')
    made = built(tiny)
    for page in made.values():
        found = seen(page.html)
        assert not found.misnested, page.path
        assert not found.tags & {"script", "img", "iframe", "style"}, page.path
        assert not {attribute for attribute in found.attributes if attribute.startswith("on")}, page.path
        assert len(page.title) <= render.LONGEST_NAME
        assert len(page.description) <= 300
        if "models/tiny-a" not in page.path and "tiny-engine" not in page.path and "tiny-a-config" not in page.path:
            assert len(page.html) < 60_000, page.path


# --- addresses ------------------------------------------------------------------------------------------------------

ADDRESSES = [
    ("models/x.md", "models/y.md", Style.DIRECTORY, "../y/"),
    ("models/x.md", "index.md", Style.DIRECTORY, "../../"),
    ("index.md", "models/index.md", Style.DIRECTORY, "models/"),
    ("index.md", "matrix.md", Style.DIRECTORY, "matrix/"),
    ("models/index.md", "models/x.md", Style.DIRECTORY, "x/"),
    ("matrix.md", "matrix.md", Style.DIRECTORY, "./"),
    ("models/x.md", "models/y.md", Style.HTML, "y.html"),
    ("models/x.md", "index.md", Style.HTML, "../index.html"),
    ("models/x.md", "sources/y.md", Style.MARKDOWN, "../sources/y.md"),
    ("index.md", "models/index.md", Style.MARKDOWN, "models/index.md"),
]


@pytest.mark.parametrize(("path", "target", "style", "address"), ADDRESSES)
def test_relative_address(path: str, target: str, style: Style, address: str) -> None:
    assert links.relative(path, target, style) == address


# --- plain files ----------------------------------------------------------------------------------------------------


def test_materialised_files_are_complete(tiny: Base, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    count = materialise.write_pages(tiny.read(), out)
    files = {path.relative_to(out).as_posix(): path.read_text("utf-8") for path in out.rglob("*.md")}
    assert count == len(files)
    assert (out / "assets/servebook.css").is_file()
    for name, text in files.items():
        _, _, body = text.split("---\n", 2) if text.startswith("---\n") else ("", "", text)
        if name != "guide.md":
            assert "\n\n" not in body.strip(), f"{name}: a blank line ends a block of HTML"
        for link in seen(body).links:
            path = link.partition("#")[0]
            if path and "://" not in path:
                assert os.path.normpath(os.path.join(os.path.dirname(name), path)) in files, f"{name} -> {link}"
    assert 'href="models/tiny-a.md">the model</a>' in files["guide.md"]
