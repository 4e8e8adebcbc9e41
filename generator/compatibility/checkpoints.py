"""What a checkpoint brings along that no rule judges: quantised weights, and a cache quantisation of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.compatibility.chain import Effect, Reason

Facts = Mapping[str, Any]


def checkpoint_effects(facts: Facts, cites: tuple[str, ...], auto: bool) -> tuple[tuple[Reason, ...], tuple[str, ...]]:
    """The steps and the modifiers for a config as its source holds it. `auto`: no cache type was asked for."""
    own = _object(facts.get("quantization_config"))
    beside = _object(_object(facts.get("_hf_quant_config.json")).get("quantization"))
    weights = own.get("quant_algo") or beside.get("quant_algo") or own.get("quant_method")
    scheme = own.get("kv_cache_scheme")
    cache = beside.get("kv_cache_quant_algo") or own.get("kv_cache_quant_algo") or (_words(scheme) if scheme else None)
    steps: list[Reason] = []
    modifiers: list[str] = []
    if weights:
        text = f"the weights are quantised ({weights}); whether kernels for them take this GPU was not judged"
        steps.append(Reason("checkpoint", Effect.NOT_JUDGED, text, cites, weights))
        modifiers.append(f"weights: {weights}, not judged")
    if cache and auto:
        text = f"the checkpoint carries a cache quantisation of its own ({cache}), which may override auto"
        steps.append(Reason("checkpoint", Effect.MAY_OVERRIDE, text, cites, cache))
        modifiers.append(f"cache: the checkpoint asks for {cache}")
    return tuple(steps), tuple(modifiers)


def _object(value: Any) -> Facts:
    return value if isinstance(value, Mapping) else {}


def _words(scheme: Any) -> str:
    row = _object(scheme)
    return f"{row['num_bits']} bits, {row.get('type', 'type not stated')}" if "num_bits" in row else str(scheme)
