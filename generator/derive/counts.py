"""How many weights a cited config makes, and how many bytes they take; numbers from `parameters`, with their source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from generator.derive.cited_config import CitedConfig
from generator.derive.config.fields import NotDerivable

if TYPE_CHECKING:  # `kv --config` counts nothing, and need not wait for the tables
    from generator.derive.parameters import Parameters, WeightBytes


def count_of(
    cited: CitedConfig,
    config: Mapping[str, Any],
    given: Mapping[str, Any] | None = None,
    elements: int | None = None,
) -> Parameters | NotDerivable:
    """The parameters of a config; what a wrapper says about tied embeddings and towers belongs to it.

    `elements` is how many the checkpoint's tensors have, where that is on record.
    """
    from generator.derive import parameters

    return parameters.count(cited.around(config), given, elements)


def weights_of(
    cited: CitedConfig,
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

    wrapped, called = cited.around(config), (*names, *cited.names)
    if isinstance(counted, NotDerivable):
        if not elements:
            return None
        return parameters.elements_bytes(elements, wrapped, table, called, whole=cited.complete)
    return parameters.weight_bytes(counted, wrapped, table, called, whole=cited.complete, elements=elements)
