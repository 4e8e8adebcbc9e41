"""How many bytes the counted parameters take in the number types that a config states.

Three recipes are known: one type for all; fp8 in square blocks with a scale each (DeepSeek-V3 and its kin, V4 with fp4
experts); fp4 experts in groups of 32 (gpt-oss). What a recipe takes for granted stands in ``assumptions``. Everything
else is refused: a checkpoint's layout is not guessed. What stands apart of a count is not in the bytes either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from generator.derive.config.fields import NotDerivable, Refused, shown
from generator.derive.config.wrappers import wrapped
from generator.derive.parameters.parts import Parameters, Part

BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}
FP4_GROUP = 32
# What V4's release keeps in float32, by its safetensors headers as published (46 shards, 159,609,485,896 bytes).
FP32_NAMES = ("hc.", "hc_head.", "sinks", "position_bias")
FP8_KEYS = frozenset(
    {"activation_scheme", "fmt", "modules_to_not_convert", "quant_method", "scale_fmt", "weight_block_size"}
)


@dataclass(frozen=True)
class WeightBytes:
    """Bytes by number type, scales under ``scales``, and what was taken for granted."""

    by_type: Mapping[str, int]
    assumptions: tuple[str, ...]

    @property
    def total(self) -> int:
        """All bytes."""
        return sum(self.by_type.values())


def weight_bytes(parameters: Parameters, config: Mapping[str, Any]) -> WeightBytes | NotDerivable:
    """The bytes of counted parameters under the config's own types, or the reason why they do not follow from it."""
    try:
        return _weigh(parameters, config)
    except Refused as refused:
        return refused.verdict


def _weigh(parameters: Parameters, config: Mapping[str, Any]) -> WeightBytes:
    outers, inner = wrapped(config)
    everywhere = (inner, *reversed(outers))
    rest = _rest(everywhere)
    quantised = next((found for each in everywhere if (found := each.get("quantization_config")) is not None), None)
    if quantised is None:
        if parameters.model_type == "deepseek_v41_text":
            raise Refused("the release is quantised, and `quantization_config` is not at hand", "quantization_config")
        return _tally(parameters, lambda part: (rest, 0), (f"every tensor is {rest}",))
    if not isinstance(quantised, Mapping):
        raise Refused(f"`quantization_config` is {shown(quantised)}; an object is needed", "quantization_config")
    method, expert_type = quantised.get("quant_method"), inner.get("expert_dtype")
    if method == "mxfp4" and parameters.model_type == "gpt_oss":
        return _fp4_experts(parameters, quantised, rest)
    if method == "fp8" and expert_type in (None, "fp4", "fp8"):
        return _fp8_blocks(parameters, quantised, rest, fp4=expert_type == "fp4")
    what = f"{shown(method)} with {shown(quantised.get('quant_algo') or quantised.get('format'))}"
    raise Refused(f"`quantization_config`: which tensors {what} covers is not known here", "quantization_config")


def _rest(configs: tuple[Mapping[str, Any], ...]) -> str:
    """The type of whatever is not quantised."""
    for config in configs:
        for key in ("dtype", "torch_dtype"):
            value = config.get(key)
            if value is not None:
                if not isinstance(value, str) or value not in BYTES:
                    raise Refused(f"`{key}` is {shown(value)}; one of {', '.join(BYTES)} is needed", key)
                return value
    raise Refused("`dtype` is missing, so nothing says how wide unquantised weights are", "dtype")


def _fp4_experts(parameters: Parameters, quantised: Mapping[str, Any], rest: str) -> WeightBytes:
    """gpt-oss: two expert weights to a byte, a scale of one byte for each 32 of a row."""
    kept = quantised.get("modules_to_not_convert")
    if not isinstance(kept, list) or any("experts" in str(name) for name in kept):
        raise Refused("`modules_to_not_convert` is not a list that leaves the experts in", "quantization_config")

    def kind(part: Part) -> tuple[str, int]:
        return ("fp4", _groups(part)) if part.linear and part.component == "experts_routed" else (rest, 0)

    return _tally(parameters, kind, (f"experts in fp4, one e8m0 scale for 32 weights; all else {rest}",))


def _fp8_blocks(parameters: Parameters, quantised: Mapping[str, Any], rest: str, *, fp4: bool) -> WeightBytes:
    """fp8 matrices with one scale for each block; V4's experts are fp4 in groups of 32, and its scales one byte."""
    if strange := sorted({shown(key).strip("'") for key in quantised} - FP8_KEYS):
        raise Refused(f"`quantization_config` has `{strange[0]}`, which plain fp8 has not", "quantization_config")
    block = quantised.get("weight_block_size")
    if not isinstance(block, list) or len(block) != 2 or not all(type(side) is int and side > 0 for side in block):
        raise Refused(
            "`weight_block_size` is not two sizes; other fp8 recipes are not known here", "quantization_config"
        )
    _check_kept(parameters, quantised.get("modules_to_not_convert") or [])
    v4 = parameters.model_type == "deepseek_v4"
    scale = 1 if v4 else 4

    def kind(part: Part) -> tuple[str, int]:
        if fp4 and part.linear and part.component == "experts_routed":
            return "fp4", _groups(part)
        if part.linear:
            return "fp8", -(-part.rows // block[0]) * -(-part.columns // block[1]) * scale
        return ("float32" if v4 and part.name.startswith(FP32_NAMES) else rest), 0

    said = [f"matrices of attention, MLPs and experts in fp8, one scale of {scale} bytes per {block[0]} x {block[1]}"]
    if fp4:
        said.append("routed experts in fp4, one e8m0 scale for 32 weights")
    said.append(f"embeddings, norms, router{', compressors' if v4 else ''} and index weights in {rest}")
    if v4:
        said.append("hyper-connections, sinks and the compressors' position biases in float32")
    return _tally(parameters, kind, tuple(said))


def _check_kept(parameters: Parameters, kept: object) -> None:
    """Modules that stay as they are have to be ones that the recipe leaves alone anyway."""
    unquantised = {part.name for part in parameters.parts if not part.linear} | {"e_score_correction_bias"}
    matrices = {part.name for part in parameters.parts if part.linear}
    for name in kept if isinstance(kept, list) else [kept]:
        last = str(name).rsplit(".", 1)[-1]
        if last not in unquantised or last in matrices:
            reason = f"`modules_to_not_convert` names {shown(name)}, and what that leaves out is not known here"
            raise Refused(reason, "quantization_config")


def _groups(part: Part) -> int:
    return part.rows * -(-part.columns // FP4_GROUP)


def _tally(
    parameters: Parameters, kind: Callable[[Part], tuple[str, int]], assumptions: tuple[str, ...]
) -> WeightBytes:
    sums: Counter[str] = Counter()
    for part in parameters.parts:
        name, scales = kind(part)
        halves = {"fp4": 1, "fp8": 2}.get(name) or 2 * BYTES[name]
        sums[name] += (part.size * halves + 1) // 2 * part.copies
        if scales:
            sums["scales"] += scales * part.copies
    return WeightBytes(dict(sums), assumptions)
