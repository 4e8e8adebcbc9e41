"""What the generator costs, as ratios to a named peer on the same work: ``python tests/benchmarks``.

Seconds on a shared machine say little, ratios in one run say much. Nothing here passes or fails.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import yaml
from corpus import grow
from measure import Ratio, compare

from generator.catalog.read import read
from generator.catalog.yaml.loader import load
from generator.checks import judge
from generator.knowledge.knowledge_base import assemble

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = ROOT / "tests/data/attention_configs.yaml"
COPIES = 1000


def main() -> None:
    """All benchmarks, a row each."""
    for ratio in reading(ROOT):
        print(ratio, flush=True)
    print(validating("validate, the real base", ROOT), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        grown = grow(ROOT, Path(folder) / "base", COPIES)
        print(validating(f"validate, {COPIES:,} more models", grown), flush=True)
        for ratio in starting(Path(folder)):
            print(ratio, flush=True)


def texts(root: Path) -> list[str]:
    """Every record and source below a root."""
    return [path.read_text("utf-8") for name in ("records", "sources") for path in (root / name).rglob("*.yaml")]


def loop(root: Path) -> None:
    """The least that any reader of these files does: PyYAML's C loader, no places, no checks."""
    for text in texts(root):
        yaml.load(text, Loader=yaml.CSafeLoader)


def reading(root: Path) -> list[Ratio]:
    """YAML to values with the place of each, against PyYAML's C loader, which keeps none."""
    every = texts(root)
    megabytes = sum(map(len, every)) / 1e6
    return [
        compare(
            f"read {len(every):,} files ({megabytes:.1f} MB) with places",
            lambda: [load(text) for text in every],
            "yaml.CSafeLoader",
            lambda: [yaml.load(text, Loader=yaml.CSafeLoader) for text in every],
        )
    ]


def validating(what: str, root: Path) -> Ratio:
    """The whole of `servebook validate`, the command's start left out."""
    return compare(
        what, lambda: judge(assemble(read(root), date.today())), "a bare loop of yaml.CSafeLoader", lambda: loop(root)
    )


def starting(folder: Path) -> list[Ratio]:
    """Short commands as a user waits for them, against a Python that does nothing."""
    config = folder / "config.json"
    llama = next(row for row in load(CONFIGS.read_text("utf-8")).data if row["id"] == "meta-llama/Llama-3.1-8B")
    config.write_text(json.dumps(llama["config"]), encoding="utf-8")
    commands = {"--help": ["--help"], "explain": ["explain", "CIT101"], "kv --config": ["kv", "--config", str(config)]}
    nothing = _run([sys.executable, "-c", "pass"])
    return [
        compare(
            f"servebook {name}",
            _run([sys.executable, "-m", "generator", *arguments]),
            "python -c pass",
            nothing,
            clock=_children,
        )
        for name, arguments in commands.items()
    ]


def _run(command: list[str]) -> Callable[[], object]:
    return lambda: subprocess.run(command, cwd=ROOT, capture_output=True, check=False)


def _children() -> float:
    """CPU seconds of the commands that have ended."""
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
