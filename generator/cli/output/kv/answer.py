"""What a model keeps, asked of a record or of any config.json."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from generator.catalog.read.declared import shipped_catalog
from generator.catalog.records import Catalog
from generator.derive.attention import FormatMismatch, check_ranks, copies, sharded, sharded_growth
from generator.derive.attention.geometry import Geometry
from generator.derive.cited_config import config_keys
from generator.derive.class_defaults import ClassDefaults, DefaultsUsed
from generator.derive.config.class_reads import ClassReads
from generator.derive.config.fields import NotDerivable
from generator.derive.config.keys import ConfigKeys
from generator.derive.config.wrappers import unwrap
from generator.derive.facts import Facts
from generator.derive.figures import CONTEXTS, Figure, figures_of
from generator.derive.model_facts import derived
from generator.derive.overpay import NOTHING, Overpay
from generator.derive.states import EngineState, states_of
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
class Condition:
    """What a refused config would keep if the keys in its way shaped nothing: proved by nobody, published nowhere."""

    keys: tuple[str, ...]
    growth: Mapping[str, Fraction]


@dataclass(frozen=True)
class KvAnswer:
    """The figures of one model, or the reason why there are none."""

    id: str
    ask: KvQuestion
    geometry: Geometry | None = None
    reason: str | None = None
    fields: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    known_layouts: tuple[str, ...] = ()
    state: Mapping[str, int] = field(default_factory=dict)
    states: tuple[EngineState, ...] = ()
    kernel_classes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    overpay: Overpay = NOTHING
    class_defaults: DefaultsUsed | None = None
    offered: DefaultsUsed | None = None
    condition: Condition | None = None

    @property
    def ranks_refused(self) -> str | None:
        """Why the heads cannot be dealt out to so many ranks, with both numbers; None where they can."""
        if self.geometry is None:
            return None
        try:
            check_ranks(self.geometry, self.ask.tp)
        except ValueError as problem:
            return str(problem)
        return None

    @property
    def copies(self) -> Mapping[str, int]:
        """How many ranks hold the same entries, by what they hold."""
        return copies(self.geometry, self.ask.tp) if self.geometry and not self.ranks_refused else {}

    def growth_per_rank(self, figure: Figure) -> Fraction | None:
        """Bytes per token on each rank; None where heads and ranks do not divide."""
        assert self.geometry is not None
        return None if self.ranks_refused else sharded_growth(self.geometry, figure.layout, self.ask.tp)

    @property
    def derivable(self) -> bool:
        """Whether there is a figure at all."""
        return self.geometry is not None

    def bytes(self, figure: Figure, tokens: int) -> Fraction:
        """Bytes of cache entries in a layout, over all sequences."""
        return figure.bytes(tokens) * self.ask.batch

    def per_rank(self, figure: Figure, tokens: int) -> Fraction | str:
        """Bytes on each rank; the reason where heads and ranks do not divide."""
        assert self.geometry is not None
        try:
            return Fraction(sharded(self.geometry, figure.layout, tokens, self.ask.tp)) * self.ask.batch
        except FormatMismatch:
            raise
        except ValueError as problem:
            return str(problem)


def of_record(kb: KnowledgeBase, id: str, ask: KvQuestion) -> KvAnswer:
    """The answer for a model on record."""
    facts = kb.facts[id]
    return _answer(facts, ask, kb.catalog)


def of_config(config: Mapping[str, Any], name: str, catalog: Catalog | None, gaps: Leeway, ask: KvQuestion) -> KvAnswer:
    """The answer for a config.json. Without a knowledge base only the plain dtypes are known, and it says so."""
    notes = () if catalog else ("outside a knowledge base: only the plain dtypes are known, no engine's own formats",)
    catalog = catalog or shipped_catalog()
    keys, filled = config_keys(catalog), None
    geometry = derived(config, keys, {}, gaps.assume_neutral)
    if isinstance(geometry, NotDerivable) and any(keys.role(key) is None for key in geometry.fields):
        keys = replace(keys, reads=gaps.class_reads())
        geometry = derived(config, keys, {}, gaps.assume_neutral)
    if isinstance(geometry, NotDerivable):
        condition = _condition(config, keys, geometry, gaps, catalog)
        refused = KvAnswer(name, ask, reason=geometry.reason, fields=geometry.fields, notes=notes, condition=condition)
        full, filled, note = _filled_in(config, keys, gaps)
        if full is None or not gaps.fill:
            return replace(refused, offered=filled, notes=(*notes, note) if note and gaps.fill else notes)
        geometry = full
    figures = figures_of(geometry, _classes(config), formats(catalog))
    states = states_of(geometry, figures)[0]
    facts = Facts(name, config, geometry, figures=figures, state=states, class_defaults=filled)
    return _answer(facts, ask, catalog, notes)


def _classes(config: Mapping[str, Any]) -> frozenset[str]:
    named = config.get("architectures")
    return frozenset(each for each in named if isinstance(each, str)) if isinstance(named, list) else frozenset()


def _condition(
    config: Mapping[str, Any], keys: ConfigKeys, refused: NotDerivable, gaps: Leeway, catalog: Catalog
) -> Condition | None:
    """The figures without the keys that alone are in the way; None where something else is, too."""
    vouched, found = gaps.assume_neutral, refused
    while found.open_keys:  # a config around the language model's names one key at a time
        vouched = (*vouched, *found.open_keys)
        geometry = derived(config, keys, {}, vouched)
        if not isinstance(geometry, NotDerivable):
            figures = figures_of(geometry, _classes(config), formats(catalog))
            return Condition(vouched[len(gaps.assume_neutral) :], {each.key: each.growth for each in figures})
        found = geometry
    return None


def _filled_in(
    config: Mapping[str, Any], keys: ConfigKeys, gaps: Leeway
) -> tuple[Geometry | None, DefaultsUsed | None, str | None]:
    """The geometry with the gaps filled by the class, and what filled them; or why nothing can."""
    defaults, problem = _defaults(config, gaps)
    if defaults is None:
        return None, None, problem
    given, stated = defaults.keys(whole=True), unwrap(config)
    geometry = derived(config, keys, given, gaps.assume_neutral)
    if isinstance(geometry, NotDerivable):
        return None, None, f"the class defaults of {defaults.source} do not help: {geometry.reason}"
    used = {key: value for key, value in given.items() if key in geometry.reads and key not in stated}
    return geometry, defaults.used(used), None


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
    geometry = facts.geometry
    if geometry is None:
        return KvAnswer(facts.id, ask, reason=facts.reason, fields=facts.fields, notes=notes)
    chosen = tuple(figure for figure in facts.figures if not ask.caches or figure.key in ask.caches)
    needs = catalog.tables.get("families", {}).get(geometry.family, {}).get("requires_any_of") or [[]]
    return KvAnswer(
        facts.id,
        ask,
        geometry,
        figures=chosen,
        known_layouts=tuple(figure.key for figure in facts.figures),
        state=facts.state,
        states=facts.states,
        kernel_classes=tuple(needs[0]),
        notes=(*notes, *geometry.notes),
        overpay=facts.overpay,
        class_defaults=facts.class_defaults,
    )
