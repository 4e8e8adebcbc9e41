"""The first rule: which kinds of device an engine's released build runs on, as its own documents or code say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator.catalog.records import Record
from generator.compatibility.chain import THIS_GPU, Effect, Reason, cited, listed
from generator.notation.gpus import Gpu, any_covers

WORDS = {"cuda": "CUDA", "rocm": "ROCm", "metal": "Metal", "xpu": "Intel GPUs", "cpu": "CPUs", "vulkan": "Vulkan"}


@dataclass(frozen=True, slots=True)
class PlatformAnswer:
    """What an engine's list of platforms says of a GPU.

    ``runs`` is True where a released build is for it, False where the list leaves it out and is whole, and None where
    nothing on record says either. ``modifiers`` name what else the build needs, or the plug-in that would run there.
    """

    runs: bool | None
    steps: tuple[Reason, ...] = ()
    flips: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()


UNSTATED = PlatformAnswer(None)
"""The answer of an engine whose platforms are not on record."""


def platform_of(engine: Record, gpu: Gpu) -> PlatformAnswer:
    """Apply the rule to one engine and GPU."""
    stated: Mapping[str, Any] | None = engine.get("platforms")
    if stated is None:
        return UNSTATED
    rows: list[Mapping[str, Any]] = stated["rows"]
    own = [row for row in rows if row["on"] == gpu.platform]
    for row in own:
        if not row.get("gpus") or any_covers(tuple(row["gpus"]), gpu):
            return _answer(engine, row)
    others = listed(dict.fromkeys(_shown(row) for row in rows if not row.get("plug_in")))
    cites = cited(stated["cite"], *(row["cite"] for row in own))
    if not (stated["whole"] and all(row.get("whole", True) for row in own)):
        text = f"{engine.title} runs on {others}; what it says does not settle whether on {THIS_GPU}"
        return PlatformAnswer(None, (Reason("platform", Effect.UNKNOWN, text, cites),))
    step = Reason("platform", Effect.REFUSES, f"{engine.title} runs on {others}, not on {THIS_GPU}", cites)
    return PlatformAnswer(False, (step,), (f"a release of {engine.title} for {THIS_GPU}",))


def _answer(engine: Record, row: Mapping[str, Any]) -> PlatformAnswer:
    cites = cited(row["cite"])
    if plug_in := row.get("plug_in"):
        text = f"{engine.title} itself does not run on {_shown(row)}; {plug_in} is a project of its own that does"
        step = Reason("platform", Effect.REFUSES, text, cites, row["on"])
        return PlatformAnswer(
            False, (step,), (f"a release of {engine.title} for {THIS_GPU}",), (f"plug-in: {plug_in}",)
        )
    needs = row.get("needs")
    text = f"{engine.title} runs on {_shown(row)}" + (f", with {needs}" if needs else "")
    step = Reason("platform", Effect.RUNS, text, cites, row["on"])
    return PlatformAnswer(True, (step,), modifiers=(f"opt-in: {needs}",) if needs else ())


def _shown(row: Mapping[str, Any]) -> str:
    gpus = row.get("gpus")
    return WORDS[row["on"]] + (f" ({', '.join(gpus)})" if gpus else "")
