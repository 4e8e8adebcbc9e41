"""The rules after the list, in order, for one profile, engine and GPU: restriction, classes, gotchas, what decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from generator.catalog.records import Catalog, Record
from generator.compatibility import caches as cache_rules
from generator.compatibility.backends import backends_of
from generator.compatibility.caches import Caches
from generator.compatibility.chain import THIS_GPU, Effect, Reason, RuleOutcome, VerdictState, cited, listed
from generator.compatibility.conditions import about_model
from generator.compatibility.gotchas import Cell, Condition, apply_gotchas, conditions_of, pruned_by
from generator.compatibility.kernels import Kernels, Served
from generator.compatibility.profiles import Job, Profile
from generator.compatibility.restrictions import Limits, restrict
from generator.derive.stored_formats import Formats
from generator.notation.gpus import Gpu

STANDING = {
    "refused": VerdictState.BLOCKED,
    "gap": VerdictState.NO_EVIDENCE,
    "unread": VerdictState.LISTED,
    "absent": VerdictState.LISTED,
    "by-hand": VerdictState.PARTIAL,
}
SERVED = ("by-hand", "proves")
RANK = ("refused", "gap", "unread", "absent", "by-hand", "proves")


@dataclass(frozen=True)
class Rules:
    """What the records of an engine say, read once."""

    engine: Record
    kernels: Kernels
    gotchas: tuple[Condition, ...]
    formats: Formats
    gguf_of: Mapping[str, Any]

    @cached_property
    def _relevant(self) -> dict[tuple[object, ...], tuple[Condition, ...]]:
        return {}

    def _gotchas(self, profile: Profile, gguf: str | None) -> tuple[Condition, ...]:
        """The conditions that are about models of this architecture and family, found once."""
        key = (profile.architecture, profile.family)
        if key not in self._relevant:
            self._relevant[key] = tuple(each for each in self.gotchas if about_model(each.when, profile, gguf))
        return self._relevant[key]

    @classmethod
    def of(cls, catalog: Catalog, engine: Record, formats: Formats) -> Rules:
        """Collect the rules of an engine."""
        lists = cited(*(engine.get("more_lists") or {}).values())
        facts = [catalog.records[id].get("facts", "gguf_arch_of") for id in lists if id in catalog.records]
        gguf_of = next((each for each in facts if isinstance(each, dict)), {})
        gotchas = conditions_of(catalog.sound("gotcha"), engine)
        return cls(engine, Kernels(engine, backends_of(catalog, engine)), gotchas, formats, gguf_of)

    def outcome(self, profile: Profile, gpu: Gpu, cache: str | None = None, gated: bool = False) -> RuleOutcome:
        """The verdict of all rules after the list. `gated`: the engine's build is for this GPU. Raises UnknownCache."""
        spelled = {usual: own for own, usual in (self.engine.get("aliases") or {}).items()}
        named = self.gguf_of.get(spelled.get(profile.architecture, str(profile.architecture)))
        gguf = named if isinstance(named, str) else None
        if profile.family is None:
            return self._without_family(profile, gguf, gpu)
        meanings = cache_rules.formats_meant(self.engine, profile, gpu, self.formats, cache or "auto")
        outcomes = [self._with(profile, gguf, gpu, caches, gated) for caches in meanings]
        served = (each for each in outcomes if each.state not in (VerdictState.BLOCKED, VerdictState.NO_EVIDENCE))
        return next(served, outcomes[0])

    def _with(self, profile: Profile, gguf: str | None, gpu: Gpu, caches: Caches, gated: bool) -> RuleOutcome:
        """The verdict for one meaning of the cache type."""
        words, settings = cache_rules.words(self.formats, caches.kv), cache_rules.settings(self.formats, caches)
        bare = Cell(self.engine, profile, gguf, gpu, (), words, settings)
        limits = Limits()
        restrict(self.engine, profile, gguf, gpu, limits, settings)
        ruled_out = pruned_by(self._gotchas(profile, gguf), bare)
        way, served = self._served(profile, gpu, caches, frozenset({**limits.pruned, **ruled_out}))
        chosen = tuple(answer for each in served for answer in each.chosen)
        steps = [_needs(profile, way), *([caches.step] if caches.step and served else [])]
        steps += [reason for each in served for reason in each.reasons]
        whole = all(each.outcome in SERVED for each in served)
        stored = self._stored(served, caches) if whole else None
        lost = frozenset().union(*(each.lost for each in served))
        cell = replace(bare, chosen=chosen, lost=lost)
        return self._judge(cell, limits, steps + ([stored] if stored else []), served, gated)

    def _served(
        self, profile: Profile, gpu: Gpu, caches: Caches, pruned: frozenset[str]
    ) -> tuple[tuple[Job, ...], list[Served]]:
        """The first way of serving the family; another counts only where the engine's record shows it as a fallback."""
        if not profile.alternatives:
            return (), []
        way = profile.alternatives[0]
        return way, [self.kernels.serve(job, profile, gpu, caches, pruned) for job in way]

    def _judge(self, cell: Cell, limits: Limits, steps: list[Reason], served: list[Served], gated: bool) -> RuleOutcome:
        profile, gpu = cell.profile, cell.gpu
        worst = min((each.outcome for each in served), key=RANK.index, default="absent")
        state = STANDING.get(worst, VerdictState.SUPPORTED)
        flips = [flip for each in served if each.outcome == worst for flip in each.flips_if]
        if worst in SERVED and not (gated or any(each.gated for each in served)):
            state = VerdictState.LISTED
            text = "the chain has no gate that accepts this GPU; code without a gate proves its own part only"
            steps.append(Reason("kernel-class", Effect.NOT_PROVED, text))
            file = self.engine.get("platforms", "file")
            flips = [
                f"{file}, read for {THIS_GPU}" if file else f"a source that shows one of these backends on {THIS_GPU}"
            ]
        elif worst == "by-hand":
            text = "what the engine takes by itself does not serve this; it serves with the backend named by hand"
            steps.append(Reason("kernel-class", Effect.PARTIAL, text))
        fallback = self._fallback(profile, gpu) if state in (VerdictState.BLOCKED, VerdictState.NO_EVIDENCE) else None
        if fallback is not None:
            state = VerdictState.PARTIAL
            steps.append(fallback)
        before = list(limits.reasons)
        limits.reasons.clear()
        apply_gotchas(self._gotchas(profile, cell.gguf), cell, limits)
        reasons = (*before, *steps, *limits.reasons)
        for note in dict.fromkeys(note for each in served for note in each.modifiers):
            limits.modifiers.setdefault(note)
        state = _decided(state, limits)
        return RuleOutcome(state, reasons, tuple(dict.fromkeys([*limits.flips_if, *flips])), tuple(limits.modifiers))

    def _without_family(self, profile: Profile, gguf: str | None, gpu: Gpu) -> RuleOutcome:
        limits = Limits()
        restrict(self.engine, profile, gguf, gpu, limits)
        text = f"which kernels it needs is not known: {profile.why_no_family or 'no geometry is derived for it'}"
        step = Reason("family", Effect.UNKNOWN, text)
        flips = (*limits.flips_if, "the model's whole config.json, read, and with it the kernel classes")
        return RuleOutcome(
            _decided(VerdictState.LISTED, limits), (*limits.reasons, step), flips, tuple(limits.modifiers)
        )

    def _fallback(self, profile: Profile, gpu: Gpu) -> Reason | None:
        """Another way to serve the family that the engine's record shows, with a backend for it."""
        for row in self.engine.get("fallbacks") or ():
            name = row["kernel_class"]
            ways = (way for way in profile.alternatives[1:] if any(name in job.classes for job in way))
            way = next(ways, None) if row["family"] == profile.family else None
            served = [self.kernels.serve(job, profile, gpu, Caches(), frozenset()) for job in way or ()]
            if served and all(each.outcome == "proves" for each in served):
                names = listed(answer.backend.name for each in served for answer in each.chosen)
                cost = profile.price or "the materialised figure"
                text = f"{row['text']} With {names}, at the cost of {cost}."
                return Reason("fallback", Effect.PARTIAL, text, cited(row.get("cite")), name)
        return None

    def _stored(self, served: list[Served], caches: Caches) -> Reason | None:
        """What the chosen backends keep, in the formats that are in play: entries, window and index keys."""
        found: dict[str, str] = {}
        for each in served:
            for answer in each.chosen:
                roles = {"kv": ("kv", "window"), "index": ("index",)}.get(each.job.cache, ())
                for role in roles:
                    wanted = caches.of(each.job.cache, "window" if role == "window" else "decode") or frozenset()
                    taken = sorted(wanted & set(answer.variant.formats))
                    if taken:
                        found.setdefault(role, taken[0])
        if found.get("window") == found.get("kv"):
            found.pop("window", None)
        if not found:
            return None
        rows = {role: cache_rules.entry(self.formats, id) for role, id in found.items()}
        text = "; ".join(f"{role}: {words}" for role, (words, _, _) in rows.items())
        cites = tuple(dict.fromkeys(cite for _, own, _ in rows.values() for cite in own))
        value = {role: {"format": found[role], "bytes_per_entry": size} for role, (_, _, size) in rows.items()}
        return Reason("cache", Effect.STORES, f"stored as {text}", cites, value)


def _needs(profile: Profile, way: tuple[Job, ...]) -> Reason:
    needs = listed(name for job in way for name in job.classes)
    because = f" with {listed(profile.traits)}" if profile.traits else ""
    return Reason("family", Effect.NEEDS, f"the family {profile.family}{because} needs {needs}", (), profile.family)


def _decided(state: VerdictState, limits: Limits) -> VerdictState:
    """What decides in the end: a dispute over a block, a block, a limit, and else what the classes gave."""
    if limits.blocked:
        return VerdictState.SOURCES_DISAGREE if limits.disputed else VerdictState.BLOCKED
    if limits.partial and state not in (VerdictState.BLOCKED, VerdictState.NO_EVIDENCE):
        return VerdictState.PARTIAL
    return state
