"""Every model, engine and GPU: a join of what lists say with what kinds of models get on kinds of GPUs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from generator.catalog.records import Catalog
from generator.compatibility.chain import ListingState, Reason, RuleOutcome, VerdictState, cited, on
from generator.compatibility.checkpoints import checkpoint_effects
from generator.compatibility.listing import Listing, asked_for
from generator.compatibility.outcomes import Rules
from generator.compatibility.profiles import Profile, profile_of
from generator.compatibility.serving_claims import Claim, claims_of, weigh_claims
from generator.derive.cited_config import config_source
from generator.derive.facts import Facts
from generator.derive.stored_formats import Formats
from generator.notation.gpus import Gpu, platform

Key = tuple[str, str, str]
Brought = tuple[tuple[Reason, ...], tuple[str, ...]]

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
    checkpoint: Brought = ((), ())
    claims: tuple[Claim, ...] = ()
    shown: str = ""

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
        """What the rules give before any claim is heard."""
        return self.outcome.state if self.outcome else UNLISTED[self.listing.state]

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
        after = self.outcome.reasons if self.outcome else ()
        own = (replace(each, cites=self.config) if each.rule == "family" else each for each in after)
        said = weigh_claims(self.claims, self.by_rules)[1]
        return (*self.listing.reasons, *own, *self.checkpoint[0], *said)

    @property
    def modifiers(self) -> tuple[str, ...]:
        """What to know beside the state: a flag, a pre-release, a slow path."""
        ruled = self.outcome.modifiers if self.outcome else ()
        said = weigh_claims(self.claims, self.by_rules)[2]
        return (*self.listing.modifiers, *ruled, *self.checkpoint[1], *said)

    @property
    def flips_if(self) -> tuple[str, ...]:
        """What would change the state."""
        return tuple(on(each, self.shown) for each in self.flips)

    @property
    def flips(self) -> tuple[str, ...]:
        """What would change the state, with the GPU left open."""
        return self.outcome.flips_if if self.outcome else self.listing.flips_if

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
        if listing.state is not ListingState.LISTED:
            return Verdict(listing, gpu, None, cache, claims=claims, shown=place.shown)
        profile = self.profiles[model]
        key = (profile.key, engine, self._kind(place), cache)
        if key not in self._outcomes:
            self._outcomes[key] = self.rules[engine].outcome(profile, place, cache)
        cites, at_auto, at_word = self._checkpoints[model]
        brought = at_word if cache else at_auto
        return Verdict(listing, gpu, self._outcomes[key], cache, cites, brought, claims, place.shown)

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
    def _claims(self) -> Mapping[tuple[str, str, str, str | None], tuple[Claim, ...]]:
        """What sources say of a cell."""
        found: dict[tuple[str, str, str, str | None], tuple[Claim, ...]] = {}
        for model in self.catalog.sound("model"):
            for claim in claims_of(self.catalog, model):
                key = (model.id, claim.engine, claim.gpu, claim.row.get("cache"))
                found[key] = (*found.get(key, ()), claim)
        return found

    @cached_property
    def _checkpoints(self) -> Mapping[str, tuple[tuple[str, ...], Brought, Brought]]:
        """For each model the evidence of its config, and what it brings along: at auto, and with a cache asked for."""
        found = {}
        for model in self.catalog.sound("model"):
            cites, source = cited(model.get("config")), config_source(self.catalog, model)
            facts = (source.get("facts") if source else None) or {}
            found[model.id] = (cites, checkpoint_effects(facts, cites, True), checkpoint_effects(facts, cites, False))
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

    @cached_property
    def _outcomes(self) -> dict[tuple[object, ...], RuleOutcome]:
        return {}
