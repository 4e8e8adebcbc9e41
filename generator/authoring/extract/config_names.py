"""The names that a Python file reads from a model's config, whatever the config is called there.

What counts as a config: a name or an attribute that ends in ``config`` or ``cfg``, what was assigned from one, and
``self`` in a class that ends in ``Config``. Every attribute of it counts, every name given to ``getattr`` and
``hasattr`` on it, every key it is subscripted or asked for with, and what a config class takes from its ``kwargs``.
Where a name is made at run time, or the whole config is handed on as a mapping, no list of names is complete: the file
is *open*, and the line says where.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

_CONFIG = re.compile(r"(?:^|_)(?:config|cfg|conf|configuration)s?$", re.I)
_ASKED = ("get", "pop", "setdefault")
_WHOLE = ("to_dict", "to_diff_dict", "__dict__", "items", "keys", "values")


@dataclass
class FileReads:
    """What one file reads: names; ``open`` holds the lines where a name is not known before the code runs."""

    names: set[str] = field(default_factory=set)
    open: list[int] = field(default_factory=list)
    model_types: dict[str, str] = field(default_factory=dict)
    relatives: set[str] = field(default_factory=set)


def file_reads(text: str) -> FileReads:
    """Read one file. Raises SyntaxError for what is not Python."""
    found = FileReads()
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 2 and node.module:
            found.relatives.add(node.module.split(".")[0])
        if isinstance(node, ast.ClassDef):
            _config_class(node, found)
    _Reader(found).visit(tree)
    return found


def _config_class(node: ast.ClassDef, found: FileReads) -> None:
    """The model type that a config class goes by, and the spellings that it takes for each other."""
    for each in node.body:
        if not (isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(each.targets[0], ast.Name)):
            continue
        name, value = each.targets[0].id, each.value
        if name == "model_type" and isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value:
            found.model_types[value.value] = node.name
        elif name == "attribute_map" and isinstance(value, ast.Dict):
            spellings = (part for part in (*value.keys, *value.values) if isinstance(part, ast.Constant))
            found.names |= {str(part.value) for part in spellings}


class _Reader(ast.NodeVisitor):
    """Walks a file with the classes and functions around it."""

    def __init__(self, found: FileReads) -> None:
        self.found = found
        self.in_config = False
        self.aliases: set[str] = set()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        before, self.in_config = self.in_config, node.name.endswith("Config")
        self.generic_visit(node)
        self.in_config = before

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        before, self.aliases = self.aliases, set(self.aliases)
        if self.in_config and any(isinstance(each, ast.Name) and each.id == "property" for each in node.decorator_list):
            self.found.names.add(node.name)
        self.generic_visit(node)
        self.aliases = before

    def visit_Assign(self, node: ast.Assign) -> None:
        if self._is_config(node.value):
            self.aliases |= {each.id for each in node.targets if isinstance(each, ast.Name)}
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if self._is_config(node.value):
            if node.attr in _WHOLE:
                self.found.open.append(node.lineno)
            elif not isinstance(node.ctx, ast.Store):
                self.found.names.add(node.attr)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if self._is_config(node.value) and not isinstance(node.ctx, ast.Store):
            self._named(node.slice, node.lineno)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        asks = self.in_config and any(isinstance(each, ast.In | ast.NotIn) for each in node.ops)
        if asks and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
            self.found.names.add(node.left.value)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func
        if isinstance(called, ast.Name) and called.id in ("getattr", "hasattr") and len(node.args) >= 2:
            if self._is_config(node.args[0]):
                self._named(node.args[1], node.lineno)
        elif isinstance(called, ast.Name) and called.id == "vars" and node.args and self._is_config(node.args[0]):
            self.found.open.append(node.lineno)
        elif isinstance(called, ast.Attribute) and called.attr in _ASKED and node.args and self._asked_of(called.value):
            self._named(node.args[0], node.lineno)
        if any(each.arg is None and self._is_config(each.value) for each in node.keywords):
            self.found.open.append(node.lineno)
        self.generic_visit(node)

    def _asked_of(self, value: ast.expr) -> bool:
        return self._is_config(value) or (self.in_config and isinstance(value, ast.Name) and value.id == "kwargs")

    def _named(self, value: ast.expr, line: int) -> None:
        if isinstance(value, ast.Constant):
            if isinstance(value.value, str):
                self.found.names.add(value.value)
        elif not isinstance(value, ast.Slice):
            self.found.open.append(line)

    def _is_config(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Name):
            own = self.in_config and value.id in ("self", "cls")
            return own or value.id in self.aliases or bool(_CONFIG.search(value.id))
        return isinstance(value, ast.Attribute) and bool(_CONFIG.search(value.attr))
