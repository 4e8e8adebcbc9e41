"""The question on the first page, without scripts and with small ones."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping

from conftest import ROOT

from generator.knowledge.knowledge_base import KnowledgeBase
from generator.site.html.page import Page


def test_the_first_page_asks_without_scripts(real: KnowledgeBase, real_pages: Mapping[str, Page]) -> None:
    html = real_pages["index.md"].html
    assert '<form class="sb-ask" action="page:models/index.md" method="get"' in html
    options = set(re.findall(r'<option value="([^"]*)">', html))
    names = set(re.findall(r'<bdi class="sb-name">([^<]*)</bdi>', html))
    assert options == names
    assert len(re.findall(r'class="sb-name"', html)) == len(list(real.catalog.sound("model")))
    counts = [int(count) for count in re.findall(r'<span class="sb-count">(\d+)</span>', html)]
    assert sum(counts) == len(list(real.catalog.sound("model")))


def test_the_scripts_stay_small() -> None:
    """As they travel, compressed."""
    assert len(gzip.compress((ROOT / "templates/assets/servebook.js").read_bytes())) < 4608
