"""``python tests/attacks.py``: attacks on files repeated, as the table of docs/threat-model.md: tried, held, fell.

An input is a case of a test, or what a test counts itself: each kill at a step, each change of a schema. The
latter are SERVEBOOK_TRIED in each file.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROWS = {
    "folders that are not ours, through build, materialise and MkDocs": [
        *("catalog/test_output_folders.py", "cli/test_written_folders.py", "site/test_plugin.py -k ours"),
    ],
    "links, pipes, devices, and paths that lead out of the base": [
        "cli/test_surroundings.py -k regular or published or follows or linked_folder or registry or pipe_or",
        "site/test_plugin.py -k link_is_built or behind",
        "catalog/test_journal.py -k outside or link or came_with",
    ],
    "kills, each before another step on the disk": [
        "catalog/test_journal.py -k kill_at_any",
        "authoring/test_killed.py -k kill_at_any",
    ],
    "files of schema/ with one mistake": ["catalog/test_schema_files.py"],
    "values that `new` writes": ["authoring/test_yaml_writer.py"],
    "full disks, lacking rights, odd arguments": [
        "cli/test_surroundings.py -k full or written_is or gone or odd or half or 400 or taken or stopped or absence",
    ],
}


class Tally:
    """What pytest tells of each case."""

    def __init__(self) -> None:
        self.counted: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.outcome != "skipped":
            many = sum(int(number) for name, number in report.user_properties if name == "tried")
            self.counted["held"] += (many or 1) if report.passed else max(many - 1, 0)
            self.counted["fell"] += report.failed


def main() -> int:
    fell = 0
    print("| what | tried | held | fell |\n|---|---|---|---|")
    for name, files in ROWS.items():
        tally = Tally()
        for each in files:
            path, _, words = each.partition(" -k ")
            chosen = ["-k", words] if words else []
            pytest.main([str(HERE / path), *chosen, "-qq", "--no-header", "-p", "no:terminalreporter"], plugins=[tally])
        held, lost = tally.counted["held"], tally.counted["fell"]
        fell += lost
        print(f"| {name} | {held + lost:,} | {held:,} | {lost:,} |", flush=True)
    return 1 if fell else 0


if __name__ == "__main__":
    sys.exit(main())
