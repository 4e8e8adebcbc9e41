"""How many bytes the counted parameters take, in the types that a config and the files next to it state.

Where nothing states a quantisation, all is of one type. Where something does, matrices take what the scheme stores for
them (``schema/weight_schemes.yaml``), and what it leaves out keeps the plain type. Everything that is not on record is
refused: a checkpoint's layout is not guessed. What is apart from a count is not in the bytes either.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generator.derive.config.fields import NotDerivable, Refused, shown
from generator.derive.config.layer_lists import layers_of
from generator.derive.config.wrappers import wrapped
from generator.derive.parameters.module_names import ModuleList, ModuleTable
from generator.derive.parameters.parts import Parameters, Part
from generator.derive.parameters.weight_schemes import KEY, SchemeReader, WeightScheme

BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}
HEAD = "embedding_output"
PATTERNS = ("layers_block_type", "hybrid_override_pattern")
WORDS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class WeightBytes:
    """Bytes by number type, scales under ``scales``, and what was taken for granted."""

    by_type: Mapping[str, int]
    assumptions: tuple[str, ...]

    @property
    def total(self) -> int:
        """All bytes."""
        return sum(self.by_type.values())


def weight_bytes(
    parameters: Parameters,
    config: Mapping[str, Any],
    table: Mapping[str, Any],
    names: Iterable[str] = (),
    *,
    whole: bool = True,
) -> WeightBytes | NotDerivable:
    """The bytes of counted parameters, or the reason why they do not follow.

    `table` is ``schema/weight_schemes.yaml``; `names` are what the checkpoint is called, since a name may say that it
    is quantised; `whole` says whether the silence of the config means anything.
    """
    try:
        return _weigh(parameters, config, table, tuple(names), whole)
    except Refused as refused:
        return refused.verdict


def _weigh(
    parameters: Parameters, config: Mapping[str, Any], table: Mapping[str, Any], names: tuple[str, ...], whole: bool
) -> WeightBytes:
    outers, inner = wrapped(config)
    everywhere = (inner, *reversed(outers))
    stated = list(_stated(everywhere, table))
    marks = dict(_marks(names, table))
    if not stated:
        _check_silence(parameters, marks, table, whole)
        rest = _rest(everywhere)
        return _tally(parameters, rest, (f"every tensor is {rest}: nothing on record states a quantisation",))
    rest = _rest(everywhere)
    reader = SchemeReader(table, 8 * BYTES[rest], inner)
    scheme = _agreed(reader, stated)
    _check_marks(scheme, marks)
    return Weighing(parameters, scheme, table, rest, _depth(inner)).done()


# --- what is stated -------------------------------------------------------------------------------------------------


def _stated(configs: tuple[Mapping[str, Any], ...], table: Mapping[str, Any]) -> Iterator[tuple[Any, str | None]]:
    """What states a scheme, and its method where the place itself gives one: the config first, then other files."""
    for config in configs:
        for key in table["stated_under"]:
            if config.get(key) is not None:
                yield config[key], None
    for config in configs:
        for file, row in table["sidecars"].items():
            value = next((config[key] for key in (f"_{file}", file) if config.get(key) is not None), None)
            if value is None:
                continue
            inside = value.get(row["inside"], value) if "inside" in row and isinstance(value, Mapping) else value
            yield inside, row["method"]


def _agreed(reader: SchemeReader, stated: list[tuple[Any, str | None]]) -> WeightScheme:
    """The first place that says enough. Two that name different algorithms are refused."""
    for each, _ in stated:
        if not isinstance(each, Mapping):
            raise Refused(f"`{KEY}` is {shown(each)}; an object is needed", KEY)
    algorithms = {each["quant_algo"]: None for each, _ in stated if isinstance(each.get("quant_algo"), str)}
    if len(algorithms) > 1:
        raise Refused(f"`{KEY}` and the file next to the config disagree: {' and '.join(map(shown, algorithms))}", KEY)
    problem: Refused | None = None
    for each, method in stated:
        try:
            return reader.read(each, method)
        except Refused as refused:
            problem = problem or refused
    assert problem is not None
    raise problem


def _marks(names: Iterable[str], table: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Words in names that mean a quantisation."""
    for name in names:
        for word in WORDS.split(name.lower()):
            if word in table["marks"]:
                yield word, table["marks"][word]
            elif re.fullmatch(table["mark_pattern"], word):
                yield word, []


def _check_silence(
    parameters: Parameters, marks: Mapping[str, list[str]], table: Mapping[str, Any], whole: bool
) -> None:
    if parameters.model_type in table["always_quantised"]:
        raise Refused(f"the release is quantised, and `{KEY}` is not on record", KEY)
    if marks:
        mark = next(iter(marks))
        raise Refused(
            f"its name says {mark.upper()}, and nothing on record says which weights are stored so and how", KEY
        )
    if not whole:
        reason = "the copy of the config is not known to be whole, so its silence on quantisation proves nothing"
        raise Refused(reason, KEY)


def _check_marks(scheme: WeightScheme, marks: Mapping[str, list[str]]) -> None:
    """A name and a scheme that contradict each other: one of them is about another checkpoint."""
    kinds = {group.layout.values for group in scheme.groups} | ({scheme.experts.values} if scheme.experts else set())
    if marks and not any(kinds & set(meant) for meant in marks.values()):
        said = " and ".join(mark.upper() for mark in marks)
        raise Refused(f"its name says {said}, `{KEY}` says {', '.join(sorted(kinds))} ({scheme.method})", KEY)


def _rest(configs: tuple[Mapping[str, Any], ...]) -> str:
    """The type of whatever is not quantised."""
    for config in configs:
        for key in ("dtype", "torch_dtype"):
            value = config.get(key)
            if value is not None:
                if not isinstance(value, str) or value not in BYTES:
                    raise Refused(f"`{key}` is {shown(value)}; one of {', '.join(BYTES)} is needed", key)
                return value
    raise Refused("`dtype` is missing, so nothing says how wide unquantised weights are", "dtype")


def _depth(inner: Mapping[str, Any]) -> int:
    """Layers, as far as names can number them."""
    counted = layers_of(inner)
    pattern = next((inner[key] for key in PATTERNS if isinstance(inner.get(key), list | str)), "")
    return counted[1] if counted else max(1, len(pattern))


# --- what it comes to -----------------------------------------------------------------------------------------------


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
        sums: Counter[str] = Counter()
        for part in self.parameters.parts:
            plain = self._plain(part)
            left = self._quantised(part, kept, targets, sums) if self._quantisable(part, kept) else part.copies
            if left:
                sums[plain] += part.size * BYTES[plain] * left
        if not any(group.layout.values in sums for group in self.scheme.groups):
            raise Refused(f"`{KEY}` covers none of the matrices that are counted here", KEY)
        return WeightBytes(dict(sums), tuple(self._said()))

    def _list(self, key: str, names: tuple[str, ...] | None, table: ModuleTable) -> ModuleList | None:
        """A list of modules, all of whose names mean something here; None where there is none."""
        if names is None:
            return None
        found = ModuleList.of(key, names, table, self.layers)
        found.check(self.parameters.parts)
        return found

    def _quantised(
        self, part: Part, kept: ModuleList | None, targets: list[ModuleList | None], sums: Counter[str]
    ) -> int:
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
                sums[layout.values] += own * taken
                sums["scales"] += scales * taken
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


def _tally(parameters: Parameters, rest: str, assumptions: tuple[str, ...]) -> WeightBytes:
    return WeightBytes({rest: parameters.total * BYTES[rest]}, assumptions)
