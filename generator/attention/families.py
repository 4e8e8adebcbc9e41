"""The families, listed by hand. A new one is a reader, the keys it understands, and a line in ``FAMILIES``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from generator.attention import compressed, mla, plain, shared_sources
from generator.attention.fields import Refused
from generator.attention.geometry import Geometry, NotDerivable
from generator.attention.inert import for_full_attention, switched_off

Config = Mapping[str, Any]


@dataclass(frozen=True)
class Family:
    """How one design is recognised and read.

    ``reads`` are the keys it understands, ``matches`` the test for its presence (total: any object is answered), and
    ``inert`` the shaping keys that have no effect in this config, with the reason. No config matches two families.
    """

    name: str
    title: str
    reads: frozenset[str]
    matches: Callable[[Config], bool]
    reader: Callable[[Config], Geometry]
    inert: Callable[[Config], dict[str, str]]

    def read(self, config: Config) -> Geometry | NotDerivable:
        """The geometry of an unwrapped config, or what is missing or wrong in it. The closed world is not checked."""
        try:
            return self.reader(config)
        except Refused as refused:
            return refused.verdict


def _latent(config: Config) -> bool:
    return config.get("kv_lora_rank") is not None


def _compressed(config: Config) -> bool:
    return config.get("compress_ratios") is not None


def _shares_sources(config: Config) -> bool:
    return config.get("kv_source_layer_ids") is not None


def _plain(kind: str) -> Callable[[Config], bool]:
    return lambda config: not _latent(config) and not _compressed(config) and plain.kind(config) == kind


def _per_head(name: str, title: str) -> Family:
    return Family(name, title, plain.READS, _plain(name), plain.read_plain, for_full_attention)


MHA = _per_head("mha", "Multi-head attention")
GQA = _per_head("gqa", "Grouped-query attention")
MQA = _per_head("mqa", "Multi-query attention")
GQA_DKV = Family(
    "gqa_dkv",
    "Grouped-query attention with different key and value widths",
    plain.READS,
    _plain("gqa_dkv"),
    plain.read_two_widths,
    for_full_attention,
)
MLA = Family(
    "mla",
    "Multi-head latent attention",
    mla.READS,
    lambda config: _latent(config) and not _compressed(config) and not mla.has_indexer(config),
    mla.read_mla,
    for_full_attention,
)
MLA_DSA = Family(
    "mla_dsa",
    "Latent attention with a lightning indexer",
    mla.DSA_READS,
    lambda config: _latent(config) and not _compressed(config) and mla.has_indexer(config),
    mla.read_dsa,
    for_full_attention,
)
CSA_HCA = Family(
    "csa_hca",
    "Compressed sparse and heavily compressed attention",
    compressed.READS,
    lambda config: _compressed(config) and not _latent(config) and not _shares_sources(config),
    compressed.read_csa_hca,
    switched_off,
)
CSA2 = Family(
    "csa2",
    "Compressed sparse attention with shared sources",
    shared_sources.READS,
    lambda config: _compressed(config) and not _latent(config) and _shares_sources(config),
    shared_sources.read_csa2,
    switched_off,
)

FAMILIES: tuple[Family, ...] = (MHA, GQA, MQA, GQA_DKV, MLA, MLA_DSA, CSA_HCA, CSA2)
