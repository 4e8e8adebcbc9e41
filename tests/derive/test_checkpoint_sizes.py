"""Counts against checkpoints whose weight index was published: all their tensors have to be accounted for."""

from __future__ import annotations

from generator.derive.parameters import Apart, Parameters, count

MUSE = {
    "model_type": "muse_glimmer",
    "architectures": ["MuseGlimmerForConditionalGeneration"],
    "text_config": {
        "model_type": "muse_glimmer_text",
        "attention_bias": False,
        "head_dim": 128,
        "hidden_size": 6656,
        "intermediate_size": 19968,
        "num_attention_heads": 32,
        "num_hidden_layers": 52,
        "num_key_value_heads": 2,
        "tie_word_embeddings": False,
        "vocab_size": 202048,
    },
    "vision_config": {"hidden_size": 1536},
}
# Its other tensors, as transformers 5.24.0 `models/muse_glimmer/modeling_muse_glimmer.py` makes them for images:
# 50 layers of four projections with a bias, two of an MLP, two layer norms; patches, positions, two norms; the adapter.
VISION_LAYER = 4 * (1536 * 1536 + 1536) + (1536 * 8960 + 8960) + (8960 * 1536 + 1536) + 4 * 1536
VISION = 50 * VISION_LAYER + 2 * 3 * 14 * 14 * 1536 + 32 * 32 * 1536 + 4 * 1536
ADAPTER = 6144 * 4096 + 4096 * 4096 + 4096 * 6656


def test_muse_glimmer_leaves_no_tensor_over() -> None:
    """vllm-project/recipes at 8959cf64: total_size 59,553,253,376 bytes at BF16, from the safetensors metadata."""
    found = count(MUSE)
    assert isinstance(found, Parameters), found
    assert 2 * (found.total + VISION + ADAPTER) == 59_553_253_376
    assert found.apart == (Apart("vision", None, "a tower with a config of its own: not counted"),)
