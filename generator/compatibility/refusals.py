"""What refuses, in words: the nearest backend first, and what it lacks."""

from __future__ import annotations

from generator.compatibility.backends import Backend, BackendFit
from generator.compatibility.chain import THIS_GPU, listed
from generator.notation.gpus import Gpu, capability


def sources(answer: BackendFit) -> tuple[str, ...]:
    """Where an answer was read."""
    return tuple(dict.fromkeys([*answer.backend.cites, *answer.variant.cites]))


def refusals(what: str, providers: list[Backend], answers: list[BackendFit], gpu: Gpu) -> tuple[str, tuple[str, ...]]:
    """What refuses, the nearest first: those that know the GPU and say no, then those that are for other GPUs."""
    if answers:
        words = dict.fromkeys(f"{answer.backend.name} {answer.why}" for answer in answers)
        cites = dict.fromkeys(cite for answer in answers[:4] for cite in sources(answer))
        return f"{what}: on {THIS_GPU} none serves this; {listed(list(words)[:4])}", tuple(cites)
    near = sorted(providers, key=lambda backend: _distance(backend, gpu))[:3]
    words_near = [f"{backend.name} takes {listed(backend.gpus)}" for backend in near]
    gates = (cite for backend in near for variant in backend.variants if variant.gpus for cite in variant.cites)
    cites = dict.fromkeys([*(cite for backend in near for cite in backend.cites), *gates])
    return f"{what}: no backend takes {THIS_GPU}; nearest, {'; '.join(words_near)}", tuple(cites)


def _distance(backend: Backend, gpu: Gpu) -> int:
    """How far a backend's GPUs are from this one, in steps of compute capability."""
    mine = capability(gpu.capability or "")
    if mine is None:
        return 0
    lowest = [pattern.split("-")[0].rstrip("+").replace("x", "0") for pattern in backend.gpus]
    own = [capability(pattern) for pattern in lowest]
    steps = [abs(major * 10 + minor - mine[0] * 10 - mine[1]) for major, minor in filter(None, own)]
    return min(steps, default=1000)
