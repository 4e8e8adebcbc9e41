"""The real site in a real Chromium: from a cell of the matrix to its source, on this machine alone, at any width."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from conftest import HERE, ROOT
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig

pytestmark = pytest.mark.browser

NARROW, WIDE = 360, 1360


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the real site, built once and served on the loopback."""
    os.environ["NO_MKDOCS_2_WARNING"] = "1"
    out = tmp_path_factory.mktemp("site")
    dict(MkDocsConfig._schema)["plugins"].plugin_cache.clear()  # type: ignore[attr-defined]
    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(out)))
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(out)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def opened(chromium: Any, site: str) -> Iterator[Any]:
    """A function that opens a page of the site. Nothing may be asked of another host, and no script may fail."""
    asked: list[str] = []
    failed: list[str] = []
    contexts: list[Any] = []

    def open_(path: str, width: int = WIDE, **options: Any) -> Any:
        context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        context.set_default_timeout(600_000)  # machines that test may be busy
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto(site + path)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert [url for url in asked if not url.startswith((site, "data:", "blob:"))] == []
    assert failed == []


def test_from_a_cell_of_the_matrix_to_the_source_that_says_so(opened: Any, site: str) -> None:
    page = opened("matrix/")
    page.locator(".sb-gpu-picker a", has_text="A100").click()
    page.wait_for_url(f"{site}matrix/sm-80/")
    cell = page.locator("#deepseek-v2 td").first
    assert "✓ supported" in cell.inner_text()
    assert "TRITON_MLA" in cell.inner_text()
    cell.locator("a").click()
    reason = page.locator("#deepseek-v2 + .sb-opened")
    assert reason.inner_text().startswith("DeepSeek-V2 on vLLM: ✓ supported kc-mla: TRITON_MLA accepts these GPUs")
    reason.locator(".sb-whole").click()
    page.wait_for_url(f"{site}models/deepseek-v2/#vllm.sm-80")
    answer = page.locator("details.sb-answer[open]:has([id='vllm.sm-80'])")
    answer.wait_for()  # the address opens it
    step = answer.locator("li", has_text="TRITON_MLA accepts")
    step.wait_for()
    step.locator("a").first.click()
    page.wait_for_url(f"{site}sources/*/**")
    text = page.locator("article").inner_text()
    assert "TRITON_MLA" in text + page.locator("article").text_content()
    met = page.locator("#falls-cells ~ p").first.inner_text()
    assert "cells of vLLM" in met


def test_from_what_an_engine_lists_to_the_list(opened: Any, site: str) -> None:
    page = opened("matrix/")
    assert "· listed" in page.locator("#deepseek-v2 td").first.inner_text()
    page.locator("#deepseek-v2 th a").click()
    page.wait_for_url(f"{site}models/deepseek-v2/#engines")
    page.locator("section:has(#on-vllm) details").first.locator("summary").click()
    page.locator("section:has(#on-vllm) li", has_text="lists DeepseekV2ForCausalLM").locator("a").first.click()
    page.wait_for_url(f"{site}sources/*/**")
    assert "DeepseekV2ForCausalLM" in page.locator("#architectures").text_content()
    assert page.locator('#falls-cells ~ details a[href$="models/deepseek-v2/#on-vllm"]').count() == 1


def test_a_matrix_is_walked_by_keyboard_alone(opened: Any) -> None:
    page = opened("matrix/sm-90/?find=deepseek-v2&engine=vllm&state=supported#deepseek-v2--vllm")
    assert page.locator("#deepseek-v2 + .sb-opened").is_visible()  # the address opens its cell
    assert page.locator("tbody td a[tabindex='0']").count() == 1  # one stop for two thousand cells
    page.locator("#deepseek-v2 td a").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(".sb-opened").count() == 0
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.locator(".sb-opened").inner_text().startswith("DeepSeek-V2 on SGLang:")
    page.keyboard.press("Escape")
    assert page.locator(".sb-opened").count() == 0


def test_a_matrix_is_asked_for_an_engine_and_a_state(opened: Any, site: str) -> None:
    page = opened("matrix/sm-90/")
    page.locator("select[name=engine]").select_option("vllm")
    page.locator("select[name=state]").select_option("not-listed")
    assert page.url == f"{site}matrix/sm-90/?engine=vllm&state=not-listed"
    shown = page.locator("tbody tr:visible")
    assert 0 < shown.count() < page.locator("tbody tr").count() / 4
    assert all("– not listed" in row.locator("td").first.inner_text() for row in shown.all())


def test_no_header_of_a_matrix_is_outside_of_its_box(opened: Any) -> None:
    for path in ("matrix/", "matrix/sm-90/"):
        page = opened(path, 1280)
        box = page.locator(".sb-tall:has(.sb-cells)").bounding_box()
        heads = [head.bounding_box() for head in page.locator(".sb-cells thead th").all()]
        assert max(head["x"] + head["width"] for head in heads) <= box["x"] + box["width"]
    page = opened("matrix/sm-90/", 390)  # there a row is a card, with the answer of one engine
    row = page.locator("#deepseek-v2 > :visible")
    assert row.all_inner_texts()[0] == "DeepSeek-V2"
    assert row.count() == 2


def test_a_chain_opens_and_closes_by_keyboard(opened: Any) -> None:
    page = opened("models/deepseek-v2/#vllm.sm-80")
    details = page.locator("details.sb-answer:has([id='vllm.sm-80'])")
    details.locator("summary").focus()
    page.keyboard.press("Enter")
    assert details.get_attribute("open") is None


def test_a_computed_value_opens_to_its_formula_by_keyboard(opened: Any) -> None:
    value = opened("models/deepseek-v2/").locator(".sb-computed", has_text="69,120 B/token").first
    shown = "value => getComputedStyle(value, '::after').content"
    assert value.evaluate(shown) == "none"
    value.focus()
    assert "60 × (512 + 64) × 2 = 69,120 B/token" in value.evaluate(shown)


def test_model_page_answers_first(opened: Any) -> None:
    text = opened("models/deepseek-v2/").locator(".sb-cards").first.inner_text()
    assert "69,120" in text
    assert "derived" in text


def test_table_sorts_by_value_and_says_so(opened: Any) -> None:
    page = opened("models/")
    header = page.locator("th", has_text="Layers")
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    layers = page.locator("tbody tr td:nth-child(3):not(:last-child)").evaluate_all(
        "cells => cells.map(c => +c.dataset.value)"
    )
    assert layers == sorted(layers)


def test_filter_and_order_are_kept_in_the_address(opened: Any, site: str) -> None:
    page = opened("models/?find=nvidia+mamba&sort=-Layers")
    shown = page.locator("tbody tr:visible")
    assert page.locator(".sb-filter output").inner_text() == f"{shown.count()} of {page.locator('tbody tr').count()}"
    layers = shown.locator("td:nth-child(3)").evaluate_all("cells => cells.map(c => +c.dataset.value)")
    assert layers == sorted(layers, reverse=True)
    assert len(set(layers)) > 1
    page.locator(".sb-filter input").fill("gemma")
    page.locator("th", has_text="Context").locator("button").click()
    assert page.url == f"{site}models/?find=gemma&sort=Context"
    assert all("gemma" in text.lower() for text in shown.all_inner_texts())


def test_what_is_asked_of_a_matrix_goes_on_to_the_next_gpu(opened: Any, site: str) -> None:
    page = opened("matrix/sm-90/")
    page.locator(".sb-filter input").fill("csa_hca")
    shown = page.locator("tbody tr:visible")
    assert {name.split("\n")[0] for name in shown.locator("th").all_inner_texts()} >= {"DeepSeek-V4-Flash"}
    assert shown.count() < page.locator("tbody tr").count() / 4
    page.locator("#gpus summary").click()
    page.locator(".sb-facets a", has_text="sm_120").click()
    page.wait_for_url(f"{site}matrix/sm-120/?find=csa_hca")
    assert page.locator(".sb-filter input").input_value() == "csa_hca"


def test_a_whole_name_leads_to_its_page_and_a_part_to_the_list(opened: Any, site: str) -> None:
    page = opened("")
    page.locator("#model-name").fill("deepseek-v4-flash")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site}models/deepseek-v4-flash/")
    page.goto(site)
    page.locator("#model-name").fill("v4-flash")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site}models/?find=v4-flash")
    assert "DeepSeek-V4-Flash" in page.locator("tbody tr:visible").first.inner_text()


def test_without_scripts_the_question_leads_to_the_whole_list(opened: Any, site: str) -> None:
    page = opened("", java_script_enabled=False)
    page.locator("#model-name").fill("gemma")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site}models/?find=gemma")
    assert not page.locator(".sb-filter").is_visible()
    assert page.locator("tbody tr:visible").count() > 200


def test_everything_is_there_without_scripts(opened: Any) -> None:
    page = opened("", java_script_enabled=False)
    page.locator("summary", has_text="DeepSeek").first.click()
    page.locator(".sb-picker a", has_text="DeepSeek-V2").first.click()
    assert page.locator("#kv-cache").count() == 1


LOOKED_AT = (
    "",
    "matrix/",
    "matrix/sm-90/",
    "families/",
    "models/",
    "models/deepseek-v4-1-flash/",
    "overpay/",
    "engines/vllm/",
    "sources/",
    "sources/vllm-0-33-0-registry/",
    "gotchas/",
    "gotchas/sm120-sparse-mla-block-size/",
    "gpus/h100-sxm/",
    "checks/CIT101/",
    "fields/engine/",
    "corrections/",
    "coverage/",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", LOOKED_AT)
def test_no_page_scrolls_sideways_on_a_narrow_screen(opened: Any, path: str, scheme: str) -> None:
    page = opened(path, NARROW, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW
    assert page.locator("h1").is_visible()


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe; without it the tests skip, and fail where CI=true."""
    path = HERE / "npm/node_modules/axe-core/axe.min.js"
    if path.is_file():
        return path.read_text("utf-8")
    if os.environ.get("CI") == "true":
        pytest.fail("axe-core is not installed: run .ci/npm")
    pytest.skip("axe-core is not installed: run .ci/npm")


WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", [*LOOKED_AT, "models/deepseek-v2/", "concepts/mla-latent-attention/"])
def test_no_page_breaks_a_rule_of_wcag_that_a_machine_can_check(opened: Any, axe: str, path: str, scheme: str) -> None:
    page = opened(path, color_scheme=scheme)
    page.evaluate(axe)
    rules = {"type": "tag", "values": WCAG}
    broken = page.evaluate("runOnly => axe.run(document, {runOnly, resultTypes: ['violations']})", rules)["violations"]
    assert [(rule["id"], [node["html"] for node in rule["nodes"]][:3]) for rule in broken] == []


def test_print_shows_the_evidence(opened: Any) -> None:
    page = opened("models/deepseek-v2/")
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.sb-answer .sb-chain li").first.is_visible()


def test_states_are_told_apart_without_colour(opened: Any) -> None:
    page = opened("matrix/sm-90/", forced_colors="active")
    words = page.locator("#deepseek-v2 td").first.inner_text()
    assert words.startswith("✓ supported")


def test_search_finds_an_error_by_its_text_and_is_driven_by_keys(opened: Any, site: str) -> None:
    asked: list[str] = []
    page = opened("matrix/sm-90/", 390)
    page.on("request", lambda request: asked.append(request.url.removeprefix(site)))
    assert page.evaluate("performance.getEntriesByType('resource').filter(e => /search/.test(e.name)).length") == 0
    page.keyboard.press("/")
    page.keyboard.type("no dispatch entry for page_block_size=32")
    first = page.locator(".sb-hits a").first
    first.wait_for()
    assert first.locator("small").inner_text() == "Gotcha"
    assert [url for url in asked if "favicon" not in url] == ["assets/search.js", "assets/search.json"]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site}gotchas/sm120-sparse-mla-block-size/#symptom")


# --- questions that people bring: from the first page, in so many actions, the answer in sight ---

WIDTHS = (1400, 390)


def in_sight(page: Any, what: Any) -> bool:
    """Whether something is seen without scrolling."""
    box = what.bounding_box()
    return (
        box is not None and 0 <= box["y"] < page.viewport_size["height"] and 0 <= box["x"] < page.viewport_size["width"]
    )


@pytest.mark.parametrize("width", WIDTHS)
def test_which_gotchas_meet_me_with_sglang_on_hopper(opened: Any, width: int) -> None:
    page = opened("", width)
    page.locator(".sb-tabs a", has_text="Gotchas").click()  # 1
    page.locator("select[name=engine]").select_option("sglang")  # 2
    page.locator("select[name=gpu]").select_option("h100")  # 3
    first = page.locator("tbody tr:visible").first
    assert in_sight(page, first)
    assert "FlashAttention 3 has no 8-bit cache for latent attention" in first.inner_text()
    assert page.url.endswith("gotchas/?engine=sglang&gpu=h100")  # the answer has an address: no action at all


@pytest.mark.parametrize("width", WIDTHS)
def test_does_vllm_run_a_model_on_a_gpu_and_why(opened: Any, width: int) -> None:
    page = opened("", width)
    page.locator("#sb-search").fill("rtx 4090")  # 1
    page.locator(".sb-hits a", has=page.locator("small", has_text="Matrix")).click()  # 2
    page.locator(".sb-filter input").fill("gpt-oss-120b")  # 3
    page.locator("#gpt-oss-120b td:visible a").first.click()  # 4
    reason = page.locator(".sb-opened")
    assert in_sight(page, reason)
    assert reason.inner_text().startswith("gpt-oss-120b on vLLM:")


@pytest.mark.parametrize("width", WIDTHS)
def test_what_was_corrected(opened: Any, width: int) -> None:
    page = opened("", width)
    page.locator(".sb-ways a", has_text="What was corrected").click()  # 1
    assert in_sight(page, page.locator(".sb-correction").first)


def test_every_page_says_its_day_and_the_releases_of_engines(opened: Any) -> None:
    text = opened("concepts/mla-latent-attention/").locator(".sb-edition").inner_text()
    assert "As of 20" in text
    assert "vLLM 0." in text


def test_a_program_finds_everything_from_llms_txt(opened: Any, site: str) -> None:
    page = opened("")
    text = page.request.get(f"{site}llms.txt").text()
    models = page.request.get(f"{site}api/v1/models/index.json").json()["items"]
    assert "(api/v1/models/index.json)" in text
    model = next(one for one in models if one["id"] == "deepseek-v2")
    figures = page.request.get(f"{site}api/v1/{model['json']}").json()["figures"]
    assert {"bf16": 69120}.items() <= {one["layout"]: one["bytes_per_token"] for one in figures}.items()
    assert page.request.get(f"{site}models/deepseek-v2/index.md").text().count("69,120") > 2


@pytest.mark.parametrize("path", ["", "models/deepseek-v2/", "matrix/sm-90/", "gotchas/"])
def test_no_text_is_smaller_than_twelve_pixels(opened: Any, path: str) -> None:
    small = """() => [...document.querySelectorAll("body *")]
        .filter(one => one.checkVisibility() && !one.closest("svg, .sb-hidden")
        && [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim())
        && parseFloat(getComputedStyle(one).fontSize) < 11.99)
        .map(one => one.className + ": " + one.textContent.slice(0, 30))"""
    assert opened(path).evaluate(small) == []


def test_built_site_has_no_broken_link(site: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    from site_reading import broken_links

    folder = max(Path(tmp_path_factory.getbasetemp()).glob("site*"))
    assert broken_links(folder) == []
