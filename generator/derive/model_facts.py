"""Catalog to facts: what follows from the records and is never stored in one.

For each model: its geometry, and its figures in each layout that some engine really stores; or the reason why there
are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from operator import is_
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

from generator.catalog.records import Catalog, Record
from generator.derive import attention
from generator.derive.attention.geometry import Geometry
from generator.derive.cited_config import CitedConfig, cited_source
from generator.derive.class_defaults import ClassDefaults, class_defaults
from generator.derive.config.fields import NotDerivable, is_size
from generator.derive.config.keys import ConfigKeys
from generator.derive.counts import count_of, weights_of
from generator.derive.facts import Facts
from generator.derive.figures import figures_and_refusals
from generator.derive.quantizations import weight_table
from generator.derive.states import states_of
from generator.derive.stored_formats import Formats

if TYPE_CHECKING:  # `kv --config` counts no parameters, and need not wait for the tables of all architectures
    from generator.derive.parameters import Parameters


def derived(
    config: Mapping[str, Any], keys: ConfigKeys, given: Mapping[str, Any], assume_neutral: tuple[str, ...] = ()
) -> Geometry | NotDerivable:
    """The geometry of a config; from what its class sets by itself only where the config alone does not decide."""
    alone = attention.derive(config, keys, assume_neutral)
    if isinstance(alone, Geometry) or not given:
        return alone
    return attention.derive(config, keys, assume_neutral, given)


def facts_of(catalog: Catalog, record: Record, keys: ConfigKeys, all_formats: Formats) -> Facts:
    """Derive one model: what it keeps per token, and how many parameters it has.

    A record object never changes, so what was derived from it and from the same others is derived once: a live preview
    reads only the file that was edited.
    """
    sources = cited_source(catalog, record, "config"), cited_source(catalog, record, "class_defaults")
    known, table = _DERIVED.get(record), weight_table(catalog)
    if known and all(map(is_, known[0], sources)) and known[1] is all_formats and known[2:4] == (keys, table):
        return known[4]
    facts = _facts(catalog, record, sources, keys, all_formats)
    _DERIVED[record] = (sources, all_formats, keys, table, facts)
    return facts


_Sources: TypeAlias = tuple[Record | None, Record | None]
_DERIVED: WeakKeyDictionary[Record, tuple[_Sources, Formats, ConfigKeys, Mapping[str, Any], Facts]]
_DERIVED = WeakKeyDictionary()


def _facts(catalog: Catalog, record: Record, sources: _Sources, keys: ConfigKeys, all_formats: Formats) -> Facts:
    cited, defaults = CitedConfig(sources[0]), class_defaults(sources[1])
    config = {**cited.inner, **(record.get("architecture") or {})}
    if "architectures" in cited.inner:  # engines ask for a wrapper's class, the layers are those of the class inside
        config["architectures"] = cited.inner["architectures"]
    misfit = _misfit(record, defaults, config)
    given = defaults.keys(whole=cited.complete) if defaults and not misfit else {}
    facts = cache_facts(record.id, config, keys, all_formats, given, classes=_architectures(record, cited))
    if facts.geometry and (left_out := tuple(_left_out(record, cited, keys))):
        names = ", ".join(f"`{key}`" for key in left_out)
        reason = f"the cited config has {names}, which shapes the cache, and the record's architecture leaves it out"
        facts = Facts(record.id, config, None, reason, left_out)
    if misfit and facts.geometry is None:
        facts = replace(facts, reason=misfit, fields=("class_defaults",))
    elements = record.get("checkpoint", "elements", "value")
    elements = elements if is_size(elements) else None
    counted = count_of(cited, facts.config, given, elements)
    used = {key: value for key, value in given.items() if key in _relied_on(facts.geometry, counted, config)}
    filled = defaults.used(used) if defaults and used else None
    table = weight_table(catalog)
    weights = weights_of(cited, facts.config, counted, table, _called(record), elements)
    return replace(facts, parameters=counted, class_defaults=filled, weights=weights)


def _called(record: Record) -> Iterator[str]:
    """What a record calls its checkpoint: by these words, too, a checkpoint says that it is quantised."""
    yield record.id
    for key in ("name", "repo"):
        value = record.get(key)
        if isinstance(value, str):
            yield value.rpartition("/")[2]


def _misfit(record: Record, defaults: ClassDefaults | None, config: Mapping[str, Any]) -> str | None:
    """Why the source that a record names for class defaults gives none."""
    if not record.get("class_defaults"):
        return None
    if defaults is None:
        return "`class_defaults` cites a source whose facts state no model_type, class and defaults"
    return defaults.misfit(config)


def _relied_on(
    geometry: Geometry | None, counted: Parameters | NotDerivable, config: Mapping[str, Any]
) -> frozenset[str]:
    """Keys that a figure was derived from although the config does not state them."""
    read = geometry.reads if geometry else frozenset()
    counts = frozenset() if isinstance(counted, NotDerivable) else frozenset(counted.assumed)
    return frozenset(key for key in read | counts if key not in config)


def cache_facts(
    id: str,
    config: Mapping[str, Any],
    keys: ConfigKeys,
    all_formats: Formats,
    given: Mapping[str, Any] = MappingProxyType({}),
    assume_neutral: tuple[str, ...] = (),
    classes: frozenset[str] = frozenset(),
) -> Facts:
    """What a model with this config keeps, of a record or of any config.json: geometry, figures and states, or why not.

    ``given`` are class defaults, ``assume_neutral`` are keys that the caller vouches for, and ``classes`` are the names
    by which engines know the model: some store a format for some classes only.
    """
    geometry = derived(config, keys, given, assume_neutral)
    if isinstance(geometry, NotDerivable):
        return Facts(id, config, None, geometry.reason, geometry.fields, open_keys=geometry.open_keys)
    figures, refused = figures_and_refusals(geometry, classes, all_formats)
    states, misfits = states_of(geometry, figures)
    return Facts(id, config, geometry, None, (), figures, states, (*refused, *misfits))


def _left_out(record: Record, cited: CitedConfig, keys: ConfigKeys) -> Iterator[str]:
    """Keys of the cited config that shape the cache and that the record's own fields, which decide, leave out."""
    written = record.get("architecture") or {}
    for key, value in cited.inner.items():
        stated = key not in written and value is not None
        if stated and keys.role(key) in ("kv", "state") and not keys.is_off(key, value):
            yield key


def _architectures(record: Record, cited: CitedConfig) -> frozenset[str]:
    own = record.get("architecture", "architectures") or cited.inner.get("architectures")
    return class_names(own) | class_names([record.get("serving_architecture", "value")])


def class_names(stated: Any) -> frozenset[str]:
    """The names in a list of classes; none in anything else."""
    return frozenset(name for name in (stated if isinstance(stated, list) else ()) if isinstance(name, str))
