"""What a count is made of: tensors by name and shape, how many copies are stored, and how many one token meets.

Everything here counts parameters (scalars); bytes are the business of ``weights``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

COMPONENTS = (
    "embedding_input",
    "embedding_position",
    "embedding_per_layer",
    "embedding_output",
    "attention",
    "indexer",
    "compressor",
    "recurrent",
    "mlp_dense",
    "router",
    "experts_routed",
    "experts_shared",
    "hyper_connections",
    "norms",
)
# One token reads single rows of these, whatever their size: whether they are "active" is a question of taste.
LOOKED_UP = ("embedding_input", "embedding_position", "embedding_per_layer")


@dataclass(frozen=True, slots=True)
class Part:
    """A tensor of ``rows`` x ``columns``, stored ``copies`` times, of which ``active`` take part in one token.

    ``linear`` marks the weights that a matrix kernel multiplies, which are the ones that quantisation is made for.
    """

    component: str
    name: str
    rows: int
    columns: int
    copies: int
    active: int
    linear: bool

    @property
    def size(self) -> int:
        """Parameters of one copy."""
        return self.rows * self.columns


@dataclass(frozen=True, slots=True)
class Apart:
    """What else a checkpoint holds than the language model; ``parameters`` is None where the config does not decide it.

    ``stored`` is what comes on top in the files, by what it is: tensors that are not further parameters, in the order
    in which one counts them.
    """

    name: str
    parameters: int | None
    note: str
    stored: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Parameters:
    """The parameters of a language model, without what is ``apart``.

    ``read_from`` names the class whose layers were counted; ``assumed`` holds the class defaults that filled absent
    fields, ``settled`` the switches that only the checkpoint's number of elements decided, ``silent`` those that no
    config key turned on.
    """

    model_type: str
    read_from: str
    parts: tuple[Part, ...]
    tied: bool
    apart: tuple[Apart, ...] = ()
    reads: frozenset[str] = frozenset()
    assumed: Mapping[str, Any] = field(default_factory=dict)
    silent: tuple[str, ...] = ()
    settled: Mapping[str, Any] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """All parameters; a matrix that serves as both embeddings counts once."""
        return sum(self.components.values())

    @property
    def components(self) -> dict[str, int]:
        """Stored parameters by component; tied models have 0 under ``embedding_output``."""
        return self._sums((part, part.copies) for part in self.parts)

    def active_components(self, with_input_embedding: bool) -> dict[str, int]:
        """Parameters that take part in one token, by component.

        The looked-up tables count whole or not at all. A tied matrix is multiplied as the output one, so then it stays.
        """
        counted = self._sums((part, part.active) for part in self.parts)
        if not with_input_embedding:
            counted |= dict.fromkeys(LOOKED_UP, 0)
            if self.tied:
                counted["embedding_output"] = self.components["embedding_input"]
        return counted

    def active(self, with_input_embedding: bool) -> int:
        """Parameters that take part in one token; vendors count with or without the input embedding."""
        return sum(self.active_components(with_input_embedding).values())

    def _sums(self, counted: Iterator[tuple[Part, int]]) -> dict[str, int]:
        sums = dict.fromkeys(COMPONENTS, 0)
        for part, copies in counted:
            sums[part.component] += part.size * copies
        return sums
