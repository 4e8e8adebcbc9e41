"""A checkpoint's count of tensor elements against the count from its config: two independent witnesses.

The Hub sums up the elements of the tensors in a repository's safetensors files. What else a file stores is
known by name and number, so that the two agree to the last element or not at all. A scale of a whole matrix, which is a
tensor without dimensions, is not in that sum. For some quantised checkpoints the sum is that of the parameters alone
(gpt-oss, DeepSeek-R1): so a number that is equal proves the count, and nothing about how the weights are stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from generator.derive.parameters.parts import Parameters

BIASES = "the routers' biases"
SCALES = "scales"
HEAD = "the tied head once more"


def beside(parameters: Parameters, scales: int = 0) -> Mapping[str, int]:
    """What files may hold apart from the counted parameters, by its name; `scales` as the scheme has them."""
    found = {part.name: part.parameters for part in parameters.apart if part.parameters}
    for part in parameters.apart:
        found |= part.stored
    if parameters.tied:
        found[HEAD] = parameters.components["embedding_input"]
    routers = sum(part.rows * part.copies for part in parameters.parts if part.component == "router" and part.rows > 1)
    found.setdefault(BIASES, routers)
    found.setdefault(SCALES, scales)
    return {name: count for name, count in found.items() if count}


def explained(parameters: Parameters, elements: int, scales: int = 0) -> tuple[str, ...] | None:
    """What a checkpoint of so many elements holds apart from parameters; None where nothing comes to that number."""
    extra = beside(parameters, scales)
    for size in range(len(extra) + 1):
        for names in combinations(extra, size):
            if parameters.total + sum(extra[name] for name in names) == elements:
                return names
    return None
