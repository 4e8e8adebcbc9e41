"""Which config keys each model type's code in transformers reads: a table of facts made from a wheel.

A model type belongs to the folder whose config class names it. Its names are those of all configuration and modeling
files of the folder, and of the folders that these import from; what the library reads for every model, in its cache,
mask, rotary and generation code, is listed separately, once. A folder whose code builds names at run time is left out,
with the place: nothing can be proved about it.
"""

from __future__ import annotations

import hashlib
import re
import textwrap
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from generator.authoring.extract.config_names import FileReads, file_reads
from generator.notation.digests import facts_digest

_OF_A_CLASS = re.compile(r"transformers/models/(\w+)/((?:modeling|configuration)_\w+\.py)")
_SHARED = re.compile(
    r"transformers/(?:(?:cache|masking|modeling|modeling_rope|modeling_attn_mask|modeling_flash_attention"
    r"|configuration)_utils|modeling_layers|integrations/\w+|generation/\w+)\.py"
)
MEMBERS = "transformers/models/*/*.py"
"""The files that the digest covers."""

EVERYWHERE = ("auto",)
"""A folder that others import from without taking over what it reads: it only looks classes up."""


@dataclass
class _Folder:
    """What the files of one folder read together."""

    names: set[str] = field(default_factory=set)
    open: list[str] = field(default_factory=list)
    model_types: set[str] = field(default_factory=set)
    relatives: set[str] = field(default_factory=set)

    def add(self, file: str, found: FileReads) -> None:
        self.names |= found.names
        self.open += [f"{file}:{line}" for line in found.open]
        self.model_types |= found.model_types.keys()
        self.relatives |= found.relatives


def class_reads(wheel: Path) -> dict[str, Any]:
    """The facts: ``every``, ``folders`` and ``open``; names are joined in one text. Raises OSError and BadZipFile."""
    folders: dict[str, _Folder] = {}
    every: set[str] = set()
    for member, text in _python(wheel):
        if own := _OF_A_CLASS.fullmatch(member):
            folders.setdefault(own[1], _Folder()).add(own[2], file_reads(text))
        elif _SHARED.fullmatch(member):
            every |= file_reads(text).names
    rows = {name: _whole(name, folders) for name in sorted(folders) if folders[name].model_types}
    return {
        "every": _text(every),
        "folders": {
            name: {"model_types": sorted(folders[name].model_types), "reads": _text(row.names - every)}
            for name, row in rows.items()
            if not row.open
        },
        "open": {name: row.open[0] for name, row in rows.items() if row.open},
    }


def class_reads_source(wheel: Path, today: date) -> dict[str, Any]:
    """The record of a source that holds these facts, as it is written in sources/."""
    found = re.fullmatch(r"(transformers)-([^-]+)-.*\.whl", wheel.name)
    if found is None:
        raise ValueError(f"{wheel.name} is not a wheel of transformers")
    package, facts = f"pkg:pypi/{found[1]}@{found[2]}", class_reads(wheel)
    return {
        "title": f"Transformers: config keys that each class reads ({found[2]})",
        "publisher": "Hugging Face",
        "type": "source-code",
        "url": package,
        "locator": f"{package}#{MEMBERS}",
        "extractor": {"type": "python-folder", "args": {"command": "servebook extract class-reads", "glob": MEMBERS}},
        "subjects": [f"pypi:{found[1]}", "engine:transformers"],
        "retrieved": today.isoformat(),
        "upstream_date": None,
        "retrieval": "read",
        "digest": _digest(wheel),
        "artifact_digest": f"sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}",
        "facts_digest": facts_digest(facts),
        "license": "Apache-2.0",
        "facts": facts,
        "why_null": {"upstream_date": "the package states no date"},
    }


def _digest(wheel: Path) -> str:
    """Over the files of all models, a line for each: its digest and its name."""
    with zipfile.ZipFile(wheel) as archive:
        held = sorted(name for name in archive.namelist() if re.fullmatch(MEMBERS.replace("*", "[^/]+"), name))
        lines = (f"{hashlib.sha256(archive.read(name)).hexdigest()}  {name}\n" for name in held)
        return f"sha256:{hashlib.sha256(''.join(lines).encode()).hexdigest()}"


def _text(names: Iterable[str]) -> str:
    """Names in their order, wrapped; what Python itself gives every object is left out."""
    return textwrap.fill(" ".join(sorted(name for name in names if not name.startswith("__"))), 100) + "\n"


def _python(wheel: Path) -> Iterator[tuple[str, str]]:
    with zipfile.ZipFile(wheel) as archive:
        for member in sorted(archive.namelist()):
            if member.endswith(".py"):
                yield member, archive.read(member).decode("utf-8")


def _whole(name: str, folders: dict[str, _Folder]) -> _Folder:
    """A folder with what it takes over from others."""
    whole, left, done = _Folder(), [name], set(EVERYWHERE)
    while left:
        each = left.pop()
        if each not in done and each in folders:
            done.add(each)
            whole.names |= folders[each].names
            whole.open += folders[each].open
            left += folders[each].relatives
    return whole
