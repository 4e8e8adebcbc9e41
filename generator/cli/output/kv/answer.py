"""What a model keeps, asked of a record or of any config.json."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from generator.catalog.read.declared import shipped_catalog
from generator.catalog.records import Catalog
from generator.derive.attention import FormatMismatch, check_ranks, copies, sharded, sharded_growth
from generator.derive.cited_config import config_keys
from generator.derive.class_defaults import ClassDefaults, DefaultsUsed
from generator.derive.config.class_reads import ClassReads
from generator.derive.config.keys import ConfigKeys
from generator.derive.config.wrappers import unwrap
from generator.derive.facts import Facts
from generator.derive.figures import CONTEXTS, Figure
from generator.derive.model_facts import cache_facts, class_names
from generator.derive.quantizations import StoredSize, stored_sizes
from generator.derive.stored_formats import formats

if TYPE_CHECKING:  # a config needs no knowledge base, and shall not wait for one
    from generator.knowledge.knowledge_base import KnowledgeBase


@dataclass(frozen=True, slots=True)
class KvQuestion:
    """What is asked: lengths in tokens, layout keys (none: all), sequences, tensor-parallel ranks."""

    contexts: tuple[int, ...] = CONTEXTS
    caches: tuple[str, ...] = ()
    batch: int = 1
    tp: int = 1


@dataclass(frozen=True)
class Leeway:
    """What to do about keys that a config leaves to its class or that nobody has judged.

    ``on_record`` gives the class defaults that sources state for a model type; they count only where ``fill`` says so.
    ``class_reads`` is asked where a key is in the way: whether the config's class reads it at all.
    """

    assume_neutral: tuple[str, ...] = ()
    fill: bool = False
    on_record: Callable[[str], Sequence[ClassDefaults]] | None = None
    class_reads: Callable[[], ClassReads | None] = lambda: None


@dataclass(frozen=True, slots=True)
class IfNeutral:
    """What a refused config would keep if the keys in its way shaped nothing: proved by nobody, published nowhere."""

    keys: tuple[str, ...]
    growth: Mapping[str, Fraction]


@dataclass(frozen=True)
class KvAnswer:
    """What follows for one model, or the reason why nothing does, and what was asked of it."""

    facts: Facts
    ask: KvQuestion
    kernel_classes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    offered: DefaultsUsed | None = None
    condition: IfNeutral | None = None
    sizes: tuple[StoredSize, ...] = ()

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures in the layouts that are asked for."""
        return tuple(each for each in self.facts.figures if not self.ask.caches or each.key in self.ask.caches)

    @property
    def unknown_layouts(self) -> list[str]:
        """Layouts that are asked for and that the model has no figures in."""
        return [key for key in self.ask.caches if self.derivable and self.facts.figure(key) is None]

    @property
    def ranks_refused(self) -> str | None:
        """Why the heads cannot be dealt out to so many ranks, with both numbers; None where they can."""
        if self.facts.geometry is None:
            return None
        try:
            check_ranks(self.facts.geometry, self.ask.tp)
        except ValueError as problem:
            return str(problem)
        return None

    @property
    def copies(self) -> Mapping[str, int]:
        """How many ranks hold the same entries, by what they hold."""
        return copies(self.facts.geometry, self.ask.tp) if self.facts.geometry and not self.ranks_refused else {}

    def growth_per_rank(self, figure: Figure) -> Fraction | None:
        """Bytes per token on each rank; None where heads and ranks do not divide."""
        assert self.facts.geometry is not None
        return None if self.ranks_refused else sharded_growth(self.facts.geometry, figure.layout, self.ask.tp)

    @property
    def derivable(self) -> bool:
        """Whether there is a figure at all."""
        return self.facts.geometry is not None

    def bytes(self, figure: Figure, tokens: int) -> Fraction:
        """Bytes of cache entries in a layout, over all sequences."""
        return figure.bytes(tokens) * self.ask.batch

    def per_rank(self, figure: Figure, tokens: int) -> Fraction | str:
        """Bytes on each rank; the reason where heads and ranks do not divide."""
        assert self.facts.geometry is not None
        try:
            return Fraction(sharded(self.facts.geometry, figure.layout, tokens, self.ask.tp)) * self.ask.batch
        except FormatMismatch:
            raise
        except ValueError as problem:
            return str(problem)


def of_record(kb: KnowledgeBase, id: str, ask: KvQuestion) -> KvAnswer:
    """The answer for a model on record."""
    facts = kb.facts[id]
    return replace(_answer(facts, ask, kb.catalog), sizes=tuple(stored_sizes(kb.catalog, facts)))


def of_config(config: Mapping[str, Any], name: str, catalog: Catalog | None, gaps: Leeway, ask: KvQuestion) -> KvAnswer:
    """The answer for a config.json. Without a knowledge base only the plain dtypes are known, and it says so."""
    notes = () if catalog else ("outside a knowledge base: only the plain dtypes are known, no engine's own formats",)
    catalog = catalog or shipped_catalog()
    keys = config_keys(catalog)
    facts = _facts(config, name, keys, catalog, gaps)
    if facts.geometry is None and any(keys.role(key) is None for key in facts.fields):
        keys = replace(keys, reads=gaps.class_reads())
        facts = _facts(config, name, keys, catalog, gaps)
    if facts.geometry is not None:
        return _answer(facts, ask, catalog, notes)
    refused = replace(_answer(facts, ask, catalog, notes), condition=_condition(config, keys, facts, gaps, catalog))
    defaults, problem = _defaults(config, gaps)
    if defaults is not None:
        full = _facts(config, name, keys, catalog, gaps, defaults)
        if full.geometry is not None and gaps.fill:
            return _answer(full, ask, catalog, notes)
        if full.geometry is not None:
            return replace(refused, offered=full.class_defaults)
        problem = f"the class defaults of {defaults.source} do not help: {full.reason}"
    return replace(refused, notes=(*notes, problem) if gaps.fill else notes)


def _condition(
    config: Mapping[str, Any], keys: ConfigKeys, refused: Facts, gaps: Leeway, catalog: Catalog
) -> IfNeutral | None:
    """The figures without the keys that alone are in the way; None where something else is, too."""
    vouched, found = gaps.assume_neutral, refused
    while found.open_keys:  # a config around the language model's names one key at a time
        vouched = (*vouched, *found.open_keys)
        found = _facts(config, refused.id, keys, catalog, replace(gaps, assume_neutral=vouched))
        if found.geometry is not None:
            return IfNeutral(vouched[len(gaps.assume_neutral) :], {each.key: each.growth for each in found.figures})
    return None


def _facts(
    config: Mapping[str, Any],
    name: str,
    keys: ConfigKeys,
    catalog: Catalog,
    gaps: Leeway,
    defaults: ClassDefaults | None = None,
) -> Facts:
    """What follows from a config, with its gaps filled by its class where `defaults` are given."""
    given, classes = defaults.keys(whole=True) if defaults else {}, class_names(config.get("architectures"))
    facts = cache_facts(name, config, keys, formats(catalog), given, gaps.assume_neutral, classes)
    if defaults is None or facts.geometry is None:
        return facts
    stated = unwrap(config)
    used = {key: value for key, value in given.items() if key in facts.geometry.reads and key not in stated}
    return replace(facts, class_defaults=defaults.used(used))


def _defaults(config: Mapping[str, Any], gaps: Leeway) -> tuple[ClassDefaults | None, str]:
    """What sources state for exactly this model type; none, with the reason, where there is none or they disagree."""
    model_type = unwrap(config).get("model_type")
    if gaps.on_record is None:
        return None, "outside a knowledge base no class defaults are known"
    if not isinstance(model_type, str):
        return None, "without a `model_type` nothing says which class's defaults hold"
    found = list(gaps.on_record(model_type))
    if not found:
        return None, f"no source on record states the class defaults of model type `{model_type}`"
    if any(other.keys(whole=True) != found[0].keys(whole=True) for other in found[1:]):
        return None, f"{' and '.join(each.source for each in found)} state different class defaults of `{model_type}`"
    return found[0], ""


def _answer(facts: Facts, ask: KvQuestion, catalog: Catalog, notes: tuple[str, ...] = ()) -> KvAnswer:
    if facts.geometry is None:
        return KvAnswer(facts, ask, notes=notes)
    needs = catalog.tables.get("families", {}).get(facts.geometry.family, {}).get("requires_any_of") or [[]]
    return KvAnswer(facts, ask, tuple(needs[0]), (*notes, *facts.geometry.notes))
