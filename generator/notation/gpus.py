"""GPU notations, mapped once: ``sm_90``, ``9.0``, ``SM10x``, ``sm_80-sm_88``, ``sm_75+``, ``gfx942``, ``gfx12xx``,
and ``metal`` for a whole platform."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_NVIDIA = re.compile(r"(?:sm_?)?(\d{2,3})[af]?|(\d+)\.(\d)", re.I)
_MAJOR = re.compile(r"(?:sm_?)?(\d+)x", re.I)
_AMD = re.compile(r"gfx([0-9a-f]+)(x*)", re.I)
PLATFORMS = frozenset({"cuda", "rocm", "metal", "xpu", "cpu"})
"""The words that mean every GPU of a platform."""


@dataclass(frozen=True, slots=True, eq=False)
class Gpu:
    """A GPU on record, as conditions see it: its id, its compute capability, and the platform it belongs to."""

    id: str
    title: str
    capability: str | None
    platform: str

    @property
    def shown(self) -> str:
        """The capability where there is one, else the name."""
        return self.capability or self.title


def product(title: str) -> str:
    """What people call a GPU, without its form and its memory: the words up to the first that has a digit.

    >>> [product(each) for each in ("H100 SXM 96GB", "RTX PRO 6000 Blackwell (Server)", "Apple M3 Max 48GB", "Tiny")]
    ['H100', 'RTX PRO 6000', 'Apple M3', 'Tiny']
    """
    words = title.split()
    last = next((number for number, word in enumerate(words) if any(map(str.isdigit, word))), len(words))
    return " ".join(words[: last + 1])


@lru_cache(maxsize=1024)
def capability(text: str) -> tuple[int, int] | None:
    """A compute capability of NVIDIA as (major, minor), from any of its spellings."""
    found = _NVIDIA.fullmatch(text.strip())
    if found is None:
        return None
    if found[1]:
        return int(found[1][:-1]), int(found[1][-1])
    return int(found[2]), int(found[3])


def platform(capability_text: str | None, vendor: str | None) -> str:
    """The platform whose backends run on a GPU."""
    if capability_text and _AMD.fullmatch(capability_text):
        return "rocm"
    if capability_text and capability(capability_text):
        return "cuda"
    return {"NVIDIA": "cuda", "AMD": "rocm", "Apple": "metal", "Intel": "xpu"}.get(vendor or "", "unknown")


@lru_cache(maxsize=65536)
def covers(pattern: str, gpu: Gpu) -> bool:
    """Whether a pattern of a condition names this GPU, by its id, its capability or its platform."""
    text = pattern.strip()
    if text == gpu.id or (text in PLATFORMS and text == gpu.platform):
        return True
    own = gpu.capability
    if own is None:
        return False
    amd = _AMD.fullmatch(text)
    if amd:
        return own == f"gfx{amd[1]}" or (bool(amd[2]) and own.startswith(f"gfx{amd[1]}"))
    mine = capability(own)
    if mine is None:
        return False
    if whole := _MAJOR.fullmatch(text):
        return mine[0] == int(whole[1])
    low, dash, high = text.partition("-")
    if text.endswith("+"):
        return _between(capability(text[:-1]), mine, None)
    return _between(capability(low), mine, capability(high) if dash else capability(low))


def is_pattern(text: str) -> bool:
    """Whether a pattern means some GPUs at all: a typing error means none, and so covers nothing, silently.

    >>> [is_pattern(each) for each in ("sm_80-sm_88", "sm_75+", "gfx12xx", "metal", "rtx", "sm_80-88x", "ampere")]
    [True, True, True, True, False, False, False]
    """
    text = text.strip()
    if text in PLATFORMS or _AMD.fullmatch(text) or _MAJOR.fullmatch(text):
        return True
    low, dash, high = text.removesuffix("+").partition("-")
    return capability(low) is not None and (not dash or capability(high) is not None)


def pattern_platform(text: str) -> str:
    """The platform that a pattern is about.

    >>> [pattern_platform(each) for each in ("sm_75+", "gfx94x", "metal", "m3-max")]
    ['cuda', 'rocm', 'metal', 'unknown']
    """
    if text in PLATFORMS:
        return text
    return "rocm" if text.startswith("gfx") else "cuda" if text.startswith("sm_") else "unknown"


def _between(low: tuple[int, int] | None, mine: tuple[int, int], high: tuple[int, int] | None) -> bool:
    return low is not None and low <= mine and (high is None or mine <= high)


def any_covers(patterns: tuple[str, ...], gpu: Gpu) -> bool:
    """Whether one of several patterns names this GPU."""
    return any(covers(pattern, gpu) for pattern in patterns)
