"""The rule of weights: whether an engine loads a checkpoint's quantised weights, and on which GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator.catalog.records import Record
from generator.compatibility.chain import THIS_GPU, Effect, Reason, cited, listed
from generator.compatibility.checkpoints import Scheme
from generator.notation.gpus import Gpu, any_covers, pattern_platform


@dataclass(frozen=True, slots=True)
class WeightsAnswer:
    """Whether the weights are loaded: True, False, or None where nothing on record says either."""

    loads: bool | None = None
    steps: tuple[Reason, ...] = ()
    flips: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()


PLAIN = WeightsAnswer()
"""The answer for weights that are not quantised."""


def weights_of(engine: Record, scheme: Scheme | None, gpu: Gpu, config: tuple[str, ...]) -> WeightsAnswer:
    """Apply the rule to one engine, scheme and GPU; `config` is where the checkpoint states the scheme."""
    if scheme is None:
        return PLAIN
    stated: Mapping[str, Any] = engine.get("weights") or {"rows": (), "whole": False}
    rows = [row for row in stated["rows"] if set(scheme.names) & set(row["schemes"])]
    fits = next((row for row in rows if not row.get("gpus") or any_covers(tuple(row["gpus"]), gpu)), None)
    if fits is not None:
        text = f"{engine.title} loads weights in {scheme.shown}" + (f", {fits['how']}" if fits.get("how") else "")
        return WeightsAnswer(True, (Reason("weights", Effect.LOADS, text, cited(fits["cite"]), scheme.shown),))
    if not rows and stated["whole"]:
        text = f"{engine.title} loads no weights in {scheme.shown}"
        return _refused(text, cited(stated["cite"]), f"a release of {engine.title} that loads {scheme.shown}", scheme)
    if any(pattern_platform(each) == gpu.platform for row in rows for each in row["gpus"]):
        accepted = listed(dict.fromkeys(each for row in rows for each in row["gpus"]))
        text = f"{engine.title} loads weights in {scheme.shown} on {accepted}, not on {THIS_GPU}"
        flip = f"a release of {engine.title} that loads {scheme.shown} on {THIS_GPU}"
        return _refused(text, cited(*(row["cite"] for row in rows)), flip, scheme)
    text = f"the weights are quantised ({scheme.shown}); whether kernels for them take this GPU was not judged"
    step = Reason("checkpoint", Effect.NOT_JUDGED, text, config, scheme.shown)
    return WeightsAnswer(None, (step,), modifiers=(f"weights: {scheme.shown}, not judged",))


def _refused(text: str, cites: tuple[str, ...], flip: str, scheme: Scheme) -> WeightsAnswer:
    return WeightsAnswer(False, (Reason("weights", Effect.REFUSES, text, cites, scheme.shown),), (flip,))
