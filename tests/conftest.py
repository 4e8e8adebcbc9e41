"""A clean miniature knowledge base to change one thing in, and the real one to hold to its promises."""

from __future__ import annotations

import gc
import os
import re
import shutil
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from generator.catalog.read import read
from generator.checks import judge as judge_base
from generator.checks.run import CheckRun
from generator.findings import Finding
from generator.knowledge.knowledge_base import KnowledgeBase, assemble
from generator.site import pages
from generator.site.html.page import Page

HERE = Path(__file__).parent
ROOT = HERE.parent
TINY = HERE / "bases/tiny"
AUDIT = HERE / "bases/audit"
TODAY = date(2026, 11, 29)
FIXED = (
    *("YML003", "YML004", "CIT101", "CIT105", "CIT106", "CIT111", "CIT113"),
    *("WIR201", "WIR204", "NUM414", "DRF604"),
)
"""The checks whose bad example carries a fix."""

# A test that passes today passes tomorrow: seeds are fixed. `make search` looks further, with a seed that it prints.
settings.register_profile(
    "fixed",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("search", settings.get_profile("fixed"), derandomize=False, database=None, max_examples=2000)
settings.load_profile("fixed")


def amended(text: str, change: str) -> str:
    """A record's text with the fields of `change` in place of its own; a block of fields is gone into."""
    fields = _fields(text)
    for key, new in _fields(change).items():
        old = fields.get(key, "")
        if _is_block(old) and _is_block(new):
            inner = amended(*(textwrap.dedent(each.partition("\n")[2]) for each in (old, new)))
            new = f"{key}:\n{textwrap.indent(inner, '  ')}"
        fields[key] = new
    return "".join(fields.values())


def _fields(text: str) -> dict[str, str]:
    """The text of each field at the head of a line; what stands twice stays together."""
    fields: dict[str, str] = {}
    key = ""
    for line in text.splitlines(keepends=True):
        found = re.match(r"(\w+):", line)
        key = found[1] if found else key
        fields[key] = fields.get(key, "") + line
    return fields


def _is_block(field: str) -> bool:
    return re.match(r"\w+:\n  \w+:", field) is not None


@dataclass(frozen=True)
class Base:
    """A knowledge base on disk that a test may write to."""

    root: Path

    def lay(self, files: Mapping[str, str | bytes | None]) -> Base:
        """Write files over it, byte for byte; None removes one."""
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                path.unlink()
            else:
                path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return self

    def amend(self, files: Mapping[str, str]) -> Base:
        """Write examples over it: of a file that is there, the fields given replace its fields."""
        there = {name: self.root / name for name in files if (self.root / name).exists()}
        return self.lay(
            {**files, **{name: amended(path.read_text("utf-8"), files[name]) for name, path in there.items()}}
        )

    def edit(self, name: str, old: str, new: str) -> Base:
        """Replace a text that stands once in a file."""
        text = (self.root / name).read_bytes().decode("utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {name}"
        return self.lay({name: text.replace(old, new)})

    def read(self) -> KnowledgeBase:
        """All that follows from it."""
        return assemble(read(self.root), TODAY)

    def judge(self) -> CheckRun:
        """The outcome of all checks."""
        return judge_base(self.read())

    def findings(self, *codes: str) -> list[Finding]:
        """Its findings, or those of some codes."""
        return [finding for finding in self.judge().findings if not codes or finding.code in codes]


@pytest.fixture
def today() -> date:
    """The day on which tests take place."""
    return TODAY


@pytest.fixture
def tiny(tmp_path: Path) -> Base:
    """A copy of tests/bases/tiny, in which every check is silent."""
    shutil.copytree(TINY, tmp_path / "tiny")
    return Base(tmp_path / "tiny")


@pytest.fixture
def judge() -> Callable[[Path], CheckRun]:
    """The outcome of all checks on the knowledge base below a folder."""
    return lambda root: Base(root).judge()


@pytest.fixture(scope="session")
def real_root() -> Path:
    """This repository, which is the real knowledge base."""
    return ROOT


@pytest.fixture(scope="session")
def real(real_root: Path) -> KnowledgeBase:
    """The real knowledge base, read once and not to be written to."""
    base = assemble(read(real_root), TODAY)
    gc.freeze()  # it stays to the end: nobody need look through it for garbage
    return base


@pytest.fixture(scope="session")
def real_pages(real: KnowledgeBase) -> Mapping[str, Page]:
    """The pages of the real base, made once."""
    return {page.path: page for page in pages.build(real)}


@pytest.fixture
def real_copy(real_root: Path, tmp_path: Path) -> Base:
    """A copy of the real records and sources that a test may write to."""
    for name in ("records", "sources", "schema"):
        shutil.copytree(real_root / name, tmp_path / "real" / name)
    return Base(tmp_path / "real")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A running Chromium; without one the tests skip, and fail where CI=true."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next((found for name in names if (found := shutil.which(name))), None)
    if path is None:
        reason = f"no Chromium on the PATH ({', '.join(names)}); .ci/chromium installs one"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
