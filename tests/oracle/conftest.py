"""What was found, printed at the end: the table of agreements of test_oracle, the counts of test_unseen_classes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

AGREED = pytest.StashKey[dict[str, tuple[str, ...]]]()
UNSEEN = pytest.StashKey[dict[str, str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[AGREED] = {}
    config.stash[UNSEEN] = {}


@pytest.fixture
def agreed(request: pytest.FixtureRequest) -> dict[str, tuple[str, ...]]:
    """What has been found equal, by row: the class, how much was compared, the last figure, the conventions."""
    return request.config.stash[AGREED]


@pytest.fixture
def unseen(request: pytest.FixtureRequest) -> dict[str, str]:
    """What came of each class that was drawn: equal, wrong, refused for a reason, or not run."""
    return request.config.stash[UNSEEN]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    _agreements(terminalreporter, terminalreporter.config.stash[AGREED])
    _outcomes(terminalreporter, terminalreporter.config.stash[UNSEEN])


def _agreements(reporter: Any, rows: dict[str, tuple[str, ...]]) -> None:
    if not rows:
        return
    table = [("architecture", "family", "compared", "bytes at the last length", "conventions"), *rows.values()]
    widths = [max(len(row[column]) for row in table) for column in range(4)]
    reporter.section("agreements with transformers, in bf16")
    for row in table:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        reporter.write_line("  ".join((*cells, row[4])).rstrip())


def _outcomes(reporter: Any, found: dict[str, str]) -> None:
    """Counts first, then the reason of each refusal."""
    if not found:
        return
    kinds = Counter(what.partition(":")[0] for what in found.values())
    reporter.section(f"{len(found)} classes of transformers, from their default configs")
    reporter.write_line(", ".join(f"{count} {what}" for what, count in kinds.most_common()))
    for model_type, what in found.items():
        if what != "equal":
            reporter.write_line(f"  {model_type}: {what[:160]}")
