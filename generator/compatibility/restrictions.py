"""The rule of restrictions: limits that an engine states, and the sources that contradict them."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from generator.catalog.records import Record
from generator.compatibility.chain import Effect, Reason, cited, listed
from generator.compatibility.conditions import about_gpu, about_model, backends_in, others_in, settled
from generator.compatibility.profiles import Profile
from generator.notation.gpus import Gpu, any_covers
from generator.notation.versions import satisfies


@dataclass
class Limits:
    """What restrictions and gotchas amount to, gathered step by step."""

    reasons: list[Reason] = field(default_factory=list)
    blocked: list[Reason] = field(default_factory=list)
    partial: list[Reason] = field(default_factory=list)
    disputed: list[Reason] = field(default_factory=list)
    pruned: dict[str, str] = field(default_factory=dict)
    modifiers: dict[str, None] = field(default_factory=dict)
    flips_if: dict[str, None] = field(default_factory=dict)


def restrict(
    engine: Record, profile: Profile, gguf: str | None, gpu: Gpu, limits: Limits, settings: Container[str] = ()
) -> None:
    """Apply an engine's restrictions to a model and a GPU, with what the cache type that is asked for sets."""
    for row in engine.get("restrictions") or ():
        if row["effect"] is None or not _in_version(engine, row) or not about_model(row["when"], profile, gguf):
            continue
        outside = row.get("applies_outside_gpus")
        if not about_gpu(row["when"], gpu) or (outside and any_covers(tuple(outside), gpu)):
            continue
        features = settled(row["when"].get("features") or (), profile.config, settings)
        if features is None:
            continue
        step = Reason("restriction", Effect(row["effect"]), row["text"], cited(*(row.get("cites") or ())))
        if features:
            _with_features(features, row, step, limits)
            continue
        contradictions = [each for each in row.get("contradictions") or () if _contradicts(each, profile, gpu)]
        limits.reasons.append(step)
        (limits.partial if row["effect"] == "partial" else limits.blocked).append(step)
        limits.flips_if[f"a release of {engine.title} without this limit"] = None
        for each in contradictions:
            apart = f" What separates them: {each['separated_by']}." if each.get("separated_by") else ""
            text = f"Against that limit: {each['text']}{apart}"
            against = Reason("claims", Effect.DISAGREES, text, cited(*each["cites"]), each.get("separated_by"))
            limits.reasons.append(against)
            limits.disputed.append(step)
            limits.flips_if["a source that shows which of the two holds for a release"] = None


def _with_features(features: tuple[str, ...], row: Mapping[str, Any], step: Reason, limits: Limits) -> None:
    """A limit that holds with a setting only: it takes a backend out, or is added to the verdict as a note."""
    backends = backends_in(features)
    if backends and row["effect"] == "blocked" and not others_in(features):
        limits.pruned |= dict.fromkeys(backends, row["text"])
        limits.reasons.append(Reason("restriction", Effect.PRUNES, row["text"], step.cites, listed(backends)))
        return
    text = f"{row['effect']} with {listed(features)}: {row['text']}"
    limits.reasons.append(Reason("restriction", Effect.WITH_A_SETTING, text, step.cites, list(features)))


def _in_version(engine: Record, row: Mapping[str, Any]) -> bool:
    since, until = row.get("since"), row.get("until")
    version = engine.get("version")
    too_old = since and satisfies(version, f">={since}") is False
    return not too_old and not (until and satisfies(version, f"<={until}") is False)


def _contradicts(row: Mapping[str, Any], profile: Profile, gpu: Gpu) -> bool:
    if row.get("gpus") and not any_covers(tuple(row["gpus"]), gpu):
        return False
    return not profile.ids & set(cited(*(row.get("not_for") or ())))
