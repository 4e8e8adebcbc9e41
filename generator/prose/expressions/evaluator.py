r"""Computed values in prose: ``{{ kv.growth('bf16') }}`` instead of a typed figure.

An expression is read with `ast` and evaluated by the few nodes below; nothing of it is ever executed. It may name

====================================  =================================================================
``kv.growth('bf16')``                 bytes per token in a cache layout (the keys of ``servebook kv``)
``kv.bytes('bf16', 131072)``          bytes of cache entries after so many tokens
``kv.state('compressor_fp32_ring')``  bytes that a sequence holds whatever its length; of an engine: all of them
``kv.layers.csa``                     layers of a kind: full, sliding, csa, hca ..., or the long name
``kv.layer('csa', 'bf16')``           bytes per token of one layer of a kind, in a cache layout
``kv.windows('bf16')``                bytes that do not grow: what all windows hold when they are full
``kv.naive``, ``kv.materialised``     the two figures that other formulas give, bytes per token
``kv.unsupported``                    bytes per token where an engine keeps all layers in full
``parameters.total``                  parameters of the language model; also ``parameters.active`` and
                                      ``parameters.active_without_embedding``
``weights.bytes``                     bytes of its weights
``config.num_hidden_layers``          a field of the record's architecture
``config.compress_ratios.entries``    how many entries a list in it has
``format('vllm#fp8_ds_mla_v4')``      bytes of one entry, or of one scalar, in a cache format
``model('deepseek-v3').kv...``        the same of another model
``said(10, 'why')``                   a number that nothing on record carries, and why: the author's word
====================================  =================================================================

with numbers, ``+ - * /`` and parentheses, and filters behind a bar: ``| kib``, ``| mib``, ``| gib``, ``| percent``,
``| times``, ``| billion``, ``| round(1)``. Units are kept: bytes per token are not added to bytes, a ratio of
equals has none, and bytes over bytes per token are tokens.
"""

from __future__ import annotations

import ast
import difflib
import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from typing import Any

from generator.catalog.records import Record
from generator.knowledge.includes import HOMES
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.units import BYTES, grouped
from generator.prose.expressions.vocabulary import (
    MODEL_NAMES,
    ExpressionError,
    Function,
    Misspelt,
    Namespace,
    UnknownModel,
    Value,
    model_names,
)

__all__ = ["MAX_LENGTH", "ExpressionError", "Misspelt", "UnknownModel", "Value", "evaluate", "of_a_model"]

MAX_LENGTH = 200


def evaluate(kb: KnowledgeBase, record: Record, inner: str) -> Value:
    """The value of an expression in a record's prose. Raises `ExpressionError`."""
    value = _Evaluator(kb, record).of(_read(inner).body)
    if not isinstance(value, Value):
        raise ExpressionError(f"`{inner}` is {_what(value)}, not a number")
    return value


def of_a_model(record: Record, inner: str) -> bool:
    """Whether an expression in a record that is no model asks for "the" model: it has a value where it is included.

    Only a record that others include may hold such an expression.
    """
    if record.kind not in HOMES:
        return False
    try:
        tree = _read(inner)
    except ExpressionError:
        return False
    return any(isinstance(node, ast.Name) and node.id in MODEL_NAMES for node in ast.walk(tree))


def _read(inner: str) -> ast.Expression:
    if len(inner) > MAX_LENGTH:
        raise ExpressionError(f"the expression is longer than {MAX_LENGTH} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python thinks of `1or 2` is no reader's business
            return ast.parse(inner, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError("this is no expression; an example is {{ kv.growth('bf16') }}") from None


@dataclass(frozen=True, slots=True)
class _Evaluator:
    kb: KnowledgeBase
    record: Record

    def of(self, node: ast.expr) -> Any:
        """The value of a node; a node that is not listed has none."""
        match node:
            case ast.Constant(value=bool()):
                raise ExpressionError("true and false are no numbers")
            case ast.Constant(value=int() as number):
                return Value(Fraction(number), formula=grouped(number))
            case ast.Constant(value=float() as number) if isfinite(number):
                return Value(Fraction(str(number)), formula=str(number))
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self._filter(self.of(left), right)
            case ast.BinOp(left=left, op=op, right=right):
                return _combine(self._number(left), op, self._number(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                value = self._number(operand)
                return replace(value, value=-value.value, formula=f"-{value.formula}")
            case ast.Name(id=name):
                return self._named(self._root(), name)
            case ast.Attribute(value=group, attr=name):
                return self._named(self.of(group), name)
            case ast.Call(func=ast.Name(id="said"), args=arguments, keywords=[]):
                return _said(arguments)
            case ast.Call(func=function, args=arguments, keywords=[]):
                return self._call(self.of(function), [self._constant(argument) for argument in arguments])
        raise ExpressionError(f"`{ast.unparse(node)}` is not in the vocabulary of expressions")

    def _number(self, node: ast.expr) -> Value:
        value = self.of(node)
        if not isinstance(value, Value):
            raise ExpressionError(f"`{ast.unparse(node)}` is {_what(value)}, not a number")
        if value.suffix:
            raise ExpressionError(f"`{ast.unparse(node)}` is written as{value.suffix} already; that filter comes last")
        return value

    def _constant(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, str | int):
            return node.value
        raise ExpressionError(f"`{ast.unparse(node)}`: a quoted text or a whole number is expected in the brackets")

    def _named(self, group: Any, name: str) -> Any:
        if not isinstance(group, Namespace):
            raise ExpressionError(f"`.{name}` has nothing to stand on")
        if name not in group.known:
            near = difflib.get_close_matches(name, list(group.known), n=1, cutoff=0.8)
            if near:
                raise Misspelt(f"{group.title} has no `{name}`; did you mean `{near[0]}`?")
            raise ExpressionError(f"{group.title} has no `{name}`; it has {', '.join(sorted(group.known))}")
        return group.known[name]()

    def _call(self, function: Any, arguments: list[Any]) -> Any:
        if not isinstance(function, Function):
            raise ExpressionError("only functions take brackets")
        if tuple(type(argument) for argument in arguments) != function.arguments:
            wanted = ", ".join("a text" if kind is str else "a whole number" for kind in function.arguments)
            raise ExpressionError(f"{function.title} takes {wanted}")
        return function.call(*arguments)

    def _root(self) -> Namespace:
        return Namespace(
            "an expression",
            {
                **(dict.fromkeys(MODEL_NAMES, _of_no_model) if self.record.kind in HOMES else {}),
                **model_names(self.kb, self.record),
                "model": lambda: Function("model(id)", self._model, (str,)),
                "format": lambda: Function("format(id)", self._format, (str,)),
            },
        )

    def _model(self, id: str) -> Namespace:
        record = self.kb.catalog.records.get(self.kb.catalog.redirects.get(id, id))
        if record is None or record.kind != "model":
            raise UnknownModel(f"no model has the id `{id}`", id)
        return Namespace(f"model {id}", model_names(self.kb, record))

    def _format(self, id: str) -> Value:
        stored = self.kb.formats.by_id.get(id)
        if stored is None:
            raise ExpressionError(f"no record has the cache format `{id}`")
        size = stored.format.bytes_per_entry or stored.format.bytes_per_scalar or 0
        return Value(Fraction(size), "B", f"{grouped(size)} in {id}")

    def _filter(self, value: Any, node: ast.expr) -> Value:
        if not isinstance(value, Value):
            raise ExpressionError("a filter needs a number before its bar")
        name, digits = (node.id, None) if isinstance(node, ast.Name) else _filter_call(node)
        return _filtered(value, name, digits)


def _said(arguments: list[ast.expr]) -> Value:
    """An author's word: a number, and why nothing on record carries it."""
    match arguments:
        case [ast.Constant(value=int() | float() as number), ast.Constant(value=str() as why)] if (
            not isinstance(number, bool) and isfinite(number) and why.strip()
        ):
            return Value(Fraction(str(number)), formula=f"the author's word: {' '.join(why.split())}", said=True)
    raise ExpressionError("said takes a number and the reason why no source carries it: said(10, 'a rough guess')")


def _of_no_model() -> Value:
    raise ExpressionError("this asks for a model's figure, and stands in the text of no model")


# --- arithmetic with units ------------------------------------------------------------------------------------------

_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "×", ast.Div: "/"}
_BINARY = {unit.lower(): unit for unit in ("KiB", "MiB", "GiB")}


def _combine(left: Value, op: ast.operator, right: Value) -> Value:
    return replace(_combined(left, op, right), said=left.said or right.said)


def _combined(left: Value, op: ast.operator, right: Value) -> Value:
    sign = _SIGNS.get(type(op))
    if sign is None:
        raise ExpressionError("only + - * / are known")
    formula = f"({left.formula}) {sign} ({right.formula})"
    if sign in "+-":
        if left.unit != right.unit:
            raise ExpressionError(f"{left.unit or 'a plain number'} and {right.unit or 'a plain number'} do not add up")
        value = left.value + right.value if sign == "+" else left.value - right.value
        return Value(value, left.unit, formula)
    if sign == "×":
        if left.unit and right.unit:
            raise ExpressionError(f"{left.unit} times {right.unit} is no unit that is known here")
        return Value(left.value * right.value, left.unit or right.unit, formula)
    if right.value == 0:
        raise ExpressionError("division by zero")
    if (left.unit, right.unit) == ("B", "B/token"):
        return Value(left.value / right.value, "tokens", formula)
    if right.unit and left.unit != right.unit:
        raise ExpressionError(f"{left.unit or 'a plain number'} over {right.unit} is no unit that is known here")
    return Value(left.value / right.value, "" if right.unit else left.unit, formula)


def _filter_call(node: ast.expr) -> tuple[str, int]:
    match node:
        case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=int() as digits)], keywords=[]) if (
            not isinstance(digits, bool) and 0 <= digits <= 6
        ):
            return name, digits
    raise ExpressionError(f"`{ast.unparse(node)}` is no filter; an example is | round(1)")


def _filtered(value: Value, name: str, digits: int | None) -> Value:
    if name in _BINARY:
        if value.unit not in ("B", "B/token"):
            raise ExpressionError(f"| {name} needs bytes, not {value.unit or 'a plain number'}")
        unit = value.unit.replace("B", _BINARY[name], 1)
        return replace(
            value, value=value.value / BYTES[_BINARY[name]], unit=unit, decimals=2 if digits is None else digits
        )
    if name == "round":
        return replace(value, decimals=digits or 0)
    if name == "billion":
        if value.unit or value.suffix:
            raise ExpressionError(f"| {name} needs a count, not {value.unit or value}")
        scaled = value.value / 10**9
        return replace(value, value=scaled, decimals=2 if digits is None else digits, suffix=" billion")
    if name in ("percent", "times"):
        if value.unit or value.suffix:
            raise ExpressionError(f"| {name} needs a ratio, not {value.unit or value}")
        scaled = value.value * 100 if name == "percent" else value.value
        suffix = " %" if name == "percent" else "×"
        return replace(value, value=scaled, decimals=1 if digits is None else digits, suffix=suffix)
    raise ExpressionError(f"no filter is called `{name}`; known: billion, gib, kib, mib, percent, round(n), times")


def _what(value: Any) -> str:
    return f"the group {value.title}" if isinstance(value, Namespace) else f"the function {value.title}"
