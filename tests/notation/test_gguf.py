"""The head of GGUF files. ``tests/data/qwen3.gguf`` was written by ``pkg:pypi/gguf@0.19.0`` (GGUFWriter), not by us.

The numbers in it are those of Qwen3-0.6B.
"""

from __future__ import annotations

import struct

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as some

from generator.notation.gguf import MAGIC, NotGguf, metadata

QWEN3 = (ROOT / "tests/data/qwen3.gguf").read_bytes()


def test_a_file_of_the_formats_own_library() -> None:
    found = metadata(QWEN3)
    assert found["general.architecture"] == "qwen3"
    assert (found["qwen3.block_count"], found["qwen3.attention.head_count_kv"]) == (28, 8)
    assert found["qwen3.rope.freq_base"] == 1_000_000.0
    assert found["tokenizer.ggml.tokens"] == ["a", "b", "ü"]
    assert found["tokenizer.ggml.scores"] == [0.5, -1.0, 0.0]
    assert found["tokenizer.ggml.add_bos_token"] is False


@pytest.mark.parametrize("end", range(0, len(QWEN3), 7))
def test_a_file_that_breaks_off_is_refused(end: int) -> None:
    with pytest.raises(NotGguf):
        metadata(QWEN3[:end])


def entry(name: str, kind: int, value: bytes) -> bytes:
    return struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", kind) + value


def head(*entries: bytes, version: int = 3, count: int | None = None) -> bytes:
    return MAGIC + struct.pack("<IQQ", version, 0, len(entries) if count is None else count) + b"".join(entries)


HUGE = 2**63
REFUSED = {
    "another format": b"\x7fELF" + bytes(60),
    "a version to come": head(version=4),
    "the other order of bytes": MAGIC + struct.pack(">IQQ", 3, 0, 0),
    "more entries than bytes": head(count=HUGE),
    "a name without end": head(struct.pack("<Q", HUGE) + b"x"),
    "a text without end": head(entry("a", 8, struct.pack("<Q", HUGE))),
    "a list without end": head(entry("a", 9, struct.pack("<IQ", 4, HUGE))),
    "a list of texts without end": head(entry("a", 9, struct.pack("<IQ", 8, HUGE))),
    "a list of lists": head(entry("a", 9, struct.pack("<IQ", 9, 1) + bytes(64))),
    "a type to come": head(entry("a", 13, bytes(8))),
    "one name twice": head(*[entry("a", 4, struct.pack("<I", 1))] * 2),
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
def test_what_is_refused(data: bytes) -> None:
    with pytest.raises(NotGguf):
        metadata(data)


@given(some.binary(max_size=200))
def test_no_bytes_raise_anything_else(data: bytes) -> None:
    for text in (data, head(data, count=1), head(data, count=3)):
        try:
            metadata(text)
        except NotGguf:
            continue
