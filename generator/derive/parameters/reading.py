"""Reading a config for its parameters: what is stated, what a pinned class default fills, what silence means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from generator.derive.config.fields import MOST_LAYERS, Fields, Refused, is_size, refuse_value
from generator.derive.parameters.parts import Part

MOST_EXPERTS = 100_000

# Keys that bring parameters with them in some family. One that is stated and that a reader did not read means that the
# layers are not the ones it knows.
SHAPING = re.compile(
    r"num_(local_|routed_|shared_)?experts$|n_(routed|shared)_experts|moe_num_|moe_intermediate|moe_latent|shared_expert"
    r"|intermediate_size|ffn_dim|lora_rank|compress_ratios|index_(n_heads|head_dim)|engram_|hc_mult|o_groups"
    r"|mamba_|ssm_|conv_kernel|linear_(num|key|value|attn_config)|block_configs|hybrid_override_pattern"
    r"|(^|_)bias$|qk_norm|qk_layernorm|per_layer_input|altup|laurel|word_embed_proj_dim|attention_k_eq_v"
    r"|num_attention_heads_per_layer|layernorm_embedding|v_head_dim|global_head_dim|num_global_key_value_heads"
    r"|routed_expert_hidden|latent_moe|attn_res_block|mla_use_output_gate"
)
# Stated by configs, but no weights: schedules, multipliers, settings of kernels and of training.
INERT = re.compile(
    r"multiplier|chunk_size|dtype|ssm_cache|hidden_act|use_mamba_kernels|dt_(min|max|limit|init|rank_scale)|dropout"
    r"|^mtp_|norm_before_gate|^(qk|router|norm_topk|scoring).*prob|shared_expert_overlap|pad_token_id|softmax_scale"
)


class Reading(Fields):
    """A config's fields, and the parts that a reader finds in them.

    ``defaults`` are class defaults that the caller has a pinned source for; they fill absent keys, never null ones.
    """

    def __init__(self, config: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
        super().__init__(config)
        self._defaults = defaults
        self.assumed: dict[str, Any] = {}
        self.silent: list[str] = []
        self.parts: list[Part] = []
        self.tied = False

    def again(self) -> Reading:
        """The same config, without the parts that were found so far."""
        return Reading(self._config, self._defaults)

    def get(self, key: str) -> Any:
        """The value as it is, else the class default where the caller gave one; None otherwise."""
        if key in self._config or key not in self._defaults:
            return super().get(key)
        self.assumed[key] = self._defaults[key]
        return self._defaults[key]

    def stated(self, key: str) -> bool:
        """Whether the config has the key at all, be it null."""
        return key in self._config or key in self._defaults

    def flag(self, key: str) -> bool:
        """A switch that brings parameters with it. Absent is off: the class has it off, or has no such switch."""
        value = self.get(key)
        if value is None:
            self.silent.append(key)
            return False
        if not isinstance(value, bool):
            refuse_value(key, value, "true or false")
        return value

    def number(self, key: str, most: int = MOST_LAYERS) -> int:
        """A whole number at or above 0 that must be there."""
        value = self.get(key)
        if value is None:
            raise Refused(f"`{key}` is missing; it is not guessed from library defaults", key)
        if not (is_size(value) or (type(value) is int and value == 0)) or value > most:
            refuse_value(key, value, f"a whole number up to {most:,}")
        return int(value)

    def names(self, key: str, length: int, allowed: frozenset[str]) -> list[str]:
        """A list of one name for each layer."""
        value = self.get(key)
        if not isinstance(value, list) or len(value) != length:
            refuse_value(key, value, f"a list of {length} names")
        if wrong := [name for name in value if not isinstance(name, str) or name not in allowed]:
            refuse_value(key, wrong[0], f"one of {', '.join(sorted(allowed))}")
        return list(value)

    def unread(self) -> Iterator[str]:
        """Stated keys that bring parameters somewhere and that nobody read."""
        for key, value in self._config.items():
            if value is None or value is False or value == 0 or value == [] or key in self.used:
                continue
            if SHAPING.search(key) and not INERT.search(key):
                yield key

    # --- parts ------------------------------------------------------------------------------------------------------

    def matrix(
        self,
        component: str,
        name: str,
        rows: int,
        columns: int,
        copies: int,
        *,
        active: int | None = None,
        bias: bool = False,
        linear: bool = True,
    ) -> None:
        """A weight of rows x columns in so many copies, with a bias of its rows where the class has one."""
        if rows and columns and copies:
            met = copies if active is None else active
            self.parts.append(Part(component, name, rows, columns, copies, met, linear))
            if bias:
                self.parts.append(Part(component, f"{name}.bias", rows, 1, copies, met, False))

    def vector(self, component: str, name: str, size: int, copies: int, *, active: int | None = None) -> None:
        """A norm, a bias or the like."""
        self.matrix(component, name, size, 1, copies, active=active, linear=False)
