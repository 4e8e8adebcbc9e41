"""``servebook new``: a record that keeps to its schema, with everything filled in that can be known.

What the author must still find out is marked TODO; a model's skeleton is filled from its config.json.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from generator.authoring.skeletons import CannotBegin, config_source_skeleton, model_skeleton, skeleton, source_skeleton
from generator.authoring.yaml_writer import CannotBeWritten, as_yaml
from generator.catalog.disk.journal import write_all
from generator.catalog.kinds import Kind
from generator.catalog.records import Catalog, Record
from generator.notation.citations import ID


def write(root: Path, catalog: Catalog, kind: str, id: str, given: Mapping[str, Any], today: date) -> list[Path]:
    """Write the skeleton of a record (and, for a model with a config, of its source); the paths are root-relative."""
    if kind not in catalog.kinds:
        raise CannotBegin(f"no kind is called `{kind}`; known: {', '.join(each.name for each in catalog.kinds)}")
    _refuse_id(catalog, id)
    if kind != "model" and any(given.get(name) for name in ("config", "repo", "source", "name", "vendor")):
        raise CannotBegin("--config, --repo, --source, --name and --vendor go with `new model`")
    if kind != "source" and given.get("url"):
        raise CannotBegin("--url goes with `new source`")
    planned = _plan(catalog, kind, id, given, today)
    for path in planned:
        if os.path.lexists(root / path):
            raise CannotBegin(f"{path.as_posix()} exists already")
    write_all(root, {path.as_posix(): (None, text.encode("utf-8")) for path, text in planned.items()})
    return list(planned)


def _refuse_id(catalog: Catalog, id: str) -> None:
    if not re.fullmatch(ID, id):
        raise CannotBegin(f"`{id}` is not an id: lower-case words joined by hyphens, such as deepseek-v3-2")
    if id in catalog.records:
        raise CannotBegin(f"the id `{id}` is taken by {catalog.records[id].path}; one name space holds all kinds")
    if id in catalog.redirects:
        raise CannotBegin(f"`{id}` is an old id of `{catalog.redirects[id]}`; ids are never used again")


def _plan(catalog: Catalog, kind: str, id: str, given: Mapping[str, Any], today: date) -> dict[Path, str]:
    if kind == "source":
        return {
            _path(catalog, "source", id): _text(
                catalog, "source", source_skeleton(catalog, id, given.get("url"), today)
            )
        }
    if kind != "model":
        return {_path(catalog, kind, id): _text(catalog, kind, skeleton(catalog.schemas.field(kind)))}
    config, source = given.get("config"), given.get("source")
    cited = _cited(catalog, source) if source else None
    model = model_skeleton(catalog, id, config or (cited.get("facts") if cited else {}), given, cited, source)
    planned = {}
    if config is not None and source is None:
        new = f"hf-config-{id}"
        _refuse_id(catalog, new)
        planned[_path(catalog, "source", new)] = _text(catalog, "source", config_source_skeleton(model, config, today))
    return {**planned, _path(catalog, "model", id): _text(catalog, "model", model)}  # what it cites comes first


def _cited(catalog: Catalog, source: str) -> Record:
    record = catalog.records.get(source)
    if record is None or record.kind != "source":
        raise CannotBegin(f"no source has the id `{source}`; `servebook new source {source}` creates one")
    if not isinstance(record.get("facts"), dict):
        raise CannotBegin(f"{record.path} holds no facts: fill in what its config says first")
    return record


def _path(catalog: Catalog, kind: str, id: str) -> Path:
    return Path(catalog.kinds[kind].folder) / f"{id}.yaml"


def _text(catalog: Catalog, kind: str, record: Mapping[str, Any]) -> str:
    folder: Kind = catalog.kinds[kind]
    up = "../" * (folder.folder.count("/") + 1)
    try:
        return f"# yaml-language-server: $schema={up}schema/{kind}.schema.json\n" + as_yaml(record)
    except CannotBeWritten as problem:
        raise CannotBegin(f"no {kind} was created: {problem}") from None
