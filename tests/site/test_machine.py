"""What is published for programs: it keeps to its description, says what the pages say, and is the same every time."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from xml.etree import ElementTree

import pytest
from conftest import Base
from jsonschema import Draft202012Validator

from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site import pages
from generator.site.edition import Edition
from generator.site.html.links import Style
from generator.site.html.page import Page
from generator.site.machine.api import api
from generator.site.machine.files import machine_files
from generator.site.machine.lists import tables
from generator.site.machine.markdown import as_markdown, twin
from generator.site.site import Site

COMMIT = {"SERVEBOOK_COMMIT": "0123456789", "SOURCE_DATE_EPOCH": "1796000000"}
SAMPLE = ("deepseek-v2", "gpt-oss-120b", "vllm", "h100-sxm", "fa3-mla-no-fp8-kv", "index", "openapi")


def published(kb: KnowledgeBase, url: str = "") -> dict[str, str]:
    """All files of a small base by path."""
    site = Site(kb)
    made = pages.whole(site)
    return dict(machine_files(site, made, Edition.of(site, COMMIT), Style.DIRECTORY, url))


@pytest.fixture(scope="module")
def real_api(real: KnowledgeBase) -> Mapping[str, str]:
    """The API of the real base."""
    site = Site(real)
    return dict(api(site, Edition.of(site, COMMIT), Style.DIRECTORY, ""))


def schema_of(description: dict[str, object], path: str) -> dict[str, object] | None:
    """The schema that the description gives for a path, resolved; None where it describes no such path."""
    below = "/" + path.removeprefix("api/v1/")
    paths: dict[str, dict] = description["paths"]  # type: ignore[assignment]
    found = paths.get(below) or paths.get(re.sub(r"/[^/]+\.json$", "/{id}.json", below))
    if found is None:
        return None
    return {
        **found["get"]["responses"]["200"]["content"]["application/json"]["schema"],
        "components": description["components"],
    }


def broken(files: Mapping[str, str]) -> list[str]:
    """Where files differ from what their description says of them."""
    description = json.loads(files["api/v1/openapi.json"])
    assert description["openapi"] == "3.1.0"
    wrong = []
    for path, text in files.items():
        if path.endswith(".json") and path != "api/v1/openapi.json":
            schema = schema_of(description, path)
            if schema is None:
                wrong.append(f"{path} is not described")
            else:
                wrong += [
                    f"{path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(json.loads(text))
                ]
    return wrong


def test_everything_that_is_served_keeps_to_its_description(tiny: Base, real_api: Mapping[str, str]) -> None:
    assert broken(published(tiny.read())) == []
    assert (
        broken({path: text for path, text in real_api.items() if re.search(r"([^/]+)\.json$", path)[1] in SAMPLE}) == []
    )


def test_a_description_that_is_not_kept_is_noticed(tiny: Base) -> None:
    files = published(tiny.read())
    path = "api/v1/models/tiny-a.json"
    files[path] = files[path].replace('"bytes_per_token":320', '"bytes_per_token":320.5')
    assert len(broken(files)) == 1


def test_every_file_that_a_list_names_is_there(tiny: Base) -> None:
    files = published(tiny.read())
    for path, text in files.items():
        if path.endswith("/index.json") and path != "api/v1/index.json":
            assert all(f"api/v1/{item['json']}" in files for item in json.loads(text)["items"])
    assert all(f"api/v1/{path}" in files for path in json.loads(files["api/v1/index.json"])["lists"].values())
    for address in re.findall(r"\]\(((?:api|feed)[^)]*)\)", files["llms.txt"]):
        assert address in files


def test_figures_and_verdicts_are_those_of_the_record(real: KnowledgeBase, real_api: Mapping[str, str]) -> None:
    model = json.loads(real_api["api/v1/models/deepseek-v2.json"])
    figures = {figure["layout"]: figure["bytes_per_token"] for figure in model["figures"]}
    assert figures["bf16"] == 60 * (512 + 64) * 2  # DeepSeek-V2: 60 layers of one latent row
    assert "unverified" in model["doubts"]
    for id in ("deepseek-v2", "gpt-oss-120b"):
        answers = json.loads(real_api[f"api/v1/verdicts/{id}.json"])
        for engine, groups in answers["engines"].items():
            assert sorted(gpu for group in groups for gpu in group["gpus"]) == sorted(real.verdicts.gpus)
            for group in groups:
                verdict = real.verdicts.verdict(id, engine, group["gpus"][0])
                assert group["state"] == str(verdict.state)
                assert [answers["reasons"][n]["rule"] for n in group["reasons"]] == [
                    one.rule for one in verdict.reasons
                ]


def test_two_builds_of_one_commit_are_the_same_bytes(tiny: Base) -> None:
    first = published(tiny.read())
    assert published(tiny.read()) == first
    assert '"as_of":"2026-11-30"' in first["api/v1/index.json"]
    assert "commit 0123456789" in first["llms.txt"]


def test_tables_have_a_row_for_each_record_and_start_no_formula(tiny: Base) -> None:
    tiny.edit("records/models/tiny-a.yaml", "name: Tiny A\n", 'name: "=cmd()"\n')
    kb = tiny.read()
    for name, text in tables(Site(kb)):
        rows = list(csv.reader(io.StringIO(text)))
        assert len({len(row) for row in rows}) == 1, name
        assert not [cell for row in rows for cell in row if cell[:1] in ("=", "+", "@")]
    models = {row[0]: row for row in csv.reader(io.StringIO(dict(tables(Site(kb)))["api/v1/models.csv"]))}
    assert models["tiny-a"][6] == "320"


def test_the_feed_is_atom_and_holds_every_correction(real: KnowledgeBase) -> None:
    from generator.site.machine.lists import feed

    site = Site(real)
    atom = "{http://www.w3.org/2005/Atom}"
    for url, start in (("", "models/"), ("https://servebook.example/", "https://servebook.example/")):
        _, text = feed(site, Edition.of(site, COMMIT), Style.DIRECTORY, url)
        entries = ElementTree.fromstring(text).findall(f"{atom}entry")
        assert len(entries) == len(site.corrections)
        assert len({entry.find(f"{atom}id").text for entry in entries}) == len(entries)
        assert any(entry.find(f"{atom}link").get("href").startswith(start) for entry in entries)


def test_a_page_has_a_markdown_twin_with_its_headings_tables_and_links(tiny: Base) -> None:
    kb = tiny.read()
    page = next(page for page in pages.build(kb) if page.path == "models/tiny-a.md")
    text = as_markdown(page, Style.DIRECTORY)
    assert twin(page.path, Style.DIRECTORY) == "models/tiny-a/index.md"
    assert "\n# Tiny A\n" in text
    assert "4 × 44 = 176 B/token" in text
    assert "](../../engines/tiny-engine/)" in text
    assert not re.search(r"<[a-z/]|page:|¶", text)
    assert "| Format, numbers put in | B/token | Stored by |\n| --- | --- | --- |\n" in text


@pytest.mark.parametrize("style", [Style.DIRECTORY, Style.HTML])
def test_a_cell_of_a_table_is_one_line_of_a_twin(style: Style) -> None:
    page = Page(
        "x.md", "X", "<h1>X</h1><table><thead><tr><th>A</th></tr></thead><tr><td><p>a</p><p>b</p></td></tr></table>"
    )
    assert re.sub(" +", " ", as_markdown(page, style)) == "# X\n\n| A |\n| --- |\n| a b |\n"
