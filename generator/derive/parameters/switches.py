"""Switches that a config leaves out, read from the checkpoint's own count of elements.

Whether both embeddings are one matrix, or whether projections have a bias, changes a count by what no other part comes
to. Where one value, and only one, gives the number of elements that the checkpoint holds, that settles it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from generator.derive.config.fields import NotDerivable
from generator.derive.parameters.parts import Parameters

SWITCHES = frozenset({"tie_word_embeddings", "attention_bias", "qkv_bias", "mlp_bias", "use_bias"})
Counted = Callable[[Mapping[str, Any]], "Parameters | NotDerivable"]


def settled(counted: Counted, refused: NotDerivable, elements: int) -> Parameters | None:
    """The count with the missing switches as the elements have them; None where that is not the only way."""
    found = list(_tries(counted, refused, elements, {}))
    return found[0] if len(found) == 1 else None


def _tries(counted: Counted, refused: NotDerivable, elements: int, given: Mapping[str, Any]) -> list[Parameters]:
    key = next(iter(refused.fields), None)
    if key not in SWITCHES or key in given:
        return []
    found: list[Parameters] = []
    for value in (True, False):
        more = {**given, key: value}
        one = counted(more)
        if isinstance(one, NotDerivable):
            found += _tries(counted, one, elements, more)
        elif one.total == elements:
            assumed = {name: each for name, each in one.assumed.items() if name not in more}
            found.append(replace(one, assumed=assumed, settled=more))
    return found
