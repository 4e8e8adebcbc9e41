"""The quantizations on record, and how many bytes a model would take in each, whether such a file exists or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from generator.catalog.records import Catalog, Record
from generator.derive.config.fields import NotDerivable
from generator.derive.config.layer_lists import layers_of
from generator.derive.config.wrappers import WRAPPERS, unwrap
from generator.derive.facts import Facts
from generator.notation.citations import whole

if TYPE_CHECKING:  # `kv --config` weighs nothing, and need not wait for the tables of all architectures
    from generator.derive.parameters.gguf import Mixture
    from generator.derive.parameters.weight_layouts import WeightLayout

PLAIN = {"torch_dtype": "bfloat16"}
USUAL = {"group_size": 128, "block_rows": 128, "block_columns": 128}
STATED = ("quantization_config", "compression_config", "dtype", "torch_dtype")


def weight_table(catalog: Catalog) -> Mapping[str, Any]:
    """``schema/weight_schemes.yaml`` with the layouts that are records; made once for a catalog."""
    if catalog not in _TABLES:
        _TABLES[catalog] = _table(catalog)
    return _TABLES[catalog]


_TABLES: WeakKeyDictionary[Catalog, Mapping[str, Any]] = WeakKeyDictionary()


def _table(catalog: Catalog) -> Mapping[str, Any]:
    layouts = {
        record.id: {"values": record.get("values"), "blocks": record.get("blocks")}
        for record in catalog.sound("quantization")
        if record.get("blocks")
    }
    return {**catalog.tables.get("weight_schemes", {}), "layouts": layouts}


def layout_of(catalog: Catalog, record: Record) -> WeightLayout:
    """A block type or the layout of a checkpoint, with the usual sizes where a scheme leaves them open."""
    from generator.derive.parameters.weight_layouts import layout_from

    stated = record.get("as_stated", "config", "group_size")
    return layout_from(weight_table(catalog), record.id, {**USUAL, **({"group_size": stated} if stated else {})}, 16)


def open_sizes(record: Record) -> str:
    """The usual sizes that a layout is shown with, where a scheme leaves them open; empty where it does not."""
    sides = [
        side for block in record.get("blocks") or () for side in (block["of"] if isinstance(block["of"], list) else ())
    ]
    if "group_size" in sides:
        return f"groups of {record.get('as_stated', 'config', 'group_size') or USUAL['group_size']}"
    return "blocks of 128 x 128" if "block_rows" in sides else ""


@dataclass(frozen=True)
class StoredSize:
    """What a model's weights take under a quantization; a reason where that does not follow."""

    record: Record
    bytes: int | None
    reason: str = ""

    @property
    def name(self) -> str:
        """The quantization, with its setting where it leaves one open."""
        about = self.record.get("as_stated", "about")
        return f"{self.record.title}, {about}" if about else self.record.title


def stored_sizes(catalog: Catalog, facts: Facts) -> Iterator[StoredSize]:
    """The sizes of a counted model under each mixture and each scheme that has a usual setting."""
    from generator.derive.parameters import Parameters

    if isinstance(facts.parameters, Parameters):
        for record in catalog.sound("quantization"):
            if record.get("mixture") or record.get("as_stated"):
                yield stored_size(catalog, facts, record)


def stored_size(catalog: Catalog, facts: Facts, record: Record) -> StoredSize:
    """The size of a counted model under one quantization."""
    from generator.derive.parameters import Parameters

    if not isinstance(facts.parameters, Parameters):
        why = facts.parameters.reason if facts.parameters else "its parameters are not counted"
        return StoredSize(record, None, why)
    found = _mixed(catalog, facts, record) if record.get("mixture") else _scheme(catalog, facts, record)
    if isinstance(found, NotDerivable):
        return StoredSize(record, None, found.reason)
    return StoredSize(record, found.total)


def _mixed(catalog: Catalog, facts: Facts, record: Record) -> Any:
    from generator.derive.parameters import Parameters
    from generator.derive.parameters.gguf import mixture_bytes, type_names

    counted = layers_of(unwrap(facts.config))
    assert isinstance(facts.parameters, Parameters)
    if counted is None:
        return NotDerivable("the config does not say how many layers there are", ("num_hidden_layers",))
    mixture = _mixture(record)
    types = _block_types(catalog)
    types |= {name: layout_of(catalog, catalog.records[name]) for name in set(type_names(mixture)) - types.keys()}
    return mixture_bytes(facts.parameters, counted[1], mixture, types, weight_table(catalog))


def _block_types(catalog: Catalog) -> dict[str, WeightLayout]:
    """The layouts of all block types, by their ids."""
    if catalog not in _BLOCKS:
        types = (record for record in catalog.sound("quantization") if record.get("form") == "block type")
        _BLOCKS[catalog] = {record.id: layout_of(catalog, record) for record in types}
    return dict(_BLOCKS[catalog])


_BLOCKS: WeakKeyDictionary[Catalog, dict[str, WeightLayout]] = WeakKeyDictionary()


def _mixture(record: Record) -> Mixture:
    from generator.derive.parameters.gguf import Mixture, MixtureRule

    stated = record.get("mixture")
    rules = (
        MixtureRule(rule["tensor"], rule["layers"], _id(rule["type"]), rule.get("when", {}))
        for rule in stated.get("rules", ())
    )
    return Mixture(record.title, _id(stated["default"]), _id(stated["output"]), tuple(rules))


def _id(cited: str) -> str:
    mention = whole(cited)
    return mention.id if mention else ""


def _scheme(catalog: Catalog, facts: Facts, record: Record) -> Any:
    """The config as if it stated this scheme and nothing else."""
    from generator.derive.parameters import Parameters, weight_bytes

    assert isinstance(facts.parameters, Parameters)
    inner = {key: value for key, value in unwrap(facts.config).items() if key not in (*STATED, *WRAPPERS)}
    config = {**inner, **PLAIN, "quantization_config": record.get("as_stated", "config")}
    return weight_bytes(facts.parameters, config, weight_table(catalog))
