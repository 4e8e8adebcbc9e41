"""Kimi K3's parameters: what it adds to Kimi-Linear, tensor by tensor, and the size that others give for it.

The shapes are those that vllm 0.33.0 ``models/kimi_k3/nvidia/{model,kda,mla}.py`` makes, multiplied by hand. No class
of transformers 5.24.0 has them.
"""

from __future__ import annotations

from typing import Any

import pytest

from generator.derive.parameters import NotDerivable, Parameters, count
from generator.derive.parameters.stated_counts import matching

K3: dict[str, Any] = {
    "model_type": "kimi_linear",
    "architectures": ["KimiLinearForCausalLM"],
    "vocab_size": 163840,
    "tie_word_embeddings": False,
    "hidden_size": 7168,
    "intermediate_size": 33792,
    "num_hidden_layers": 93,
    "num_attention_heads": 96,
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "mla_use_output_gate": True,
    "attn_res_block_size": 12,
    "first_k_dense_replace": 1,
    "moe_layer_freq": 1,
    "num_experts": 896,
    "num_experts_per_token": 16,
    "num_shared_experts": 2,
    "moe_intermediate_size": 3072,
    "routed_expert_hidden_size": 3584,
    "latent_moe_use_norm": True,
    "linear_attn_config": {
        "full_attn_layers": [*range(4, 93, 4), 93],
        "kda_layers": [layer for layer in range(1, 93) if layer % 4],
        "head_dim": 128,
        "num_heads": 96,
        "short_conv_kernel_size": 4,
        "use_full_rank_gate": True,
    },
}
# Layer by layer: 92 layers of experts, 1 dense, 69 of KDA, 24 of MLA.
EMBEDDINGS = 2 * 163840 * 7168
EXPERTS = 92 * (896 * 3 * 3072 * 3584 + 2 * 7168 * 3584 + 3584 + 896 * 7168 + 3 * 7168 * 6144)
DENSE = 3 * 7168 * 33792
KDA = 69 * (
    4 * 12288 * 7168  # queries, keys, values, the whole gate
    + 128 * 7168 + 12288 * 128  # the forget gate, of low rank
    + 96 * 7168  # beta
    + 3 * 12288 * 4 + 12288 + 96 + 128  # convolutions, dt_bias, A_log, the gated norm
    + 7168 * 12288
)  # fmt: skip
MLA = 24 * (
    1536 * 7168 + 1536 + 96 * 192 * 1536  # queries
    + 576 * 7168 + 512 + 96 * 256 * 512  # the latent
    + 12288 * 7168  # the output gate
    + 7168 * 12288
)  # fmt: skip
NORMS = (2 * 93 + 1) * 7168
RESIDUALS = 2 * (2 * 93 + 1) * 7168


def counted(config: dict[str, Any]) -> Parameters:
    found = count(config)
    assert isinstance(found, Parameters), found
    return found


def test_every_tensor_is_counted_once() -> None:
    found = counted(K3)
    assert found.total == EMBEDDINGS + EXPERTS + DENSE + KDA + MLA + NORMS + RESIDUALS == 2_779_484_393_568


def test_the_size_that_others_give_holds_to_its_digits() -> None:
    """aiconfigurator at 095f58a5, sdk/models/kimi_k3.py: 2.8T."""
    assert matching(2.8, "trillion", counted(K3), "parameters_total")


@pytest.mark.parametrize(
    ("without", "fewer"),
    [
        pytest.param({"mla_use_output_gate": False}, 24 * 12288 * 7168, id="output gate of MLA"),
        pytest.param({"latent_moe_use_norm": False}, 92 * 3584, id="norm of the latent"),
        pytest.param({"attn_res_block_size": None}, RESIDUALS, id="block residuals"),
        pytest.param(
            {"routed_expert_hidden_size": None, "latent_moe_use_norm": False},
            92 * (2 * 7168 * 3584 + 3584 - 896 * 3 * 3072 * 3584),
            id="latent of the experts",
        ),
        pytest.param(
            {"linear_attn_config": {**K3["linear_attn_config"], "use_full_rank_gate": False}},
            69 * (12288 * 7168 - 128 * 7168 - 12288 * 128),
            id="whole gate of KDA",
        ),
    ],
)
def test_each_switch_takes_away_what_it_brings(without: dict[str, Any], fewer: int) -> None:
    assert counted(K3).total - counted({**K3, **without}).total == fewer


@pytest.mark.parametrize(
    "key", ["routed_expert_hidden_size", "latent_moe_use_norm", "attn_res_block_size", "mla_use_output_gate"]
)
def test_another_family_does_not_pass_over_them(key: str) -> None:
    llama = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "vocab_size": 128,
        "tie_word_embeddings": False,
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
    }
    assert counted(llama)
    found = count({**llama, key: True})
    assert isinstance(found, NotDerivable)
    assert key in found.fields
