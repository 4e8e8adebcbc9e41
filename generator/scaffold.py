"""``servebook new``: a record that keeps to its schema, with everything filled in that can be known.

What the author must still find out is marked TODO; a model's skeleton is filled from its config.json.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

from generator.addresses import repositories
from generator.attention.config import unwrap
from generator.citations import ID
from generator.configs import config_keys
from generator.digests import facts_digest
from generator.kinds import Kind
from generator.records import Catalog, Record
from generator.scalars import scalar
from generator.schemas import Field

TODO = "TODO"
BACKBONE = (
    "architectures",
    "model_type",
    "num_hidden_layers",
    "hidden_size",
    "num_attention_heads",
    "intermediate_size",
    "vocab_size",
    "max_position_embeddings",
)
"""Fields that a model record states beside those that shape its cache."""


class Refused(Exception):
    """The record cannot be begun; the message says why and what to do."""


def write(root: Path, catalog: Catalog, kind: str, id: str, given: Mapping[str, Any], today: date) -> list[Path]:
    """Write the skeleton of a record (and, for a model with a config, of its source); the paths are root-relative."""
    if kind not in catalog.kinds:
        raise Refused(f"no kind is called `{kind}`; known: {', '.join(each.name for each in catalog.kinds)}")
    _refuse_id(catalog, id)
    if kind != "model" and any(given.get(name) for name in ("config", "repo", "source", "name", "vendor")):
        raise Refused("--config, --repo, --source, --name and --vendor go with `new model`")
    if kind != "source" and given.get("url"):
        raise Refused("--url goes with `new source`")
    planned = _plan(catalog, kind, id, given, today)
    for path in planned:
        if (root / path).exists():
            raise Refused(f"{path.as_posix()} exists already")
    for path, text in planned.items():
        _write(root / path, text)
    return list(planned)


def _refuse_id(catalog: Catalog, id: str) -> None:
    if not re.fullmatch(ID, id):
        raise Refused(f"`{id}` is no id: lower-case words joined by hyphens, such as deepseek-v3-2")
    if id in catalog.records:
        raise Refused(f"the id `{id}` is taken by {catalog.records[id].path}; one name space holds all kinds")
    if id in catalog.redirects:
        raise Refused(f"`{id}` is an old id of `{catalog.redirects[id]}`; ids are never used again")


def _plan(catalog: Catalog, kind: str, id: str, given: Mapping[str, Any], today: date) -> dict[Path, str]:
    if kind == "source":
        return {_path(catalog, "source", id): _text(catalog, "source", _source(catalog, id, given.get("url"), today))}
    if kind != "model":
        return {_path(catalog, kind, id): _text(catalog, kind, _skeleton(catalog.schemas.field(kind)))}
    config, source = given.get("config"), given.get("source")
    cited = _cited(catalog, source) if source else None
    model = _model(catalog, id, config or (cited.get("facts") if cited else {}), given, cited, source)
    planned = {_path(catalog, "model", id): _text(catalog, "model", model)}
    if config is not None and source is None:
        new = f"hf-config-{id}"
        _refuse_id(catalog, new)
        planned[_path(catalog, "source", new)] = _text(catalog, "source", _config_source(model, config, today))
    return planned


def _cited(catalog: Catalog, source: str) -> Record:
    record = catalog.records.get(source)
    if record is None or record.kind != "source":
        raise Refused(f"no source has the id `{source}`; `servebook new source {source}` begins one")
    if not isinstance(record.get("facts"), dict):
        raise Refused(f"{record.path} holds no facts: fill in what its config says first")
    return record


# --- what is known of each kind -------------------------------------------------------------------------------------


def _skeleton(field: Field) -> dict[str, Any]:
    """The required fields of a kind, each with a value that its schema allows."""
    record = {name: _blank(child) for name, child in field.children.items() if child.required}
    empty = sorted(name for name, value in record.items() if value is None)
    return {**record, "why_null": dict.fromkeys(empty, f"{TODO}: say why, or fill it in")} if empty else record


def _blank(field: Field) -> Any:
    """A value that a field allows: null where it may be null, else its first word, a citation, or TODO."""
    schema = field.schema
    types = schema.get("type", "string")
    types = types if isinstance(types, list) else [types]
    if "null" in types:
        return None
    if "enum" in schema:
        return schema["enum"][0]
    if "array" in types:
        return [_blank(field.children["[]"])] if schema.get("minItems") and "[]" in field.children else []
    if "object" in types:
        return {name: _blank(child) for name, child in field.children.items() if child.required}
    if "integer" in types or "number" in types:
        return 1
    if schema.get("x-cites"):
        return "[[todo]]"
    return f"{TODO}: {field.name}\n" if schema.get("x-prose") else TODO


def _model(
    catalog: Catalog,
    id: str,
    config: Mapping[str, Any],
    given: Mapping[str, Any],
    cited: Record | None,
    source: str | None,
) -> dict[str, Any]:
    """A model's record, with everything that its config and its source say."""
    repo = _repository(given, cited, source)
    vendor, _, name = repo.partition("/") if repo else (TODO, "", id)
    evidence = f"[[{source or f'hf-config-{id}'}]]" if config else None
    derived_from = str(cited.get("derived_from")).removeprefix("hf:") if cited and cited.get("derived_from") else None
    record: dict[str, Any] = {
        "name": given.get("name") or name,
        "vendor": given.get("vendor") or vendor,
        "repo": repo,
        **({"derived_from": derived_from} if derived_from else {}),
        "released": None,
        "license": None,
        "config": evidence,
        "architecture": _architecture(catalog, config),
    }
    reasons = {
        "repo": f"{TODO}: name the Hub repository, or say why there is none",
        "released": "no source on record gives the day of the release",
        "license": "no licence file of the weights was read",
        "config": f"{TODO}: cite the source of the config, or say why none is published",
    }
    return {**record, "why_null": {name: why for name, why in reasons.items() if record[name] is None}}


def _repository(given: Mapping[str, Any], cited: Record | None, source: str | None) -> str | None:
    """The repository that was given, provided that it is the cited source's too; else the source's, if it has one."""
    subjects = [subject[3:] for subject in (cited.get("subjects") or () if cited else ()) if subject.startswith("hf:")]
    repo = given.get("repo") or next(iter(subjects), None)
    if repo is not None and not re.fullmatch(r"[^/ ]+/[^/ ]+", repo):
        raise Refused(f"`{repo}` is no Hub repository: Org/Name, in its exact case")
    if repo is not None and subjects and repo not in subjects:
        raise Refused(f"{source} is about {', '.join(subjects)}, not about {repo}")
    return repo


def _architecture(catalog: Catalog, config: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a config that a record relies on: the backbone's, and every key that shapes the cache."""
    keys, inner = config_keys(catalog), unwrap(config)
    # The class that engines are asked for is the wrapper's; the one inside names its language model.
    flat = {**inner, **{key: config[key] for key in ("architectures",) if key in config}}
    first = {key: flat[key] for key in BACKBONE if flat.get(key) is not None}
    shaping = {key: value for key, value in flat.items() if value is not None and keys.role(key) in ("kv", "state")}
    return {**first, **shaping}


def _config_source(model: Mapping[str, Any], config: Mapping[str, Any], today: date) -> dict[str, Any]:
    repo = model["repo"] or f"{TODO}/{TODO}"
    address = f"https://huggingface.co/{repo}/raw/{TODO}-revision/config.json"
    return {
        "title": f"{model['name']} config.json",
        "publisher": model["vendor"],
        "type": "hf-config",
        "url": address,
        "locator": address,
        "extractor": {"type": "json", "args": {"pointers": [""]}},
        "subjects": [f"hf:{repo}"],
        "retrieved": today.isoformat(),
        "upstream_date": None,
        "retrieval": "read-not-hashed",
        "digest": None,
        "facts_digest": facts_digest(config),
        "license": None,
        "facts": dict(config),
        "why_null": {
            "upstream_date": f"{TODO}: the day of the revision",
            "digest": f"{TODO}: sha256 of the file as it was downloaded",
            "license": "licence of the model repository not read",
        },
    }


def _source(catalog: Catalog, id: str, url: str | None, today: date) -> dict[str, Any]:
    known = _skeleton(catalog.schemas.field("source"))
    address = url or TODO
    guessed = {
        "title": id,
        "publisher": TODO,
        "type": _type_of(address),
        "url": address,
        "locator": address,
        "subjects": list(dict.fromkeys(repositories(address))) or ["github:TODO/TODO"],
        "retrieved": today.isoformat(),
        "retrieval": "unreadable",
        "facts": {},
    }
    return {**known, **guessed, "why_null": known.get("why_null", {})}


def _type_of(address: str) -> str:
    rules = {
        r"huggingface\.co/.*config\.json": "hf-config",
        r"/issues/\d+": "issue",
        r"/pull/\d+": "pull-request",
        r"README": "readme",
        r"/releases/": "release-notes",
        r"arxiv\.org|\.pdf$": "paper",
        r"^pkg:|\.(py|cc?|cpp|cu|h)$": "source-code",
    }
    return next((name for pattern, name in rules.items() if re.search(pattern, address)), "docs-page")


# --- text -----------------------------------------------------------------------------------------------------------


def _path(catalog: Catalog, kind: str, id: str) -> Path:
    return Path(catalog.kinds[kind].folder) / f"{id}.yaml"


def _text(catalog: Catalog, kind: str, record: Mapping[str, Any]) -> str:
    folder: Kind = catalog.kinds[kind]
    up = "../" * (folder.folder.count("/") + 1)
    return f"# yaml-language-server: $schema={up}schema/{kind}.schema.json\n" + as_yaml(record)


def as_yaml(record: Mapping[str, Any]) -> str:
    """A record as YAML that our reader reads back unchanged: block style, literal prose, quotes where needed."""
    from ruamel.yaml import YAML
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

    def prepared(value: Any) -> Any:
        if isinstance(value, str):
            if "\n" in value:
                return LiteralScalarString(value if value.endswith("\n") else value + "\n")
            return DoubleQuotedScalarString(value) if _needs_quotes(value) else value
        if isinstance(value, Mapping):
            return {key: prepared(item) for key, item in value.items()}
        if isinstance(value, list):
            return _flow([prepared(item) for item in value])
        return value

    yaml = YAML()
    yaml.width = 110
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.representer.add_representer(type(None), lambda rep, _: rep.represent_scalar("tag:yaml.org,2002:null", "null"))
    yaml.representer.add_representer(float, lambda rep, n: rep.represent_scalar("tag:yaml.org,2002:float", repr(n)))
    out = StringIO()
    yaml.dump(prepared(dict(record)), out)
    return out.getvalue()


def _flow(items: list[Any]) -> Any:
    """Lists of plain values stand on one line (wrapped), lists of mappings below each other."""
    from ruamel.yaml.comments import CommentedSeq

    sequence = CommentedSeq(items)
    if not any(isinstance(item, dict | list) for item in items):
        sequence.fa.set_flow_style()
    return sequence


def _needs_quotes(text: str) -> bool:
    value, ambiguous = scalar(text)
    return not isinstance(value, str) or ambiguous is not None or "[[" in text


def _write(path: Path, text: str) -> None:
    """Write a whole file or none: a Ctrl-C leaves no half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
