"""How many weights a cited config makes, and how many bytes they take; numbers from `parameters`, with their source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from generator.catalog.records import Record
from generator.derive.config.fields import NotDerivable
from generator.derive.config.wrappers import WRAPPERS, unwrap

if TYPE_CHECKING:  # `kv --config` counts nothing, and need not wait for the tables
    from generator.derive.parameters import Parameters, WeightBytes


def count_of(
    source: Record | None,
    config: Mapping[str, Any],
    given: Mapping[str, Any] | None = None,
    elements: int | None = None,
) -> Parameters | NotDerivable:
    """The parameters of a config; what a wrapper says about tied embeddings and towers belongs to it.

    `elements` is how many the checkpoint's tensors have, where that is on record.
    """
    from generator.derive import parameters

    return parameters.count(_wrapped(source, config), given, elements)


def weights_of(
    source: Record | None,
    config: Mapping[str, Any],
    counted: Parameters | NotDerivable,
    table: Mapping[str, Any],
    names: Iterable[str] = (),
    elements: int | None = None,
) -> WeightBytes | NotDerivable | None:
    """The bytes of counted parameters, by what the config, the files next to it and the names of a checkpoint state.

    The silence of a whole config is not enough: quantisation may be stated in another file, or only in the name.
    A copy with gaps that states none proves nothing. `elements` is how many the checkpoint's tensors have.
    """
    from generator.derive import parameters

    whole, all_names = bool(source and source.get("complete")), (*names, *_names(source))
    wrapped = _wrapped(source, config)
    if isinstance(counted, NotDerivable):
        return parameters.elements_bytes(elements, wrapped, table, all_names, whole=whole) if elements else None
    return parameters.weight_bytes(counted, wrapped, table, all_names, whole=whole, elements=elements)


def _names(source: Record | None) -> Iterator[str]:
    """What the source of a config calls the checkpoint: ``hf:nvidia/DeepSeek-V3-0324-NVFP4``."""
    for subject in (source.get("subjects") or ()) if source else ():
        if isinstance(subject, str):
            yield subject.rpartition("/")[2]


def _wrapped(source: Record | None, config: Mapping[str, Any]) -> Mapping[str, Any]:
    """A config with the wrapper that its source has around it.

    Records name the wrapper's class, which is the one that engines are asked for; it says nothing of the layers inside.
    """
    facts = source.get("facts") if source else None
    if not isinstance(facts, Mapping) or all(facts.get(key) is None for key in WRAPPERS):
        return config
    named = "architectures" in unwrap(facts)
    inside = {key: value for key, value in config.items() if named or key != "architectures"}
    return {**{key: value for key, value in facts.items() if key not in WRAPPERS}, WRAPPERS[0]: inside}
