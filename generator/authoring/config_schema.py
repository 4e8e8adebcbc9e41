"""``schema/config.schema.json``: the known config keys with their types, made from ``schema/config_keys.yaml``.

Editors complete and check a model's ``architecture`` by it, and validation reads the same file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from generator.catalog.records import Catalog

PATH = "schema/config.schema.json"
ROLES = {
    "kv": "Shapes the cache",
    "state": "Shapes what a sequence keeps",
    "neutral": "Does not shape the cache",
    "identity": "Says what the model is",
}


def config_schema(catalog: Catalog) -> str:
    """The text of the file: one key to a line, in the order of the table."""
    table = catalog.tables["config_keys"]
    rows = _properties(table).items()
    lines = ",\n".join(f"        {json.dumps(key)}: {json.dumps(schema, ensure_ascii=False)}" for key, schema in rows)
    return f"""{{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Config keys. Made by `servebook schema` from schema/config_keys.yaml: change that instead",
  "$defs": {{
    "config": {{
      "type": "object",
      "properties": {{
{lines}
      }}
    }}
  }}
}}
"""


def _properties(table: Mapping[str, Any]) -> dict[str, Any]:
    """A schema for each key; a dotted key is inside the object that it names."""
    types = {str(key): row for row in table.get("types") or () for key in row["keys"]}
    found: dict[str, Any] = {}
    for group in table["groups"]:
        why = " ".join(str(group["why"]).split())
        for key in map(str, group["keys"]):
            *outer, name = key.split(".")
            place = found
            for part in outer:
                place = place.setdefault(part, {}).setdefault("properties", {})
            place[name] = {
                **place.get(name, {}),
                **_typed(types.get(key)),
                "description": f"{ROLES[group['role']]}: {why}",
            }
    return found


def _typed(row: Mapping[str, Any] | None) -> dict[str, Any]:
    """The type that the table gives, or null; nothing where it gives none."""
    if row is None:
        return {}
    named = row["type"] if isinstance(row["type"], list) else [row["type"]]
    more: dict[str, Any] = {"items": {"type": row["items"]}} if "items" in row else {}
    return {"type": [*named, "null"], **more, **({"minimum": row["minimum"]} if "minimum" in row else {})}
