"""What a checkpoint states besides its architecture: the scheme of its weights, and a cache quantisation of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator.compatibility.chain import Effect, Reason

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Scheme:
    """How a checkpoint says that its weights are quantised: a method, and the algorithm where that has several."""

    method: str
    algorithm: str | None = None

    @property
    def shown(self) -> str:
        """In words."""
        return f"{self.method} {self.algorithm}" if self.algorithm else self.method

    @property
    def names(self) -> tuple[str, ...]:
        """The words by which a row of an engine may name it: ``modelopt/nvfp4``, or ``modelopt`` for all of them."""
        return (f"{self.method}/{self.algorithm}", self.method) if self.algorithm else (self.method,)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The evidence of a model's config, and what it states; ``own_cache`` is the step where it quantises its cache."""

    cites: tuple[str, ...]
    scheme: Scheme | None
    own_cache: tuple[Reason, ...]


def checkpoint_of(facts: Facts, cites: tuple[str, ...]) -> Checkpoint:
    """What a config and the file beside it state, as their source holds them."""
    own = _object(facts.get("quantization_config"))
    beside = _object(_object(facts.get("_hf_quant_config.json")).get("quantization"))
    return Checkpoint(cites, _scheme(own, beside), _own_cache(own, beside, cites))


def _scheme(own: Facts, beside: Facts) -> Scheme | None:
    method = own.get("quant_method") or ("modelopt" if beside else None)
    algorithm = own.get("quant_algo") or beside.get("quant_algo")
    if method is None:
        return None
    return Scheme(str(method).lower(), str(algorithm).lower() if algorithm else None)


def _own_cache(own: Facts, beside: Facts, cites: tuple[str, ...]) -> tuple[Reason, ...]:
    scheme = own.get("kv_cache_scheme")
    cache = beside.get("kv_cache_quant_algo") or own.get("kv_cache_quant_algo") or (_words(scheme) if scheme else None)
    if not cache:
        return ()
    text = f"the checkpoint carries a cache quantisation of its own ({cache}), which may override auto"
    return (Reason("checkpoint", Effect.MAY_OVERRIDE, text, cites, cache),)


def _object(value: Any) -> Facts:
    return value if isinstance(value, Mapping) else {}


def _words(scheme: Any) -> str:
    row = _object(scheme)
    return f"{row['num_bits']} bits, {row.get('type', 'type not stated')}" if "num_bits" in row else str(scheme)
