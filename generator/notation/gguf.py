"""The metadata at the head of a GGUF file: names, each with a number, a text or a list of them.

The layout is that of ggml's ``docs/gguf.md``, versions 2 and 3: magic, version, number of tensors, number of entries,
and the entries, each a name, a type and a value, in little-endian order. The tensors behind them are not read.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

MAGIC = b"GGUF"
VERSIONS = (2, 3)
FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, LIST = 8, 9


class NotGguf(ValueError):
    """The bytes are not a GGUF file of a version that is read, or end inside the metadata."""


@dataclass
class _Bytes:
    """Bytes and how far they have been read; a length beyond their end is refused before anything is made of it."""

    data: bytes
    at: int = 0

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise NotGguf(f"the metadata do not end within the first {len(self.data):,} bytes")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, form: str) -> int | float | bool:
        (value,) = struct.unpack(f"<{form}", self.take(struct.calcsize(form)))
        assert isinstance(value, int | float)
        return value

    def size(self) -> int:
        return int(self.number("Q"))

    def text(self) -> str:
        return self.take(self.size()).decode("utf-8", "replace")

    def value(self, kind: int) -> object:
        if kind == TEXT:
            return self.text()
        if kind == LIST:
            inner, count = int(self.number("I")), self.size()
            if inner == LIST or (inner != TEXT and inner not in FORMATS):
                raise NotGguf(f"a list of values of type {inner} is not read")
            if inner == TEXT:
                return [self.text() for _ in range(self._possible(count, 8))]
            form = FORMATS[inner]
            return list(struct.unpack(f"<{self._possible(count, struct.calcsize(form))}{form}", self._all(count, form)))
        if kind not in FORMATS:
            raise NotGguf(f"a value of type {kind} is not read")
        return self.number(FORMATS[kind])

    def _all(self, count: int, form: str) -> bytes:
        return self.take(count * struct.calcsize(form))

    def _possible(self, count: int, least: int) -> int:
        if count * least > len(self.data) - self.at:
            raise NotGguf(f"the metadata do not end within the first {len(self.data):,} bytes")
        return count


def metadata(data: bytes) -> dict[str, object]:
    """The entries of a file's first bytes, which hold all of them. Raises NotGguf."""
    rest = _Bytes(data)
    if rest.take(len(MAGIC)) != MAGIC:
        raise NotGguf("the file does not begin with GGUF")
    version = rest.number("I")
    if version not in VERSIONS:
        raise NotGguf(f"version {version} of GGUF is not read, only {' and '.join(map(str, VERSIONS))}")
    rest.size()  # tensors
    found: dict[str, object] = {}
    for _ in range(rest._possible(rest.size(), 13)):
        name = rest.text()
        if name in found:
            raise NotGguf(f"the entry `{name[:80]}` appears twice")
        found[name] = rest.value(int(rest.number("I")))
    return found
