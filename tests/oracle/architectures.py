"""Small configs of real architectures: what both sides are asked about, our formulas and the library's own classes.

A row is a config.json with few layers and narrow heads. Windows have 8 tokens and the lengths straddle them; everything
that decides how much is kept has a value of its own, so that two that are mixed up show.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

W = 8
LENGTHS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 33)
GROUPS = (*LENGTHS, 64, 127, 128, 129, 255, 256, 257)
FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"


@dataclass(frozen=True)
class Row:
    """One architecture. ``defaults`` names the source whose class defaults fill the gaps of the config.

    ``library`` are keys that shape no cache and without which the class does not run, or is large. ``recurrent`` is the
    number of bytes in which the library keeps a scalar of recurrent state, ``kernel`` the inputs of a convolution.
    ``kind`` is the auto class that makes the model, ``encoder`` the number of positions that cross-attention reads.
    """

    id: str
    config: Mapping[str, Any]
    kind: str = "causal"
    defaults: str = ""
    recurrent: int = 4
    kernel: int = 4
    lengths: tuple[int, ...] = LENGTHS
    library: Mapping[str, Any] = field(default_factory=dict)
    encoder: int = 0


PLAIN = {
    "vocab_size": 64,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "pad_token_id": 0,
}
MOE = {"num_local_experts": 4, "num_experts_per_tok": 2}
EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
LATENT = {
    "kv_lora_rank": 24,
    "q_lora_rank": 16,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 16,
    "v_head_dim": 12,
    "num_key_value_heads": 4,
}
ROUTED = {
    "n_routed_experts": 4,
    "n_shared_experts": 1,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 16,
    "first_k_dense_replace": 1,
    "n_group": 1,
    "topk_group": 1,
}
INDEXER = {"index_head_dim": 16, "index_n_heads": 2, "index_topk": 4}
GDN = {
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 8,
    "linear_num_value_heads": 4,
    "linear_value_head_dim": 12,
    "linear_conv_kernel_dim": 4,
}
MAMBA2 = {"mamba_n_heads": 4, "mamba_d_head": 16, "mamba_n_groups": 2, "mamba_d_state": 24, "mamba_d_conv": 4}
WINDOW = {"sliding_window": W}


def _(*parts: Mapping[str, Any], without: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for part in parts:
        whole |= part
    return {key: value for key, value in (whole | more).items() if key not in without}


ROWS: tuple[Row, ...] = (
    # Full attention in every layer.
    Row("llama", _(PLAIN, model_type="llama")),
    Row("llama, head_dim by the quotient", _(PLAIN, without=("head_dim",), model_type="llama")),
    Row("llama, one KV head", _(PLAIN, model_type="llama", num_key_value_heads=1)),
    Row("qwen2, switch off", _(PLAIN, WINDOW, model_type="qwen2", use_sliding_window=False, max_window_layers=1)),
    Row("qwen2, switch on", _(PLAIN, WINDOW, model_type="qwen2", use_sliding_window=True, max_window_layers=1)),
    Row("qwen3", _(PLAIN, model_type="qwen3", head_dim=12)),
    Row("qwen3_moe", _(PLAIN, EXPERTS, model_type="qwen3_moe")),
    Row("mixtral", _(PLAIN, MOE, model_type="mixtral", sliding_window=None)),
    Row("gemma", _(PLAIN, model_type="gemma")),
    Row("glm4", _(PLAIN, model_type="glm4")),
    Row("gpt2", _({"vocab_size": 64, "n_embd": 32, "n_layer": 3, "n_head": 4}, model_type="gpt2")),
    Row(
        "falcon, one KV head",
        _(
            {"vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4},
            model_type="falcon",
            multi_query=True,
            new_decoder_architecture=False,
        ),
    ),
    # Windows.
    Row("mistral", _(PLAIN, WINDOW, model_type="mistral")),
    Row("mistral, no window", _(PLAIN, model_type="mistral", sliding_window=None)),
    Row("phi3", _(PLAIN, WINDOW, without=("head_dim",), model_type="phi3", max_position_embeddings=4096)),
    Row("gemma2", _(PLAIN, WINDOW, model_type="gemma2"), defaults="transformers-5-24-0-gemma2-config"),
    Row(
        "gemma3_text",
        _(PLAIN, WINDOW, model_type="gemma3_text", num_hidden_layers=13),
        defaults="transformers-5-24-0-gemma3-config",
    ),
    Row(
        "olmo3",
        _(PLAIN, WINDOW, without=("head_dim",), model_type="olmo3", num_hidden_layers=9),
        defaults="transformers-5-24-0-olmo3-config",
    ),
    Row(
        "llama4_text",
        _(
            PLAIN,
            MOE,
            model_type="llama4_text",
            num_hidden_layers=9,
            attention_chunk_size=W,
            intermediate_size_mlp=48,
        ),
        defaults="transformers-5-24-0-llama4-config",
    ),
    Row("cohere2", _(PLAIN, WINDOW, model_type="cohere2", num_hidden_layers=9, sliding_window_pattern=4)),
    Row(
        "gpt_oss",
        _(PLAIN, MOE, WINDOW, model_type="gpt_oss", num_hidden_layers=5, layer_types=[SLIDING, FULL] * 2 + [SLIDING]),
    ),
    Row(
        "exaone4",
        _(PLAIN, WINDOW, model_type="exaone4", num_hidden_layers=6, sliding_window_pattern=4, head_dim=8),
    ),
    Row(
        "gemma3n_text",
        _(
            PLAIN,
            WINDOW,
            model_type="gemma3n_text",
            num_hidden_layers=10,
            num_kv_shared_layers=4,
            layer_types=([SLIDING] * 4 + [FULL]) * 2,
            hidden_size_per_layer_input=8,
            vocab_size_per_layer_input=64,
            laurel_rank=4,
            altup_num_inputs=2,
            intermediate_size=[48] * 10,
            activation_sparsity_pattern=[0.0] * 10,
        ),
    ),
    Row(
        "gemma4_text",
        _(
            PLAIN,
            WINDOW,
            model_type="gemma4_text",
            num_hidden_layers=6,
            layer_types=[SLIDING] * 5 + [FULL],
            global_head_dim=24,
            num_global_key_value_heads=1,
            attention_k_eq_v=True,
            num_kv_shared_layers=0,
            hidden_size_per_layer_input=0,
        ),
    ),
    Row(
        "gemma4_text, shared caches",
        _(
            PLAIN,
            WINDOW,
            model_type="gemma4_text",
            num_hidden_layers=8,
            layer_types=([SLIDING] * 3 + [FULL]) * 2,
            global_head_dim=24,
            num_kv_shared_layers=4,
            hidden_size_per_layer_input=8,
            vocab_size_per_layer_input=64,
        ),
    ),
    Row(
        "mimo_v2_flash",
        _(
            PLAIN,
            WINDOW,
            model_type="mimo_v2_flash",
            num_hidden_layers=4,
            hybrid_layer_pattern=[0, 1, 1, 0],
            layer_types=[FULL, SLIDING, SLIDING, FULL],
            v_head_dim=8,
            swa_num_attention_heads=4,
            swa_num_key_value_heads=4,
            swa_head_dim=16,
            swa_v_head_dim=8,
        ),
    ),
    # Latent attention.
    Row("deepseek_v2", _(PLAIN, LATENT, ROUTED, model_type="deepseek_v2")),
    Row("deepseek_v3", _(PLAIN, LATENT, ROUTED, without=("head_dim",), model_type="deepseek_v3")),
    Row("deepseek_v32", _(PLAIN, LATENT, ROUTED, INDEXER, model_type="deepseek_v32")),
    Row("glm_moe_dsa", _(PLAIN, LATENT, ROUTED, INDEXER, model_type="glm_moe_dsa")),
    Row(
        "glm_moe_dsa, shared indexers",
        _(
            PLAIN,
            LATENT,
            ROUTED,
            INDEXER,
            model_type="glm_moe_dsa",
            num_hidden_layers=4,
            indexer_types=["full", "shared", "full", "shared"],
        ),
    ),
    Row("youtu", _(PLAIN, LATENT, without=("head_dim",), model_type="youtu")),
    Row("glm4_moe_lite", _(PLAIN, LATENT, ROUTED, without=("head_dim",), model_type="glm4_moe_lite")),
    Row("minicpm3", _(PLAIN, LATENT, without=("head_dim",), model_type="minicpm3")),
    Row(
        "longcat_flash",
        _(
            PLAIN,
            LATENT,
            without=("num_hidden_layers",),
            model_type="longcat_flash",
            head_dim=8,
            num_layers=2,
            ffn_hidden_size=48,
            expert_ffn_hidden_size=16,
            n_routed_experts=4,
            zero_expert_num=2,
            moe_topk=2,
        ),
    ),
    # Compressed attention.
    Row(
        "deepseek_v4",
        _(
            PLAIN,
            WINDOW,
            INDEXER,
            model_type="deepseek_v4",
            num_hidden_layers=4,
            num_key_value_heads=1,
            head_dim=32,
            qk_rope_head_dim=8,
            compress_ratios=[0, 4, 128, 4],
            q_lora_rank=16,
            o_lora_rank=8,
            o_groups=2,
            n_routed_experts=4,
            n_shared_experts=1,
            num_experts_per_tok=2,
            moe_intermediate_size=16,
            num_hash_layers=1,
        ),
        lengths=GROUPS,
    ),
    # Recurrent layers beside attention, and alone.
    Row(
        "qwen3_next",
        _(
            PLAIN,
            GDN,
            EXPERTS,
            model_type="qwen3_next",
            num_hidden_layers=5,
            full_attention_interval=4,
            shared_expert_intermediate_size=16,
        ),
    ),
    Row(
        "qwen3_5_text",
        _(PLAIN, GDN, model_type="qwen3_5_text", num_hidden_layers=4, layer_types=[LINEAR] * 3 + [FULL]),
    ),
    Row(
        "qwen3_5_moe_text",
        _(
            PLAIN,
            GDN,
            EXPERTS,
            model_type="qwen3_5_moe_text",
            num_hidden_layers=4,
            layer_types=[LINEAR] * 3 + [FULL],
            shared_expert_intermediate_size=16,
        ),
    ),
    Row(
        "kimi_linear",
        _(
            PLAIN,
            LATENT,
            without=("head_dim", "q_lora_rank"),
            model_type="kimi_linear",
            num_hidden_layers=4,
            linear_attn_config={
                "full_attn_layers": [4],
                "kda_layers": [1, 2, 3],
                "num_heads": 4,
                "head_dim": 12,
                "short_conv_kernel_size": 4,
            },
            num_experts=4,
            num_experts_per_token=2,
            moe_intermediate_size=16,
            first_k_dense_replace=1,
        ),
    ),
    Row(
        "minimax",
        _(PLAIN, MOE, model_type="minimax", num_hidden_layers=4, layer_types=[LINEAR, LINEAR, LINEAR, FULL]),
        recurrent=2,
    ),
    Row(
        "jamba",
        _(
            PLAIN,
            without=("head_dim",),
            model_type="jamba",
            num_hidden_layers=4,
            attn_layer_period=4,
            attn_layer_offset=2,
            expert_layer_period=2,
            expert_layer_offset=1,
            num_experts=4,
            num_experts_per_tok=2,
            mamba_expand=2,
            mamba_d_state=8,
            mamba_d_conv=4,
            mamba_dt_rank=4,
            use_mamba_kernels=False,
        ),
    ),
    Row(
        "nemotron_h",
        _(
            PLAIN,
            model_type="nemotron_h",
            num_hidden_layers=5,
            hybrid_override_pattern="M-M*-",
            mamba_num_heads=4,
            mamba_head_dim=16,
            n_groups=2,
            ssm_state_size=24,
            conv_kernel=4,
            expand=2,
        ),
    ),
    Row("falcon_h1", _(PLAIN, MAMBA2, model_type="falcon_h1", mamba_d_ssm=64)),
    Row(
        "granitemoehybrid",
        _(
            PLAIN,
            MAMBA2,
            MOE,
            without=("head_dim",),
            model_type="granitemoehybrid",
            num_hidden_layers=4,
            layer_types=["mamba", "mamba", "attention", "mamba"],
            mamba_expand=2,
            shared_intermediate_size=16,
        ),
    ),
    Row("bamba", _(PLAIN, MAMBA2, without=("head_dim",), model_type="bamba", attn_layer_indices=[1], mamba_expand=2)),
    Row(
        "mamba2",
        _(
            model_type="mamba2",
            vocab_size=64,
            hidden_size=32,
            num_hidden_layers=3,
            num_heads=4,
            head_dim=16,
            n_groups=2,
            state_size=24,
            conv_kernel=4,
            expand=2,
            pad_token_id=0,
        ),
    ),
    Row(
        "mamba",
        _(
            model_type="mamba",
            vocab_size=64,
            hidden_size=32,
            num_hidden_layers=3,
            state_size=8,
            conv_kernel=4,
            expand=2,
        ),
    ),
    Row(
        "falcon_mamba",
        _(
            model_type="falcon_mamba",
            vocab_size=64,
            hidden_size=32,
            intermediate_size=72,
            num_hidden_layers=3,
            state_size=8,
            conv_kernel=4,
            expand=16,
            pad_token_id=0,
        ),
    ),
    Row(
        "zamba2",
        _(
            model_type="zamba2",
            vocab_size=64,
            hidden_size=32,
            intermediate_size=48,
            num_attention_heads=4,
            num_key_value_heads=4,
            attention_head_dim=16,
            attention_hidden_size=64,
            num_hidden_layers=4,
            layers_block_type=["mamba", "hybrid", "mamba", "hybrid"],
            hybrid_layer_ids=[1, 3],
            n_mamba_heads=4,
            mamba_headdim=16,
            mamba_ngroups=2,
            mamba_d_state=24,
            mamba_d_conv=4,
            mamba_expand=2,
            pad_token_id=0,
        ),
        library={"num_mem_blocks": 1, "use_shared_attention_adapter": False, "adapter_rank": 4},
    ),
    # Block-sparse attention with index keys.
    Row(
        "minimax_m3_vl_text",
        _(
            PLAIN,
            MOE,
            model_type="minimax_m3_vl_text",
            num_hidden_layers=4,
            sparse_attention_config={
                "use_sparse_attention": True,
                "sparse_attention_freq": [0, 1, 1, 1],
                "sparse_index_dim": 16,
                "sparse_num_index_heads": 2,
                "sparse_topk_blocks": 2,
                "sparse_block_size": 4,
            },
        ),
    ),
    # An encoder that writes a second cache.
    Row(
        "whisper",
        _(
            model_type="whisper",
            vocab_size=64,
            d_model=32,
            encoder_layers=1,
            decoder_layers=3,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=48,
            decoder_ffn_dim=48,
            num_mel_bins=8,
            max_source_positions=20,
            max_target_positions=64,
            pad_token_id=0,
            bos_token_id=1,
            eos_token_id=2,
            decoder_start_token_id=1,
        ),
        kind="speech",
        encoder=20,
    ),
    Row(
        "bart",
        _(
            model_type="bart",
            vocab_size=64,
            d_model=32,
            encoder_layers=1,
            decoder_layers=3,
            encoder_attention_heads=2,
            decoder_attention_heads=4,
            encoder_ffn_dim=48,
            decoder_ffn_dim=48,
            max_position_embeddings=64,
            is_encoder_decoder=True,
            pad_token_id=0,
            bos_token_id=1,
            eos_token_id=2,
            decoder_start_token_id=2,
        ),
        kind="text",
        encoder=11,
    ),
    Row(
        "t5",
        _(
            model_type="t5",
            vocab_size=64,
            d_model=32,
            d_kv=12,
            d_ff=48,
            num_layers=2,
            num_decoder_layers=3,
            num_heads=4,
            is_encoder_decoder=True,
            pad_token_id=0,
            decoder_start_token_id=0,
        ),
        kind="text",
        encoder=11,
    ),
)
