"""Versions, compared by the rules of their ecosystem: PEP 440 for packages, CUDA and drivers; llama.cpp's build tags.

What cannot be compared (a commit, a missing version) gives None: not known, which is not the same as no.
"""

from __future__ import annotations

import re
from functools import lru_cache

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

_BUILD = re.compile(r"b(\d+)")
_CLAUSE = re.compile(r"(==|!=|<=|>=|<|>)\s*b(\d+)")


def package(name: str) -> str:
    """A package's name in the form in which names are compared: without extras, ``flashinfer_python[cu13]``."""
    return str(canonicalize_name(name.split("[")[0].strip()))


@lru_cache(maxsize=4096)
def version(text: str | None) -> Version | None:
    """A version that can be compared; a build tag counts as its number, a commit as none at all."""
    if text is None:
        return None
    build = _BUILD.fullmatch(text.strip())
    try:
        return Version(build[1] if build else text.strip())
    except InvalidVersion:
        return None


def sortable(text: str) -> Version:
    """A version that can be compared, for a sort. Raises InvalidVersion."""
    return version(text) or Version(text)


@lru_cache(maxsize=4096)
def pinned(pin: str | None) -> str | None:
    """The one version that a pin allows, or None where it allows a range."""
    text = (pin or "").strip()
    exact = text.removeprefix("==").strip()
    return exact if exact and version(exact) is not None and "*" not in exact else None


@lru_cache(maxsize=4096)
def satisfies(text: str | None, specifier: str) -> bool | None:
    """Whether a version lies in a range; pre-releases count like any other. None where either cannot be compared."""
    known = version(text)
    if known is None or bool(_BUILD.fullmatch((text or "").strip())) != bool(_CLAUSE.search(specifier)):
        return None
    try:
        return SpecifierSet(_CLAUSE.sub(r"\1\2", specifier)).contains(known, prereleases=True)
    except InvalidSpecifier:
        return None


def is_range(specifier: str) -> bool:
    """Whether a text is a range of versions that a version can be held against.

    >>> [is_range(each) for each in ("<1.1", ">=1.2, <2", "==0.5.*", "<b7000", "under 1.1", "1.1", "")]
    [True, True, True, True, False, False, False]
    """
    try:
        return bool(SpecifierSet(_CLAUSE.sub(r"\1\2", specifier)))
    except InvalidSpecifier:
        return False


_BOUNDS = {">=": "since {}", ">": "after {}", "<=": "up to {}", "<": "before {}", "==": "in {}", "!=": "but not in {}"}
_ORDER = list(_BOUNDS)


def range_words(specifier: str) -> str:
    """A range of versions as people say it; what is none stays as it is.

    >>> range_words(">=0.25.0,<0.28.0"), range_words("==0.33.0"), range_words("<b7000"), range_words("some day")
    ('since 0.25.0, before 0.28.0', 'in 0.33.0', 'before b7000', 'some day')
    """
    clauses = [re.fullmatch(r"\s*(==|!=|<=|>=|<|>)\s*(\S+)\s*", clause) for clause in specifier.split(",")]
    found = sorted(((_ORDER.index(each[1]), each[2]) for each in clauses if each), key=lambda pair: pair[0])
    if len(found) < len(clauses):
        return specifier
    return ", ".join(_BOUNDS[_ORDER[sign]].format(text) for sign, text in found)


@lru_cache(maxsize=1024)
def prerelease(text: str | None) -> bool:
    """Whether a version is an alpha, beta, candidate or nightly."""
    known = version(text)
    return known is not None and known.is_prerelease
