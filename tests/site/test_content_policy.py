"""The content policy in a real Chromium: no page breaks it, our scripts run, and what got in otherwise does not."""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, TINY
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from safety.payloads import PAYLOADS
from test_site_browser import _Quiet

from generator.site.html.policy import ContentPolicy

PAGES = (
    *("", "matrix/", "families/", "models/", "models/tiny-a/", "overpay/", "engines/tiny-engine/", "kernels/uniform/"),
    *("gpus/tiny-gpu/", "gotchas/tiny-crash/", "concepts/tiny-latent/", "sources/tiny-a-config/", "corrections/"),
    *("checks/", "checks/CIT101/", "fields/model/", "guide/", "404.html"),
)
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny base with the real theme, payloads in its titles and notes, and a guide that names them; built."""
    root, out = tmp_path_factory.mktemp("base") / "base", tmp_path_factory.mktemp("site")
    shutil.copytree(TINY, root)
    shutil.copytree(ROOT / "templates", root / "templates")
    shutil.copyfile(ROOT / "mkdocs.yml", root / "mkdocs.yml")
    titled = [payload for payload in PAYLOADS if "[[" not in payload and "{{" not in payload]
    record = (root / "records/models/tiny-a.yaml").read_text("utf-8")
    notes = "\n\n".join(payload for payload in titled if "\n" not in payload)
    record = re.sub(r"(?m)^name: .*$", lambda _: f"name: {json.dumps(' '.join(titled[:4]))}", record)
    record = re.sub(r"(?ms)^notes: \|\n.*?(?=^\S|\Z)", lambda _: f"notes: {json.dumps(notes)}\n", record)
    (root / "records/models/tiny-a.yaml").write_text(record, "utf-8")
    for number, payload in enumerate(titled):
        name = json.dumps(f"Z {payload}")
        (root / f"records/concepts/p{number}.yaml").write_text(
            "# yaml-language-server: $schema=../../schema/concept.schema.json\n"
            f'name: {name}\ndefinition: {name}\ncites: ["[[tiny-a-config]]"]\n',
            "utf-8",
        )
    cited = "\n\n".join(f"# [[p{number}]]\n\nSee [[p{number}]] here." for number in range(len(titled)))
    (root / "docs/guide.md").write_text(f"# Guide\n\n[[tiny-a]]\n\n{cited}\n", "utf-8")
    dict(MkDocsConfig._schema)["plugins"].plugin_cache.clear()  # type: ignore[attr-defined]
    config = load_config(str(root / "mkdocs.yml"), site_dir=str(out / "site"))
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    return out / "site"


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def test_every_page_has_it_and_nothing_unsafe(folder: Path) -> None:
    pages = [path for path in folder.rglob("*.html") if "assets" not in path.parts]
    assert len(pages) > 50
    for path in pages:
        html = path.read_text("utf-8")
        (rules,) = POLICY.findall(html)
        assert "unsafe" not in rules
        assert "default-src 'none'" in rules
        scripts = len(re.findall(r"<script>", html))
        assert rules.count("sha256-") == len(set(re.findall(r"<script>(.*?)</script>", html, re.S))), path
        assert scripts, "the theme has scripts of its own"
        assert html.index("Content-Security-Policy") < html.index("<link"), "before anything is loaded"
        assert " style=" not in html.partition("<article")[2].partition("</article>")[0], path


def test_only_the_scripts_of_the_theme_are_allowed(folder: Path) -> None:
    html = (folder / "models/tiny-a/index.html").read_text("utf-8")
    policy = ContentPolicy.of([str(ROOT / "templates/theme")])
    assert policy.scripts == ()
    smuggled = '<html><head><meta charset="utf-8"></head><script>pwn()</script></html>'
    import material

    theme = ContentPolicy.of([str(Path(material.__file__).parent / "templates")])
    assert "sha256" not in theme.written_into(smuggled)
    assert "sha256" in theme.written_into(html.replace("Content-Security-Policy", "x"))


@pytest.mark.browser
@pytest.mark.parametrize("path", PAGES)
def test_no_page_breaks_it_and_no_payload_runs(chromium: Any, address: str, folder: Path, path: str) -> None:
    target = folder / path if path.endswith(".html") else folder / path / "index.html"
    if not target.is_file():
        pytest.fail(f"{path} was not built")
    context = chromium.new_context()
    page = context.new_page()
    said: list[str] = []
    context.set_default_timeout(60_000)
    page.add_init_script("window.pwned = []; window.pwn = (...all) => { window.pwned.push(all); };")
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.goto(address + path, wait_until="load")
    for handler in ("onerror", "onclick", "onload", "onfocus", "onmouseover", "ontoggle"):
        assert page.locator(f"[{handler}]").count() == 0
    page.evaluate("document.querySelectorAll('article a').forEach(a => a.href.startsWith('javascript') && a.click())")
    assert page.evaluate("window.pwned") == []
    assert [line for line in said if "Content Security Policy" in line or "pwn" in line] == []
    assert [line for line in said if "404" not in line] == []
    context.close()


@pytest.mark.browser
def test_search_dark_colours_and_the_filter_of_the_matrix_work(chromium: Any, address: str) -> None:
    context = chromium.new_context(color_scheme="light", viewport={"width": 1360, "height": 900})
    context.set_default_timeout(60_000)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.goto(f"{address}matrix/")
    page.locator(".sb-filter input").fill("tiny b")
    page.wait_for_function("document.querySelector('.sb-filter output').innerText.startsWith('1 of')")
    page.locator("label[for=__palette_1]:visible, label[for=__palette_0]:visible").first.click()
    page.wait_for_function("document.body.dataset.mdColorScheme === 'slate'")
    page.locator("#sb-search").fill("tiny-b")
    page.locator(".sb-hits a").first.wait_for()
    page.keyboard.press("Escape")
    assert [line for line in said if "Content Security" in line] == []
    context.close()
