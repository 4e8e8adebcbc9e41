"""Our formulas against the library: real models with few layers run, and the tensors of their caches are weighed.

Run by ``make oracle`` in an environment of its own, since it needs PyTorch and transformers; ``make test`` leaves it
out. Each row is prefilled at every length, and then decoded token by token: what is kept depends on the length alone.

Where the library keeps something else than the geometry says, it does so by a convention, and the row states it:

- *W - 1*: between steps a window holds one entry less, since the next token brings its own
  (``cache_utils.py`` DynamicSlidingWindowLayer). The same holds for chunks.
- *k taps*: a convolution over k inputs keeps k of them; engines, and our slots, keep k - 1.
- *open groups*: DeepSeek-V4's open group is kept row by row, where engines allocate whole rings; after the first group
  of a ratio of 4 also the one before it, whose gate is kept in 32 bits. A layer without compression keeps its shared
  row twice, as key and as value.
"""

from __future__ import annotations

from typing import Any

import pytest
import transformers
from architectures import ROWS, Row
from library import BF16, KEYS, ROOT, load, model, run, weigh

from generator.derive.attention import Geometry, StateSlot, derive, unwrap
from generator.derive.attention.geometry import CacheStream

SHORT, WIDE, RINGS = "W - 1", "k taps", "open groups"
GROUPS = {"ring_c4_main": 4, "ring_c4_index": 4, "ring_c128_main": 128}


# --- ours -----------------------------------------------------------------------------------------------------------


def geometry(row: Row) -> Geometry:
    defaults = load(ROOT / "sources" / f"{row.defaults}.yaml")["facts"]["defaults"] if row.defaults else None
    found = derive(row.config, KEYS, class_defaults=defaults)
    assert isinstance(found, Geometry), found
    return found


def conventions(found: Geometry) -> list[str]:
    """What the library is known to do otherwise for this geometry."""
    windows = any(stream.entries.rule in ("window", "chunk") for stream in found.streams)
    slots = {slot.slot for slot in found.states}
    convolutions = any(slot.endswith("_conv") for slot in slots)
    return [SHORT] * windows + [WIDE] * convolutions + [RINGS] * bool(slots & set(GROUPS))


def expected(row: Row, found: Geometry, tokens: int) -> int:
    """Bytes of all tensors, by our geometry under the library's conventions."""
    entries = sum(_entries(stream, tokens, row.encoder) * stream.scalars for stream in found.streams) * BF16
    if RINGS in conventions(found):
        entries += _second_copies(found, tokens)
    return entries + sum(slot.layers * _state(row, slot, tokens) for slot in found.states)


def _entries(stream: CacheStream, tokens: int, encoder: int) -> int:
    windowed = stream.entries.rule in ("window", "chunk")
    return stream.layers * (min(tokens, stream.entries.n - 1) if windowed else stream.entries.count(tokens, encoder))


def _state(row: Row, slot: StateSlot, tokens: int) -> int:
    assert slot.scalars is not None
    if slot.slot in GROUPS:
        return _open_group(slot.slot, slot.scalars, tokens)
    if slot.slot.endswith("_conv"):
        assert slot.scalars % (row.kernel - 1) == 0
        return slot.scalars // (row.kernel - 1) * row.kernel * BF16
    return slot.scalars * row.recurrent


def _open_group(slot: str, scalars: int, tokens: int) -> int:
    """Values and gates of the open group; at a ratio of 4 half of each row of the last closed group as well."""
    ratio = GROUPS[slot]
    size = tokens % ratio * scalars * BF16
    if ratio == 4 and tokens >= ratio:
        size += ratio * scalars // 4 * (BF16 + 4)
    return size


def _second_copies(found: Geometry, tokens: int) -> int:
    plain = [s for s in found.streams if s.role == "window" and s.layer_type == "sliding_attention"]
    return sum(_entries(stream, tokens, 0) * stream.scalars for stream in plain) * BF16


# --- the comparison -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", [pytest.param(row, id=row.id) for row in ROWS])
def test_the_library_keeps_what_we_derive(row: Row, agreed: dict[str, tuple[str, ...]]) -> None:
    found, made = geometry(row), model(row)
    wanted = {tokens: expected(row, found, tokens) for tokens in row.lengths}
    assert {tokens: weigh(run(made, row, tokens)) for tokens in row.lengths} == wanted
    steps = _stepped(row, made)
    assert steps == {tokens: expected(row, found, tokens) for tokens in steps}
    compared = f"{len(wanted)} + {len(steps)} steps"
    last = f"{wanted[row.lengths[-1]]:,} at {row.lengths[-1]}"
    agreed[row.id] = (row.id, found.family, compared, last, ", ".join(conventions(found)) or "none needed")


def _stepped(row: Row, made: Any) -> dict[int, int]:
    """Bytes while one token at a time is decoded, from behind a prefill across the first window's end."""
    cache = run(made, row, 3)
    found = {}
    for tokens in range(4, 22):
        cache = run(made, row, 1, cache)
        found[tokens] = weigh(cache)
    return found


@pytest.mark.parametrize("id", sorted({row.defaults for row in ROWS if row.defaults}))
def test_the_class_sets_what_its_source_says(id: str) -> None:
    facts = load(ROOT / "sources" / f"{id}.yaml")["facts"]
    made = transformers.AutoConfig.for_model(facts["model_type"])
    assert type(made).__name__ == facts["class"]
    stated = {key: value for key, value in facts["defaults"].items() if hasattr(made, key)}
    stated |= facts.get("default_sizes", {})
    assert {key: getattr(made, key) for key in stated} == stated


def test_every_row_is_told_apart() -> None:
    assert len({row.id for row in ROWS}) == len(ROWS)
    assert all(isinstance(unwrap(row.config)["model_type"], str) for row in ROWS)
