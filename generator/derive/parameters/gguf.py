"""How many bytes the counted parameters take as a GGUF file: which tensor gets which type, and what its blocks take.

The rules are data (``records/quantizations/``), read from llama.cpp's quantiser; here is only how they are applied. The
file's header and vocabulary are not in the bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from generator.derive.config.fields import NotDerivable, Refused
from generator.derive.parameters.parts import Parameters, Part
from generator.derive.parameters.weighing import WeightBytes
from generator.derive.parameters.weight_layouts import WeightLayout

F32, HALF, OUTPUT_MISFIT = "ggml-f32", "ggml-f16", "ggml-q8-0"
# Which layers, by index and number, as llama.cpp's integer division has them.
LAYERS: Mapping[str, Callable[[int, int], bool]] = {
    "all": lambda index, of: True,
    "more bits": lambda index, of: index < of // 8 or index >= 7 * of // 8 or (index - of // 8) % 3 == 2,
    "first eighth": lambda index, of: index < of // 8,
    "first sixteenth": lambda index, of: index < of // 16,
    "first 2": lambda index, of: index < 2,
    "first 4": lambda index, of: index < 4,
}


@dataclass(frozen=True)
class MixtureRule:
    """The type of a tensor in some layers of some models."""

    tensor: str
    layers: str
    type: str
    when: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Mixture:
    """Types of a GGUF file: by rule, of the output embedding, and of every other matrix."""

    name: str
    default: str
    output: str
    rules: tuple[MixtureRule, ...]


def mixture_bytes(
    parameters: Parameters,
    layers: int,
    mixture: Mixture,
    layouts: Mapping[str, WeightLayout],
    table: Mapping[str, Any],
) -> WeightBytes | NotDerivable:
    """The bytes of a model with so many layers under a mixture, or the reason why they do not follow."""
    try:
        return _Stored(parameters, layers, mixture, layouts, table["gguf"]).done()
    except Refused as refused:
        return refused.verdict


@dataclass(frozen=True)
class _Stored:
    parameters: Parameters
    layers: int
    mixture: Mixture
    layouts: Mapping[str, WeightLayout]
    table: Mapping[str, Any]

    def done(self) -> WeightBytes:
        if self.parameters.model_type not in self.table["model_types"]:
            reason = f"how llama.cpp names the tensors of {self.parameters.model_type} is not on record"
            raise Refused(reason, "model_type")
        sums: Counter[str] = Counter()
        for part in self.parameters.parts:
            for type, copies in self._types(part).items():
                layout = self._layout(type)
                sums[layout.values] += sum(layout.sizes(part.rows, part.columns)) * copies
        told = f"tensors by the rules of llama.cpp for {self.mixture.name}, without the file's header and vocabulary"
        return WeightBytes(dict(sums), (told,))

    def _types(self, part: Part) -> Mapping[str, int]:
        """How many copies of a part get which type."""
        if part.component == "embedding_output" or (part.component == "embedding_input" and self.parameters.tied):
            block = self._block(self.mixture.default)
            return {self._fitting(self.mixture.output if part.columns % block == 0 else OUTPUT_MISFIT, part): 1}
        if part.component == "embedding_input":
            return {self._fitting(self.mixture.default, part): part.copies}
        if not part.linear:
            return {F32: part.copies}
        tensor = self.table["tensors"].get(part.name)
        if tensor is None:
            raise Refused(f"what llama.cpp calls {part.name} is not on record", "model_type")
        return self._by_layer(part, tensor)

    def _by_layer(self, part: Part, tensor: str) -> Mapping[str, int]:
        rules = [rule for rule in self.mixture.rules if rule.tensor == tensor and self._meets(rule)]
        each, left = divmod(part.copies, self.layers)
        if left or not each:
            if any(rule.layers != "all" for rule in rules):
                raise Refused("not every layer has the same tensors, and the rules go by layer", "num_hidden_layers")
            first = next((rule.type for rule in rules), self.mixture.default)
            return {self._fitting(first, part): part.copies}
        found: Counter[str] = Counter()
        for index in range(self.layers):
            held = (rule.type for rule in rules if LAYERS[rule.layers](index, self.layers))
            found[self._fitting(next(held, self.mixture.default), part)] += each
        return found

    def _meets(self, rule: MixtureRule) -> bool:
        return all(self._measures[name](value) for name, value in rule.when.items())

    @property
    def _measures(self) -> Mapping[str, Callable[[int], bool]]:
        rows = {part.name: part.rows for part in self.parameters.parts if part.component == "attention"}
        experts = next((part.rows for part in self.parameters.parts if part.component == "router"), 0)
        return {
            "experts": lambda value: experts == value,
            "gqa_from": lambda value: rows["q_proj"] >= value * rows["k_proj"],
            "layers": lambda value: self.layers == value,
        }

    def _fitting(self, type: str, part: Part) -> str:
        """A type whose blocks divide the rows; llama.cpp takes another one where they do not."""
        if part.columns % self._block(type):
            type = self.table["fallback"].get(type, type)
        return HALF if part.columns % self._block(type) else type

    def _block(self, type: str) -> int:
        return self._layout(type).blocks[0].columns or 1

    def _layout(self, type: str) -> WeightLayout:
        if type not in self.layouts:
            raise Refused(f"how {type} stores a block is not on record", "model_type")
        return self.layouts[type]


def type_names(mixture: Mixture) -> Iterator[str]:
    """The types that a mixture names."""
    yield from (mixture.default, mixture.output, *(rule.type for rule in mixture.rules))
