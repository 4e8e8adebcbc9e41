"""How many bytes the counted parameters take, in the types that a config and the files next to it state.

Where nothing states a quantisation, all is of one type. Where something does, matrices take what the scheme stores for
them (``schema/weight_schemes.yaml``), and what it leaves out keeps the plain type. Everything that is not on record is
refused: a checkpoint's layout is not guessed. What is apart from a count is not in the bytes either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from generator.derive.config.fields import NotDerivable, Refused, shown
from generator.derive.config.layer_lists import layers_of
from generator.derive.config.wrappers import wrapped
from generator.derive.parameters.parts import Parameters
from generator.derive.parameters.weighing import BYTES, Weighing, WeightBytes
from generator.derive.parameters.weight_schemes import KEY, SchemeReader, WeightScheme

PATTERNS = ("layers_block_type", "hybrid_override_pattern")
WORDS = re.compile(r"[^a-z0-9]+")


def weight_bytes(
    parameters: Parameters,
    config: Mapping[str, Any],
    table: Mapping[str, Any],
    names: Iterable[str] = (),
    *,
    whole: bool = True,
    elements: int | None = None,
) -> WeightBytes | NotDerivable:
    """The bytes of counted parameters, or the reason why they do not follow.

    `table` is ``schema/weight_schemes.yaml``; `names` are what the checkpoint is called, since a name may say that it
    is quantised; `whole` says whether the silence of the config means anything; `elements` is how many the tensors of
    the checkpoint have.
    """
    try:
        return _weigh(parameters, config, table, tuple(names), whole, elements)
    except Refused as refused:
        return refused.verdict


def elements_bytes(
    elements: int, config: Mapping[str, Any], table: Mapping[str, Any], names: Iterable[str] = (), *, whole: bool = True
) -> WeightBytes | NotDerivable | None:
    """The bytes of a checkpoint whose layers are not counted here, where a whole config states one type for all."""
    try:
        outers, inner = wrapped(config)
        everywhere = (inner, *reversed(outers))
        if not whole or list(_stated(everywhere, table)) or dict(_marks(names, table)):
            return None
        rest = _rest(everywhere)
    except Refused:
        return None
    told = f"every tensor is {rest}: the config states no quantisation", "all that the files hold is in the bytes"
    return WeightBytes({rest: elements * BYTES[rest]}, told, alone=True)


def _weigh(
    parameters: Parameters,
    config: Mapping[str, Any],
    table: Mapping[str, Any],
    names: tuple[str, ...],
    whole: bool,
    elements: int | None,
) -> WeightBytes:
    outers, inner = wrapped(config)
    everywhere = (inner, *reversed(outers))
    stated = tuple(_stated(everywhere, table))
    marks = dict(_marks(names, table))
    if not stated:
        _check_silence(parameters, marks, table, whole)
        rest = _rest(everywhere)
        return _tally(parameters, rest, (f"every tensor is {rest}: nothing on record states a quantisation",))
    rest = _rest(everywhere)
    quantised = Quantised(parameters, SchemeReader(table, 8 * BYTES[rest], inner), stated, marks, rest)
    try:
        return quantised.bytes()
    except Refused:
        found = quantised.unspared(elements)
        if found is None:
            raise
        return found


@dataclass(frozen=True)
class Quantised:
    """A checkpoint that states a scheme, and what its name says of one."""

    parameters: Parameters
    reader: SchemeReader
    stated: tuple[tuple[Any, str | None], ...]
    marks: Mapping[str, list[str]]
    rest: str

    def bytes(self) -> WeightBytes:
        """The bytes by what is stated; raises Refused where that does not say enough."""
        scheme = _agreed(self.reader, self.stated)
        _check_marks(scheme, self.marks)
        layers = _depth(self.reader.inner)
        return Weighing(self.parameters, scheme, self.reader.table, self.rest, layers).done()

    def unspared(self, elements: int | None) -> WeightBytes | None:
        """The bytes where a copy leaves out which matrices are spared, and the number of scales shows that none is."""
        try:
            found = replace(self, reader=replace(self.reader, lists_left_out=True)).bytes()
        except Refused:
            return None
        if not found.scales or self.parameters.total + found.scales != elements:
            return None
        told = f"the checkpoint's {elements:,} elements are these parameters and their scales: no matrix is spared"
        return replace(found, assumptions=(*found.assumptions, told))


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


def _agreed(reader: SchemeReader, stated: tuple[tuple[Any, str | None], ...]) -> WeightScheme:
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


def _tally(parameters: Parameters, rest: str, assumptions: tuple[str, ...]) -> WeightBytes:
    return WeightBytes({rest: parameters.total * BYTES[rest]}, assumptions)
