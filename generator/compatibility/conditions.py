"""The conditions of restrictions and gotchas: whether one is about a model, a GPU and a cache; and their features."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from generator.compatibility.profiles import Profile
from generator.notation.gpus import Gpu, any_covers

UNLISTED = "model_type=unlisted"
"""A feature that no listed model has: whatever comes after the rule of lists has passed it."""


def about_model(when: Mapping[str, Any], profile: Profile, gguf: str | None) -> bool:
    """Whether the classes and families that a condition names hold this model."""
    if when.get("architectures") and profile.architecture not in when["architectures"]:
        return bool(gguf and when.get("gguf_architectures") and gguf in when["gguf_architectures"])
    if when.get("families") and profile.family not in when["families"]:
        return False
    return not (when.get("gguf_architectures") and not when.get("architectures")) or gguf in when["gguf_architectures"]


def about_gpu(when: Mapping[str, Any], gpu: Gpu) -> bool:
    """Whether the GPUs that a condition names hold this one."""
    return not when.get("gpus") or any_covers(tuple(when["gpus"]), gpu)


def names_model(when: Mapping[str, Any]) -> bool:
    """Whether a condition is about some models rather than about any."""
    return bool(when.get("architectures") or when.get("families") or when.get("gguf_architectures"))


def backends_in(features: Iterable[str]) -> tuple[str, ...]:
    """The backends that a condition's features name: ``backend=X``."""
    return tuple(each.removeprefix("backend=") for each in features if each.startswith("backend="))


def others_in(features: Iterable[str]) -> tuple[str, ...]:
    """The features that are about anything else than the backend."""
    return tuple(each for each in features if not each.startswith("backend="))


def settled(
    features: Iterable[str], config: Mapping[str, Any], settings: Container[str] = ()
) -> tuple[str, ...] | None:
    """The features that are still open; None where the config or the list rules one out: ``index_topk!=2048``.

    What the question itself sets, as a cache type sets ``indexer_kv_dtype=mxfp4``, is open no more.
    """
    left = []
    for each in features:
        if each == UNLISTED:
            return None
        if each in settings:
            continue
        key, differs, value = each.partition("!=")
        if not differs or key not in config or not value.isdigit():
            left.append(each)
        elif config[key] == int(value):
            return None
    return tuple(left)
