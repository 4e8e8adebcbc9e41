"""The model types whose layers are known, listed by hand. A type that is not here is refused, not guessed.

Each line was compared with an instance of the class it names; see ``tests/data/parameters_counted.yaml``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from generator.derive.parameters import (
    compressed,
    dense,
    elders,
    gemma4,
    hybrids,
    interleaved,
    latent,
    sparse,
    state_space,
)
from generator.derive.parameters.parts import Apart
from generator.derive.parameters.reading import Reading

Reader = Callable[[Reading], tuple[Apart, ...] | None]
LIBRARY = "transformers 5.24.0"


@dataclass(frozen=True)
class Model:
    """Model types that one class builds, the names that checkpoints give the class, and its reader."""

    model_types: tuple[str, ...]
    classes: tuple[str, ...]
    reader: Reader
    read_from: str = ""

    @property
    def source(self) -> str:
        """The class whose layers were counted."""
        return self.read_from or f"{LIBRARY} {self.classes[0]}"


def _dense(model_type: str, name: str, of: dense.Dense) -> Model:
    return Model((model_type,), (name,), dense.reader(of))


MODELS: tuple[Model, ...] = (
    _dense("llama", "LlamaForCausalLM", dense.LLAMA),
    _dense("mistral", "MistralForCausalLM", dense.MISTRAL),
    _dense("ministral3", "Ministral3ForCausalLM", dense.MINISTRAL3),
    _dense("phi3", "Phi3ForCausalLM", dense.MISTRAL),
    _dense("smollm3", "SmolLM3ForCausalLM", dense.LLAMA),
    _dense("qwen2", "Qwen2ForCausalLM", dense.QWEN2),
    _dense("qwen3", "Qwen3ForCausalLM", dense.QWEN3),
    _dense("qwen3_vl_text", "Qwen3VLForConditionalGeneration", dense.QWEN3),
    _dense("seed_oss", "SeedOssForCausalLM", dense.SEED_OSS),
    _dense("olmo2", "Olmo2ForCausalLM", dense.OLMO2),
    _dense("olmo3", "Olmo3ForCausalLM", dense.OLMO2),
    _dense("gemma", "GemmaForCausalLM", dense.GEMMA),
    _dense("gemma2", "Gemma2ForCausalLM", dense.GEMMA2),
    _dense("gemma3_text", "Gemma3ForCausalLM", dense.GEMMA3),
    _dense("muse_glimmer_text", "MuseGlimmerForConditionalGeneration", dense.MUSE_GLIMMER),
    Model(("gemma4_text",), ("Gemma4ForCausalLM",), gemma4.read_gemma4),
    Model(("cohere",), ("CohereForCausalLM",), dense.read_cohere),
    Model(("starcoder2",), ("Starcoder2ForCausalLM",), dense.read_starcoder2),
    Model(("gpt_neox",), ("GPTNeoXForCausalLM",), elders.read_gpt_neox),
    Model(("bloom",), ("BloomForCausalLM",), elders.read_bloom),
    Model(("opt",), ("OPTForCausalLM",), elders.read_opt),
    Model(("falcon",), ("FalconForCausalLM",), elders.read_falcon),
    Model(("mpt",), ("MptForCausalLM", "MPTForCausalLM"), elders.read_mpt),
    Model(("mixtral",), ("MixtralForCausalLM",), sparse.read_mixtral),
    Model(("minimax_m2",), ("MiniMaxM2ForCausalLM",), sparse.read_minimax_m2),
    Model(("qwen2_moe",), ("Qwen2MoeForCausalLM",), sparse.read_qwen2_moe),
    Model(("qwen3_moe",), ("Qwen3MoeForCausalLM",), sparse.read_qwen3_moe),
    Model(("qwen3_vl_moe_text",), ("Qwen3VLMoeForConditionalGeneration",), sparse.read_qwen3_moe),
    Model(("glm4_moe",), ("Glm4MoeForCausalLM",), sparse.read_glm4_moe),
    Model(("dots1",), ("Dots1ForCausalLM",), sparse.read_dots1),
    Model(("gpt_oss",), ("GptOssForCausalLM",), interleaved.read_gpt_oss),
    Model(("ernie4_5_moe",), ("Ernie4_5_MoeForCausalLM",), interleaved.read_ernie),
    Model(("phimoe",), ("PhimoeForCausalLM", "PhiMoEForCausalLM"), interleaved.read_phimoe),
    Model(("llama4_text",), ("Llama4ForCausalLM",), interleaved.read_llama4),
    Model(("laguna",), ("LagunaForCausalLM",), interleaved.read_laguna),
    Model(("deepseek_v2",), ("DeepseekV2ForCausalLM",), latent.read_deepseek),
    Model(("deepseek_v3", "kimi_k2"), ("DeepseekV3ForCausalLM",), latent.read_deepseek),
    Model(("glm4_moe_lite",), ("Glm4MoeLiteForCausalLM",), latent.read_deepseek),
    Model(("deepseek_v32",), ("DeepseekV32ForCausalLM",), latent.read_deepseek_dsa),
    Model(("glm_moe_dsa",), ("GlmMoeDsaForCausalLM",), latent.read_deepseek_dsa),
    Model(("deepseek_v4",), ("DeepseekV4ForCausalLM",), compressed.read_v4),
    Model(
        ("deepseek_v41_text",),
        ("DeepseekV41ForCausalLM",),
        compressed.read_v41,
        "nemo-automodel 0.7.0 models/deepseek_v41",
    ),
    Model(("qwen3_next",), ("Qwen3NextForCausalLM",), hybrids.read_qwen3_next),
    Model(("qwen3_5_text",), ("Qwen3_5ForCausalLM",), hybrids.read_qwen3_5),
    Model(("qwen3_5_moe_text",), ("Qwen3_5MoeForCausalLM",), hybrids.read_qwen3_5_moe),
    Model(
        ("kimi_linear",),
        ("KimiLinearForCausalLM",),
        hybrids.read_kimi_linear,
        f"{LIBRARY} KimiLinearForCausalLM, with what Kimi K3 adds as vllm 0.33.0 models/kimi_k3 builds it",
    ),
    Model(("jamba",), ("JambaForCausalLM",), hybrids.read_jamba),
    Model(("nemotron_h",), ("NemotronHForCausalLM",), state_space.read_nemotron_h),
    Model(("granitemoehybrid",), ("GraniteMoeHybridForCausalLM",), state_space.read_granite_hybrid),
    Model(("falcon_h1",), ("FalconH1ForCausalLM",), state_space.read_falcon_h1),
    Model(
        ("minimax_text_01", "minimax_m1"),
        ("MiniMaxText01ForCausalLM", "MiniMaxM1ForCausalLM"),
        hybrids.read_minimax_text,
        f"{LIBRARY} MiniMaxForCausalLM",
    ),
    Model(("mamba",), ("MambaForCausalLM",), state_space.read_mamba),
    Model(("falcon_mamba",), ("FalconMambaForCausalLM",), state_space.read_mamba),
    Model(("mamba2",), ("Mamba2ForCausalLM",), state_space.read_mamba2),
)
BY_TYPE: dict[str, Model] = {model_type: model for model in MODELS for model_type in model.model_types}
