"""The library's side: models from small configs, and the weight of the caches that they fill."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
import transformers
import yaml
from architectures import Row

from generator.derive.attention import ConfigKeys

ROOT = Path(__file__).parents[2]
BF16 = 2
AUTO = {
    "causal": transformers.AutoModelForCausalLM,
    "speech": transformers.AutoModelForSpeechSeq2Seq,
    "text": transformers.AutoModelForSeq2SeqLM,
}
CACHES = ("cache", "past_key_values", "cache_params")
"""What classes call their cache, the newest name first."""

torch.set_num_threads(1)  # the models are too small for two
transformers.logging.set_verbosity_error()


def load(path: Path) -> Any:
    """A YAML file as plain values."""
    return yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader)


KEYS = ConfigKeys.from_table(load(ROOT / "schema" / "config_keys.yaml"))


def model(row: Row) -> Any:
    """The real class, made from the row's config with random weights."""
    config = transformers.AutoConfig.for_model(**{**row.config, **row.library})
    torch.manual_seed(0)
    return AUTO[row.kind].from_config(config, dtype=torch.bfloat16).eval()


def run(made: Any, row: Row, tokens: int, cache: Any = None) -> Any:
    """The cache after so many more tokens; None where the class keeps none."""
    ids = torch.randint(3, 60, (1, tokens))
    inputs: dict[str, Any] = {"input_ids": ids}
    if row.kind == "speech":
        bins, positions = row.config["num_mel_bins"], row.config["max_source_positions"]
        features = torch.randn(1, bins, 2 * positions, dtype=torch.bfloat16)
        inputs = {"input_features": features, "decoder_input_ids": ids}
    elif row.kind == "text":
        inputs = {"input_ids": torch.randint(3, 60, (1, row.encoder)), "decoder_input_ids": ids}
    known = inspect.signature(made.forward).parameters
    name = next(name for name in CACHES if name in known)
    with torch.no_grad():
        out = made(**inputs, use_cache=True, **({name: cache} if cache is not None else {}))
    return next((out[name] for name in CACHES if name in out), None)


def weigh(cache: object) -> int:
    """Bytes of all tensors of numbers that a cache holds."""
    return sum(tensor.numel() * tensor.element_size() for tensor in _tensors(cache, set()))


def _tensors(value: object, seen: set[int]) -> Iterator[torch.Tensor]:
    """Each tensor once. Whole numbers are the cache's book-keeping: counts and positions."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, torch.Tensor):
        if value.is_floating_point():
            yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _tensors(part, seen)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _tensors(part, seen)
    elif hasattr(value, "__dict__") and not isinstance(value, transformers.PreTrainedConfig | type):
        yield from _tensors(vars(value), seen)
