"""Which parts of a model a list of module names is about: whole names, globs, and ``re:`` expressions.

A list that names anything that is neither a part of a language model nor plainly something outside it is refused: what
it leaves out is not guessed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import product
from typing import Any

from generator.derive.config.fields import Refused, shown
from generator.derive.parameters.parts import Part

_LAYER = re.compile(r"(?:^|.*?\.)(?:layers|h|blocks)\.(\d+)(?:\.(.*)|$)")
_EXPERT = re.compile(r"(^|\.)experts\.(\d+)(?=\.|$)")
_WRAPPED = re.compile(r"^((model|language_model|text_model|transformer|decoder|backbone)\.)+")
_GENERAL = 64
_STARS = 4


@dataclass(frozen=True)
class ModuleTable:
    """Where the parts of a model type are in checkpoints, from the table ``modules`` and its neighbours."""

    table: Mapping[str, Any]
    model_type: str

    @cached_property
    def places(self) -> Mapping[str, list[str]]:
        """For each component the modules, below a layer, that hold its matrices."""
        return {**self.table["modules"], **self.table["modules_of"].get(self.model_type, {})}

    def paths(self, part: Part) -> tuple[tuple[str, ...], ...]:
        """The ways in which a part is written: each a set of names that together are the part, below its layer."""
        name = part.name.removesuffix(".bias")
        outside = self.table["outside_layers"].get(part.component)
        if outside:
            return tuple((one,) for one in outside)
        places = self.places.get(part.component, ())
        spelled = self.table["spellings"].get(name, [[name]])
        return tuple(
            tuple(f"{place}.{one}" if place else one for one in names) for place, names in product(places, spelled)
        )

    @cached_property
    def known(self) -> frozenset[str]:
        """All names and their parents, below a layer."""
        found: set[str] = set()
        for places in self.places.values():
            for place in places:
                steps = place.split(".") if place else []
                found |= {".".join(steps[: n + 1]) for n in range(len(steps))}
        return frozenset(found - {""})

    def outside(self, name: str) -> bool:
        """Whether a name is of something outside the language model, or never quantised anyway."""
        words = self.table["elsewhere"]
        return any(word in name.lower() for word in words) or self.plain(name)

    def plain(self, name: str) -> bool:
        """Whether a name is of what no method quantises."""
        last = name.rstrip(".*").rsplit(".", 1)[-1]
        return any(last == word or last.endswith(word) for word in self.table["unquantised_anyway"])


@dataclass(frozen=True)
class ModuleList:
    """A list of names, sorted into whole ones, by the part below the layer, and patterns over all layers."""

    key: str
    table: ModuleTable
    layers: int
    _exact: dict[str, set[tuple[int | None, int | None]]] = field(default_factory=lambda: defaultdict(set))
    _general: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, key: str, names: Iterable[str], table: ModuleTable, layers: int) -> ModuleList:
        """Sort names; raises Refused for patterns that are not read here."""
        found = cls(key, table, layers)
        for name in names:
            found._sort(name)
        if len(found._general) > _GENERAL:
            raise Refused(f"`{key}` has {len(found._general)} patterns; no more than {_GENERAL} are read", key)
        return found

    def _sort(self, name: str) -> None:
        if name.startswith("re:") or any(sign in name for sign in "*?["):
            if name.startswith("re:"):
                _check_expression(self.key, name[3:])
            numbered = re.search(r"layers\\?\.(\d+)", name)
            if numbered is None or int(numbered[1]) < self.layers:
                self._general.append(name)
            return
        if self.table.outside(name):
            return
        placed = _LAYER.fullmatch(name)
        layer, below = (int(placed[1]), placed[2] or "") if placed else (None, _WRAPPED.sub("", name))
        if layer is not None and layer >= self.layers:
            return  # draft layers are counted behind the model's own
        expert = _EXPERT.search(below)
        tail = _EXPERT.sub(r"\1experts", below)
        self._exact[tail].add((layer, int(expert[2]) if expert else None))

    def check(self, parts: Iterable[Part]) -> None:
        """Refuse a name that means no part here, and nothing outside the model."""
        paths = {path for part in parts for names in self.table.paths(part) for path in names}
        parents = {".".join(path.split(".")[:n]) for path in paths for n in range(1, path.count(".") + 1)}
        known = paths | parents | self.table.known | {"", "model", "layers", "embed_tokens", "lm_head"}
        known |= {name for names in self.table.table["outside_layers"].values() for name in names}
        lasts = {path.rsplit(".", 1)[-1] for path in known}
        spelled = self.table.table["spellings"].values()
        lasts |= {name for ways in spelled for names in ways for name in names}
        for tail in self._exact:
            if tail not in known and tail.rsplit(".", 1)[-1] not in lasts:
                raise Refused(f"`{self.key}` names {shown(tail)}, and what that leaves out is not known here", self.key)
        for pattern in self._general:
            if not self.table.outside(pattern) and not any(word in pattern for word in lasts if len(word) > 1):
                raise Refused(
                    f"`{self.key}` has the pattern {shown(pattern)}, and what it means is not known here", self.key
                )

    def copies(self, part: Part) -> int:
        """How many copies of a part the list names; raises Refused where that is not known."""
        places: set[tuple[int | None, int | None]] = set()
        for names in self.table.paths(part):
            found = [self._places(name) for name in names]
            places |= set.intersection(*found)
        layers = {layer for layer, _ in places}
        if not places:
            return 0
        if None in layers or len(layers) >= self.layers or (part.component == "embedding_output"):
            return part.copies
        single = {place for place in places if place[1] is not None}
        if single and len(single) == len(places):
            return min(part.copies, len(places))
        if not single and part.copies % self.layers == 0:
            return part.copies // self.layers * len(layers)
        if not single and part.copies == len(layers):
            return part.copies
        reason = (
            f"`{self.key}` names `{part.name}` of {len(layers)} layers, and which of them have it is not known here"
        )
        raise Refused(reason, self.key)

    def _places(self, path: str) -> set[tuple[int | None, int | None]]:
        """Layers (and experts) in which a name is listed; a layer of None is all of them."""
        steps = path.split(".")
        found: set[tuple[int | None, int | None]] = set()
        for n in range(len(steps)):
            found |= self._exact.get(".".join(steps[: n + 1]), set())
        for n in range(1, len(steps)):
            found |= {place for place in self._exact.get(".".join(steps[n:]), ()) if place[0] is None}
        found |= {place for place in self._exact.get("", ()) if place[0] is not None}
        for pattern in self._general:
            found |= self._matched(pattern, path)
        return found

    def _matched(self, pattern: str, path: str) -> set[tuple[int | None, int | None]]:
        """Layers in which a pattern meets a name or one of its parents. Without digits it cannot distinguish layers."""
        if not re.search(r"\d|\[", pattern):
            return {(None, None)} if self._meets(pattern, 0, path) else set()
        hits = {layer for layer in range(self.layers) if self._meets(pattern, layer, path)}
        return {(None, None)} if len(hits) == self.layers else {(layer, None) for layer in hits}

    def _meets(self, pattern: str, layer: int, path: str) -> bool:
        inside = _EXPERT_PLACE.sub("experts.0.", path)
        at_top = any(path in names for names in self.table.table["outside_layers"].values())
        full = inside if at_top else f"model.layers.{layer}.{inside}"
        names = {full, full.removeprefix("model.")}
        if pattern.startswith("re:"):
            return any(re.match(pattern[3:], name) for name in names)
        steps = full.split(".")
        names |= {".".join(steps[:n]) for n in range(3, len(steps))} if not at_top else set()
        return any(fnmatchcase(name, pattern) for name in names)


_EXPERT_PLACE = re.compile(r"experts\.(?=\w)")


def _check_expression(key: str, text: str) -> None:
    """Refuse an expression that is broken, or that could take long: repeated groups, or many repeats."""
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError):
        raise Refused(f"`{key}`: {shown('re:' + text)} is not an expression that can be read", key) from None
    if re.search(r"\)[*+{]|\\[1-9]|\(\?[=!<]", text) or len(re.findall(r"[*+{]", text)) > _STARS:
        raise Refused(f"`{key}`: {shown('re:' + text)} is an expression of a kind that is not read here", key)
