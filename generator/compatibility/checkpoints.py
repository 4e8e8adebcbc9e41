"""What a checkpoint states apart from its architecture: the scheme of its weights, and its own cache quantisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator.compatibility.chain import Effect, Reason

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Scheme:
    """How a checkpoint says that its weights are quantised; ``method`` is None where it does not say how.

    ``kind`` distinguishes schemes of one method: ModelOpt's algorithm, or the format of compressed-tensors.
    """

    method: str | None
    kind: str | None = None

    @property
    def shown(self) -> str:
        """In words."""
        if self.method is None:
            return "a scheme that is not on record"
        return f"{self.method} {self.kind}" if self.kind else self.method

    @property
    def names(self) -> tuple[str, ...]:
        """The words by which a row of an engine names it: ``fp8``, ``modelopt/nvfp4``, ``modelopt/*`` for any kind."""
        if self.method is None:
            return ()
        return (f"{self.method}/{self.kind}", f"{self.method}/*") if self.kind else (self.method,)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The evidence of a model's config, and what it states; ``own_cache`` is the step where it quantises its cache."""

    cites: tuple[str, ...]
    scheme: Scheme | None
    own_cache: tuple[Reason, ...]


def checkpoint_of(facts: Facts, cites: tuple[str, ...], quantised: bool = False) -> Checkpoint:
    """What a config and the file next to it state, as their source holds them.

    The statement may be in ``text_config``, as in models with a tower for images. `quantised`: the weights are,
    and no file that was read says how.
    """
    text = _object(facts.get("text_config"))
    own = _object(facts.get("quantization_config") or text.get("quantization_config"))
    sidecar = _object(_object(facts.get("_hf_quant_config.json")).get("quantization"))
    scheme = _scheme(own, sidecar) or (Scheme(None) if quantised else None)
    return Checkpoint(cites, scheme, _own_cache(own, sidecar, cites))


def _scheme(own: Facts, sidecar: Facts) -> Scheme | None:
    if not own and not sidecar:
        return None
    algorithm = own.get("quant_algo") or sidecar.get("quant_algo")
    method = own.get("quant_method") or ("modelopt" if algorithm else None)
    kind = algorithm or (own.get("format") if method else None)
    return Scheme(str(method).lower() if method else None, str(kind).lower() if kind else None)


def _own_cache(own: Facts, sidecar: Facts, cites: tuple[str, ...]) -> tuple[Reason, ...]:
    scheme = own.get("kv_cache_scheme")
    cache = sidecar.get("kv_cache_quant_algo") or own.get("kv_cache_quant_algo") or (_words(scheme) if scheme else None)
    if not cache:
        return ()
    text = f"the checkpoint carries a cache quantisation of its own ({cache}), which may override auto"
    return (Reason("checkpoint", Effect.MAY_OVERRIDE, text, cites, cache),)


def _object(value: Any) -> Facts:
    return value if isinstance(value, Mapping) else {}


def _words(scheme: Any) -> str:
    row = _object(scheme)
    return f"{row['num_bits']} bits, {row.get('type', 'type not stated')}" if "num_bits" in row else str(scheme)
