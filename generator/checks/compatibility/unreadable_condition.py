"""CMP504: a condition that no GPU and no version can ever meet, because nothing can read it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generator.catalog.schemas import Path
from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase
from generator.notation.gpus import is_pattern
from generator.notation.versions import is_range

KINDS = ("gotcha", "engine", "backend")
RANGES = ("engine_versions", "kernel_versions", "versions")
PROCESSOR = "cpu"
"""The word in place of a GPU where an engine chooses for the processor."""


@check("CMP504", Severity.ERROR)
def unreadable_condition(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """A condition names GPUs or versions in a way that nothing can be held against.

    Why it matters
    A gotcha about versions "under 0.7.1" or about the GPU "rtx" reads well and warns nobody: no version lies in such a
    range and no GPU has that name, so it drops out of every verdict without a word.

    Bad
    ```yaml records/gotchas/wrong.yaml
    # yaml-language-server: $schema=../../schema/gotcha.schema.json
    title: Tiny Engine stops on a full prompt
    symptom: "ValueError: full prompt"
    conditions:
      - {engine: "[[tiny-engine]]", engine_versions: under 1.1, gpus: [sm_90]}
    cause: |
      The scheduler of [[tiny-engine]] counts one token too many.
    effect: blocked
    workaround: |
      Send fewer tokens.
    status: open
    cites: ["[[tiny-engine-issue]]"]
    ```

    Good
    ```yaml records/gotchas/wrong.yaml
    # yaml-language-server: $schema=../../schema/gotcha.schema.json
    title: Tiny Engine stops on a full prompt
    symptom: "ValueError: full prompt"
    conditions:
      - {engine: "[[tiny-engine]]", engine_versions: <1.1, gpus: [sm_90]}
    cause: |
      The scheduler of [[tiny-engine]] counts one token too many.
    effect: blocked
    workaround: |
      Send fewer tokens.
    status: open
    cites: ["[[tiny-engine-issue]]"]
    ```

    How to fix
    Write versions as PEP 440 does, `<1.1`, `==0.5.*` or `">=1.2, <2"`, or as llama.cpp's build tags, `<b7000`. A GPU is
    the id of its record, a compute capability (`sm_90`), all of a major version (`sm_10x`), a range (`sm_80-sm_88`),
    from one on (`sm_75+`), or an AMD target (`gfx942`, `gfx12xx`).
    """
    gpus = {gpu.id for gpu in kb.catalog.of("gpu")} | {PROCESSOR} | kb.catalog.unreadable
    for record in (record for kind in KINDS for record in tally.sound(kb, kind)):
        for path, value in _conditions(record.data):
            tally.checked += 1
            if path[-1] in RANGES:
                if not is_range(value):
                    message = f'`{value}` is not a range of versions: write it as in <1.1, ==0.5.* or ">=1.2, <2"'
                    yield this.finding(record.at(*path), message, record.id)
            elif value not in gpus and not is_pattern(value):
                message = f"`{value}` is neither a GPU on record nor a capability such as sm_90, sm_10x or gfx942"
                yield this.finding(record.at(*path), message, record.id)


def _conditions(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """The texts that name versions or GPUs, wherever they are in a record."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _conditions(item, (*path, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in RANGES and isinstance(item, str):
                yield (*path, key), item
            elif key == "gpus" and isinstance(item, list):
                yield from (((*path, key, index), each) for index, each in enumerate(item) if isinstance(each, str))
            else:
                yield from _conditions(item, (*path, key))
