"""What a model asks of an engine's kernels: its family, the classes that the family needs, and the widths of its rows.

Many models ask the same, so verdicts are worked out per profile and joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from generator.catalog.records import Catalog
from generator.derive.facts import Facts
from generator.notation.units import grouped

Table = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Job:
    """Classes that one backend has to provide together, and what kind of cache they read."""

    classes: tuple[str, ...]
    cache: str

    @property
    def name(self) -> str:
        """The classes in words."""
        return " + ".join(self.classes)


@dataclass(frozen=True)
class Profile:
    """What one kind of model asks. Compared by `key`: equal profiles get equal answers."""

    architecture: str | None
    family: str | None
    why_no_family: str | None
    alternatives: tuple[tuple[Job, ...], ...]
    widths: Mapping[str, frozenset[int]]
    config: Mapping[str, Any]
    dtype: str
    traits: tuple[str, ...] = ()
    ids: frozenset[str] = frozenset()
    key: tuple[Any, ...] = ()
    config_key: tuple[tuple[str, int], ...] = ()
    price: str | None = None


def jobs(classes: Iterable[str], table: Table) -> tuple[Job, ...]:
    """The classes of a family, those that one backend must provide together in one job."""
    groups: dict[str, list[str]] = {}
    for name in classes:
        groups.setdefault(str(table.get(name, {}).get("together") or name), []).append(name)
    return tuple(Job(tuple(names), str(table.get(names[0], {}).get("cache", "kv"))) for names in groups.values())


def profile_of(
    catalog: Catalog,
    facts: Facts,
    architecture: str | None,
    asked_keys: Iterable[str],
    ids: frozenset[str] = frozenset(),
) -> Profile:
    """The profile of a model. `asked_keys` are the config keys that some backend's predicate reads."""
    family = facts.geometry.family if facts.geometry else None
    own = (ids, _price(facts), _kept_widths(facts))
    return profile(catalog, facts.config, family, facts.reason, architecture, asked_keys, *own)


def profile(
    catalog: Catalog,
    config: Mapping[str, Any],
    family: str | None,
    why_no_family: str | None,
    architecture: str | None,
    asked_keys: Iterable[str] = (),
    ids: frozenset[str] = frozenset(),
    price: str | None = None,
    heads: frozenset[int] = frozenset(),
) -> Profile:
    """The profile of any config and family. `price` is what keys and values per head cost instead of a latent.

    `heads` are the widths of heads where the config spells them another way than in its usual keys.
    """
    classes: Table = catalog.tables.get("kernel_classes", {})
    row = catalog.tables.get("families", {}).get(family or "", {})
    traits = tuple(
        what for what, added in (row.get("adds") or {}).items() if _has(catalog, classes, added, architecture, config)
    )
    adds = [row["adds"][what] for what in traits]
    alternatives = tuple(jobs([*way, *adds], classes) for way in row.get("requires_any_of") or ())
    needed = {name for way in alternatives for job in way for name in job.classes}
    widths = {
        name: _widths(classes[name], config, heads) for name in sorted(needed) if classes.get(name, {}).get("width")
    }
    relevant = {key: config[key] for key in sorted(asked_keys) if isinstance(config.get(key), int)}
    config_key = tuple(relevant.items())
    dtype = "fp16" if str(config.get("dtype") or config.get("torch_dtype")) == "float16" else "bf16"
    key = (
        architecture,
        family,
        None if family else why_no_family,
        traits,
        tuple((name, tuple(sorted(found))) for name, found in widths.items()),
        config_key,
        dtype,
        tuple(sorted(ids)),
        price,
    )
    own = (alternatives, widths, relevant, dtype, traits, ids, key, config_key, price)
    return Profile(architecture, family, why_no_family, *own)


def _price(facts: Facts) -> str | None:
    """What it costs to keep keys and values per head instead of a latent row."""
    plain = facts.figure("bf16")
    expanded = facts.geometry.materialised_bytes_per_token if facts.geometry else None
    if not expanded or plain is None or not plain.growth:
        return None
    times = float(expanded / plain.growth)
    return f"{grouped(expanded)} B per token in bf16 instead of {grouped(plain.growth)}, {times:.1f} times as much"


def _has(catalog: Catalog, classes: Table, added: str, architecture: str | None, config: Mapping[str, Any]) -> bool:
    """Whether a model has the property that a family adds a class for."""
    test = classes.get(added, {}).get("wanted_by") or {}
    source = catalog.records.get(str(test.get("source")))
    named = source.get("facts", "architectures") or () if source else ()
    return architecture in named or any(config.get(key) for key in test.get("keys", ()))


def _kept_widths(facts: Facts) -> frozenset[int]:
    """The widths of heads that the geometry keeps: an entry holds a key and a value of each."""
    streams = facts.geometry.streams if facts.geometry else ()
    kept = [stream for stream in streams if stream.role in ("kv", "window") and stream.heads]
    return frozenset(stream.scalars // (2 * stream.heads) for stream in kept if not stream.scalars % (2 * stream.heads))


def _widths(row: Mapping[str, Any], config: Mapping[str, Any], heads: frozenset[int]) -> frozenset[int]:
    """The widths of the rows that a class reads; empty where the config does not say."""
    keys = row.get("width") or ()
    if list(keys) == ["head_dim"]:
        return frozenset(_head_widths(config)) or heads
    parts = [_at(config, key) for key in keys]
    return frozenset([sum(parts)]) if parts and all(isinstance(part, int) for part in parts) else frozenset()


def _at(config: Mapping[str, Any], path: str) -> Any:
    value: Any = config
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _head_widths(config: Mapping[str, Any]) -> Iterable[int]:
    own, hidden, heads = (config.get(key) for key in ("head_dim", "hidden_size", "num_attention_heads"))
    if isinstance(own, int):
        yield own
    elif isinstance(hidden, int) and isinstance(heads, int) and heads and hidden % heads == 0:
        yield hidden // heads
    for key in ("global_head_dim", "swa_head_dim"):
        if isinstance(config.get(key), int):
            yield config[key]
