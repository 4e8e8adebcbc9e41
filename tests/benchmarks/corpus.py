"""A base of as many models as wanted: copies of a real one and its config, each under names of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

MODEL, SOURCE, REPO = "qwen3-32b", "hf-config-qwen-qwen3-32b", "Qwen/Qwen3-32B"


def grow(root: Path, out: Path, copies: int) -> Path:
    """A copy of the base below `root` with so many more models, each with the source that it cites."""
    for name in ("records", "sources", "schema", "docs"):
        shutil.copytree(root / name, out / name)
    shutil.copy(root / "mkdocs.yml", out)
    model = (root / "records/models" / f"{MODEL}.yaml").read_text("utf-8")
    source = (root / "sources" / f"{SOURCE}.yaml").read_text("utf-8")
    for number in range(copies):
        new, cited, repo = f"copy-{number}", f"copy-{number}-config", f"Copies/Copy-{number}"
        (out / "records/models" / f"{new}.yaml").write_text(_renamed(model, cited, repo), "utf-8")
        (out / "sources" / f"{cited}.yaml").write_text(_renamed(source, cited, repo), "utf-8")
    return out


def _renamed(text: str, source: str, repo: str) -> str:
    return text.replace(SOURCE, source).replace(REPO, repo)
