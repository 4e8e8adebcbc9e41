"""Parameters under a scheme: which matrices are stored how, and how many bytes that comes to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from generator.derive.config.fields import Refused
from generator.derive.parameters.module_names import ModuleList, ModuleTable
from generator.derive.parameters.parts import Parameters, Part
from generator.derive.parameters.weight_schemes import KEY, WeightScheme

BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}
HEAD = "embedding_output"


@dataclass(frozen=True)
class WeightBytes:
    """Bytes by number type, scales under ``scales``, and what was taken for granted.

    ``scales`` is how many scales blocks of weights have, without those of whole matrices. ``alone``: the checkpoint's
    own number of elements is the only witness, and whatever its files hold is in the bytes.
    """

    by_type: Mapping[str, int]
    assumptions: tuple[str, ...]
    scales: int = 0
    alone: bool = False

    @property
    def total(self) -> int:
        """All bytes."""
        return sum(self.by_type.values())


@dataclass
class Sums:
    """What was added up so far: bytes by type, and the number of scales."""

    bytes: Counter[str] = field(default_factory=Counter)
    scales: int = 0


@dataclass(frozen=True)
class Weighing:
    """Parameters under a scheme: how many copies of each part are stored how."""

    parameters: Parameters
    scheme: WeightScheme
    table: Mapping[str, Any]
    rest: str
    layers: int

    def done(self) -> WeightBytes:
        """The bytes; raises Refused where the lists name what is not known."""
        names = ModuleTable(self.table, self.parameters.model_type)
        kept = self._list(self.scheme.kept_key, self.scheme.kept, names)
        targets = [self._list(group.key, group.targets, names) for group in self.scheme.groups]
        sums = Sums()
        for part in self.parameters.parts:
            plain = self._plain(part)
            left = self._quantised(part, kept, targets, sums) if self._quantisable(part, kept) else part.copies
            if left:
                sums.bytes[plain] += part.size * BYTES[plain] * left
        if not any(group.layout.values in sums.bytes for group in self.scheme.groups):
            raise Refused(f"`{KEY}` covers none of the matrices that are counted here", KEY)
        return WeightBytes(dict(sums.bytes), tuple(self._said()), sums.scales)

    def _list(self, key: str, names: tuple[str, ...] | None, table: ModuleTable) -> ModuleList | None:
        """A list of modules, all of whose names mean something here; None where there is none."""
        if names is None:
            return None
        found = ModuleList.of(key, names, table, self.layers)
        found.check(self.parameters.parts)
        return found

    def _quantised(self, part: Part, kept: ModuleList | None, targets: list[ModuleList | None], sums: Sums) -> int:
        """Give copies of a part to the layouts that are for it; returns how many stay as they are."""
        spared = min(part.copies, kept.copies(part)) if kept else 0
        left = part.copies - spared
        for group, named in zip(self.scheme.groups, targets, strict=True):
            layout = group.layout
            if self.scheme.experts and part.component == "experts_routed":
                layout = self.scheme.experts
            taken = left if named is None else min(left, named.copies(part))
            if taken:
                own, scales = layout.sizes(part.rows, part.columns)
                sums.bytes[layout.values] += own * taken
                sums.bytes["scales"] += scales * taken
                sums.scales += layout.scales(part.rows, part.columns) * taken
                left -= taken
        return left + spared

    def _quantisable(self, part: Part, kept: ModuleList | None) -> bool:
        """Whether the method is for such a part at all. Routers, gates, norms and embeddings keep their type."""
        if part.component == HEAD and part.name == "lm_head":
            if self.scheme.head == "covered":
                return True
            if self.scheme.head == "kept unless listed" and kept and not kept.copies(part):
                raise Refused(f"`{kept.key}` does not name lm_head: whether that is quantised is not known here", KEY)
            return False
        covers = self.scheme.covers
        return part.linear and (covers is None or part.component in covers)

    def _plain(self, part: Part) -> str:
        wide = self.table["model_types"].get(self.parameters.model_type, {}).get("float32", ())
        return "float32" if part.name.startswith(tuple(wide)) and wide else self.rest

    def _said(self) -> Iterator[str]:
        layouts = dict.fromkeys(group.layout for group in self.scheme.groups)
        for layout in layouts:
            yield f"matrices by {self.scheme.method}: {layout.about}"
        if self.scheme.experts:
            yield f"routed experts in {self.scheme.experts.about}"
        apart = "what it lists as left out, " if self.scheme.kept else ""
        yield f"{apart}embeddings, norms, routers and gates in {self.rest}"
        wide = self.table["model_types"].get(self.parameters.model_type, {}).get("float32")
        if wide:
            yield "hyper-connections, sinks and the compressors' position biases in float32"
