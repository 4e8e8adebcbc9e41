"""The rule of kernel classes: for each class that a family needs, a backend whose predicates accept the GPU."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from generator.catalog.records import Record
from generator.compatibility.backends import BY_HAND, WHOLE, Backend, BackendFit, Grade, ask
from generator.compatibility.caches import Caches
from generator.compatibility.chain import THIS_GPU, Effect, Reason, cited, listed
from generator.compatibility.profiles import Job, Profile
from generator.compatibility.refusals import refusals, sources
from generator.notation.gpus import Gpu, any_covers

# Which class of a job the engine's own choice goes by, where it has rows for several.
DECISIVE = ("kc-sink", "kc-gqa-dkv", "kc-xattn", "kc-win")


@dataclass(frozen=True, slots=True)
class Served:
    """How one job comes out: `outcome` is proves, by-hand, unread, gap, refused or absent."""

    job: Job
    outcome: str
    reasons: tuple[Reason, ...]
    chosen: tuple[BackendFit, ...] = ()
    modifiers: tuple[str, ...] = ()
    flips_if: tuple[str, ...] = ()
    lost: frozenset[str] = frozenset()
    """Backends that are ruled out and would serve: where there is no other, what rules them out is why none serves."""

    @property
    def gated(self) -> bool:
        """Whether a gate that accepts this GPU is among what serves it."""
        return any(answer.grade is Grade.PROVES for answer in self.chosen)


@dataclass(frozen=True)
class Kernels:
    """The backends of an engine, and what its record says about choosing among them."""

    engine: Record
    backends: tuple[Backend, ...]

    def serve(self, job: Job, profile: Profile, gpu: Gpu, caches: Caches, pruned: frozenset[str]) -> Served:
        """Look for backends for every part of a job; many models ask the same, and are answered once."""
        named = profile.architecture if profile.architecture in self._named else None
        widths = tuple(profile.widths.get(name) for name in job.classes)
        asked = (caches.kv, caches.window, caches.index)
        key = (job, profile.family, named, widths, profile.config_key, gpu.shown, asked, pruned)
        if key not in self._answered:
            self._answered[key] = self._serve(job, profile, gpu, caches, pruned)
        return self._answered[key]

    @cached_property
    def _answered(self) -> dict[tuple[object, ...], Served]:
        return {}

    @cached_property
    def _named(self) -> frozenset[str]:
        """The classes that some choice or backend names: models of these are answered by themselves."""
        rows = [*(self.engine.get("selection") or ()), *(self.engine.get("coverage") or ())]
        choices = [name for row in rows for name in row.get("architectures") or ()]
        return frozenset(choices).union(*(backend.architectures or () for backend in self.backends))

    def _serve(self, job: Job, profile: Profile, gpu: Gpu, caches: Caches, pruned: frozenset[str]) -> Served:
        providers = [
            backend
            for backend in self.backends
            if backend.platform in (gpu.platform, "any")
            and backend.provides(job.classes, str(profile.family), profile.architecture)
        ]
        kept = [backend for backend in providers if backend.name not in pruned]
        ruled_out = [backend for backend in providers if backend.name in pruned]
        chosen: list[BackendFit] = []
        reasons: list[Reason] = []
        notes: dict[str, None] = {}
        outcome = "proves"
        for part in self._parts(providers):
            answers = _answers(kept, part, job, profile, gpu, caches)
            row = self._choice(job, profile, gpu, caches, part)
            best = _best(answers, list(row["order"]) if row else [], [answer.backend for answer in chosen])
            rivals = _rivals(answers) if row is None and part in WHOLE else ()
            if best is None or best.grade < Grade.UNGATED or len(rivals) > 1 or (rivals and best.variant.opt_in):
                out = _answers(ruled_out, part, job, profile, gpu, caches)
                rest = self._unchosen(job, rivals) or self._lacking(job, part, profile, gpu, providers, answers, out)
                return replace(rest, reasons=(*reasons, *rest.reasons), chosen=tuple(chosen), modifiers=tuple(notes))
            if not any(best.backend is other.backend for other in chosen):
                known = sum(backend.does(part) for backend in providers)
                others = {answer.backend.name for answer in answers if answer.grade is not Grade.REFUSES}
                reasons.append(_serves(job, best, gpu, row, part in WHOLE and known > 1 and len(others) == 1, known))
                chosen.append(best)
            if part in WHOLE and _by_hand(best, row):
                notes[f"by hand: {best.backend.name}"] = None
                outcome = "by-hand"
            notes |= dict.fromkeys(f"opt-in: {what}" for what in best.variant.opt_in if what != BY_HAND)
        flips = (f"a release in which no backend for {job.name} takes {THIS_GPU}",)
        return Served(job, outcome, tuple(reasons), tuple(chosen), tuple(notes), flips)

    def _parts(self, providers: Iterable[Backend]) -> tuple[str, ...]:
        """Prefill and decode, and the further parts that this engine divides the work into on this platform."""
        further = {part for backend in providers for variant in backend.variants for part in variant.parts}
        return (*WHOLE, *sorted(further - set(WHOLE)))

    def _choice(self, job: Job, profile: Profile, gpu: Gpu, caches: Caches, part: str) -> Mapping[str, Any] | None:
        """The engine's own choice: the first row that fits, those by family before those by class."""
        written: list[Mapping[str, Any]] = self.engine.get("selection") or []
        rows = [row for row in written if _fits(row, profile, gpu, caches, job, part)]
        by_family = [row for row in rows if row.get("family") == profile.family]
        own = {backend.name for backend in self.backends if backend.classes.issuperset(job.classes)}
        for row in by_family:
            if not row["order"] or own & set(row["order"]):
                return row
        for name in sorted(job.classes, key=lambda name: DECISIVE.index(name) if name in DECISIVE else len(DECISIVE)):
            for row in rows:
                if row.get("kernel_class") == name:
                    return row
        return None

    def _lacking(
        self,
        job: Job,
        part: str,
        profile: Profile,
        gpu: Gpu,
        providers: list[Backend],
        answers: list[BackendFit],
        out: list[BackendFit],
    ) -> Served:
        """What is said of a part that no backend serves; `out`: what those answer that something rules out."""
        told = [*answers, *_refusing(out)]
        rest = self._unproved(job, part, gpu, [each for each in providers if each.does(part)], told, profile)
        lost = frozenset(answer.backend.name for answer in out if answer.grade >= Grade.UNGATED)
        if rest.outcome == "unread" or not lost:
            return rest
        return replace(rest, reasons=_ruled_out(job, lost, rest.reasons), lost=lost)

    def _unchosen(self, job: Job, rivals: tuple[BackendFit, ...]) -> Served | None:
        """What is said where several backends would serve, and which one the engine takes was not read."""
        if len(rivals) < 2 or all(answer.grade is Grade.UNREAD for answer in rivals):
            return None
        names = listed(dict.fromkeys(answer.backend.name for answer in rivals), "or")
        text = f"{job.name}: whether {self.engine.title} takes {names} on {THIS_GPU} by itself was not read"
        cites = tuple(dict.fromkeys(cite for answer in rivals[:4] for cite in sources(answer)))
        flips = (f"the choice between {names} on {THIS_GPU}, read",)
        return Served(job, "unread", (Reason("kernel-class", Effect.UNREAD, text, cites, job.name),), flips_if=flips)

    def _unproved(
        self, job: Job, part: str, gpu: Gpu, providers: list[Backend], answers: list[BackendFit], profile: Profile
    ) -> Served:
        what = job.name if part in WHOLE and part == WHOLE[0] else f"{job.name}, {part}"
        unread = [answer for answer in answers if answer.grade is Grade.UNREAD]
        if unread:
            names = dict.fromkeys(f"{answer.backend.name} {answer.why}" for answer in unread)
            text = f"{what}: {listed(list(names)[:4])}"
            cites = tuple(dict.fromkeys(cite for answer in unread[:4] for cite in sources(answer)))
            flips = (f"the predicates of {listed(dict.fromkeys(a.backend.name for a in unread), 'or')}, read",)
            step = Reason("kernel-class", Effect.UNREAD, text, cites, job.name)
            return Served(job, "unread", (step,), flips_if=flips)
        coverage = self._coverage(job, gpu, profile)
        whole = coverage is not None and coverage["whole"]
        if not any(variant.grade > Grade.UNREAD for backend in providers for variant in backend.variants):
            where = "was read for this GPU" if providers else "is on record for this platform"
            text, cites = f"{what}: no backend of {self.engine.title} for it {where}", ()
            if not whole:
                flips = (self._settling(job, gpu),)
                step = Reason("kernel-class", Effect.UNREAD, text, (), job.name)
                return Served(job, "absent", (step,), flips_if=flips)
        else:
            text, cites = refusals(what, providers, answers, gpu)
        other = ("another cache type",) if any(answer.by_cache for answer in answers) else ()
        if coverage is not None and whole:
            step = Reason("kernel-class", Effect.REFUSES, text, cites, job.name)
            said = Reason("coverage", Effect.WHOLE, coverage["text"], cited(coverage.get("cite")))
            flips = (*other, f"a release with a backend for {job.name} that takes {THIS_GPU}")
            return Served(job, "refused", (step, said), flips_if=flips)
        reasons = [Reason("kernel-class", Effect.NO_EVIDENCE, text, cites, job.name)]
        if coverage is not None:
            reasons.append(Reason("coverage", Effect.NOT_WHOLE, coverage["text"], cited(coverage.get("cite"))))
        flips = (*other, f"{self._settling(job, gpu)}, or that there is none")
        return Served(job, "gap", tuple(reasons), flips_if=flips)

    def _settling(self, job: Job, gpu: Gpu) -> str:
        """What would settle a cell: the file where such a backend would be, where the engine's record says so."""
        what = f"a backend for {job.name} on {THIS_GPU}"
        for row in self.engine.get("unread") or ():
            here = row.get("platform", gpu.platform) == gpu.platform
            if here and (not row.get("kernel_classes") or set(row["kernel_classes"]) & set(job.classes)):
                return f"{row['file']}, read for {what}"
        return f"a source that shows {what}"

    def _coverage(self, job: Job, gpu: Gpu, profile: Profile) -> Mapping[str, Any] | None:
        rows: list[Mapping[str, Any]] = self.engine.get("coverage") or []
        for row in rows:
            about = row["kernel_class"] in job.classes and row["platform"] == gpu.platform
            named = not row.get("architectures") or profile.architecture in row["architectures"]
            if about and named and (not row.get("families") or profile.family in row["families"]):
                return row
        return None


def _fits(row: Mapping[str, Any], profile: Profile, gpu: Gpu, caches: Caches, job: Job, part: str) -> bool:
    if row.get("part", part) != part or (row.get("gpus") and not any_covers(tuple(row["gpus"]), gpu)):
        return False
    if row.get("architectures") and profile.architecture not in row["architectures"]:
        return False
    formats = caches.of(job.cache, part)
    return formats is None or not row.get("cache") or bool(formats & set(row["cache"]))


def _answers(
    backends: Iterable[Backend], part: str, job: Job, profile: Profile, gpu: Gpu, caches: Caches
) -> list[BackendFit]:
    formats = caches.of(job.cache, part)
    return [
        ask(backend, variant, job.classes, profile.widths, profile.config, formats)
        for backend in backends
        for variant in backend.variants
        if part in variant.parts and variant.covers(gpu)
    ]


def _ruled_out(job: Job, lost: frozenset[str], reasons: tuple[Reason, ...]) -> tuple[Reason, ...]:
    """The step for a part whose only backends are ruled out; what rules them out is a step of its own."""
    text = f"{job.name}: {listed(sorted(lost))} is ruled out on {THIS_GPU}, and nothing else on record serves this"
    return (replace(reasons[0], text=text), *reasons[1:])


def _refusing(answers: Iterable[BackendFit]) -> Iterator[BackendFit]:
    """What a backend says against a cell by itself; it says so too where a gotcha or a restriction rules it out."""
    return (answer for answer in answers if answer.grade is Grade.REFUSES)


def _best(answers: Iterable[BackendFit], order: list[str], already: list[Backend]) -> BackendFit | None:
    """What serves: the engine's own choice, which may be one that was not read; else an option, which comes last."""

    def rank(answer: BackendFit) -> tuple[bool, bool, bool, int]:
        return (
            answer.grade < Grade.UNGATED,
            bool(answer.variant.opt_in),
            answer.backend not in already,
            -answer.grade,
        )

    ranked = sorted(answers, key=rank)
    for name in order:
        own = next((each for each in ranked if each.backend.name == name and each.grade is not Grade.REFUSES), None)
        if own is not None and BY_HAND not in own.variant.opt_in:
            return own
    return next(iter(ranked), None)


def _rivals(answers: Iterable[BackendFit]) -> tuple[BackendFit, ...]:
    """One answer of each backend that an engine could take by itself; for one of them alone nothing is chosen."""
    able = [each for each in answers if each.grade is not Grade.REFUSES and not each.variant.opt_in]
    return tuple({answer.backend.name: answer for answer in able}.values())


def _by_hand(answer: BackendFit, row: Mapping[str, Any] | None) -> bool:
    """Whether the engine never comes to a backend by itself."""
    left_out = row is not None and bool(row["order"]) and answer.backend.name not in row["order"]
    return left_out or BY_HAND in answer.variant.opt_in


def _serves(job: Job, answer: BackendFit, gpu: Gpu, row: Mapping[str, Any] | None, only: bool, known: int) -> Reason:
    part = "" if set(WHOLE) <= set(answer.variant.parts) else f", {listed(answer.variant.parts)}"
    how = "accepts" if answer.grade is Grade.PROVES else "has no gate that refuses"
    text = f"{job.name}{part}: {answer.backend.name} {how} {THIS_GPU}"
    if not part.endswith(("window", "index", "metadata")) and row and row["order"] and _by_hand(answer, row):
        text += f", where it is named by hand; the engine's own choice is {row['order'][0]}"
    if only:
        text += f", the only one of {known} on record that serves this"
    value = {
        "backend": answer.backend.record.id,
        "classes": list(job.classes),
        "grade": "gate" if answer.grade is Grade.PROVES else "ungated",
        "only": only,
    }
    by_choice = cited(row.get("cite")) if row and row["order"] else ()
    return Reason("kernel-class", Effect.SERVES, text, tuple(dict.fromkeys([*sources(answer), *by_choice])), value)
