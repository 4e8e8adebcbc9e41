"""What can be filled into a new record: for a model from its config, for a source from its address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from generator.catalog.records import Catalog, Record
from generator.catalog.schemas import Field
from generator.derive.cited_config import config_keys
from generator.derive.config.wrappers import unwrap
from generator.notation.addresses import repositories
from generator.notation.digests import facts_digest

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
"""Fields that a model record states in addition to those that shape its cache."""


class CannotBegin(Exception):
    """The record cannot be created; the message says why and what to do."""


def skeleton(field: Field) -> dict[str, Any]:
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


def model_skeleton(
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
        "config": evidence,
        "architecture": _architecture(catalog, config),
    }
    reasons = {
        "repo": f"{TODO}: name the Hub repository, or say why there is none",
        "config": f"{TODO}: cite the source of the config, or say why none is published",
    }
    return {**record, "why_null": {name: why for name, why in reasons.items() if record[name] is None}}


def _repository(given: Mapping[str, Any], cited: Record | None, source: str | None) -> str | None:
    """The repository that was given, provided that it is the cited source's too; else the source's, if it has one."""
    subjects = [subject[3:] for subject in (cited.get("subjects") or () if cited else ()) if subject.startswith("hf:")]
    repo = given.get("repo") or next(iter(subjects), None)
    if repo is not None and not re.fullmatch(r"[^/ ]+/[^/ ]+", repo):
        raise CannotBegin(f"`{repo}` is not a Hub repository: Org/Name, in its exact case")
    if repo is not None and subjects and repo not in subjects:
        raise CannotBegin(f"{source} is about {', '.join(subjects)}, not about {repo}")
    return repo


def _architecture(catalog: Catalog, config: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a config that a record relies on: the backbone's, and every key that shapes the cache."""
    keys, inner = config_keys(catalog), unwrap(config)
    # The class that engines are asked for is the wrapper's; the one inside names its language model.
    flat = {**inner, **{key: config[key] for key in ("architectures",) if key in config}}
    first = {key: flat[key] for key in BACKBONE if flat.get(key) is not None}
    shaping = {key: value for key, value in flat.items() if value is not None and keys.role(key) in ("kv", "state")}
    return {**first, **shaping}


def config_source_skeleton(model: Mapping[str, Any], config: Mapping[str, Any], today: date) -> dict[str, Any]:
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


def source_skeleton(catalog: Catalog, id: str, url: str | None, today: date) -> dict[str, Any]:
    known = skeleton(catalog.schemas.field("source"))
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
