"""Figures that are stated twice (NUM410). Silent rows first."""

from __future__ import annotations

import pytest
from conftest import Base

# --- NUM410: which figures are held against each other, and when two figures are the same ----------------------------

GPU = "records/gpus/tiny-gpu.yaml"
MODEL = "records/models/tiny-a.yaml"
ENGINE = "records/engines/tiny-engine.yaml"
MEMORY = '{value: 80, unit: GB, cite: "[[tiny-datasheet]]"}'

SIZES = {
    "silent: no bytes beside it": ("80", "GB", None, False),
    "silent: GB may be binary": ("80", "GB", 85899345920, False),
    "silent: GB is decimal": ("80", "GB", 80000000000, False),
    "silent: GiB": ("80", "GiB", 85899345920, False),
    "silent: rounded as it is written": ("79.6", "GiB", 85520809165, False),
    "silent: a rate": ("3.35", "TB/s", 3350000000000, False),
    "silent: a unit that is none": ("80", "chips", 80, False),
    "GiB is not decimal": ("80", "GiB", 80000000000, True),
    "a digit was lost": ("80", "GB", 8000000000, True),
    "MiB, exactly": ("46068", "MiB", 48305799169 + 2**20, True),
}


@pytest.mark.parametrize(("value", "unit", "size", "wrong"), SIZES.values(), ids=SIZES)
def test_a_figure_and_its_bytes(tiny: Base, value: str, unit: str, size: int | None, wrong: bool) -> None:
    beside = f", bytes: {size}" if size is not None else ""
    tiny.edit(GPU, MEMORY, f'{{value: {value}, unit: {unit}{beside}, cite: "[[tiny-datasheet]]"}}')
    found = tiny.findings()
    assert [each.code for each in found] == (["NUM410"] if wrong else [])
    for each in found:
        assert (each.location.path, each.location.line) == (GPU, 6)


def test_what_other_sources_say_of_a_gpu_is_recorded_on_purpose(tiny: Base) -> None:
    tiny.edit(
        GPU, "bandwidth: null", 'memory_claims: [{value: 96, unit: GB, cite: "[[tiny-datasheet]]"}]\nbandwidth: null'
    )
    assert tiny.findings() == []


Claim = tuple[str, str, str]
CLAIMS: dict[str, tuple[Claim, Claim, bool]] = {
    "silent: the same": (("context", "128", "K"), ("context", "128", "K"), False),
    "silent: another field": (("context", "128", "K"), ("experts", "160", "experts"), False),
    "silent: K is 1,024 or 1,000": (("context", "128", "K"), ("context", "131072", "tokens"), False),
    "silent: fewer digits": (("tokens_trained", "8.1", "trillion"), ("tokens_trained", "8", "trillion"), False),
    "silent: another unit": (("speed", "5", "tokens/s"), ("speed", "7", "requests/s"), False),
    "silent: GB may be GiB": (("memory", "86", "GB"), ("memory", "80", "GiB"), False),
    "silent: derived figures are judged elsewhere": (
        ("kv_note", "5", "KiB"),
        ("kv_note", "6", "KiB"),
        False,
    ),
    "another number": (("tokens_trained", "8.1", "trillion"), ("tokens_trained", "14.8", "trillion"), True),
    "another scale": (("tokens_trained", "8.1", "trillion"), ("tokens_trained", "810", "billion"), True),
    "another number without a known unit": (("experts", "160", "experts"), ("experts", "162", "experts"), True),
    "other bytes": (("memory", "80", "GiB"), ("memory", "90", "GiB"), True),
    "percent": (("saved", "93.3", "%"), ("saved", "57.6", "%"), True),
}


def claims(*each: Claim, conditions: tuple[str, str] = ("", "")) -> str:
    lines = [
        f'  - {{field: {field}, value: {value}, unit: "{unit}", basis: vendor{given}, cite: "[[tiny-a-config]]"}}'
        for (field, value, unit), given in zip(each, conditions, strict=True)
    ]
    return "\n".join(["claims:", *lines, "notes: |"])


@pytest.mark.parametrize(("one", "two", "wrong"), CLAIMS.values(), ids=CLAIMS)
def test_two_claims(tiny: Base, one: Claim, two: Claim, wrong: bool) -> None:
    for pair in ((one, two), (two, one)):
        tiny.edit(MODEL, "notes: |", claims(*pair))
        found = tiny.findings("NUM410")
        assert len(found) == wrong
        if found:
            assert (found[0].location.line, found[0].related[0].location.line) == (21, 20)
            assert f"{pair[1][1]} {pair[1][2]} here" in found[0].message
        tiny.edit(MODEL, claims(*pair), "notes: |")


def test_a_condition_separates_two_claims(tiny: Base) -> None:
    one, two = ("memory", "80", "GiB"), ("memory", "90", "GiB")
    tiny.edit(MODEL, "notes: |", claims(one, two, conditions=(", condition: at 4K", ", condition: at 8K")))
    assert tiny.findings() == []
    tiny.edit(MODEL, "at 8K", "AT  4K")
    assert [each.code for each in tiny.findings()] == ["NUM410"]


KERNEL = """# yaml-language-server: $schema=../../schema/kernel.schema.json
name: Tiny Kernel
library: Tiny Engine
version: "1.0"
license: MIT
kernel_classes: []
cites: ["[[tiny-engine-registry]]"]
cache_formats:
  - id: {id}
    families: [{family}]
    roles: [kv]
    bytes_per_entry: {size}
    scalars: {size}
    layout:
      - {{what: all of it, part: data, count: {size}, dtype: fp8_e4m3, bytes: {size}}}
    cite: "[[tiny-engine-registry]]"
"""
FORMATS = {
    "silent: the same size": ("fp8_latent", "mla", 44, []),
    "silent: another name": ("fp8_other", "mla", 48, []),
    "silent: another family": ("fp8_latent", "gqa", 48, []),
    "another size": ("fp8_latent", "mla", 48, ["NUM410"]),
}


@pytest.mark.parametrize(("id", "family", "size", "expected"), FORMATS.values(), ids=FORMATS)
def test_one_format_of_two_records(tiny: Base, id: str, family: str, size: int, expected: list[str]) -> None:
    tiny.lay({"records/kernels/tiny-kernel.yaml": KERNEL.format(id=id, family=family, size=size)})
    found = tiny.findings()
    assert [each.code for each in found] == expected, [each.message for each in found]
    for each in found:
        assert "44" in each.message
        assert "48" in each.message
