"""Every model, engine and GPU: a join of what lists say with what kinds of models get on kinds of GPUs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from generator.catalog.records import Catalog
from generator.compatibility.asked import asked_for
from generator.compatibility.caches_in_engines import CachesInEngines
from generator.compatibility.chain import DECIDES, Effect, ListingState, Reason, RuleOutcome, VerdictState, cited, on
from generator.compatibility.checkpoints import Checkpoint, checkpoint_of
from generator.compatibility.listing import Listing
from generator.compatibility.outcomes import Rules
from generator.compatibility.platforms import UNSTATED, PlatformAnswer, platform_of
from generator.compatibility.profiles import Profile, profile_of
from generator.compatibility.serving_claims import Claim, claims_of, weigh_claims
from generator.compatibility.weights import PLAIN, WeightsAnswer, weights_of
from generator.derive.cited_config import CitedConfig
from generator.derive.facts import Facts
from generator.derive.stored_formats import Formats
from generator.notation.gpus import Gpu, platform

Key = tuple[str, str, str]

UNLISTED = {
    ListingState.NOT_LISTED: VerdictState.NOT_LISTED,
    ListingState.NO_EVIDENCE: VerdictState.NO_EVIDENCE,
    ListingState.DISAGREE: VerdictState.SOURCES_DISAGREE,
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One cell: the listing, what the rules after it give, and the config that the family follows from."""

    listing: Listing
    gpu: str
    outcome: RuleOutcome | None
    cache: str | None = None
    config: tuple[str, ...] = ()
    brought: tuple[Reason, ...] = ()
    claims: tuple[Claim, ...] = ()
    shown: str = ""
    platform: PlatformAnswer = UNSTATED
    weights: WeightsAnswer = PLAIN

    @property
    def model(self) -> str:
        """The model's id."""
        return self.listing.model

    @property
    def engine(self) -> str:
        """The engine's id."""
        return self.listing.engine

    @property
    def by_rules(self) -> VerdictState:
        """What the rules give before any claim is weighed."""
        if self.platform.runs is False:
            return VerdictState.BLOCKED
        if self.outcome is None:
            return UNLISTED[self.listing.state]
        return VerdictState.BLOCKED if self.weights.loads is False else self.outcome.state

    @property
    def state(self) -> VerdictState:
        """One of the seven states."""
        return weigh_claims(self.claims, self.by_rules)[0] if self.claims else self.by_rules

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """The chain, in the order of the rules."""
        return tuple(each.on(self.shown) for each in self.chain)

    @property
    def chain(self) -> tuple[Reason, ...]:
        """The chain with the GPU left open, so that GPUs that get the same answer have equal ones."""
        said = weigh_claims(self.claims, self.by_rules)[1]
        if self.platform.runs is False:
            return (*self.platform.steps, *said)
        after = self.outcome.reasons if self.outcome else ()
        own = (replace(each, cites=self.config) if each.rule == "family" else each for each in after)
        return (*self.platform.steps, *self.listing.reasons, *own, *self.weights.steps, *self.brought, *said)

    @property
    def modifiers(self) -> tuple[str, ...]:
        """What to know in addition to the state: a flag, a pre-release, a slow path."""
        ruled = self.outcome.modifiers if self.outcome else ()
        asks = (f"cache: the checkpoint asks for {each.value}" for each in self.brought)
        said = weigh_claims(self.claims, self.by_rules)[2]
        if self.platform.runs is False:
            return (*self.platform.modifiers, *said)
        return (*self.platform.modifiers, *self.listing.modifiers, *ruled, *self.weights.modifiers, *asks, *said)

    @property
    def flips_if(self) -> tuple[str, ...]:
        """What would change the state."""
        return tuple(on(each, self.shown) for each in self.flips)

    @property
    def flips(self) -> tuple[str, ...]:
        """What would change the state, with the GPU left open."""
        if self.platform.runs is False:
            return self.platform.flips
        if self.outcome and self.weights.loads is False:
            return self.weights.flips
        return self.outcome.flips_if if self.outcome else self.listing.flips_if

    @property
    def deciding(self) -> Reason:
        """The step that the state comes from."""
        chain = self.reasons
        return next((step for effect in DECIDES[self.state] for step in chain if step.effect is effect), chain[-1])

    @property
    def backends(self) -> tuple[str, ...]:
        """The ids of the backends that serve it, each once."""
        steps = self.outcome.reasons if self.outcome else ()
        return tuple(dict.fromkeys(step.value["backend"] for step in steps if step.effect is Effect.SERVES))

    @property
    def cites(self) -> tuple[str, ...]:
        """All sources of the chain, each once."""
        return tuple(dict.fromkeys(cite for reason in self.chain for cite in reason.cites))


@dataclass(frozen=True, eq=False)
class Cube(Mapping[Key, Verdict]):
    """The verdicts by (model, engine, GPU), worked out when asked for and once per kind."""

    catalog: Catalog
    facts: Mapping[str, Facts]
    formats: Formats
    listings: Mapping[tuple[str, str], Listing]

    def __getitem__(self, key: Key) -> Verdict:
        return self.verdict(*key)

    def __iter__(self) -> Iterator[Key]:
        return ((model, engine, gpu) for model, engine in self.listings for gpu in self.gpus)

    def __len__(self) -> int:
        return len(self.listings) * len(self.gpus)

    def verdict(self, model: str, engine: str, gpu: str, cache: str | None = None) -> Verdict:
        """One cell, with the cache type that is asked for. Raises KeyError; UnknownCache for a word without sense."""
        listing = self.listings[model, engine]
        place = self.gpus[gpu]
        claims = self._claims.get((model, engine, gpu, cache), ())
        runs = self._platforms(engine, place)
        if runs.runs is False or listing.state is not ListingState.LISTED:
            return Verdict(listing, gpu, None, cache, claims=claims, shown=place.shown, platform=runs)
        unread = listing.route.outcome if listing.route else None
        key = (self._profile_numbers[model], engine, self._kind(place), runs.runs, cache)
        if unread is None and key not in self._outcomes:
            rules, profile = self.rules[engine], self.profiles[model]
            self._outcomes[key] = rules.outcome(profile, place, cache, gated=runs.runs is True)
        checkpoint = self._checkpoints[model]
        return Verdict(
            listing,
            gpu,
            unread or self._outcomes[key],
            cache,
            checkpoint.cites,
            () if cache else checkpoint.own_cache,
            claims,
            place.shown,
            runs,
            self._weights(listing, checkpoint, place),
        )

    def asks(self, model: str) -> object:
        """All that a model brings into its cells apart from listings and claims, to be compared with another cube's."""
        return self.profiles[model].key, self._checkpoints[model]

    @cached_property
    def gpus(self) -> Mapping[str, Gpu]:
        """The GPUs on record."""
        found = {}
        for record in self.catalog.sound("gpu"):
            own = record.get("compute_capability")
            found[record.id] = Gpu(record.id, record.title, own, platform(own, record.get("vendor")))
        return found

    @cached_property
    def rules(self) -> Mapping[str, Rules]:
        """What each engine's records say."""
        return {engine.id: Rules.of(self.catalog, engine, self.formats) for engine in self.catalog.sound("engine")}

    @cached_property
    def caches(self) -> CachesInEngines:
        """What each engine's cache keeps of each model."""
        return CachesInEngines(self.catalog, self.facts, self.listings, self.rules, self.gpus)

    @cached_property
    def profiles(self) -> Mapping[str, Profile]:
        """What each model asks for."""
        keys = {
            key
            for rules in self.rules.values()
            for backend in rules.kernels.backends
            for variant in backend.variants
            for key, _ in variant.needs
        } | {"index_topk"}
        found = {}
        for model in self.catalog.sound("model"):
            base = self._by_repo.get(str(model.get("derived_from")), model.id)
            named = frozenset({model.id, base} & self._named_models)
            asked = asked_for(self.catalog, model).architecture.value
            found[model.id] = profile_of(self.catalog, self.facts[model.id], asked, keys, named)
        return found

    @cached_property
    def _profile_numbers(self) -> Mapping[str, int]:
        """A number for each model's profile, quicker to compare than its key; models that ask the same share it."""
        numbers: dict[object, int] = {}
        return {model: numbers.setdefault(each.key, len(numbers)) for model, each in self.profiles.items()}

    @cached_property
    def _claims(self) -> Mapping[tuple[str, str, str, str | None], tuple[Claim, ...]]:
        """What sources say of a cell."""
        found: dict[tuple[str, str, str, str | None], tuple[Claim, ...]] = {}
        for model in self.catalog.sound("model"):
            for claim in claims_of(self.catalog, model):
                key = (model.id, claim.engine, claim.gpu, claim.row.get("cache"))
                found[key] = (*found.get(key, ()), claim)
        return found

    @cached_property
    def _checkpoints(self) -> Mapping[str, Checkpoint]:
        """What each model's checkpoint states apart from its architecture."""
        found = {}
        for model in self.catalog.sound("model"):
            facts, quantised = CitedConfig.of(self.catalog, model).outer, model.get("why_null", "weights_scheme")
            found[model.id] = checkpoint_of(facts, cited(model.get("config")), quantised is not None)
        return found

    @cached_property
    def _by_repo(self) -> Mapping[str, str]:
        return {str(model.get("repo")): model.id for model in self.catalog.sound("model")}

    @cached_property
    def _named_models(self) -> frozenset[str]:
        """Models that some restriction names by id: these ask for themselves alone."""
        rows = [row for engine in self.catalog.sound("engine") for row in engine.get("restrictions") or ()]
        sides = [each for row in rows for each in row.get("contradictions") or ()]
        return frozenset(cited(*(name for each in sides for name in each.get("not_for") or ())))

    @cached_property
    def _named_gpus(self) -> frozenset[str]:
        """GPUs that some condition names by id rather than by capability."""
        named: set[str] = set()
        for engine in self.catalog.sound("engine"):
            for row in engine.get("restrictions") or ():
                named |= {*(row["when"].get("gpus") or ()), *(row.get("applies_outside_gpus") or ())}
        for gotcha in self.catalog.sound("gotcha"):
            for when in gotcha.get("conditions"):
                named |= set(when.get("gpus") or ())
        return frozenset(named)

    def _kind(self, gpu: Gpu) -> str:
        """GPUs of one capability get one answer, unless a condition names one of them."""
        return gpu.id if gpu.capability is None or gpu.id in self._named_gpus else gpu.capability

    def _platforms(self, engine: str, gpu: Gpu) -> PlatformAnswer:
        if (engine, gpu.id) not in self._runs:
            self._runs[engine, gpu.id] = platform_of(self.catalog.records[engine], gpu)
        return self._runs[engine, gpu.id]

    def _weights(self, listing: Listing, checkpoint: Checkpoint, gpu: Gpu) -> WeightsAnswer:
        if checkpoint.scheme is None:
            return PLAIN
        key = (listing.model, listing.engine, gpu.shown)
        if key not in self._loads:
            record = self.catalog.records[listing.engine]
            self._loads[key] = weights_of(record, checkpoint, listing.name, gpu)
        return self._loads[key]

    @cached_property
    def _loads(self) -> dict[Key, WeightsAnswer]:
        return {}

    @cached_property
    def _runs(self) -> dict[tuple[str, str], PlatformAnswer]:
        return {}

    @cached_property
    def _outcomes(self) -> dict[tuple[object, ...], RuleOutcome]:
        return {}
