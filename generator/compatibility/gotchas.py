"""The rule of gotchas: failures on record whose conditions hold, and whether they still do in the version at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generator.catalog.records import Record
from generator.compatibility.backends import BackendFit
from generator.compatibility.chain import DECIDES, Effect, Reason, VerdictState, cited, listed
from generator.compatibility.conditions import about_gpu, backends_in, names_model, others_in, settled
from generator.compatibility.profiles import Profile
from generator.compatibility.restrictions import Limits
from generator.notation.gpus import Gpu
from generator.notation.versions import package, pinned, satisfies


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of a gotcha, with what it overrides of its record."""

    gotcha: Record
    when: Mapping[str, Any]

    def get(self, key: str) -> Any:
        """The condition's own value, else the record's."""
        return self.when[key] if key in self.when else self.gotcha.get(key)

    @property
    def cites(self) -> tuple[str, ...]:
        """The sources of the gotcha."""
        fixes = [each.get("cite") for each in self.get("fixed_in") or ()]
        return cited(*(self.gotcha.get("cites") or ()), *(self.gotcha.get("reports") or ()), *fixes)


def conditions_of(gotchas: Iterable[Record], engine: Record) -> tuple[Condition, ...]:
    """All conditions that may be about an engine: those that name it, and those that name no engine."""
    found = [Condition(gotcha, when) for gotcha in gotchas for when in gotcha.get("conditions")]
    return tuple(each for each in found if cited(each.when.get("engine")) in ((), (engine.id,)))


@dataclass(frozen=True, slots=True)
class Cell:
    """What gotchas are compared with."""

    engine: Record
    profile: Profile
    gguf: str | None
    gpu: Gpu
    chosen: tuple[BackendFit, ...]
    cache_words: frozenset[str]
    settings: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()

    def uses(self, name: str) -> str | None:
        """How the chosen backends come by a kernel library: "itself", a fork's id, or None where they do not."""
        for answer in self.chosen:
            kernel = answer.backend.kernel
            if package(name) in answer.variant.packages or (kernel and kernel.get("package") == name):
                return "itself"
            if kernel and kernel.get("fork_of") == name:
                return kernel.id
        return None

    def version_of(self, name: str) -> str | None:
        """The version of a kernel library that the engine pins."""
        pins = self.engine.get("pins") or {}
        return next((pinned(pin) for own, pin in pins.items() if package(own) == package(name)), None)


def apply_gotchas(conditions: Iterable[Condition], cell: Cell, limits: Limits) -> None:
    """Apply the gotchas about the model to a cell. A condition that cannot be checked is shown and decides nothing."""
    for each in conditions:
        if not about_gpu(each.when, cell.gpu):
            continue
        if each.when.get("cache_formats") and not cell.cache_words & set(each.when["cache_formats"]):
            continue
        for step, decides in _steps(each, cell, limits):
            limits.reasons.append(step)
            if decides is Effect.BLOCKED:
                limits.blocked.append(step)
            elif decides in DECIDES[VerdictState.PARTIAL]:
                limits.partial.append(step)
            elif decides is Effect.SLOW:
                limits.modifiers[f"slow: {each.gotcha.id}"] = None


def pruned_by(conditions: Iterable[Condition], cell: Cell) -> dict[str, str]:
    """The backends that a gotcha about the model rules out for a cell, whatever is chosen."""
    found: dict[str, str] = {}
    for each in conditions:
        features = settled(each.when.get("features") or (), cell.profile.config, cell.settings)
        names = backends_in(features or ())
        if not names or others_in(features or ()) or each.get("effect") != "blocked" or each.get("status") == "fixed":
            continue
        if not about_gpu(each.when, cell.gpu):
            continue
        if each.when.get("cache_formats") and not cell.cache_words & set(each.when["cache_formats"]):
            continue
        if _in_engine_version(each, cell):
            found |= dict.fromkeys(names, each.gotcha.title)
    return found


def _steps(each: Condition, cell: Cell, limits: Limits) -> Iterator[tuple[Reason, Effect | None]]:
    features = settled(each.when.get("features") or (), cell.profile.config, cell.settings)
    if features is None:
        return
    names = backends_in(features)
    needed = bool(cell.lost & set(names))  # every way leads over a backend that this rules out
    if names and not needed and not {answer.backend.name for answer in cell.chosen} & set(names):
        return  # it is about a backend that does not serve here
    title, value = each.gotcha.title, each.gotcha.id
    if each.get("effect") is None:
        yield Reason("gotcha", Effect.TO_KNOW, title, each.cites, value), None
        return
    kernel = each.when.get("kernel")
    how = cell.uses(kernel) if kernel and not needed else "itself"
    if how == "itself":
        yield from _held(each, cell, others_in(features), limits)
    elif how and each.when.get("architectures") and each.when.get("kernel_versions"):
        text = f"{title} (a statement about {kernel} {each.when['kernel_versions']}; the build here is {how})"
        yield Reason("gotcha", Effect.NOT_ABOUT_THIS, text, each.cites, value), None


def _held(
    each: Condition, cell: Cell, settings: tuple[str, ...], limits: Limits
) -> Iterator[tuple[Reason, Effect | None]]:
    """The step of a gotcha that is about this cell: past, open, or open with a setting only."""
    effect, title, value = Effect(each.get("effect")), each.gotcha.title, each.gotcha.id
    held, versions = _versions(each, cell)
    past = held is False or (each.get("status") == "fixed" and held is not True)
    if settings:
        if not past:
            text = f"{effect} with {listed(settings)}: {title}"
            yield Reason("gotcha", Effect.WITH_A_SETTING, text, each.cites, value), None
        return
    if past:
        yield Reason("gotcha", Effect.PAST, f"{title} ({versions})", each.cites, value), None
        limits.flips_if |= dict.fromkeys(_older(each, cell))
        yield from _disagreements(each, limits, decided=False)
        return
    general = not names_model(each.when) and not each.when.get("gpus")
    if held is None or each.get("status") == "unconfirmed" or general:
        why = "it names no model and no GPU" if general else versions or "not confirmed"
        yield Reason("gotcha", Effect.NOT_DECISIVE, f"{title} ({why})", each.cites, value), None
        return
    yield Reason("gotcha", effect, title, each.cites, value), effect
    limits.flips_if[f"a fix of {each.gotcha.id}"] = None
    yield from _disagreements(each, limits, decided=effect is Effect.BLOCKED)


def _versions(each: Condition, cell: Cell) -> tuple[bool | None, str]:
    """Whether the versions at hand lie in the condition's ranges, None where one is unknown; and the words for it."""
    answers: list[bool | None] = []
    words: list[str] = []
    own, wanted = cell.engine.get("version"), each.when.get("engine_versions")
    if wanted:
        answers.append(satisfies(own, wanted))
        words.append(f"holds for {cell.engine.title} {wanted}; this is {own or 'known by its commit'}")
    kernel, wanted = each.when.get("kernel"), each.when.get("kernel_versions")
    if kernel and wanted:
        has = cell.version_of(kernel)
        answers.append(satisfies(has, wanted))
        words.append(f"holds for {kernel} {wanted}; this release pins {has or 'no version that is on record'}")
    elif kernel and not each.when.get("engine_versions"):
        answers.append(None)
        words.append(f"which versions of {kernel} it concerns is not on record")
    held = False if False in answers else None if None in answers else True
    return held, "; ".join(words)


def _older(each: Condition, cell: Cell) -> Iterator[str]:
    """The versions under which a past gotcha holds."""
    for name, wanted in ((cell.engine.title, "engine_versions"), (each.when.get("kernel"), "kernel_versions")):
        if each.when.get(wanted):
            yield f"{name} {each.when[wanted]}"


def _in_engine_version(each: Condition, cell: Cell) -> bool:
    wanted = each.when.get("engine_versions")
    return not wanted or satisfies(cell.engine.get("version"), wanted) is True


def _disagreements(each: Condition, limits: Limits, decided: bool) -> Iterator[tuple[Reason, Effect | None]]:
    for row in each.gotcha.get("disagreements") or ():
        apart = row.get("separated_by")
        text = f"Against that gotcha: {row['text']}" + (f" What separates them: {apart}." if apart else "")
        yield Reason("claims", Effect.DISAGREES, text, cited(*row["cites"]), apart), None
        if decided and row["says"] == "runs" and not apart:
            limits.disputed.append(Reason("gotcha", Effect.BLOCKED, each.gotcha.title))
