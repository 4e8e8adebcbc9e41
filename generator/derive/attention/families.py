"""The families, listed by hand. A new one is a reader, the keys it understands, and a line in ``FAMILIES``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from generator.derive.attention import (
    block_configs,
    block_sparse,
    compressed,
    encoder_decoder,
    encoders,
    linear,
    mamba,
    mamba_ssm,
    mla,
    plain,
    shared_pairs,
    shared_sources,
    windows,
)
from generator.derive.attention.geometry import Geometry
from generator.derive.attention.inert import for_full_attention, for_windows, only_what_is_off

Config = Mapping[str, Any]
Reader = Callable[[Config], Geometry]


@dataclass(frozen=True)
class Family:
    """How one design is recognised and read.

    ``reads`` are the keys it understands, and ``inert`` the shaping keys that have no effect in this config, with the
    reason.
    """

    name: str
    reads: frozenset[str]
    reader: Reader
    inert: Callable[[Config], dict[str, str]] = only_what_is_off


def _by_spelling(usual: Reader) -> Reader:
    """The library's own names where the config is in them, else the usual ones."""
    return lambda config: mamba_ssm.read_mamba_ssm(config) if mamba_ssm.is_mamba_ssm(config) else usual(config)


def _per_head(config: Config) -> Geometry:
    searched = config.get(block_configs.KEY) is not None
    return block_configs.read_blocks(config) if searched else plain.read_plain(config)


def _sharing(config: Config) -> Geometry:
    layers = config.get("num_kv_shared_layers")
    return windows.read_sharing(config) if layers not in (None, 0) else shared_pairs.read_pairs(config)


PLAIN = plain.READS | mamba_ssm.READS
MHA = Family("mha", PLAIN, _by_spelling(plain.read_plain), for_full_attention)
GQA = Family("gqa", PLAIN | block_configs.READS, _by_spelling(_per_head), for_full_attention)
MQA = Family("mqa", PLAIN, _by_spelling(plain.read_plain), for_full_attention)
GQA_DKV = Family(
    "gqa_dkv",
    plain.READS,
    plain.read_two_widths,
    for_full_attention,
)
SWA_ALL = Family("swa_all", windows.READS, windows.read_windows, for_windows)
SWA_HYBRID = Family("swa_hybrid", windows.READS, windows.read_windows, for_windows)
CHUNKED_HYBRID = Family("chunked_hybrid", windows.READS, windows.read_windows, for_windows)
CROSS_LAYER_SHARED = Family(
    "cross_layer_shared",
    windows.READS | shared_pairs.READS,
    _sharing,
    for_windows,
)
MLA = Family("mla", mla.DENSE_READS, mla.read_mla, for_full_attention)
MLA_DSA = Family("mla_dsa", mla.DSA_READS, mla.read_dsa, for_full_attention)
CSA_HCA = Family("csa_hca", compressed.READS, compressed.read_csa_hca)
CSA2 = Family("csa2", shared_sources.READS, shared_sources.read_csa2)
GDN_HYBRID = Family("gdn_hybrid", linear.GDN_READS, linear.read_gdn, for_full_attention)
KDA_MLA_HYBRID = Family(
    "kda_mla_hybrid",
    linear.KDA_READS,
    linear.read_kda,
    for_full_attention,
)
LIGHTNING_HYBRID = Family(
    "lightning_hybrid",
    linear.LIGHTNING_READS,
    linear.read_lightning,
    for_full_attention,
)
MAMBA2_HYBRID = Family(
    "mamba2_hybrid",
    mamba.MAMBA2_READS | mamba_ssm.READS,
    _by_spelling(mamba.read_mamba2_hybrid),
    for_full_attention,
)
MAMBA1_HYBRID = Family(
    "mamba1_hybrid",
    mamba.MAMBA1_READS | mamba_ssm.READS,
    _by_spelling(mamba.read_mamba1_hybrid),
    for_full_attention,
)
MAMBA2 = Family("mamba2", mamba.PURE_READS | mamba_ssm.READS, _by_spelling(mamba.read_mamba2))
MAMBA1 = Family("mamba1", mamba.PURE_READS | mamba_ssm.READS, _by_spelling(mamba.read_mamba1))
GQA_BLOCK_SPARSE = Family("gqa_block_sparse", block_sparse.READS, block_sparse.read_block_sparse, for_full_attention)
ENCODER_DECODER = Family("encoder_decoder", encoder_decoder.READS, encoder_decoder.read_encoder_decoder)
ENCODER_ONLY = Family("encoder_only", encoders.READS, encoders.read_encoder)

FAMILIES: tuple[Family, ...] = (
    MHA,
    GQA,
    MQA,
    GQA_DKV,
    SWA_ALL,
    SWA_HYBRID,
    CHUNKED_HYBRID,
    CROSS_LAYER_SHARED,
    MLA,
    MLA_DSA,
    CSA_HCA,
    CSA2,
    GDN_HYBRID,
    KDA_MLA_HYBRID,
    LIGHTNING_HYBRID,
    MAMBA2_HYBRID,
    MAMBA1_HYBRID,
    MAMBA2,
    MAMBA1,
    GQA_BLOCK_SPARSE,
    ENCODER_DECODER,
    ENCODER_ONLY,
)
