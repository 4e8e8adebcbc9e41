"""Values of names in a Python file, from its syntax alone: literals, and what plain tables are made of.

Read are literals, names, ``dict(...)``, ``OrderedDict([...])`` and the like, spread tables, comprehensions over tables
with a plain comparison, ``Literal[...]``, statements that go on filling a table, and the attributes of a class. What is
none of this is an `Unread` with its text: it counts as an entry and never as a value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generator.authoring.extract.unparsable import Missing, Unparsable

_CONTAINERS = {"dict", "OrderedDict", "list", "tuple", "set", "frozenset"}
_VIEWS = {"items", "keys", "values"}


@dataclass(frozen=True, slots=True)
class Unread:
    """An expression that is not worked out."""

    text: str


class PythonFile:
    """The names that a file gives values to."""

    def __init__(self, text: str) -> None:
        try:
            self._tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
            raise Unparsable(f"it is not Python: {problem}") from None
        self._known: dict[str, Any] = {}
        self._fill(self._tree.body, self._known)

    def value(self, name: str) -> Any:
        """The value of a name, or of an attribute of a class, ``Class.attribute``; a class is a table of its own."""
        found: Any = self._known
        for part in name.split("."):
            if not isinstance(found, Mapping) or part not in found:
                return Missing(f"the file gives `{name}` no value")
            found = found[part]
        return found

    def _fill(self, body: list[ast.stmt], names: dict[str, Any]) -> None:
        for statement in body:
            if isinstance(statement, ast.ClassDef):
                names[statement.name] = {}
                self._fill(statement.body, names[statement.name])
            elif isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                value = self._read(statement.value, names)
                names |= {target.id: value for target in targets if isinstance(target, ast.Name)}
            elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
                name = statement.target.id
                names[name] = _joined(names.get(name), self._read(statement.value, names), statement)
            elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                self._go_on(statement.value, names)
            elif isinstance(statement, ast.If | ast.Try):
                self._fill(statement.body, names)

    def _go_on(self, call: ast.Call, names: dict[str, Any]) -> None:
        """``TABLE.update({...})`` and ``NAMES.append(...)``."""
        if not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name) or not call.args:
            return
        held, more = names.get(call.func.value.id), self._read(call.args[0], names)
        if call.func.attr == "update" and isinstance(held, dict) and isinstance(more, dict):
            names[call.func.value.id] = {**held, **more}
        elif call.func.attr in ("append", "extend") and isinstance(held, list):
            names[call.func.value.id] = [
                *held,
                *(more if call.func.attr == "extend" and isinstance(more, list) else [more]),
            ]

    def _read(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        found = _Expression({**self._known, **names}).read(node)
        return found


@dataclass(frozen=True)
class _Expression:
    """Expressions, with the names that are known where they are."""

    names: Mapping[str, Any]

    def read(self, node: ast.expr) -> Any:
        """The value of an expression, or an `Unread`."""
        kind = type(node).__name__
        reader = getattr(self, f"_{kind.lower()}", None)
        return reader(node) if reader else Unread(ast.unparse(node))

    def _constant(self, node: ast.Constant) -> Any:
        plain = node.value is None or isinstance(node.value, str | int | float | bool)
        return node.value if plain else Unread(ast.unparse(node))

    def _name(self, node: ast.Name) -> Any:
        return self.names.get(node.id, Unread(node.id))

    def _attribute(self, node: ast.Attribute) -> Any:
        return Unread(ast.unparse(node))

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.read(node.operand)
        plain = isinstance(node.op, ast.USub) and isinstance(value, int | float) and not isinstance(value, bool)
        return -value if plain else Unread(ast.unparse(node))

    def _binop(self, node: ast.BinOp) -> Any:
        return _joined(self.read(node.left), self.read(node.right), node)

    def _joinedstr(self, node: ast.JoinedStr) -> Any:
        parts = [self.read(each.value if isinstance(each, ast.FormattedValue) else each) for each in node.values]
        return "".join(parts) if all(isinstance(each, str) for each in parts) else Unread(ast.unparse(node))

    def _list(self, node: ast.List | ast.Tuple | ast.Set) -> Any:
        return list(self._items(node.elts))

    _tuple = _set = _list

    def _items(self, nodes: list[ast.expr]) -> Iterator[Any]:
        for each in nodes:
            value = self.read(each.value if isinstance(each, ast.Starred) else each)
            if isinstance(each, ast.Starred) and isinstance(value, list | dict):
                yield from value
            else:
                yield value

    def _dict(self, node: ast.Dict) -> Any:
        found: dict[str, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                found[_key(self.read(key))] = self.read(value)
            elif isinstance(spread := self.read(value), dict):
                found |= spread
            else:
                found[f"**{ast.unparse(value)}"] = spread
        return found

    def _dictcomp(self, node: ast.DictComp) -> Any:
        rows = list(self._rounds(node.generators))
        if any(row is None for row in rows):
            return Unread(ast.unparse(node))
        readers = [_Expression({**self.names, **row}) for row in rows if row is not None]
        return {_key(each.read(node.key)): each.read(node.value) for each in readers}

    def _rounds(self, generators: list[ast.comprehension]) -> Iterator[dict[str, Any] | None]:
        """The names in each round of a comprehension over one table; None where one cannot tell."""
        (generator, *more), table = generators, self.read(generators[0].iter)
        if more or not isinstance(table, list):
            yield None
            return
        for item in table:
            row: dict[str, Any] = {}
            if not _bound(generator.target, item, row):
                yield None
                return
            verdicts = [_Expression({**self.names, **row})._compare(test) for test in generator.ifs]
            if any(isinstance(each, Unread) for each in verdicts):
                yield None
            elif all(verdicts):
                yield row

    def _compare(self, node: ast.expr) -> Any:
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            return Unread(ast.unparse(node))
        left, right = self.read(node.left), self.read(node.comparators[0])
        known = not isinstance(left, Unread) and not isinstance(right, Unread)
        return left == right if known and isinstance(node.ops[0], ast.Eq) else Unread(ast.unparse(node))

    def _subscript(self, node: ast.Subscript) -> Any:
        """The choices of ``Literal[...]``."""
        if ast.unparse(node.value).rpartition(".")[2] != "Literal":
            return Unread(ast.unparse(node))
        inside = node.slice
        return list(self._items(inside.elts)) if isinstance(inside, ast.Tuple) else [self.read(inside)]

    def _call(self, node: ast.Call) -> Any:
        """A container that is made, or the view of a table."""
        name = ast.unparse(node.func).rpartition(".")[2]
        if isinstance(node.func, ast.Attribute) and name in _VIEWS:
            table = self.read(node.func.value)
            if isinstance(table, dict):
                return {"items": [list(each) for each in table.items()], "keys": [*table], "values": [*table.values()]}[
                    name
                ]
        if name not in _CONTAINERS:
            return Unread(ast.unparse(node))
        inner = self.read(node.args[0]) if node.args else []
        if name in ("dict", "OrderedDict"):
            named = {str(each.arg): self.read(each.value) for each in node.keywords if each.arg}
            pairs = inner if isinstance(inner, dict) else _paired(inner)
            return Unread(ast.unparse(node)) if pairs is None else {**pairs, **named}
        return list(inner) if isinstance(inner, list | dict) else Unread(ast.unparse(node))


def _bound(target: ast.expr, item: Any, row: dict[str, Any]) -> bool:
    """Give the names of a target their values; whether the two fit."""
    if isinstance(target, ast.Name):
        row[target.id] = item
        return True
    fits = isinstance(target, ast.Tuple) and isinstance(item, list) and len(target.elts) == len(item)
    return fits and all(_bound(each, value, row) for each, value in zip(target.elts, item, strict=True))  # type: ignore[attr-defined]


def _paired(items: Any) -> dict[str, Any] | None:
    """A table from a list of pairs."""
    if not isinstance(items, list) or not all(isinstance(each, list) and len(each) == 2 for each in items):
        return None
    return {_key(key): value for key, value in items}


def _joined(left: Any, right: Any, node: ast.AST) -> Any:
    if isinstance(left, dict) and isinstance(right, dict):
        return {**left, **right}
    if isinstance(left, list) and isinstance(right, list):
        return [*left, *right]
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    return Unread(ast.unparse(node))


def _key(value: Any) -> str:
    """Keys are text, as in JSON."""
    return value.text if isinstance(value, Unread) else value if isinstance(value, str) else repr(value)
