"""The MkDocs skin: what a build holds, what it refuses, and how a preview behaves while records break and mend."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Base
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from site_reading import broken_links, seen

import generator.site.pages.model as model_pages_module
from generator.checks import CHECKS
from generator.findings import Severity
from generator.site.pages import PagesFailed
from generator.site.pages import build as build_pages

CONFIG_A = "sources/tiny-a-config.yaml"
TINY_A = "records/models/tiny-a.yaml"


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")


def configured(base: Base, command: str, out: Path, fresh: bool = True, **options: Any) -> MkDocsConfig:
    """The site's configuration. MkDocs keeps plugins that want to live on; a fresh one has nothing to remember."""
    if fresh:
        dict(MkDocsConfig._schema)["plugins"].plugin_cache.clear()  # type: ignore[attr-defined]
    config = load_config(str(base.root / "mkdocs.yml"), site_dir=str(out), **options)
    if fresh:
        config.plugins.on_startup(command=command, dirty=False)
    return config


def built(base: Base) -> Path:
    """Build the site of a base, every warning an error, as `servebook build` does."""
    out = base.root.parent / "site"
    build(configured(base, "build", out, strict=True))
    return out


class Server:
    """What a preview asks of MkDocs' server."""

    def __init__(self) -> None:
        self.root = ""
        self.watched: list[str] = []

    def watch(self, path: str) -> None:
        self.watched.append(path)


class Preview:
    """The builds of one `mkdocs serve`, without serving."""

    def __init__(self, base: Base) -> None:
        self.base, self.server = base, Server()
        self.site = base.root.parent / "preview"
        config = configured(base, "serve", self.site)
        build(config, serve_url="http://127.0.0.1:8000/")
        config.plugins.on_serve(self.server, config=config, builder=None)

    def again(self) -> Preview:
        config = configured(self.base, "serve", self.site, fresh=False)
        build(config, serve_url="http://127.0.0.1:8000/")
        return self

    @property
    def files(self) -> dict[str, bytes]:
        """Everything that is served, but for what carries the time of the build."""
        folder = Path(self.server.root)
        paths = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("sitemap")]
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}

    def page(self, path: str) -> str:
        return Path(self.server.root, path, "index.html").read_text("utf-8")


# --- a build --------------------------------------------------------------------------------------------------------


def test_build_holds_every_page_and_every_link_leads_somewhere(tiny: Base) -> None:
    out = built(tiny)
    for path in ("", "matrix", "models", "models/tiny-a", "sources/tiny-a-config", "checks/CIT101", "fields/model"):
        assert (out / path / "index.html").is_file(), path
    assert (out / "assets/servebook.css").is_file()
    assert (out / "assets/servebook.js").is_file()
    assert (out / "assets/search.js").is_file()
    index = json.loads((out / "assets/search.json").read_text("utf-8"))
    for address, *_ in index["pages"]:
        path = address.partition("#")[0]
        assert (out / path / "index.html").is_file(), address
    assert broken_links(out) == []


def test_build_without_directory_urls(tiny: Base) -> None:
    tiny.edit("mkdocs.yml", "docs_dir: docs\n", "docs_dir: docs\nuse_directory_urls: false\n")
    out = built(tiny)
    assert (out / "models/tiny-a.html").is_file()
    assert broken_links(out) == []


def test_lists_are_in_the_navigation_and_records_are_not(tiny: Base) -> None:
    html = (built(tiny) / "matrix/index.html").read_text("utf-8")
    navigation = seen(html[html.index("md-nav--primary") : html.index("md-content")])
    assert any(link.endswith("models/") for link in navigation.links)
    assert not any("tiny-a" in link for link in navigation.links)


def test_citations_of_hand_written_pages_are_links(tiny: Base) -> None:
    html = (built(tiny) / "guide/index.html").read_text("utf-8")
    assert 'href="../models/tiny-a/">the model</a>' in html


def test_no_citation_is_left_as_text(tiny: Base) -> None:
    for path in built(tiny).rglob("*.html"):
        if "checks" not in path.parts and "fields" not in path.parts:
            assert "[[" not in "".join(seen(path.read_text("utf-8")).prose), path


def test_a_hand_written_page_wins(tiny: Base) -> None:
    tiny.lay({"docs/index.md": "# By hand\n", "docs/models/tiny-a.md": "# Mine\n"})
    out = built(tiny)
    assert "By hand" in (out / "index.html").read_text("utf-8")
    assert "Mine" in (out / "models/tiny-a/index.html").read_text("utf-8")


def test_search_index_is_small_and_hits_the_error_text(tiny: Base) -> None:
    tiny.edit("mkdocs.yml", "plugins: [servebook]", "plugins: [search, servebook]")
    entries = json.loads((built(tiny) / "search/search_index.json").read_text("utf-8"))["docs"]
    assert max(len(entry["text"]) for entry in entries if entry["location"].startswith(("models/", "sources/"))) < 300
    hits = [entry["location"] for entry in entries if "ValueError: empty prompt" in entry["title"] + entry["text"]]
    assert "gotchas/tiny-crash/#symptom" in hits
    boosts = {entry["location"].split("#")[0]: entry.get("boost", 1) for entry in entries}
    assert boosts["sources/tiny-a-config/"] < boosts["gotchas/tiny-crash/"] < boosts["models/tiny-a/"]


def test_hostile_name_is_harmless_in_the_theme(tiny: Base) -> None:
    plain = len(built(tiny).joinpath("models/tiny-a/index.html").read_text("utf-8").split("<script"))
    tiny.edit(TINY_A, "name: Tiny A\n", 'name: "</title><script>alert(1)</script>\\" onload=\\"alert(1)"\n')
    tiny.edit("records/gotchas/tiny-crash.yaml", '"ValueError: empty prompt"', '"<script>alert(2)</script> \\" x"')
    out = built(tiny)
    html = (out / "models/tiny-a/index.html").read_text("utf-8")
    assert len(html.split("<script")) == plain
    assert "<script>alert" not in html
    assert "<script>alert" not in (out / "gotchas/tiny-crash/index.html").read_text("utf-8")
    assert "onload" not in seen(html).attributes


def test_build_refuses_errors_and_names_them(tiny: Base, caplog: pytest.LogCaptureFixture) -> None:
    tiny.edit(TINY_A, "config: ", "confg: ")
    with pytest.raises(Abort):
        built(tiny)
    assert re.search(r"records/models/tiny-a\.yaml:\d+:\d+ SCH101 .*did you mean `config`", caplog.text)
    assert not (tiny.root.parent / "site/index.html").exists()


def test_build_refuses_a_folder_that_is_no_knowledge_base(tiny: Base, caplog: pytest.LogCaptureFixture) -> None:
    shutil.rmtree(tiny.root / "sources")
    with pytest.raises(Abort):
        built(tiny)
    assert "no folder sources/" in caplog.text


# --- a preview ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("license: MIT\nconfig:", "licence: MIT\nconfig:", "SCH101"),
        ("vendor: Tiny Works", "vendor: [Tiny", "YML001"),
        ("see [[tiny-latent]]", "see [[tiny-latnet]]", "CIT101"),
        ("num_hidden_layers: 4", "num_hidden_layers: 6", "WIR202"),
    ],
    ids=["schema", "unreadable", "citation", "mismatch"],
)
def test_preview_shows_a_broken_record_on_its_page_and_mends(tiny: Base, old: str, new: str, code: str) -> None:
    preview = Preview(tiny)
    sound = preview.files
    tiny.edit(TINY_A, old, new)
    preview.again()
    page = preview.page("models/tiny-a")
    assert code in page
    assert f"{TINY_A}:" in page
    assert new.splitlines()[0] in "".join(seen(page).text)  # the line itself
    assert TINY_A in preview.page("")
    tiny.edit(TINY_A, new, old)
    preview.again()
    assert preview.files == sound


def test_preview_knows_which_waivers_it_cannot_judge(tiny: Base) -> None:
    waiver = "waivers:\n  - {code: CIT110, reason: it floats and is pinned nowhere, until: 2099-01-01}\n"
    tiny.edit(CONFIG_A, "facts:\n", f"{waiver}facts:\n")
    assert any(check.code == "CIT110" and check.severity is not Severity.ERROR for check in CHECKS)
    assert "MET901" not in Preview(tiny).page("")


def test_preview_survives_a_broken_schema(tiny: Base) -> None:
    preview = Preview(tiny)
    shutil.copytree(ROOT / "schema", tiny.root / "schema")
    tiny.lay({"schema/model.schema.json": "{"})
    assert "Tiny A" in preview.again().page("models/tiny-a")


def test_preview_after_an_edit_is_what_a_fresh_one_shows(tiny: Base) -> None:
    preview = Preview(tiny)
    tiny.edit(TINY_A, "name: Tiny A\n", "name: Tiny Alpha\n")
    tiny.lay({"records/gpus/tiny-gpu.yaml": None})
    after = preview.again().files
    assert after == Preview(tiny).files  # a new plugin with nothing to remember


def test_preview_watches_what_pages_are_made_from(tiny: Base) -> None:
    preview = Preview(tiny)
    assert {str(tiny.root / "records"), str(tiny.root / "sources")} <= set(preview.server.watched)
    assert str(ROOT / "templates") in preview.server.watched


def test_preview_writes_only_what_changed(tiny: Base) -> None:
    preview = Preview(tiny)
    concept = Path(preview.server.root, "concepts/tiny-latent/index.html").stat().st_ino
    gotcha = Path(preview.server.root, "gotchas/tiny-crash/index.html").stat().st_ino
    tiny.edit("records/gotchas/tiny-crash.yaml", "divides by", "counts")
    preview.again()
    assert Path(preview.server.root, "concepts/tiny-latent/index.html").stat().st_ino == concept
    assert Path(preview.server.root, "gotchas/tiny-crash/index.html").stat().st_ino != gotcha


# --- what is never published ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["/proc/self/environ", "/"], ids=["a file", "a folder"])
@pytest.mark.parametrize("name", ["docs/leak.md", "docs/.leak", "docs/guide/leak", "look/leak.css"])
def test_nothing_behind_a_link_is_built_or_previewed(
    tiny: Base, name: str, target: str, caplog: pytest.LogCaptureFixture
) -> None:
    tiny.lay({"look/main.html": '{% extends "base.html" %}'})
    tiny.edit("mkdocs.yml", "font: false}", "font: false, custom_dir: look}")
    (tiny.root / name).parent.mkdir(exist_ok=True)
    (tiny.root / name).symlink_to(target)
    with pytest.raises(Abort):
        built(tiny)
    assert f"{name}: this is a symbolic link" in caplog.text
    with pytest.raises(Abort):
        Preview(tiny)
    for out in ("site", "preview"):
        assert [path.name for path in (tiny.root.parent / out).rglob("*")] == [".servebook"]


def test_a_preview_empties_no_folder_that_is_not_ours(tiny: Base) -> None:
    (tiny.root.parent / "preview").mkdir()
    (tiny.root.parent / "preview/precious.txt").write_text("keep")
    with pytest.raises(Abort):
        Preview(tiny)
    assert (tiny.root.parent / "preview/precious.txt").read_text() == "keep"


def test_an_excerpt_shows_nothing_that_lies_behind_a_link(tiny: Base, tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("hunter2\n")
    preview = Preview(tiny)
    (tiny.root / "records/models/leak.yaml").symlink_to(tmp_path / "secret.yaml")
    preview.again()
    assert not [name for name, data in preview.files.items() if b"hunter2" in data]
    assert "symbolic link" in preview.page("")


# --- a page that fails inside -----------------------------------------------------------------------------------------


@pytest.fixture
def failing_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page of Tiny A fails."""
    real = model_pages_module._page

    def fails(site: Any, model: Any) -> Any:
        if model.id == "tiny-a":
            raise TypeError("no such thing")
        return real(site, model)

    monkeypatch.setattr(model_pages_module, "_page", fails)


@pytest.mark.usefixtures("failing_page")
def test_a_build_names_the_page_that_failed_and_its_record(tiny: Base) -> None:
    with pytest.raises(Abort):
        built(tiny)
    with pytest.raises(
        PagesFailed, match=r"records/models/tiny-a\.yaml: .*models/tiny-a\.md .*TypeError: no such thing"
    ):
        build_pages(tiny.read())


@pytest.mark.usefixtures("failing_page")
def test_a_preview_shows_it_in_its_place_and_all_others(tiny: Base) -> None:
    preview = Preview(tiny)
    assert "TypeError: no such thing" in preview.page("models/tiny-a")
    assert "Tiny B" in preview.page("models/tiny-b")


def test_a_preview_outlives_a_failure_in_reading(tiny: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    preview = Preview(tiny)
    before = preview.files

    def fails(*_: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr("generator.site.plugin.assemble", fails)
    assert set(preview.again().files) == set(before)
