"""What a text may refer to by name: the config, layers by kind, and figures of its model."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from generator.catalog.records import Record
from generator.derive.attention.geometry import Entries, Geometry
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import grouped
from generator.prose.figure_owners import own_growths
from generator.prose.reader import NamedValues

KINDS: Mapping[str, tuple[str, ...]] = {
    "heavily_compressed_attention": ("HCA",),
    "compressed_sparse_attention": ("CSA",),
    "sliding_attention": ("sliding",),
    "full_attention": ("full",),
    "linear_attention": ("linear",),
    "mamba": ("Mamba",),
}
"""What prose calls the layers of a kind."""


def names_of(kb: KnowledgeBase, record: Record) -> NamedValues:
    """The config of a model as named values and lists, its layers by kind, its figures; nothing for other records."""
    facts = kb.facts.get(record.id)
    if facts is None:
        return NamedValues()
    values = {
        key: Fraction(str(value))
        for key, value in facts.config.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    lists = {key: tuple(value) for key, value in facts.config.items() if isinstance(value, list) and value}
    layers = values.get("num_hidden_layers")
    types = facts.geometry.layer_types if facts.geometry else ()
    kinds, growths = _spoken_kinds(facts.geometry), own_growths(facts)
    return NamedValues(values, lists, kinds, growths, int(layers) if layers else None, types, _kept(facts.geometry))


def _spoken_kinds(geometry: Geometry | None) -> dict[str, int]:
    counts = geometry.layers if geometry else {}
    return {word: counts[kind] for kind, words in KINDS.items() if kind in counts for word in words}


def _kept(geometry: Geometry | None) -> dict[str, str]:
    """What a layer of each kind keeps, in words."""
    streams = geometry.streams if geometry else ()
    kept = {}
    for kind in dict.fromkeys(stream.layer_type for stream in streams):
        own = [stream for stream in streams if stream.layer_type == kind and stream.role != "index"]
        parts = [_rule(stream.entries) for stream in own]
        grows = any(stream.entries.slope() for stream in own)
        kept[kind] = " and ".join(dict.fromkeys(parts)) + ("" if grows else " and nothing that grows")
    return kept


def _rule(entries: Entries) -> str:
    n = grouped(entries.n)
    words = {"full": "every token", "pooled": f"one entry per {n} tokens", "encoder": "what the encoder wrote"}
    return words.get(entries.rule, f"a {entries.rule} of {n} tokens")
