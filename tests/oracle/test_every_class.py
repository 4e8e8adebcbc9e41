"""Every causal class of the library: what we derive from a plain config of it is what it keeps, or we refuse.

A config of the common keys alone is what a new design looks like once its own keys are lost. Each variant below is
offered to each class that knows its keys; whatever we derive from it must be right.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import pytest
import transformers
from architectures import PLAIN, WINDOW, Row
from library import BF16, KEYS, model, run, weigh
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as CLASSES

from generator.derive.attention import Geometry, derive

FULL, SLIDING = "full_attention", "sliding_attention"
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": PLAIN,
    "no head_dim": {key: value for key, value in PLAIN.items() if key != "head_dim"},
    "no KV heads": {key: value for key, value in PLAIN.items() if key not in ("head_dim", "num_key_value_heads")},
    "a window": PLAIN | WINDOW,
    "no window": PLAIN | {"sliding_window": None},
    "all full": PLAIN | {"layer_types": [FULL] * 3},
    "mixed": PLAIN | WINDOW | {"layer_types": [SLIDING, FULL, FULL]},
    "a switch": PLAIN | WINDOW | {"use_sliding_window": True, "max_window_layers": 1},
}
SHAPING = ("num_key_value_heads", "head_dim", "layer_types", "sliding_window", "use_sliding_window")
# Classes that make hundreds of experts where a plain config names none.
FEW = {"num_experts": 4, "num_local_experts": 4, "n_routed_experts": 4, "moe_num_experts": 4}
FEW |= {"num_experts_per_tok": 2, "moe_k": 2, "num_experts_per_token": 2, "n_group": 1, "topk_group": 1}
# Classes that no plain config makes: a model inside another, pictures, bytes for tokens, a codec.
LEFT_OUT = {"blt", "emu3", "gemma3", "gemma4_assistant", "gemma4_unified_assistant", "phi4_multimodal"}


def _known(model_type: str) -> tuple[set[str], Any]:
    made = transformers.AutoConfig.for_model(model_type)
    names = {name for base in type(made).__mro__ for name in inspect.get_annotations(base)}
    return names | set(type(made).attribute_map), made


def _offered() -> list[Any]:
    """Each variant of each class that we derive, and whose keys the class knows."""
    rows = []
    for model_type in sorted(set(CLASSES) - LEFT_OUT):
        found = {name: derive(base | {"model_type": model_type}, KEYS) for name, base in VARIANTS.items()}
        if not any(isinstance(each, Geometry) for each in found.values()):
            continue
        names, made = _known(model_type)
        few = {key: value for key, value in FEW.items() if isinstance(getattr(made, key, None), int)}
        for name, geometry in found.items():
            if isinstance(geometry, Geometry) and all(key in names for key in SHAPING if key in VARIANTS[name]):
                config = VARIANTS[name] | {"model_type": model_type}
                rows.append(pytest.param(config, few, geometry, id=f"{model_type}, {name}"))
    return rows


@pytest.mark.parametrize(("config", "few", "geometry"), _offered())
def test_what_is_derived_is_what_is_kept(config: Mapping[str, Any], few: dict[str, int], geometry: Geometry) -> None:
    row = Row(str(config["model_type"]), config, library=few)
    try:
        made = model(row)
        kept = {tokens: weigh(run(made, row, tokens)) for tokens in (5, 17)}
    except Exception as problem:  # each class has its own way to say so
        pytest.skip(f"the class does not run from so little: {str(problem)[:80]}")
    assert kept == {tokens: _expected(geometry, tokens) for tokens in kept}


def _expected(geometry: Geometry, tokens: int) -> int:
    """Entries alone, with one less in each window: no class that keeps a state is derived from so little."""
    assert not geometry.states
    counts = [
        (stream, min(tokens, stream.entries.n - 1) if stream.entries.rule == "window" else stream.entries.count(tokens))
        for stream in geometry.streams
    ]
    return sum(stream.layers * count * stream.scalars for stream, count in counts) * BF16
