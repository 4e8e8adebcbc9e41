"""Classes that nobody here has looked at: what we derive from their default configs is what they keep, or we refuse.

Model types are drawn by seed from all that generate text: ``make oracle SEED=7 CLASSES=all``. A class is built from its
default config in full size on PyTorch's meta device, where tensors have shapes and no numbers, so that a model of any
size costs little; a class that needs numbers is built for real where it is small. Only the layers are fewer: six, where
the class takes so many. A class that does not run from its own defaults proves nothing and is counted as such.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
import transformers
from architectures import Row
from library import AUTO, CACHES, KEYS, ROOT, load, weigh
from test_oracle import expected
from torch.overrides import TorchFunctionMode
from transformers.models.auto import modeling_auto

from generator.derive.attention import Geometry, derive
from generator.derive.config.class_reads import ClassReads

CAUSAL = modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
TEXT = modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES
SPEECH = modeling_auto.MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES
LAYERS, ENCODER, LENGTHS = 6, 6, (5, 17)
SMALL = 1_000_000_000  # parameters
TAPS = ("conv_kernel", "d_conv", "mamba_d_conv", "linear_conv_kernel_dim", "conv_L_cache")
READS = load(ROOT / "sources" / "transformers-5-24-0-class-reads.yaml")["facts"]
WITH_READS = replace(KEYS, reads=ClassReads("its source", READS))


class NothingPadded(TorchFunctionMode):
    """On the meta device a question about numbers has no answer; classes ask whether nothing is packed or padded."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.Tensor.__bool__ and args[0].is_meta:
            return True
        return func(*args, **(kwargs or {}))


@dataclass(frozen=True)
class Drawn:
    """A model type with the class that a checkpoint of it would name."""

    model_type: str
    kind: str
    config: Any

    @property
    def plain(self) -> dict[str, Any]:
        """What a config.json of the class would say."""
        names = {"causal": CAUSAL, "text": TEXT, "speech": SPEECH}[self.kind]
        return {**json.loads(self.config.to_json_string(use_diff=False)), "architectures": [names[self.model_type]]}


def _drawn() -> list[str]:
    model_types = sorted({*CAUSAL, *TEXT, *SPEECH})
    wanted = os.environ.get("CLASSES") or "60"
    if wanted == "all":
        return model_types
    return sorted(random.Random(os.environ.get("SEED") or "0").sample(model_types, int(wanted)))


def _config(model_type: str) -> Drawn:
    """Its default config, with few layers where the class takes the number and makes a list of that length."""
    config = transformers.AutoConfig.for_model(model_type)
    count = getattr(config, "num_hidden_layers", None)
    if isinstance(count, int) and count > LAYERS and "num_hidden_layers" not in type(config).attribute_map:
        try:
            fewer = transformers.AutoConfig.for_model(model_type, num_hidden_layers=LAYERS)
        except (ValueError, TypeError):
            fewer = config
        if len(getattr(fewer, "layer_types", None) or [None] * LAYERS) == LAYERS:
            config = fewer
    pair = config.is_encoder_decoder
    kinds = [("speech", SPEECH), ("text", TEXT)] if pair else [("causal", CAUSAL), ("text", TEXT), ("speech", SPEECH)]
    kind = next((name for name, names in kinds if model_type in names), "causal")
    return Drawn(model_type, kind, config)


def _kept(drawn: Drawn) -> Mapping[int, int]:
    """Bytes of the cache at each length; on the meta device, or for real where the class needs numbers."""
    try:
        with torch.device("meta"), NothingPadded():
            made = AUTO[drawn.kind].from_config(drawn.config, dtype=torch.bfloat16).eval()
            return {tokens: _weight(made, drawn, tokens) for tokens in LENGTHS}
    except (RuntimeError, NotImplementedError):
        if sum(each.numel() for each in made.parameters()) > SMALL:
            raise
    made = AUTO[drawn.kind].from_config(drawn.config, dtype=torch.bfloat16).eval()
    return {tokens: _weight(made, drawn, tokens) for tokens in LENGTHS}


def _weight(made: Any, drawn: Drawn, tokens: int) -> int:
    ids = torch.full((1, tokens), 7)
    inputs: dict[str, Any] = {"input_ids": ids}
    if drawn.config.is_encoder_decoder and drawn.kind == "text":
        inputs = {"input_ids": torch.full((1, ENCODER), 7), "decoder_input_ids": ids}
    elif drawn.config.is_encoder_decoder and drawn.kind == "speech":
        shape = (1, drawn.config.num_mel_bins, 2 * drawn.config.max_source_positions)
        inputs = {"input_features": torch.zeros(shape, dtype=torch.bfloat16), "decoder_input_ids": ids}
    with torch.no_grad():
        out = made(**inputs, use_cache=True)
    return weigh(next((out[name] for name in CACHES if name in out), None))


def _expected(drawn: Drawn, geometry: Geometry) -> Iterator[Mapping[int, int]]:
    """What the cache weighs, with recurrent states in 32 bits, as most classes keep them, or in those of the model."""
    config = drawn.plain
    taps = next((config[key] for key in TAPS if isinstance(config.get(key), int)), 4)
    for recurrent in (4, 2):
        row = Row(drawn.model_type, config, drawn.kind, recurrent=recurrent, kernel=taps, encoder=ENCODER)
        yield {tokens: expected(row, geometry, tokens) for tokens in LENGTHS}


@pytest.mark.parametrize("model_type", _drawn())
def test_what_is_derived_from_its_defaults_is_what_it_keeps(model_type: str, unseen: dict[str, str]) -> None:
    try:
        drawn = _config(model_type)
    except Exception as problem:  # each class has its own way to say so
        unseen[model_type] = "the class makes no config by itself"
        pytest.skip(f"no default config: {str(problem)[:80]}")
    geometry = derive(drawn.plain, WITH_READS)
    if not isinstance(geometry, Geometry):
        unseen[model_type] = f"refused: {geometry.reason}"
        pytest.skip(f"refused: {geometry.reason[:80]}")
    try:
        kept = _kept(drawn)
    except Exception as problem:
        unseen[model_type] = "the class does not run from its own defaults"
        pytest.skip(f"does not run: {str(problem)[:80]}")
    wanted = list(_expected(drawn, geometry))
    unseen[model_type] = "equal" if kept in wanted else "WRONG"
    assert kept in wanted, f"{geometry.family}: {kept} is kept, {wanted[0]} is derived"
