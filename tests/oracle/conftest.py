"""The table of agreements, printed at the end; see test_oracle."""

from __future__ import annotations

from typing import Any

import pytest

AGREED = pytest.StashKey[dict[str, tuple[str, ...]]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[AGREED] = {}


@pytest.fixture
def agreed(request: pytest.FixtureRequest) -> dict[str, tuple[str, ...]]:
    """What has been found equal, by row: the class, how much was compared, the last figure, the conventions."""
    return request.config.stash[AGREED]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    rows = terminalreporter.config.stash[AGREED]
    if not rows:
        return
    table = [("architecture", "family", "compared", "bytes at the last length", "conventions"), *rows.values()]
    widths = [max(len(row[column]) for row in table) for column in range(4)]
    terminalreporter.section("agreements with transformers, in bf16")
    for row in table:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        terminalreporter.write_line("  ".join((*cells, row[4])).rstrip())
