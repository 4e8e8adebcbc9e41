"""The rule of weights: whether an engine loads a checkpoint's quantised weights, for which names, and on which GPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generator.catalog.records import Record
from generator.compatibility.chain import THIS_GPU, Effect, Reason, cited, listed
from generator.compatibility.checkpoints import Checkpoint, Scheme
from generator.notation.gpus import Gpu, any_covers, pattern_platform

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WeightsAnswer:
    """Whether the weights are loaded: True, False, or None where nothing on record says either."""

    loads: bool | None = None
    steps: tuple[Reason, ...] = ()
    flips: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()


PLAIN = WeightsAnswer()
"""The answer for weights that are not quantised."""


def weights_of(engine: Record, checkpoint: Checkpoint, name: str | None, gpu: Gpu) -> WeightsAnswer:
    """Apply the rule to one engine, checkpoint and GPU. `name`: the class or model type that the engine is asked for.

    Of the rows that are about the scheme and the name, the first that covers the GPU decides. Where none does, a floor
    that the GPU is below refuses, and so does a whole list that lacks the scheme's method.
    """
    scheme = checkpoint.scheme
    if scheme is None:
        return PLAIN
    stated: Mapping[str, Any] = engine.get("weights") or {"rows": (), "whole": False}
    about = [row for row in stated["rows"] if _about(row, scheme, name)]
    fits = next((row for row in about if _covers(row, gpu)), None)
    if fits is not None and not fits.get("doubtful"):
        return _fits(engine, fits, scheme)
    floors = [row for row in about if not row.get("refuses") and _on(row, gpu)]
    if fits is None and floors and all(row.get("whole", True) for row in floors):
        accepted = listed(dict.fromkeys(each for row in floors for each in row["gpus"]))
        text = f"{engine.title} loads weights in {scheme.shown} on {accepted}, not on {THIS_GPU}"
        flip = f"a release of {engine.title} that loads {scheme.shown} on {THIS_GPU}"
        return _refused(text, cited(*(row["cite"] for row in floors)), flip, scheme)
    if stated["whole"] and scheme.method not in (None, *_methods(stated["rows"])):
        text = f"{engine.title} loads no weights in {scheme.shown}"
        return _refused(text, cited(stated["cite"]), f"a release of {engine.title} that loads {scheme.shown}", scheme)
    text = f"the weights are quantised ({scheme.shown}); whether kernels for them take this GPU was not judged"
    text += f": {fits['doubtful']}" if fits else ""
    cites = checkpoint.cites + cited(fits["cite"] if fits else None)
    step = Reason("checkpoint", Effect.NOT_JUDGED, text, cites, scheme.shown)
    return WeightsAnswer(None, (step,), modifiers=(f"weights: {scheme.shown}, not judged",))


def _about(row: Row, scheme: Scheme, name: str | None) -> bool:
    named = row.get("architectures")
    return bool(set(scheme.names) & set(row["schemes"])) and (not named or name in named)


def _covers(row: Row, gpu: Gpu) -> bool:
    return row.get("on", gpu.platform) == gpu.platform and (not row.get("gpus") or any_covers(tuple(row["gpus"]), gpu))


def _on(row: Row, gpu: Gpu) -> bool:
    """Whether a row is about some GPUs of this platform."""
    return any(pattern_platform(each) == gpu.platform for each in row.get("gpus") or ())


def _methods(rows: Sequence[Row]) -> set[str]:
    return {str(each).partition("/")[0] for row in rows for each in row["schemes"]}


def _fits(engine: Record, row: Row, scheme: Scheme) -> WeightsAnswer:
    cites = cited(row["cite"])
    if row.get("refuses"):
        text = f"{engine.title} does not load weights in {scheme.shown} here: {row['refuses']}"
        return _refused(text, cites, f"a release of {engine.title} that loads {scheme.shown} here", scheme)
    needs = row.get("needs")
    how = [*([row["how"]] if row.get("how") else []), *([f"with {needs}"] if needs else [])]
    text = ", ".join([f"{engine.title} loads weights in {scheme.shown}", *how])
    step = Reason("weights", Effect.LOADS, text, cites, scheme.shown)
    return WeightsAnswer(True, (step,), modifiers=(f"opt-in: {needs}",) if needs else ())


def _refused(text: str, cites: tuple[str, ...], flip: str, scheme: Scheme) -> WeightsAnswer:
    return WeightsAnswer(False, (Reason("weights", Effect.REFUSES, text, cites, scheme.shown),), (flip,))
