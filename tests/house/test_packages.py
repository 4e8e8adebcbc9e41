"""What was read in packages, read again: the digests, the members and the symbols, where the packages lie at hand.

`SERVEBOOK_PACKAGES` names a folder of wheels and source archives, as `pip download --no-deps` leaves them. Without it
the test is skipped; a source whose package is not there is passed over.
"""

from __future__ import annotations

import ast
import fnmatch
import hashlib
import os
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from generator.catalog.records import Record
from generator.knowledge.knowledge_base import KnowledgeBase

PACKAGES = Path(os.environ.get("SERVEBOOK_PACKAGES", "no packages"))
LOCATOR = re.compile(r"pkg:pypi/([^@]+)@([^#]+)#([^!]+)(?:!(\S+))?")


class Archive:
    """A package: its bytes' digest, the names in it, and what they hold."""

    def __init__(self, path: Path) -> None:
        self.digest = "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
        self.names: list[str]
        self.read: Callable[[str], bytes]
        if path.suffix == ".whl":
            wheel = zipfile.ZipFile(path)
            self.names, self.read = wheel.namelist(), wheel.read
        else:
            source = tarfile.open(path)  # noqa: SIM115 (read as long as the tests run)
            top = source.getnames()[0].split("/")[0] + "/"
            self.names = [name.removeprefix(top) for name in source.getnames()]
            self.read = lambda name: source.extractfile(top + name).read()  # type: ignore[union-attr]

    def digest_of(self, member: str) -> str:
        """Of one member, or of all in a folder: one line for each, its own digest and its name."""
        if "*" not in member:
            return hashlib.sha256(self.read(member)).hexdigest()
        depth = member.count("/")
        held = sorted(name for name in self.names if fnmatch.fnmatch(name, member) and name.count("/") == depth)
        lines = (f"{hashlib.sha256(self.read(name)).hexdigest()}  {name}\n" for name in held)
        return hashlib.sha256("".join(lines).encode()).hexdigest()


@cache
def archive(name: str, version: str) -> Archive | None:
    """A package at hand."""
    stem = f"{name.replace('-', '_')}-{version}"
    found = [*PACKAGES.glob(f"{stem}-*.whl"), *PACKAGES.glob(f"{stem}.tar.gz")]
    return Archive(found[0]) if found else None


def defined(tree: ast.AST, symbol: str) -> bool:
    """Whether a module defines a symbol, or a class its member."""
    for part in symbol.split("."):
        names: list[tuple[str, ast.AST]] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                names.append((node.name, node))
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names += [(target.id, node) for target in targets if isinstance(target, ast.Name)]
        below = dict(reversed(names)).get(part)
        if below is None:
            return False
        tree = below
    return True


def read_in_packages(records: Iterator[Record]) -> Iterator[tuple[Record, Archive, str, str]]:
    """The sources whose package is at hand, with the member and the symbol."""
    for source in records:
        match = LOCATOR.fullmatch(str(source.get("locator")))
        held = archive(match[1], match[2]) if match else None
        if match and held:
            yield source, held, match[3], match[4] or ""


@pytest.mark.skipif(not PACKAGES.is_dir(), reason="SERVEBOOK_PACKAGES names no folder of packages")
def test_what_was_read_in_packages_can_be_read_again(real: KnowledgeBase) -> None:
    seen = 0
    for source, package, member, symbol in read_in_packages(iter(real.catalog.of("source"))):
        own = source.get("artifact_digest")
        assert own is None or own == package.digest, source.id
        assert "*" in member or member in package.names, f"{source.id}: no {member}"
        copy = source.get("read_from") or {}
        digest = source.get("digest") or (copy.get("digest") if copy.get("locator") == source.get("locator") else None)
        assert digest is None or digest == f"sha256:{package.digest_of(member)}", source.id
        if member.endswith(".py") and "*" not in member and symbol:
            tree = ast.parse(package.read(member))
            assert defined(tree, symbol), f"{source.id}: {member} defines no {symbol}"
        seen += 1
    assert seen, f"{PACKAGES} holds no package that a source was read in"


def test_a_symbol_is_found_where_it_is_defined() -> None:
    tree = ast.parse("LIMIT: int = 3\nclass A:\n    def gate(self):\n        return other()\n")
    assert defined(tree, "A.gate")
    assert defined(tree, "LIMIT")
    assert not defined(tree, "other")
    assert not defined(tree, "A.other")
