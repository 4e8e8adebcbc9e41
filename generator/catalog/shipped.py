"""Files that come with the generator: the schemas and templates of this checkout, or the copies inside the wheel."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent.parent


def shipped(name: str) -> Path:
    """The path of a shipped file or folder, e.g. ``schema`` or ``records/kernels/uniform.yaml``."""
    packed = _HERE / "_shipped" / name
    return packed if packed.exists() else _HERE.parent / name
