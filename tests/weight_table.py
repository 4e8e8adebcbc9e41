"""The table of weight schemes as the records complete it, read from the files themselves."""

from __future__ import annotations

from typing import Any

import yaml
from conftest import ROOT


def weight_table() -> dict[str, Any]:
    """``schema/weight_schemes.yaml`` with the layouts of ``records/quantizations/``."""
    records = {path.stem: _load(path) for path in sorted((ROOT / "records/quantizations").glob("*.yaml"))}
    layouts = {id: record for id, record in records.items() if "blocks" in record}
    return {**_load(ROOT / "schema/weight_schemes.yaml"), "layouts": layouts}


def _load(path: Any) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
