"""What an expression in prose may name of a model: its cache, its layers, its parameters, its config."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from generator.catalog.records import Record
from generator.derive.attention.geometry import Geometry
from generator.derive.config.fields import NotDerivable
from generator.derive.facts import Facts
from generator.derive.figures import Figure
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import grouped
from generator.prose.figure_owners import per_layer

if TYPE_CHECKING:
    from generator.derive.parameters import Parameters

MODEL_NAMES = ("kv", "parameters", "weights", "config")
"""The names that are a model's: in its own prose, or in a text that it includes."""

LAYERS = {
    "full": "full_attention",
    "sliding": "sliding_attention",
    "chunked": "chunked_attention",
    "csa": "compressed_sparse_attention",
    "hca": "heavily_compressed_attention",
    "linear": "linear_attention",
}


LARGEST = 10**40


class ExpressionError(Exception):
    """An expression that has no value; the message says what is known instead."""


class Misspelt(ExpressionError):
    """A name that is nearly one of the vocabulary, whatever the model."""


class UnknownModel(ExpressionError):
    """The expression may be right: what it asks for fails with the record ``model``, which has a fault of its own."""

    def __init__(self, message: str, model: str) -> None:
        super().__init__(message)
        self.model = model


@dataclass(frozen=True, slots=True)
class Value:
    """An exact number with its unit (``B/token``, ``B``, ``tokens`` or none), and how it came about."""

    value: Fraction
    unit: str = ""
    formula: str = ""
    decimals: int | None = None
    suffix: str = ""
    said: bool = False
    """Whether an author's word is in it: it follows from nothing on record."""

    def __post_init__(self) -> None:
        """Refuse what would take long to work with, and fill a page: no figure here has forty digits."""
        if max(abs(self.value.numerator), self.value.denominator) > LARGEST:
            raise ExpressionError("this is a number of absurd size")

    def __str__(self) -> str:
        """The number as a reader sees it, with its unit."""
        number = grouped(self.value) if self.decimals is None else _rounded(self.value, self.decimals)
        shown = self.suffix or (f" {self.unit}" if self.unit else "")
        return f"{number}{shown}"


def _rounded(value: Fraction, decimals: int) -> str:
    """Rounded as by hand, and exactly: a half goes away from zero, and no zero has a sign.

    >>> _rounded(Fraction(5, 2), 0), _rounded(Fraction(-1, 8), 2), _rounded(Fraction(-1, 8), 0)
    ('3', '-0.13', '0')
    """
    scaled = abs(value) * 10**decimals + Fraction(1, 2)
    whole, fraction = divmod(scaled.numerator // scaled.denominator, 10**decimals)
    sign = "-" if value < 0 and (whole or fraction) else ""
    return f"{sign}{whole:,}" + (f".{fraction:0{decimals}d}" if decimals else "")


@dataclass(frozen=True, slots=True)
class Namespace:
    """A group of names, such as ``kv`` or ``kv.layers``: name -> value, each looked up when it is asked for."""

    title: str
    known: Mapping[str, Callable[[], Any]]


@dataclass(frozen=True, slots=True)
class Function:
    """A function of constants."""

    title: str
    call: Callable[..., Any]
    arguments: tuple[type, ...]


def model_names(kb: KnowledgeBase, record: Record) -> dict[str, Callable[[], Any]]:
    """What can be named in a model's prose; nothing in that of another record."""
    if record.kind != "model":
        return {}
    facts = kb.facts.get(record.id)
    config = record.get("architecture") or {}
    return {
        "kv": lambda: _kv(record, facts),
        "parameters": lambda: _parameters(record, facts),
        "weights": lambda: _weights(record, facts),
        "config": lambda: Namespace("config", {key: _field(record.id, key, value) for key, value in config.items()}),
    }


def _field(model: str, key: str, value: Any) -> Callable[[], Value | Namespace]:
    def read() -> Value | Namespace:
        if isinstance(value, list):
            return Namespace(
                f"config.{key} (a list, which .entries counts)", {"entries": _exactly(len(value), f"entries of {key}")}
            )
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UnknownModel(f"config.{key} is no number", model)
        return Value(Fraction(str(value)), formula=f"{key} = {value}")

    return read


def _exactly(number: int | Fraction, what: str, unit: str = "") -> Callable[[], Value]:
    """A value with the words that tell what it is."""
    return lambda: Value(Fraction(number), unit, what)


# --- parameters -----------------------------------------------------------------------------------------------------


def _parameters(record: Record, facts: Facts | None) -> Namespace:
    counted: Parameters | NotDerivable | None = facts.parameters if facts else None
    if counted is None or isinstance(counted, NotDerivable):
        reason = counted.reason if counted else "the record has no config that is whole"
        raise UnknownModel(f"the parameters of {record.id} are not derivable: {reason}", record.id)
    return Namespace(
        "parameters",
        {
            "total": _exactly(counted.total, "parameters of the language model"),
            "active": _exactly(counted.active(True), "parameters for one token, with the input embedding"),
            "active_without_embedding": _exactly(
                counted.active(False), "parameters for one token, input embedding out"
            ),
        },
    )


def _weights(record: Record, facts: Facts | None) -> Namespace:
    found = facts.weights if facts else None
    if found is None or isinstance(found, NotDerivable):
        reason = found.reason if found else "the record has no config that is whole"
        raise UnknownModel(f"the bytes of the weights of {record.id} are not derivable: {reason}", record.id)
    return Namespace("weights", {"bytes": _exactly(found.total, "bytes of the language model's weights", "B")})


# --- the cache ------------------------------------------------------------------------------------------------------


def _kv(record: Record, facts: Facts | None) -> Namespace:
    if facts is None or facts.geometry is None:
        reason = facts.reason if facts else "the record breaks its schema"
        raise UnknownModel(f"the cache of {record.id} is not derivable: {reason}", record.id)
    cache, geometry = _Cache(facts), facts.geometry
    return Namespace(
        "kv",
        {
            "growth": lambda: Function("kv.growth(layout)", cache.growth, (str,)),
            "bytes": lambda: Function("kv.bytes(layout, tokens)", cache.bytes, (str, int)),
            "windows": lambda: Function("kv.windows(layout)", cache.windows, (str,)),
            "layer": lambda: Function("kv.layer(kind, layout)", cache.layer, (str, str)),
            "state": lambda: Function("kv.state(name)", cache.state, (str,)),
            "layers": lambda: Namespace("kv.layers", _layers(geometry)),
            "naive": lambda: _other(geometry.naive_gqa_bytes_per_token, "the naive formula"),
            "materialised": lambda: _other(geometry.materialised_bytes_per_token, "keys and values per head"),
            "unsupported": lambda: _other(cache.unsupported, "all layers in full, as without support of this design"),
        },
    )


@dataclass(frozen=True, slots=True)
class _Cache:
    facts: Facts

    def growth(self, key: str) -> Value:
        figure = self._figure(key)
        return Value(figure.growth, "B/token", figure.formula)

    def bytes(self, key: str, tokens: int) -> Value:
        if tokens < 1:
            raise ExpressionError(f"kv.bytes needs at least one token, not {tokens}")
        figure = self._figure(key)
        return Value(figure.bytes(tokens), "B", f"{figure.formula}, after {grouped(tokens)} tokens")

    def windows(self, key: str) -> Value:
        """What does not grow: the entries of windows that are full."""
        figure, far = self._figure(key), 1 << 40
        return Value(figure.bytes(far) - figure.growth * far, "B", f"the windows of all layers, full, in {key}")

    def layer(self, kind: str, key: str) -> Value:
        self._figure(key)
        sizes = per_layer(self.facts)
        of_kind = sizes.get(LAYERS.get(kind, kind))
        if of_kind is None or key not in of_kind:
            short = {long: name for name, long in LAYERS.items()}
            known = ", ".join(short.get(name, name) for name in sizes)
            raise ExpressionError(f"{self.facts.id} has no layer `{kind}` with a cache; it has {known or 'none'}")
        return Value(of_kind[key], "B/token", f"one {kind} layer in {key}")

    def state(self, name: str) -> Value:
        """One state by its name, or all that an engine holds."""
        state, engines = self.facts.state, {each.engine.id: each for each in self.facts.states}
        if name in state:
            return Value(Fraction(state[name]), "B", f"state {name}")
        if name not in engines:
            known = ", ".join((*state, *engines)) or "none"
            raise ExpressionError(f"{self.facts.id} has no state `{name}`; it has {known}")
        totals = [each.total for each in self.facts.states if each.engine.id == name]
        if len(set(totals)) > 1:
            raise ExpressionError(f"{name} holds the state of {self.facts.id} in several types; name one of them")
        return Value(Fraction(totals[0]), "B", f"{' + '.join(engines[name].parts)} in {name}")

    @property
    def unsupported(self) -> int | None:
        without = self.facts.overpay.without
        return without.bytes_per_token if without else None

    def _figure(self, key: str) -> Figure:
        figure = self.facts.figure(key)
        if figure is None:
            known = ", ".join(each.key for each in self.facts.figures)
            raise ExpressionError(f"{self.facts.id} has no layout `{key}`; it has {known}")
        return figure


def _layers(geometry: Geometry) -> dict[str, Callable[[], Value]]:
    """Layers by kind, by the long name of the kind and by the short one."""
    short = {name: geometry.layers[long] for name, long in LAYERS.items() if long in geometry.layers}
    return {name: _exactly(number, f"{number} {name} layers") for name, number in {**geometry.layers, **short}.items()}


def _other(size: int | Fraction | None, what: str) -> Value:
    if size is None:
        raise ExpressionError(f"{what} has no figure for this model")
    return Value(Fraction(size), "B/token", f"{what}, bf16")
